//! `cargo xtask soak`: long load on our client and our server together, over connections that break by a seed.
//!
//! The program is the example `soak` of `mcp-swarm`. It judges itself: every request must end in the right answer or in
//! an error that a fault explains, and neither memory nor tasks, file descriptors or children may be left over.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::cases::example;
use crate::process::{cargo, say, stream};
use crate::tally::Tally;

const TRANSPORTS: [&str; 3] = ["memory", "http", "stdio"];

/// How many requests `ci` makes on each transport.
const SMALL: &str = "3000";

/// Runs it as a release, on the transport that is named or else on each; 200,000 requests unless told otherwise.
pub(crate) fn command(args: &[String]) -> ExitCode {
    let named = args.iter().any(|arg| arg == "--transport");
    let mut ok = true;
    for transport in if named { &[""][..] } else { &TRANSPORTS } {
        let mut soak = cargo(["run", "--quiet", "--release", "--package", "mcp-swarm"]);
        soak.args(["--features", "http", "--example", "soak", "--"]);
        if !named {
            soak.args(["--transport", transport]);
        }
        ok &= stream(soak.args(args)).ok;
    }
    if ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// A small run on each transport, as the tests' build has it.
pub(crate) fn step() -> Tally {
    if !Path::new("/proc/self/status").exists() {
        return Tally::skipped("what a process holds is read from /proc, which is not here");
    }
    match example("soak") {
        Ok(program) => {
            let mut tally = Tally::default();
            for transport in TRANSPORTS {
                let mut soak = Command::new(&program);
                soak.args(["--transport", transport, "--requests", SMALL]);
                tally.add(Tally::of(stream(&mut soak).ok));
            }
            tally
        }
        Err(error) => {
            say(error);
            Tally::of(false)
        }
    }
}
