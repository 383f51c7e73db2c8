//! Rules about manifests: sorted dependencies, and a table of features that tells the truth.

use super::Finding;
use crate::manifest::Manifest;

/// Dependencies are sorted, so that two people never add the same one twice.
pub(super) fn sorted_dependencies(path: &str, text: &str) -> Vec<Finding> {
    let manifest = Manifest::parse(text);
    let mut findings = Vec::new();
    for (table, entries) in manifest.dependency_tables() {
        for pair in entries.windows(2).filter(|pair| pair[0].key > pair[1].key) {
            let what = format!("[{table}]: `{}` goes before `{}`", pair[1].key, pair[0].key);
            findings.push(Finding::new(path, pair[1].line, what));
        }
    }
    findings
}

/// The table of features in the crate's documentation has a row for each feature, and no other.
pub(super) fn feature_table(lib: &str, manifest: &str, source: &str) -> Vec<Finding> {
    let features = Manifest::parse(manifest).features();
    let rows = rows(source);
    let missing = features
        .iter()
        .filter(|feature| !rows.iter().any(|(row, _)| row == *feature));
    let mut findings: Vec<Finding> = missing
        .map(|feature| {
            Finding::new(
                lib,
                1,
                format!("the table of features in the docs lacks a row for `{feature}`"),
            )
        })
        .collect();
    for (row, line) in rows.iter().filter(|(row, _)| !features.contains(row)) {
        findings.push(Finding::new(
            lib,
            *line,
            format!("the table of features names `{row}`, which Cargo.toml does not"),
        ));
    }
    findings
}

/// The first column of the table whose head is `feature`, with line numbers.
fn rows(source: &str) -> Vec<(String, usize)> {
    let mut rows = Vec::new();
    let mut inside = false;
    for (index, line) in source.lines().enumerate() {
        let cell = line
            .strip_prefix("//! |")
            .and_then(|rest| rest.split('|').next());
        let cell = cell.map(|cell| cell.trim().trim_matches('`'));
        match cell {
            None => inside = false,
            Some(head) if head.eq_ignore_ascii_case("feature") => inside = true,
            Some(rule) if rule.starts_with(['-', ':']) => {}
            Some(cell) if inside => rows.push((cell.to_owned(), index + 1)),
            Some(_) => {}
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_sorted() {
        let good = "[dependencies]\na = \"1\"\nb.workspace = true\n[dev-dependencies]\na = \"1\"\n";
        assert!(sorted_dependencies("Cargo.toml", good).is_empty());
        let bad = "[workspace.dependencies]\nb = \"1\"\na = \"1\"\n[features]\nz = []\na = []\n";
        let lines: Vec<usize> = sorted_dependencies("Cargo.toml", bad)
            .iter()
            .map(|f| f.line)
            .collect();
        assert_eq!(lines, [3]);
    }

    fn check(features: &str, docs: &str, lines: &[usize]) {
        let found = feature_table("lib.rs", &format!("[features]\n{features}"), docs);
        assert_eq!(
            found.iter().map(|f| f.line).collect::<Vec<_>>(),
            lines,
            "{found:?}"
        );
    }

    #[test]
    fn features_and_their_rows_agree() {
        let docs = "//! A crate.\n//!\n//! | feature | adds |\n//! |---|---|\n//! | `http` | x |\n//! | `stdio` | y |\n";
        check("http = []\nstdio = []\n", docs, &[]);
        check("http = []\nstdio = []\n__x = []\ndefault = []\n", docs, &[]);
        check("http = []\n", docs, &[6]);
        check("auth = []\nhttp = []\nstdio = []\n", docs, &[1]);
        check(
            "",
            "//! | layer | what |\n//! |---|---|\n//! | a | b |\n",
            &[],
        );
        check("", "//! A crate.\n", &[]);
    }
}
