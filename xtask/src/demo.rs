//! `cargo xtask demo`: becomes the demo program of `mcp-swarm`.

use std::process::{Command, ExitCode};

use crate::cases::example;
use crate::process::{cargo, say, shown, stream};
use crate::tally::Tally;

/// Runs the demo and ends with its exit code.
pub(crate) fn command(args: &[String]) -> ExitCode {
    if let Some(unknown) = args.iter().find(|arg| *arg != "--serve") {
        say(format!(
            "demo: unknown argument `{unknown}`; it takes `--serve` or nothing"
        ));
        return ExitCode::from(2);
    }
    let mut demo = cargo([
        "run",
        "--quiet",
        "--package",
        "mcp-swarm",
        "--features",
        "http",
        "--example",
        "demo",
        "--",
    ]);
    demo.args(args);
    become_program(&mut demo)
}

/// Runs the demo to its end, as the tests' build has it.
pub(crate) fn step() -> Tally {
    match example("demo") {
        Ok(program) => Tally::of(stream(&mut Command::new(program)).ok),
        Err(error) => {
            say(error);
            Tally::of(false)
        }
    }
}

// Replacing this process leaves one program on the terminal: Ctrl-C reaches the demo alone, which ends cleanly.
#[cfg(unix)]
fn become_program(command: &mut Command) -> ExitCode {
    use std::os::unix::process::CommandExt as _;

    let error = command.exec();
    say(format!("{}: {error}", shown(command)));
    ExitCode::FAILURE
}

#[cfg(not(unix))]
fn become_program(command: &mut Command) -> ExitCode {
    match command.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            say(format!("{}: {error}", shown(command)));
            ExitCode::FAILURE
        }
    }
}
