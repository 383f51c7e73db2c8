//! `cargo xtask interop --smoke`: the official SDKs against our gateway and our stdio server.
//!
//! The peers' programs print one line a step, and this file makes the matrix of peer × transport × step. Every
//! cell has to pass; a step that a program never reached is a failed cell.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::cases::example;
use crate::ci::{self, lacking};
use crate::peers;
use crate::process::{Service, has, say, stream};
use crate::tally::Tally;

/// An official SDK, as a client of ours.
struct Peer {
    name: &'static str,
    folder: &'static str,
    tool: &'static str,
    install: fn(&Path) -> Result<(), String>,
    program: fn(&Path) -> Command,
}

const PEERS: [Peer; 2] = [
    Peer {
        name: "TypeScript v2, 2026-07-28",
        folder: "ts-v2",
        tool: "npm",
        install: peers::npm,
        program: node,
    },
    Peer {
        name: "Python v1, legacy",
        folder: "py-v1",
        tool: "python3",
        install: pip,
        program: python,
    },
];

const GATEWAY_STEPS: [&str; 7] = [
    "connect",
    "list",
    "handoff",
    "specialist",
    "return",
    "second",
    "close",
];
const STDIO_STEPS: [&str; 5] = ["connect", "list", "echo", "add", "close"];

/// One run of one peer against one of our programs.
struct Row {
    peer: &'static str,
    against: &'static str,
    /// Each step with what went wrong, if anything.
    cells: Vec<(&'static str, Option<String>)>,
}

/// The command; only the smoke matrix exists.
pub(crate) fn command(args: &[String]) -> ExitCode {
    if args != ["--smoke"] {
        say("interop: say `cargo xtask interop --smoke`");
        return ExitCode::from(2);
    }
    ci::alone("interop", step)
}

/// Installs the peers and runs the matrix.
pub(crate) fn step() -> Tally {
    let mut tally = Tally::default();
    let mut ready = Vec::new();
    for peer in &PEERS {
        if !has(peer.tool) || (peer.tool == "npm" && !has("node")) {
            tally.add(lacking(peer.tool));
            continue;
        }
        match peers::installed(peer.folder, peer.install) {
            Ok(folder) => ready.push((peer, folder)),
            Err(error) => {
                say(format!("{}: {error}", peer.name));
                tally.add(Tally::of(false));
            }
        }
    }
    if ready.is_empty() {
        return tally;
    }
    match matrix(&ready) {
        Ok(rows) => tally.add(show(&rows)),
        Err(error) => {
            say(error);
            tally.add(Tally::of(false));
        }
    }
    tally
}

fn matrix(peers: &[(&Peer, PathBuf)]) -> Result<Vec<Row>, String> {
    let tools = example("tools")?;
    let demo = example("demo")?;
    let mut rows = Vec::new();
    for (peer, folder) in peers {
        let mut gateway = Service::start(Command::new(&demo).arg("--serve"), "gateway: ")?;
        let mut program = (peer.program)(folder);
        let finished = stream(program.arg("gateway").arg(gateway.answer()));
        gateway.stop();
        rows.push(Row {
            peer: peer.name,
            against: "gateway/http",
            cells: cells(&GATEWAY_STEPS, &finished.output),
        });
        let finished = stream((peer.program)(folder).arg("stdio").arg(&tools).arg("stdio"));
        rows.push(Row {
            peer: peer.name,
            against: "server/stdio",
            cells: cells(&STDIO_STEPS, &finished.output),
        });
    }
    Ok(rows)
}

/// What a peer's program said about each step it was to take.
fn cells(steps: &[&'static str], output: &str) -> Vec<(&'static str, Option<String>)> {
    let verdict = |step: &str| {
        for line in output.lines() {
            if line.strip_prefix("ok ") == Some(step) {
                return None;
            }
            if let Some(why) = line
                .strip_prefix("FAIL ")
                .and_then(|rest| rest.strip_prefix(step)?.strip_prefix(": "))
            {
                return Some(why.to_owned());
            }
        }
        Some("not reached".to_owned())
    };
    steps.iter().map(|step| (*step, verdict(step))).collect()
}

fn show(rows: &[Row]) -> Tally {
    let mut tally = Tally::default();
    say("");
    for row in rows {
        let mut line = format!("{:<26} {:<13}", row.peer, row.against);
        for (step, problem) in &row.cells {
            let mark = if problem.is_none() { "ok" } else { "FAILED" };
            line.push_str(&format!(" {step}:{mark}"));
            tally.add(Tally::of(problem.is_none()));
        }
        say(line);
        for (step, why) in row
            .cells
            .iter()
            .filter_map(|(step, problem)| problem.as_ref().map(|why| (step, why)))
        {
            say(format!("    {step}: {why}"));
        }
    }
    tally
}

fn node(folder: &Path) -> Command {
    let mut command = Command::new("node");
    command.arg(folder.join("smoke.mjs"));
    command
}

fn pip(folder: &Path) -> Result<(), String> {
    peers::finished(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(folder.join("venv")),
    )?;
    let mut command = Command::new(folder.join("venv/bin/python"));
    command.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--require-hashes",
        "--no-deps",
    ]);
    peers::finished(command.arg("-r").arg(folder.join("requirements.txt")))
}

fn python(folder: &Path) -> Command {
    let mut command = Command::new(folder.join("venv/bin/python"));
    command.arg("-u").arg(folder.join("smoke.py"));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, expected: &[Option<&str>]) {
        let found = cells(&["list", "listen"], output);
        let found: Vec<Option<&str>> = found
            .iter()
            .map(|(_, problem)| problem.as_deref())
            .collect();
        assert_eq!(found, expected, "{output}");
    }

    #[test]
    fn every_step_has_its_line() {
        check("ok list\nnoise\nok listen\n", &[None, None]);
        check(
            "FAIL list: 404: gone\nok listen",
            &[Some("404: gone"), None],
        );
        check("ok listen", &[Some("not reached"), None]);
        check(
            "FAIL time: not done",
            &[Some("not reached"), Some("not reached")],
        );
    }
}
