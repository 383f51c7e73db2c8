//! `cargo xtask conformance`: the example server `everything` before the official suite and the official Inspector.
//!
//! One server answers them all. The programs in `xtask/peers` run the suite and the Inspector and print one line a
//! check; what is known to fail stands in `conformance-baseline.txt`. A warning of the suite is a failure, and so is
//! a check that it skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::baseline::{Baseline, Ran, parse_report};
use crate::cases::example;
use crate::ci::{self, lacking};
use crate::peers::{installed, node, npm};
use crate::process::{Service, has, say, stream_some, target};
use crate::tally::Tally;

/// The revisions that the suite has scenarios for; for the last two it has requirements.
const REVISIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

const USAGE: &str = "\
usage: cargo xtask conformance [--server] [--inspector] [--requirements REVISION]... [--scenario NAME]...

  --server        the official suite against the example server `everything`
  --inspector     the official Inspector's command line against it, on HTTP, HTTP+SSE and stdio
  --requirements  what a revision requires, or all there is for it: 2025-03-26, 2025-06-18, 2025-11-25 or 2026-07-28;
                  else all four
  --scenario      one scenario of the suite; else all that a revision requires, and what is run beside them

without --server and --inspector: both";

/// Which parts are to run.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    server: bool,
    inspector: bool,
    requirements: Vec<String>,
    scenarios: Vec<String>,
}

/// The command.
pub(crate) fn command(args: &[String]) -> ExitCode {
    match Wanted::parse(args) {
        Ok(wanted) => ci::alone("conformance", || run(&wanted)),
        Err(error) => {
            say(format!("conformance: {error}\n{USAGE}"));
            ExitCode::from(2)
        }
    }
}

/// All of it.
pub(crate) fn step() -> Tally {
    run(&Wanted::default())
}

impl Wanted {
    fn parse(args: &[String]) -> Result<Self, String> {
        let mut wanted = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || {
                let value = args.next().cloned();
                value.ok_or_else(|| format!("{arg} wants a value"))
            };
            match arg.as_str() {
                "--server" => wanted.server = true,
                "--inspector" => wanted.inspector = true,
                "--requirements" => wanted.requirements.push(value()?),
                "--scenario" => wanted.scenarios.push(value()?),
                _ => return Err(format!("unknown argument `{arg}`")),
            }
        }
        let known = |revision: &&String| !REVISIONS.contains(&revision.as_str());
        if let Some(unknown) = wanted.requirements.iter().find(known) {
            let known = REVISIONS.join(", ");
            return Err(format!(
                "the suite has nothing for `{unknown}`, only for {known}"
            ));
        }
        Ok(wanted)
    }

    fn server(&self) -> bool {
        self.server || !self.inspector
    }

    fn inspector(&self) -> bool {
        self.inspector || !(self.server || self.is_narrowed())
    }

    /// Whether less than everything runs.
    fn in_part(&self) -> bool {
        self.is_narrowed() || !(self.server() && self.inspector())
    }

    fn is_narrowed(&self) -> bool {
        !(self.requirements.is_empty() && self.scenarios.is_empty())
    }

    fn revisions(&self) -> Vec<&str> {
        if self.requirements.is_empty() {
            REVISIONS.to_vec()
        } else {
            self.requirements.iter().map(String::as_str).collect()
        }
    }
}

fn run(wanted: &Wanted) -> Tally {
    if let Some(tool) = ["node", "npm"].into_iter().find(|tool| !has(tool)) {
        return lacking(tool);
    }
    match judged(wanted) {
        Ok(tally) => tally,
        Err(error) => {
            say(error);
            Tally::of(false)
        }
    }
}

fn judged(wanted: &Wanted) -> Result<Tally, String> {
    let baseline = Baseline::read("conformance-baseline.txt")?;
    let node = node()?;
    let everything = example("everything")?;
    let mut server = Service::start(
        Command::new(&everything).args(["--http", "127.0.0.1:0"]),
        "listening on ",
    )?;
    let url = server.answer().to_owned();
    let mut said = Said::default();
    if wanted.server() {
        let peer = installed("conformance", npm)?;
        said.add(&mut suite(&node, &peer, &url, wanted));
    }
    if wanted.inspector() {
        let peer = installed("inspector", npm)?;
        for (transport, path) in [("http", "/mcp"), ("sse", "/sse")] {
            let mut program = inspector(&node, &peer);
            let url = url.trim_end_matches("/mcp");
            said.add(program.arg(transport).arg(format!("{url}{path}")));
        }
        let mut stdio = inspector(&node, &peer);
        said.add(stdio.arg("stdio").arg(&everything).arg("stdio"));
    }
    server.stop();

    let ran = parse_report(&said.report);
    let baseline = if wanted.in_part() {
        baseline.of_what_ran(&ran)
    } else {
        baseline
    };
    for line in table(&ran) {
        say(line);
    }
    let (mut tally, lines) = baseline.judge(&ran);
    for line in lines {
        say(line);
    }
    if said.broke_off {
        say("a program broke off; what it said is above");
        tally.add(Tally::of(false));
    }
    Ok(tally)
}

/// What the programs said, and whether one of them ended before its time.
#[derive(Default)]
struct Said {
    report: String,
    broke_off: bool,
}

impl Said {
    fn add(&mut self, program: &mut Command) {
        let finished = stream_some(program, |line| !line.starts_with("ok "));
        self.report.push_str(&finished.output);
        self.broke_off |= !finished.ok;
    }
}

fn suite(node: &Path, peer: &Path, url: &str, wanted: &Wanted) -> Command {
    let mut command = Command::new(node);
    command
        .arg(peer.join("server.mjs"))
        .arg(url)
        .arg(results())
        .args(wanted.revisions());
    if !wanted.scenarios.is_empty() {
        command.arg("--").args(&wanted.scenarios);
    }
    command
}

fn inspector(node: &Path, peer: &Path) -> Command {
    let mut command = Command::new(node);
    command.arg(peer.join("inspect.mjs"));
    command
}

/// Where the suite writes what it saw.
fn results() -> PathBuf {
    target().join("conformance")
}

/// One line for all checks of a scenario.
fn table(ran: &[Ran]) -> Vec<String> {
    let mut rows: Vec<(&str, usize, usize)> = Vec::new();
    for check in ran {
        let name = check.id.split(':').next().unwrap_or_default();
        let at = rows.iter().position(|row| row.0 == name);
        let at = at.unwrap_or_else(|| {
            rows.push((name, 0, 0));
            rows.len() - 1
        });
        rows[at].1 += usize::from(check.passed);
        rows[at].2 += 1;
    }
    let row = |(name, passed, all): (&str, usize, usize)| {
        let verdict = if passed == all { "ok" } else { "not all" };
        format!("{name:<60} {passed:>3} of {all:>3}  {verdict}")
    };
    rows.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Wanted, String> {
        let args: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Wanted::parse(&args)
    }

    #[test]
    fn the_arguments_say_which_parts_run() {
        for (text, server, inspector, in_part, revisions) in [
            ("", true, true, false, 4),
            ("--server", true, false, true, 4),
            ("--inspector", false, true, true, 4),
            ("--server --inspector", true, true, false, 4),
            ("--requirements 2026-07-28", true, false, true, 1),
            ("--scenario ping", true, false, true, 4),
        ] {
            let wanted = parse(text).unwrap();
            let found = (wanted.server(), wanted.inspector(), wanted.in_part());
            assert_eq!(found, (server, inspector, in_part), "{text}");
            assert_eq!(wanted.revisions().len(), revisions, "{text}");
        }
        for bad in [
            "--client",
            "ping",
            "--scenario",
            "--requirements 2024-11-05",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_checks_of_a_scenario_are_one_row() {
        let ran = parse_report("ok r/a:x\nok r/b:x\nFAIL r/a:y why\n");
        let rows: Vec<String> = table(&ran)
            .iter()
            .map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(rows, ["r/a 1 of 2 not all", "r/b 1 of 1 ok"]);
    }
}
