//! `cargo xtask cases`: public bug reports as runnable cases, against the example server `tools` and the example
//! client `driver`.
//!
//! The cases and their runner are data outside the repository; where they are absent the step is skipped, loudly.
//! What is known to fail stands in `cases-baseline.txt`. The list is strict both ways: a failure that is not on it
//! is a failure, and so is a row whose case passes, or did not run.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ci::lacking;
use crate::process::{cargo, has, root, say, stdout, stream_some};
use crate::tally::Tally;

/// What the example server offers beside `echo` and `add`.
const HAVE: &str = "have=sleep";

/// Runs every case that a server on stdio or HTTP, or a client, can be put to.
pub(crate) fn step() -> Tally {
    let shared = root().join("../shared/cases");
    if !shared.is_dir() {
        return Tally::skipped("no `../shared/cases` beside the repository");
    }
    if !has("python3") {
        return lacking("python3");
    }
    match run(&shared) {
        Ok(tally) => tally,
        Err(error) => {
            say(error);
            Tally::of(false)
        }
    }
}

fn run(shared: &Path) -> Result<Tally, String> {
    let path = root().join("xtask/cases-baseline.txt");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let baseline = parse_baseline(&text)?;
    let server = example("tools")?;
    let port = free_port().map_err(|e| format!("no free port on 127.0.0.1: {e}"))?;
    let http = ["http", &port.to_string()];
    let mut report = String::new();
    for (mode, args) in [
        (&["stdio"][..], &["stdio"][..]),
        (&http, &["http", "{PORT}"]),
    ] {
        report.push_str(&stream_some(runner(shared, mode).arg(&server).args(args), news).output);
    }
    let driver = example("driver")?;
    report.push_str(&stream_some(client_runner(shared).arg(&driver), news).output);
    let (tally, lines) = judge(&parse_report(&report), &baseline);
    for line in lines {
        say(line);
    }
    Ok(tally)
}

/// The runners' own sums and their good news are left out: one line sums everything up, at the end.
fn news(line: &str) -> bool {
    line.starts_with("FAIL")
}

fn runner(shared: &Path, mode: &[&str]) -> Command {
    let mut command = python(shared, "runner.py");
    command.args(mode).args(["skip_slow=1", "v=1", HAVE, "--"]);
    command
}

fn client_runner(shared: &Path) -> Command {
    let mut command = python(shared, "crun.py");
    command.arg("--");
    command
}

fn python(shared: &Path, program: &str) -> Command {
    let mut command = Command::new("python3");
    command
        .current_dir(root())
        .arg("-u")
        .arg(shared.join(program))
        .arg(shared.join("reports.jsonl"));
    command
}

/// Builds an example and returns where it is.
///
/// It is built with what the workspace's tests were built with, so that it costs nothing after them.
pub(crate) fn example(name: &str) -> Result<PathBuf, String> {
    say(format!("building the example `{name}`"));
    let mut build = cargo([
        "build",
        "--quiet",
        "--workspace",
        "--all-features",
        "--example",
        name,
    ]);
    let messages = stdout(build.arg("--message-format=json-render-diagnostics"))?;
    executable(&messages)
        .ok_or_else(|| format!("cargo named no executable for the example `{name}`"))
}

/// The last executable in cargo's messages.
fn executable(messages: &str) -> Option<PathBuf> {
    let mut paths = messages
        .lines()
        .filter_map(|line| line.split_once("\"executable\":\"")?.1.split('"').next());
    paths
        .next_back()
        .map(|path| PathBuf::from(path.replace("\\\\", "\\")))
}

/// A port that was free a moment ago.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// One row of the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Expected {
    id: String,
    why: String,
}

/// How one case went.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ran {
    id: String,
    passed: bool,
}

/// Reads `id #issue reason` rows; a row without an issue or a reason is refused.
fn parse_baseline(text: &str) -> Result<Vec<Expected>, String> {
    let rows = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|row| {
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
            _ => Err(format!(
                "cases-baseline.txt: a row is `id #issue reason`, not `{row}`"
            )),
        }
    })
    .collect()
}

/// Reads the runner's lines: `ok   ID` and `FAIL ID source | problems`.
fn parse_report(text: &str) -> Vec<Ran> {
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

fn judge(ran: &[Ran], baseline: &[Expected]) -> (Tally, Vec<String>) {
    let mut tally = Tally::default();
    let mut lines = Vec::new();
    for case in ran {
        let expected = baseline.iter().find(|row| row.id == case.id);
        let problem = match (case.passed, expected) {
            (true, None) => None,
            (false, Some(row)) => {
                lines.push(format!("{}: fails as expected: {}", case.id, row.why));
                None
            }
            (false, None) => Some(format!(
                "{}: fails, and the baseline does not expect it",
                case.id
            )),
            (true, Some(_)) => Some(format!(
                "{}: passes now: remove it from cases-baseline.txt",
                case.id
            )),
        };
        tally.add(Tally::of(problem.is_none()));
        lines.extend(problem);
    }
    for row in baseline
        .iter()
        .filter(|row| !ran.iter().any(|case| case.id == row.id))
    {
        tally.add(Tally::of(false));
        lines.push(format!(
            "{}: in cases-baseline.txt, but it did not run: remove it",
            row.id
        ));
    }
    if ran.is_empty() {
        tally.add(Tally::of(false));
        lines.push("no case ran".to_owned());
    }
    (tally, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_row_has_an_issue_and_a_reason() {
        let rows = parse_baseline("# head\n\nBL-1 #7 resources come later\n").unwrap();
        assert_eq!(
            rows,
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
            assert!(parse_baseline(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_executable_is_found_in_cargos_messages() {
        let messages = "{\"reason\":\"a\",\"executable\":null}\n{\"executable\":\"/x/tools\",\"fresh\":true}\n{}";
        assert_eq!(executable(messages), Some(PathBuf::from("/x/tools")));
        assert_eq!(executable("{\"executable\":null}"), None);
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
    fn the_baseline_is_strict_both_ways() {
        let check = |report: &str, baseline: &str, passed: u64, failed: u64| {
            let (tally, lines) = judge(&parse_report(report), &parse_baseline(baseline).unwrap());
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
}
