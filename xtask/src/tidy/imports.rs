//! Imports stand in three blocks: std, other crates (the workspace's among them), this crate.

use super::Finding;
use super::lexer::Split;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Std,
    Other,
    Own,
}

struct Import {
    origin: Origin,
    first: usize,
    last: usize,
}

/// Each block at most once, in order, with one blank line between; `pub use` is an export and stands where it likes.
pub(super) fn blocks(path: &str, split: &Split) -> Vec<Finding> {
    let imports = imports(&split.code);
    let lines: Vec<(&str, &str)> = split.code.lines().zip(split.comments.lines()).collect();
    let mut findings = Vec::new();
    for pair in imports.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        let between = lines.get(before.last..after.first - 1).unwrap_or_default();
        let only_blank = between.iter().all(|(code, _)| code.trim().is_empty());
        let apart = between
            .iter()
            .any(|(code, comment)| code.trim().is_empty() && comment.trim().is_empty());
        let what = if after.origin < before.origin {
            "imports in the order std, other crates, this crate (crate, super, its modules)"
        } else if after.origin > before.origin && !apart {
            "a blank line between the blocks of imports"
        } else if after.origin == before.origin && only_blank && apart {
            "no blank line within a block of imports"
        } else {
            continue;
        };
        findings.push(Finding::new(path, after.first, what));
    }
    findings
}

fn imports(code: &str) -> Vec<Import> {
    let modules: Vec<&str> = code.lines().filter_map(module).collect();
    let mut imports: Vec<Import> = Vec::new();
    let mut open = false;
    for (index, line) in code.lines().enumerate() {
        if open {
            if let Some(import) = imports.last_mut() {
                import.last = index + 1;
            }
        } else if let Some(path) = line.strip_prefix("use ") {
            imports.push(Import {
                origin: origin(path, &modules),
                first: index + 1,
                last: index + 1,
            });
            open = true;
        }
        if line.contains(';') {
            open = false;
        }
    }
    imports
}

/// The module that a line of code declares, at the top level of the file.
fn module(line: &str) -> Option<&str> {
    let rest = line
        .trim_start_matches("pub ")
        .trim_start_matches("pub(crate) ")
        .strip_prefix("mod ")?;
    rest.split([';', ' ']).next()
}

fn origin(path: &str, modules: &[&str]) -> Origin {
    let first = path
        .trim_start_matches("::")
        .split([':', ';', ' ', ','])
        .next()
        .unwrap_or_default();
    match first {
        "std" | "core" | "alloc" => Origin::Std,
        "crate" | "super" | "self" => Origin::Own,
        name if modules.contains(&name) => Origin::Own,
        _ => Origin::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::split;
    use super::*;

    fn check(text: &str, lines: &[usize]) {
        let found: Vec<usize> = blocks("a.rs", &split(text))
            .iter()
            .map(|finding| finding.line)
            .collect();
        assert_eq!(found, lines, "{text}");
    }

    #[test]
    fn three_blocks_in_order() {
        check(
            "use std::fmt;\n\nuse mcp_types::Y;\nuse serde::Serialize;\n\nuse crate::x;\n",
            &[],
        );
        check(
            "use std::fmt;\nuse core::net::IpAddr;\n\nuse super::x;\n",
            &[],
        );
        check(
            "use std::{\n    fmt,\n    io,\n};\n\nuse bytes::Bytes;\n",
            &[],
        );
        check("mod probe;\n\nuse serde::X;\n\nuse probe::Probe;\n", &[]);
    }

    #[test]
    fn out_of_order() {
        check("use crate::x;\n\nuse std::fmt;\n", &[3]);
        check("use serde::X;\n\nuse std::fmt;\n", &[3]);
        check("use super::X;\n\nuse mcp_types::X;\n", &[3]);
    }

    #[test]
    fn blocks_touch() {
        check("use std::fmt;\nuse serde::X;\n", &[2]);
        check("use std::{\n    fmt,\n};\nuse crate::X;\n", &[4]);
    }

    #[test]
    fn a_block_is_torn() {
        check("use std::fmt;\n\nuse std::io;\n", &[3]);
        check("use bytes::a;\n\nuse mcp_types::b;\n", &[3]);
    }

    #[test]
    fn a_reason_or_an_attribute_may_stand_between() {
        check("use std::fmt;\n#[cfg(unix)]\nuse std::os;\n", &[]);
        check("use std::fmt;\n\n#[cfg(unix)]\nuse std::os;\n", &[]);
        check("use std::fmt;\n// Only here.\nuse std::io;\n", &[]);
    }

    #[test]
    fn exports_and_inner_modules_are_left_alone() {
        check("pub use crate::x;\nuse std::fmt;\n", &[]);
        check("use crate::x;\n\nmod tests {\n    use std::fmt;\n}\n", &[]);
        check("// use crate::x;\nuse std::fmt;\n", &[]);
    }
}
