//! Each row of the tables that the code is built from names the tests that show it, and they exist: `xtask/rows.txt`.

use std::collections::BTreeSet;

use super::Finding;

pub(super) const LIST: &str = "xtask/rows.txt";

/// Judges the list against all sources. `= A1..A3 B` begins a table of four rows; `A1 FILE TEST…` names tests of a row, and
/// `A1 - REASON` says why there is none here; `#` begins a comment.
pub(super) fn all(list: &str, sources: &[(String, String)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut wanted, mut found) = (Vec::new(), BTreeSet::new());
    for (index, line) in list.lines().enumerate() {
        let mut find = |what: String| findings.push(Finding::new(LIST, index + 1, what));
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (None, _) => {}
            (Some(first), _) if first.starts_with('#') => {}
            (Some("="), _) => {
                for range in line.split_whitespace().skip(1) {
                    wanted.extend(rows(range).into_iter().map(|row| (row, index + 1)));
                }
            }
            (Some(row), Some("-")) if words.next().is_some() => {
                found.insert(row.to_owned());
            }
            (Some(row), Some(path)) => {
                found.insert(row.to_owned());
                let source = sources.iter().find(|(of, _)| of == path);
                let tests: Vec<&str> = words.collect();
                if source.is_none() || tests.is_empty() {
                    find(format!(
                        "`{row}` names no test in a file of this repository"
                    ));
                }
                for test in tests {
                    if !source.is_some_and(|(_, text)| text.contains(&format!("fn {test}("))) {
                        find(format!("`{row}`: there is no `{test}` in {path}"));
                    }
                }
            }
            (Some(_), None) => find("a line is `ROW FILE TEST…` or `ROW - REASON`".to_owned()),
        }
    }
    for (row, line) in &wanted {
        if !found.contains(row) {
            findings.push(Finding::new(
                LIST,
                *line,
                format!("row `{row}` has no test"),
            ));
        }
    }
    let known: BTreeSet<_> = wanted.into_iter().map(|(row, _)| row).collect();
    let strangers = found.difference(&known);
    findings.extend(strangers.map(|row| Finding::new(LIST, 0, format!("`{row}` is in no table"))));
    findings
}

/// `A1..A3` is `A1`, `A2` and `A3`.
fn rows(range: &str) -> Vec<String> {
    let numbered = |row: &str| {
        let at = row.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        Some((row[..at].to_owned(), row[at..].parse::<u32>().ok()?))
    };
    let ends = range
        .split_once("..")
        .and_then(|(a, b)| Some((numbered(a)?, numbered(b)?)));
    match ends {
        Some(((name, first), (_, last))) => {
            (first..=last).map(|row| format!("{name}{row}")).collect()
        }
        None => vec![range.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_a_test_that_exists() {
        let sources = [("a.rs".to_owned(), "fn a1_holds() {}".to_owned())];
        let check = |list: &str, expected: &[&str]| {
            let told: Vec<String> = all(list, &sources)
                .into_iter()
                .map(|one| one.what)
                .collect();
            assert_eq!(told, expected, "{list}");
        };
        check(
            "# Rows\n\n= A1..A2 B\nA1 a.rs a1_holds\nA2 - of issue 5\nB a.rs a1_holds\n",
            &[],
        );
        check("= A1\n", &["row `A1` has no test"]);
        check(
            "= A1\nA1\n",
            &[
                "a line is `ROW FILE TEST…` or `ROW - REASON`",
                "row `A1` has no test",
            ],
        );
        check("= A1\nA1 a.rs a1\n", &["`A1`: there is no `a1` in a.rs"]);
        check(
            "= A1\nA1 a.rs\n",
            &["`A1` names no test in a file of this repository"],
        );
        check("A1 a.rs a1_holds\n", &["`A1` is in no table"]);
    }
}
