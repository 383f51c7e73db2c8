//! Reads the part of a `Cargo.toml` that the checks need, line by line: tables and the keys in them.

use std::path::Path;

/// The crates of the workspace that are published, lowest layer first.
pub(crate) const CRATES: [&str; 6] = [
    "mcp-types",
    "mcp-errors",
    "mcp-transport",
    "mcp-client",
    "mcp-server",
    "mcp-swarm",
];

/// A manifest as tables of keys, in file order.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    tables: Vec<Table>,
}

#[derive(Debug)]
struct Table {
    name: String,
    entries: Vec<Entry>,
}

/// One `key = value` and where it stands.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The first part of the key: `tokio` in `tokio.workspace = true`.
    pub(crate) key: String,
    /// The text after the equals sign, all its lines.
    pub(crate) value: String,
    /// Line number, from 1.
    pub(crate) line: usize,
}

impl Manifest {
    /// Reads a manifest. What it does not understand it leaves out.
    pub(crate) fn parse(text: &str) -> Self {
        let mut manifest = Self::default();
        let mut depth = 0;
        for (index, raw) in text.lines().enumerate() {
            let line = raw.split_once('#').map_or(raw, |(before, _)| before).trim();
            if depth > 0 {
                if let Some(entry) = manifest
                    .tables
                    .last_mut()
                    .and_then(|table| table.entries.last_mut())
                {
                    entry.value.push_str(line);
                }
            } else if line.starts_with('[') && line.ends_with(']') {
                let name = line.trim_matches(['[', ']']).trim().to_owned();
                manifest.tables.push(Table {
                    name,
                    entries: Vec::new(),
                });
                continue;
            } else if let Some((key, value)) = line.split_once('=') {
                let key = key
                    .trim()
                    .split('.')
                    .next()
                    .unwrap_or_default()
                    .trim_matches('"')
                    .to_owned();
                let entry = Entry {
                    key,
                    value: value.trim().to_owned(),
                    line: index + 1,
                };
                if let Some(table) = manifest.tables.last_mut() {
                    table.entries.push(entry);
                }
            }
            depth += nesting(line);
        }
        manifest
    }

    /// Reads the manifest in a crate's folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join("Cargo.toml");
        let text =
            std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Self::parse(&text))
    }

    /// Every table of dependencies: normal, dev, build, per target, and the workspace's.
    pub(crate) fn dependency_tables(&self) -> impl Iterator<Item = (&str, &[Entry])> {
        self.tables
            .iter()
            .filter(|table| table.name.ends_with("dependencies"))
            .map(|table| (table.name.as_str(), table.entries.as_slice()))
    }

    /// The crates named as dependencies in any table, by the name of their package.
    pub(crate) fn dependencies(&self) -> Vec<String> {
        let mut names = Vec::new();
        for table in &self.tables {
            if table.name.ends_with("dependencies") {
                names.extend(table.entries.iter().map(package_of));
            } else if let Some((owner, name)) = table.name.rsplit_once('.')
                && owner.ends_with("dependencies")
            {
                names.push(name.trim_matches('"').to_owned());
                names.extend(
                    table
                        .entries
                        .iter()
                        .filter(|e| e.key == "package")
                        .map(|e| unquoted(&e.value)),
                );
            }
        }
        names
    }

    /// The features a user can choose: not `default`, and not the internal ones that start with `__`.
    pub(crate) fn features(&self) -> Vec<String> {
        let table = self.tables.iter().find(|table| table.name == "features");
        let entries = table
            .map(|table| table.entries.as_slice())
            .unwrap_or_default();
        entries
            .iter()
            .map(|entry| entry.key.clone())
            .filter(|key| key != "default" && !key.starts_with("__"))
            .collect()
    }
}

/// A dependency may be renamed: `x = { package = "real-name" }`.
fn package_of(entry: &Entry) -> String {
    match entry.value.split_once("package") {
        Some((_, rest)) => unquoted(rest.trim_start().trim_start_matches('=')),
        None => entry.key.clone(),
    }
}

fn unquoted(text: &str) -> String {
    text.split('"').nth(1).unwrap_or_default().to_owned()
}

fn nesting(line: &str) -> i32 {
    line.chars()
        .map(|c| match c {
            '[' | '{' => 1,
            ']' | '}' => -1,
            _ => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = r#"
[package]
name = "x"
[features]
default = []
http = [
    "dep:tokio", # a comment
    "tokio/net",
]
__internal = []
stdio = []
[dependencies]
serde = { workspace = true, features = ["derive"] }
tokio.workspace = true
alias = { package = "mcp-client", path = "../c" }
[dev-dependencies]
proptest = "1"
[target.'cfg(unix)'.dependencies]
rustix = "1"
[dependencies.mcp-server]
workspace = true
"#;

    #[test]
    fn features_are_those_a_user_can_choose() {
        assert_eq!(Manifest::parse(SAMPLE).features(), ["http", "stdio"]);
    }

    #[test]
    fn dependencies_of_every_table_by_package_name() {
        let expected = [
            "serde",
            "tokio",
            "mcp-client",
            "proptest",
            "rustix",
            "mcp-server",
        ];
        assert_eq!(Manifest::parse(SAMPLE).dependencies(), expected);
    }

    #[test]
    fn tables_keep_their_names_and_lines() {
        let manifest = Manifest::parse(SAMPLE);
        let names: Vec<_> = manifest
            .dependency_tables()
            .map(|(name, _)| name.to_owned())
            .collect();
        assert_eq!(
            names,
            [
                "dependencies",
                "dev-dependencies",
                "target.'cfg(unix)'.dependencies"
            ]
        );
        let first = manifest
            .dependency_tables()
            .next()
            .map(|(_, entries)| entries[1].line);
        assert_eq!(first, Some(14));
    }
}
