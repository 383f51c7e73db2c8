//! No file grows into a whale: 500 lines without its tests, and a list of exceptions that only shrinks.

use super::Finding;

/// The exceptions: `path lines`.
pub(super) const LIST: &str = "xtask/tidy-exceptions.txt";
/// Lines a file may have, its inline tests not counted.
const LIMIT: usize = 500;

/// Judges all sources. `exceptions` holds one `path lines` a line, the length that file may not exceed.
pub(super) fn all(sources: &[(String, String)], exceptions: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut rows = Vec::new();
    for (index, line) in exceptions
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#'))
    {
        match line
            .split_once(' ')
            .map(|(path, lines)| (path, lines.trim().parse::<usize>()))
        {
            Some((path, Ok(lines))) => rows.push((path, lines, index + 1)),
            _ => findings.push(Finding::new(LIST, index + 1, "a row is `path lines`")),
        }
    }
    for (path, lines, row) in &rows {
        let length = sources
            .iter()
            .find(|(of, _)| of == path)
            .map(|(_, text)| length(text));
        match length {
            None => findings.push(Finding::new(
                LIST,
                *row,
                format!("`{path}` is gone: remove the row"),
            )),
            Some(length) if length <= LIMIT => {
                findings.push(Finding::new(
                    LIST,
                    *row,
                    format!("`{path}` has {length} lines now: remove the row"),
                ));
            }
            Some(length) if length < *lines => {
                let what = format!("`{path}` has {length} lines now: lower the row to {length}");
                findings.push(Finding::new(LIST, *row, what));
            }
            Some(_) => {}
        }
    }
    for (path, text) in sources {
        let row = rows.iter().find(|(of, _, _)| of == path);
        findings.extend(one(path, text, row.map_or(LIMIT, |(_, lines, _)| *lines)));
    }
    findings
}

fn one(path: &str, text: &str, limit: usize) -> Option<Finding> {
    if path.ends_with("/tests.rs") || path.split('/').any(|part| part == "tests") {
        return None;
    }
    let length = length(text);
    let what = format!("{length} lines without tests, at most {limit}: split it by responsibility");
    (length > limit).then(|| Finding::new(path, limit + 1, what))
}

/// Lines before the inline test module.
fn length(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines
        .windows(2)
        .position(|pair| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod tests {"));
    tests.unwrap_or(lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, lines: usize) -> (String, String) {
        (path.to_owned(), "x\n".repeat(lines))
    }

    fn check(files: &[(String, String)], exceptions: &str, expected: &[&str]) {
        let found: Vec<String> = all(files, exceptions)
            .into_iter()
            .map(|finding| finding.path)
            .collect();
        assert_eq!(found, expected, "{exceptions}");
    }

    #[test]
    fn at_most_500_lines() {
        check(&[file("a.rs", 500)], "", &[]);
        check(&[file("a.rs", 501)], "", &["a.rs"]);
    }

    #[test]
    fn tests_are_not_counted() {
        let text = format!(
            "{}#[cfg(test)]\nmod tests {{\n{}}}\n",
            "x\n".repeat(400),
            "y\n".repeat(400)
        );
        check(&[("a.rs".to_owned(), text)], "", &[]);
        check(
            &[
                file("mcp-client/src/probe/tests.rs", 900),
                file("mcp-swarm/tests/it/main.rs", 900),
            ],
            "",
            &[],
        );
    }

    #[test]
    fn exceptions_only_shrink() {
        let list = "xtask/tidy-exceptions.txt";
        check(&[file("a.rs", 600)], "# why\na.rs 600\n", &[]);
        check(&[file("a.rs", 601)], "a.rs 600\n", &["a.rs"]);
        check(&[file("a.rs", 599)], "a.rs 600\n", &[list]);
        check(&[file("a.rs", 500)], "a.rs 600\n", &[list]);
        check(&[], "a.rs 600\n", &[list]);
        check(&[file("a.rs", 10)], "a.rs\n", &[list]);
    }
}
