//! What is known to fail, in a file with reasons that is strict both ways.
//!
//! A failure that is not in the file is a failure, and so is a row whose check passes, or did not run.

use std::path::Path;

use crate::process::root;
use crate::tally::Tally;

/// The rows of one file.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    file: String,
    rows: Vec<Expected>,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Expected {
    id: String,
    why: String,
}

/// How one check went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) id: String,
    pub(crate) passed: bool,
}

impl Baseline {
    /// Reads a file of this folder's crate.
    pub(crate) fn read(file: &str) -> Result<Self, String> {
        let path = root().join(Path::new("xtask")).join(file);
        let text =
            std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Self::parse(file, &text)
    }

    /// Reads `id #issue reason` rows; a row without an issue or a reason is refused.
    fn parse(file: &str, text: &str) -> Result<Self, String> {
        let rows = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let rows = rows.map(|row| {
            let mut parts = row.splitn(3, ' ');
            let (id, issue, why) = (parts.next(), parts.next(), parts.next());
            let numbered = issue
                .and_then(|issue| issue.strip_prefix('#'))
                .is_some_and(|n| n.parse::<u32>().is_ok());
            match (id, why) {
                (Some(id), Some(why)) if numbered => Ok(Expected {
                    id: id.to_owned(),
                    why: why.to_owned(),
                }),
                _ => Err(format!("{file}: a row is `id #issue reason`, not `{row}`")),
            }
        });
        Ok(Self {
            file: file.to_owned(),
            rows: rows.collect::<Result<_, _>>()?,
        })
    }

    /// Leaves out the rows of checks that did not run, for a run of a part.
    pub(crate) fn of_what_ran(mut self, ran: &[Ran]) -> Self {
        self.rows
            .retain(|row| ran.iter().any(|check| check.id == row.id));
        self
    }

    /// Counts what ran, and says what is worth a line.
    pub(crate) fn judge(&self, ran: &[Ran]) -> (Tally, Vec<String>) {
        let file = &self.file;
        let mut tally = Tally::default();
        let mut lines = Vec::new();
        for check in ran {
            let expected = self.rows.iter().find(|row| row.id == check.id);
            let id = &check.id;
            let problem = match (check.passed, expected) {
                (true, None) => None,
                (false, Some(row)) => {
                    lines.push(format!("{id}: fails as expected: {}", row.why));
                    None
                }
                (false, None) => Some(format!("{id}: fails, and the baseline does not expect it")),
                (true, Some(_)) => Some(format!("{id}: passes now: remove it from {file}")),
            };
            tally.add(Tally::of(problem.is_none()));
            lines.extend(problem);
        }
        let absent = |row: &&Expected| !ran.iter().any(|check| check.id == row.id);
        for row in self.rows.iter().filter(absent) {
            tally.add(Tally::of(false));
            lines.push(format!(
                "{}: in {file}, but it did not run: remove it",
                row.id
            ));
        }
        if ran.is_empty() {
            tally.add(Tally::of(false));
            lines.push("nothing ran".to_owned());
        }
        (tally, lines)
    }
}

/// Reads a runner's lines: `ok ID` and `FAIL ID what went wrong`.
pub(crate) fn parse_report(text: &str) -> Vec<Ran> {
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let passed = match words.next()? {
            "ok" => true,
            "FAIL" => false,
            _ => return None,
        };
        Some(Ran {
            id: words.next()?.to_owned(),
            passed,
        })
    };
    text.lines().filter_map(line).collect()
}

/// The lines of a runner that a person wants to see as they come.
pub(crate) fn bad_news(line: &str) -> bool {
    line.starts_with("FAIL")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Baseline, String> {
        Baseline::parse("known.txt", text)
    }

    #[test]
    fn a_row_has_an_issue_and_a_reason() {
        let rows = parse("# head\n\nBL-1 #7 resources come later\n").unwrap();
        assert_eq!(
            rows.rows,
            [Expected {
                id: "BL-1".to_owned(),
                why: "resources come later".to_owned()
            }]
        );
        for bad in [
            "BL-1",
            "BL-1 #7",
            "BL-1 later",
            "BL-1 #x reason",
            "BL-1 7 reason",
        ] {
            assert!(parse(bad).unwrap_err().starts_with("known.txt: "), "{bad}");
        }
    }

    #[test]
    fn the_runners_lines_are_read() {
        let ran = parse_report(
            "ok   BL-1\nFAIL BL-2 a/b#1 | step 0: status 500\n1 passed, 1 failed, 3 skipped\n",
        );
        let expected = [("BL-1", true), ("BL-2", false)];
        assert_eq!(
            ran,
            expected.map(|(id, passed)| Ran {
                id: id.to_owned(),
                passed
            })
        );
    }

    #[test]
    fn it_is_strict_both_ways() {
        let check = |report: &str, baseline: &str, passed: u64, failed: u64| {
            let (tally, lines) = parse(baseline).unwrap().judge(&parse_report(report));
            assert_eq!(
                (tally.passed, tally.failed),
                (passed, failed),
                "{report} {baseline} {lines:?}"
            );
        };
        check("ok A\nok B", "", 2, 0);
        check("ok A\nFAIL B x", "B #3 later", 2, 0);
        check("ok A\nFAIL B x", "", 1, 1);
        check("ok A\nok B", "B #3 later", 1, 1);
        check("ok A", "C #3 later", 1, 1);
        check("", "", 0, 1);
    }

    #[test]
    fn a_run_of_a_part_leaves_the_other_rows_alone() {
        let ran = parse_report("FAIL A x");
        let known = parse("A #3 later\nB #3 later").unwrap();
        let (tally, _) = known.of_what_ran(&ran).judge(&ran);
        assert_eq!((tally.passed, tally.failed), (1, 0));
    }
}
