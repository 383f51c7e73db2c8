//! Every check and task of the repository: `cargo xtask <command>`.

use std::process::ExitCode;

use crate::process::say;

mod baseline;
mod bench;
mod cases;
mod ci;
mod conformance;
mod demo;
mod fuzz;
mod interop;
mod layers;
mod manifest;
mod peers;
mod process;
mod soak;
mod tally;
mod test;
mod tidy;

const USAGE: &str = "\
usage: cargo xtask <command>

  demo [--serve]      two specialists and a triage gateway on loopback, driven by two clients
  test [-p X] [ARGS]  the tests alone: of one crate, or of the workspace
  ci [STEP...]        every check, or the named ones; ends in `N passed, N failed`
  interop --smoke     official TypeScript and Python clients against the demo and a stdio server
  conformance [--server | --inspector] [--requirements R] [--scenario S]
                      the official suite and the official Inspector against the example server `everything`
  cases               public bug reports as cases, against the example server `tools`
  fuzz [--seconds N]  every fuzz target over its seeds, or under libFuzzer for N seconds in all
  soak [ARGS]         long load with faults on a transport: --transport http|stdio|memory, --requests N, --seed S
  bench [--smoke]     our codec beside rmcp's, as ratios, and its allocations
  tidy                the house rules that a compiler does not know
  layers              who may depend on whom, and each crate alone without features";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or_default();
    match args.first().map(String::as_str) {
        Some("demo") => demo::command(rest),
        Some("test") => test::command(rest),
        Some("ci") => ci::command(rest),
        Some("bench") => bench::command(rest),
        Some("soak") => soak::command(rest),
        Some("fuzz") => fuzz::command(rest),
        Some("cases") => ci::alone("cases", cases::step),
        Some("conformance") => conformance::command(rest),
        Some("interop") => interop::command(rest),
        Some("tidy") => ci::alone("tidy", tidy::step),
        Some("layers") => ci::alone("layers", layers::step),
        other => {
            if let Some(name) = other {
                say(format!("unknown command `{name}`"));
            }
            say(USAGE);
            ExitCode::from(2)
        }
    }
}
