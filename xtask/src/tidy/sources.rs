//! Rules about Rust code: how a file opens, no IO under `proto/`, no guessing decoders, no loose ends.

use super::Finding;
use super::lexer::Split;

/// What code under `proto/` must not name. `core::net` holds addresses without IO and is not among them.
const IO_WORDS: [&str; 9] = [
    "tokio",
    "hyper",
    "reqwest",
    "axum",
    "std::net",
    "std::fs",
    "std::thread",
    "Instant::now",
    "SystemTime::now",
];

/// The first line says what the file is for.
pub(super) fn opens_with_docs(path: &str, text: &str) -> Vec<Finding> {
    let first = text.lines().next().unwrap_or_default();
    let says = first
        .strip_prefix("//!")
        .is_some_and(|rest| !rest.trim().is_empty());
    if says {
        Vec::new()
    } else {
        vec![Finding::new(
            path,
            1,
            "open the file with a `//!` line that says what it is for",
        )]
    }
}

/// Machines hold no IO, read no clock and wait for nothing.
pub(super) fn sans_io(path: &str, split: &Split) -> Vec<Finding> {
    let is_machine = path
        .split('/')
        .any(|part| part == "proto" || part == "proto.rs");
    if !is_machine {
        return Vec::new();
    }
    // A test needs some instant to count from.
    let is_test = path.ends_with("/tests.rs");
    let mut findings = Vec::new();
    for (index, line) in split.code.lines().enumerate() {
        let words = IO_WORDS
            .iter()
            .chain(&["async"])
            .filter(|word| !(is_test && **word == "Instant::now"));
        for word in words.filter(|word| has_word(line, word)) {
            let what = format!(
                "`{word}` in a machine: time, randomness and bytes are arguments, the driver does the IO"
            );
            findings.push(Finding::new(path, index + 1, what));
        }
    }
    findings
}

/// A message is decoded with what is known about it, never by trying one shape after another.
pub(super) fn tagged_serde(path: &str, split: &Split) -> Vec<Finding> {
    if !path.starts_with("mcp-") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (at, _) in split.code.match_indices("serde(") {
        let rest = &split.code[at + "serde(".len()..];
        let attribute = &rest[..rest.find(")]").unwrap_or(rest.len())];
        for word in ["untagged", "flatten", "tag"]
            .into_iter()
            .filter(|word| has_word(attribute, word))
        {
            let line = split.code[..at].matches('\n').count() + 1;
            let what = format!(
                "`serde({word})` tries or buffers: decode by the method, after a look at the members"
            );
            findings.push(Finding::new(path, line, what));
        }
    }
    findings
}

/// A loose end has an issue.
pub(super) fn open_marks(path: &str, split: &Split) -> Vec<Finding> {
    open_marks_in(path, &split.comments)
}

/// The same for a text that is not Rust.
pub(super) fn open_marks_in(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for mark in [
            concat!("TO", "DO"),
            concat!("FIX", "ME"),
            concat!("XX", "X"),
        ] {
            let Some(at) = word_at(line, mark) else {
                continue;
            };
            let rest = line[at + mark.len()..].trim_start_matches(['(', ' ', ':']);
            let issue = rest
                .strip_prefix('#')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            if !issue {
                findings.push(Finding::new(
                    path,
                    index + 1,
                    format!("`{mark}` without an issue: write `{mark}(#12)`"),
                ));
            }
        }
    }
    findings
}

fn has_word(line: &str, word: &str) -> bool {
    word_at(line, word).is_some()
}

/// Where `word` stands in `line` as a whole word.
fn word_at(line: &str, word: &str) -> Option<usize> {
    let part_of_word = |c: char| c == '_' || c.is_alphanumeric();
    line.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = line[..*at].chars().next_back().is_some_and(part_of_word);
        let after = line[at + word.len()..]
            .chars()
            .next()
            .is_some_and(part_of_word);
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    use super::super::lexer::split;
    use super::*;

    fn check(rule: fn(&str, &Split) -> Vec<Finding>, path: &str, text: &str, lines: &[usize]) {
        let found: Vec<usize> = rule(path, &split(text))
            .iter()
            .map(|finding| finding.line)
            .collect();
        assert_eq!(found, lines, "{path}: {text}");
    }

    #[test]
    fn a_file_opens_with_its_purpose() {
        assert!(opens_with_docs("a.rs", "//! Finds out.\n").is_empty());
        for bad in [
            "",
            "//!\n",
            "use x;\n",
            "// Finds out.\n",
            "\n//! Late.\n",
            "/// Wrong kind.\n",
        ] {
            assert_eq!(opens_with_docs("a.rs", bad).len(), 1, "{bad:?}");
        }
    }

    #[test]
    fn machines_do_no_io() {
        let path = "mcp-client/src/proto/probe.rs";
        for bad in [
            "use tokio::sync;",
            "hyper::Body",
            "reqwest::Client",
            "axum::Router",
            "use std::net::IpAddr;",
            "std::fs::read",
            "std::thread::current",
            "let now = Instant::now();",
            "std::time::SystemTime::now()",
            "pub async fn go() {}",
            "async move {}",
        ] {
            check(sans_io, path, bad, &[1]);
            check(sans_io, "mcp-client/src/proto.rs", bad, &[1]);
            check(sans_io, "mcp-client/src/driver.rs", bad, &[]);
        }
        for good in [
            "// tokio does this",
            "\"tokio\"",
            "core::net::IpAddr",
            "tokio_like()",
            "is_async",
            "now: Instant",
        ] {
            check(sans_io, path, good, &[]);
        }
        check(
            sans_io,
            "mcp-client/src/proto/probe/tests.rs",
            "let t = Instant::now();\ntokio::spawn",
            &[2],
        );
    }

    #[test]
    fn decoders_do_not_guess() {
        let path = "mcp-types/src/content.rs";
        check(tagged_serde, path, "#[serde(untagged)]\nenum E {}", &[1]);
        check(tagged_serde, path, "\n#[serde(flatten)]", &[2]);
        check(
            tagged_serde,
            path,
            "#[serde(tag = \"type\", rename_all = \"camelCase\")]",
            &[1],
        );
        check(
            tagged_serde,
            path,
            "#[serde(\n    rename_all = \"x\",\n    untagged,\n)]",
            &[1],
        );
        check(
            tagged_serde,
            path,
            "#[serde(rename = \"untagged\", default)]",
            &[],
        );
        check(tagged_serde, path, "// #[serde(untagged)]", &[]);
        check(tagged_serde, "xtask/src/x.rs", "#[serde(untagged)]", &[]);
    }

    #[test]
    fn loose_ends_have_an_issue() {
        let mark = concat!("TO", "DO");
        check(open_marks, "a.rs", &format!("// {mark}: later"), &[1]);
        check(open_marks, "a.rs", &format!("// {mark}(#12): later"), &[]);
        check(open_marks, "a.rs", &format!("// {mark} #12"), &[]);
        check(
            open_marks,
            "a.rs",
            &format!("// {mark}(alice): later"),
            &[1],
        );
        check(open_marks, "a.rs", &format!("let s = \"{mark}\";"), &[]);
        check(open_marks, "a.rs", &format!("// {mark}S are fine"), &[]);
        check(open_marks, "a.rs", concat!("/// FIX", "ME"), &[1]);
    }
}
