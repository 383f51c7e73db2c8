//! `cargo xtask fuzz`: each fuzz target over its seeds, or, with `--seconds N`, under libFuzzer.
//!
//! A target is a function beside its crate (`mcp-types/fuzz`, …), listed by its folder of seeds. libFuzzer needs a
//! C++ compiler and no nightly: coverage is asked of LLVM itself, and no sanitizer is, since no crate has `unsafe`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use crate::process::{capture, cargo, loudly, root, say, stream, target};
use crate::tally::Tally;

const CRATES: [&str; 4] = ["mcp-types", "mcp-errors", "mcp-transport", "mcp-swarm"];

/// What LLVM is told, so that libFuzzer sees which code an input reaches.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Runs the seeds, or all targets for that many seconds together.
pub(crate) fn command(args: &[String]) -> ExitCode {
    let seconds = match args {
        [] => None,
        [flag, seconds] if flag == "--seconds" => match seconds.parse::<u64>() {
            Ok(seconds @ 1..) => Some(seconds),
            _ => return usage(),
        },
        _ => return usage(),
    };
    let tally = seconds.map_or_else(step, run);
    say(format!("{} passed, {} failed", tally.passed, tally.failed));
    if tally.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn usage() -> ExitCode {
    say(
        "usage: cargo xtask fuzz [--seconds N]    N seconds over all targets, at least one for each",
    );
    ExitCode::from(2)
}

/// Every target over its seeds.
pub(crate) fn step() -> Tally {
    let mut command = cargo(["test", "--quiet", "--all-features", "--test", "it"]);
    for name in CRATES {
        command.args(["-p", name]);
    }
    let finished = stream(command.args(["--", "seeds"]));
    Tally::of_tests(finished.ok, &finished.output)
}

fn run(seconds: u64) -> Tally {
    let mut tally = Tally::default();
    let all: usize = CRATES.iter().map(|name| targets(name).len()).sum();
    let each = (seconds / all.max(1) as u64).max(1);
    let mut executions = 0;
    for name in CRATES {
        match build(name) {
            Err(problem) => {
                loudly(problem);
                tally.add(Tally::of(false));
            }
            Ok(program) => {
                for target in targets(name) {
                    let ran = fuzz(&program, name, &target, each);
                    executions += ran.unwrap_or(0);
                    tally.add(Tally::of(ran.is_some()));
                }
            }
        }
    }
    say(format!("{executions} executions in all"));
    tally
}

/// The targets of a crate: the folders of its seeds.
fn targets(name: &str) -> Vec<String> {
    let folders = fs::read_dir(root().join(name).join("fuzz/seeds"));
    let mut names: Vec<String> = folders
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|folder| folder.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

fn build(name: &str) -> Result<PathBuf, String> {
    let host = host()?;
    let folder = target().join("fuzz");
    let manifest = format!("{name}/fuzz/Cargo.toml");
    let mut command = cargo(["build", "--quiet", "--release", "--locked"]);
    // The target is named, so that build scripts and macros are built without the coverage.
    command
        .args(["--manifest-path", &manifest, "--target", &host])
        .env("CARGO_TARGET_DIR", &folder)
        .env("RUSTFLAGS", COVERAGE);
    if stream(&mut command).ok {
        Ok(folder
            .join(host)
            .join("release")
            .join(format!("{name}-fuzz{}", env::consts::EXE_SUFFIX)))
    } else {
        Err(format!(
            "the fuzz targets of {name} do not build; libFuzzer needs a C++ compiler"
        ))
    }
}

fn host() -> Result<String, String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = crate::process::stdout(Command::new(rustc).arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| "rustc -vV names no host".to_owned())
}

/// Runs one target; how many executions there were, or `None` if one of them failed.
fn fuzz(program: &Path, name: &str, target_name: &str, seconds: u64) -> Option<u64> {
    let found = target().join("fuzz").join("corpus").join(target_name);
    let seeds = root().join(name).join("fuzz/seeds").join(target_name);
    if let Err(error) = fs::create_dir_all(&found) {
        loudly(format!("{}: {error}", found.display()));
        return None;
    }
    let mut command = Command::new(program);
    command
        .env("FUZZ_TARGET", target_name)
        .args([&found, &seeds])
        .arg(format!("-max_total_time={seconds}"))
        .args(["-max_len=4096", "-timeout=10", "-print_final_stats=1"])
        .arg(format!("-artifact_prefix={}/", found.display()));
    let finished = capture(&mut command);
    let executions = finished
        .output
        .lines()
        .find_map(|line| line.strip_prefix("stat::number_of_executed_units:"))
        .and_then(|count| count.trim().parse::<u64>().ok());
    let shown = format!("{name} {target_name}");
    match executions {
        Some(count) if finished.ok => {
            say(format!("{shown:<28} {count:>12} executions"));
            Some(count)
        }
        _ => {
            loudly(format!(
                "{shown}: failed; its input is in {}",
                found.display()
            ));
            let mut lines = finished
                .output
                .lines()
                .skip_while(|line| !line.contains("panicked"));
            let why: Vec<&str> = lines.by_ref().take(6).collect();
            say(if why.is_empty() {
                finished.output
            } else {
                why.join("\n")
            });
            None
        }
    }
}
