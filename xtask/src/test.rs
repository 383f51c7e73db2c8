//! `cargo xtask test`: the Rust tests alone, the fast inner loop.

use std::process::{Command, ExitCode};

use crate::manifest::CRATES;
use crate::process::{capture, cargo, stream};
use crate::tally::Tally;

/// Runs the tests of the workspace, or of the crate after `-p`; other arguments go to the runner.
pub(crate) fn command(args: &[String]) -> ExitCode {
    let whole = !args
        .iter()
        .any(|arg| arg == "-p" || arg.starts_with("--package"));
    let mut command = runner();
    command.arg("--all-features");
    if whole {
        command.arg("--workspace");
    }
    command.args(args);
    if stream(&mut command).ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The tests of the whole workspace with every feature.
pub(crate) fn workspace() -> Tally {
    let finished = stream(runner().args(["--workspace", "--all-features", "--no-fail-fast"]));
    Tally::of_tests(finished.ok, &finished.output)
}

/// The tests of each crate by itself without features, those in its documentation among them.
pub(crate) fn alone() -> Tally {
    let mut tally = Tally::default();
    for name in CRATES {
        for mut command in [runner(), cargo(["test", "--doc"])] {
            let finished =
                stream(command.args(["-p", name, "--no-default-features", "--no-fail-fast"]));
            tally.add(Tally::of_tests(finished.ok, &finished.output));
        }
    }
    tally
}

/// The examples in the documentation of every crate, with every feature.
pub(crate) fn doctests() -> Tally {
    let finished = stream(&mut cargo([
        "test",
        "--doc",
        "--workspace",
        "--all-features",
        "--no-fail-fast",
    ]));
    Tally::of_tests(finished.ok, &finished.output)
}

/// The tests of `mcp-types` where another crate has turned on features of serde_json that change how it reads.
pub(crate) fn hostile() -> Tally {
    let finished = stream(&mut cargo([
        "test",
        "--quiet",
        "--locked",
        "--manifest-path",
        "mcp-types/hostile/Cargo.toml",
        "--target-dir",
        "target/hostile",
    ]));
    Tally::of_tests(finished.ok, &finished.output)
}

/// nextest where it is installed, since it runs the tests of all binaries side by side; else cargo's own.
fn runner() -> Command {
    if capture(&mut cargo(["nextest", "--version"])).ok {
        cargo(["nextest", "run", "--no-tests=pass"])
    } else {
        cargo(["test", "--tests"])
    }
}
