//! `cargo xtask tidy`: the house rules that neither the compiler nor clippy knows.
//!
//! Each rule is a function of a path and a text; this file finds the files and hands them round.

use std::fmt;
use std::path::Path;
use std::process::Command;

use crate::process::{root, say, stdout};
use crate::tally::Tally;

mod files;
mod imports;
mod length;
mod lexer;
mod manifests;
mod rows;
mod sources;
#[cfg(test)]
mod tests;

/// One breach of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    path: String,
    /// From 1; 0 where the file as a whole is meant.
    line: usize,
    what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line,
            what: what.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Checks every file that git tracks or would track.
pub(crate) fn step() -> Tally {
    match check(&root()) {
        Ok((files, findings)) => {
            for finding in &findings {
                say(finding.to_string());
            }
            say(format!("{files} files, {} findings", findings.len()));
            Tally {
                passed: u64::from(findings.is_empty()),
                failed: findings.len() as u64,
                skipped: Vec::new(),
            }
        }
        Err(error) => {
            say(error);
            Tally::of(false)
        }
    }
}

fn check(root: &Path) -> Result<(usize, Vec<Finding>), String> {
    let paths = tracked(root)?;
    let mut findings = Vec::new();
    let mut sources = Vec::new();
    for path in &paths {
        let bytes = std::fs::read(root.join(path)).map_err(|e| format!("{path}: {e}"))?;
        findings.extend(files::size_and_kind(path, &bytes));
        findings.extend(files::name(path));
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        findings.extend(files::machine_paths(path, &text));
        if path.ends_with(".rs") {
            findings.extend(source_rules(path, &text));
            sources.push((path.clone(), text));
        } else {
            findings.extend(files::open_marks(path, &text));
            if path.ends_with("Cargo.toml") {
                findings.extend(manifests::sorted_dependencies(path, &text));
                findings.extend(feature_table(root, path, &text));
            }
        }
    }
    findings.extend(length::all(&sources, &list(root, length::LIST)?));
    findings.extend(rows::all(&list(root, rows::LIST)?, &sources));
    Ok((paths.len(), findings))
}

fn source_rules(path: &str, text: &str) -> Vec<Finding> {
    let split = lexer::split(text);
    let mut findings = sources::opens_with_docs(path, text);
    findings.extend(sources::sans_io(path, &split));
    findings.extend(sources::tagged_serde(path, &split));
    findings.extend(sources::open_marks(path, &split));
    findings.extend(imports::blocks(path, &split));
    findings
}

fn feature_table(root: &Path, path: &str, manifest: &str) -> Vec<Finding> {
    let lib = path.replace("Cargo.toml", "src/lib.rs");
    match std::fs::read_to_string(root.join(&lib)) {
        Ok(text) => manifests::feature_table(&lib, manifest, &text),
        Err(_) => Vec::new(),
    }
}

fn list(root: &Path, path: &str) -> Result<String, String> {
    std::fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"))
}

fn tracked(root: &Path) -> Result<Vec<String>, String> {
    let mut git = Command::new("git");
    git.current_dir(root).args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let list = stdout(&mut git)?;
    let there = |path: &&str| !path.is_empty() && root.join(path).is_file();
    Ok(list.split('\0').filter(there).map(str::to_owned).collect())
}
