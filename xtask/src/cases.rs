//! `cargo xtask cases`: public bug reports as runnable cases, against the example server `tools` and the example
//! client `driver`.
//!
//! The cases and their runner are data outside the repository; where they are absent the step is skipped, loudly.
//! What is known to fail stands in `cases-baseline.txt`.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::baseline::{Baseline, bad_news, parse_report};
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
    let baseline = Baseline::read("cases-baseline.txt")?;
    let server = example("tools")?;
    let port = free_port().map_err(|e| format!("no free port on 127.0.0.1: {e}"))?;
    let http = ["http", &port.to_string()];
    let mut report = String::new();
    for (mode, args) in [
        (&["stdio"][..], &["stdio"][..]),
        (&http, &["http", "{PORT}"]),
    ] {
        report
            .push_str(&stream_some(runner(shared, mode).arg(&server).args(args), bad_news).output);
    }
    let driver = example("driver")?;
    report.push_str(&stream_some(client_runner(shared).arg(&driver), bad_news).output);
    let (tally, lines) = baseline.judge(&parse_report(&report));
    for line in lines {
        say(line);
    }
    Ok(tally)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_found_in_cargos_messages() {
        let messages = "{\"reason\":\"a\",\"executable\":null}\n{\"executable\":\"/x/tools\",\"fresh\":true}\n{}";
        assert_eq!(executable(messages), Some(PathBuf::from("/x/tools")));
        assert_eq!(executable("{\"executable\":null}"), None);
    }
}
