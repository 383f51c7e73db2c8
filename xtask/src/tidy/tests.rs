//! The repository keeps its own rules.

use super::*;

#[test]
fn this_repository_is_tidy() {
    let (files, findings) = check(&root()).unwrap();
    let listed: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert!(findings.is_empty(), "{}", listed.join("\n"));
    assert!(files > 20, "only {files} files were found");
}
