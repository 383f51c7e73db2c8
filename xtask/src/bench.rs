//! `cargo xtask bench`: our codec beside rmcp's, in one run, as ratios, and how many allocations each takes; and what a
//! crowd of idle streams and slow readers costs a fast client of our HTTP server, which is printed and never fails.
//!
//! rmcp lives in `bench/`, a workspace of its own. A missed allowance of allocations always fails; a missed ratio fails
//! unless `--smoke` is given, since that run is too short to judge by.

use std::process::ExitCode;

use crate::process::{cargo, say, stream, target};
use crate::tally::Tally;

/// Builds, runs and prints.
pub(crate) fn command(args: &[String]) -> ExitCode {
    match args {
        [] => exit(&run(false)),
        [one] if one == "--smoke" => exit(&run(true)),
        _ => {
            say("usage: cargo xtask bench [--smoke]");
            ExitCode::from(2)
        }
    }
}

/// The short run.
pub(crate) fn step() -> Tally {
    run(true)
}

fn exit(tally: &Tally) -> ExitCode {
    say(format!("{} passed, {} failed", tally.passed, tally.failed));
    if tally.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn run(smoke: bool) -> Tally {
    let mut tally = Tally::default();
    for program in ["allocations", "time", "streams"] {
        let mut command = cargo(["run", "--quiet", "--release", "--locked"]);
        command
            .args(["--manifest-path", "bench/Cargo.toml", "--bin", program])
            .env("CARGO_TARGET_DIR", target().join("bench"));
        if smoke {
            command.args(["--", "--smoke"]);
        }
        tally.add(Tally::of(stream(&mut command).ok));
    }
    tally
}
