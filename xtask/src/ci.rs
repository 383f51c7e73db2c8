//! `cargo xtask ci`: every check in turn, the wall time of each, and one line that sums them up.
//!
//! The last line is `N passed, N failed`. Steps that run tests count each test (and each case, and each cell of
//! the interop matrix); every other step counts the things it checked. A skipped step counts as neither, and is
//! named above that line; on a machine that sets `CI=true` lacking a tool is a failure.

use std::process::ExitCode;
use std::time::Duration;

use crate::manifest::{CRATES, Manifest};
use crate::process::{cargo, loudly, now, on_ci, root, say, stream};
use crate::tally::Tally;
use crate::{bench, cases, conformance, demo, fuzz, interop, layers, soak, test, tidy};

type Step = (&'static str, fn() -> Tally);

// Steps with the same features stand beside each other, so that what one builds serves the next.
const STEPS: [Step; 16] = [
    ("fmt", fmt),
    ("tidy", tidy::step),
    ("layers", layers::step),
    ("clippy", clippy),
    ("test", test::workspace),
    ("fuzz", fuzz::step),
    ("doctest", test::doctests),
    ("alone", test::alone),
    ("hostile", test::hostile),
    ("docs", docs),
    ("demo", demo::step),
    ("soak", soak::step),
    ("cases", cases::step),
    ("conformance", conformance::step),
    ("interop", interop::step),
    ("bench", bench::step),
];

/// Runs all steps, or those named, whatever fails on the way.
pub(crate) fn command(names: &[String]) -> ExitCode {
    let known: Vec<&str> = STEPS.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        say(format!(
            "ci: no step `{unknown}`; the steps are {}",
            known.join(", ")
        ));
        return ExitCode::from(2);
    }
    let chosen = STEPS
        .iter()
        .filter(|(name, _)| names.is_empty() || names.iter().any(|n| n == name));
    let begun = now();
    let ran: Vec<(&str, Tally, Duration)> = chosen.map(|(name, step)| timed(name, *step)).collect();
    report(&ran, now().duration_since(begun))
}

/// Runs one step by itself.
pub(crate) fn alone(name: &'static str, step: impl FnOnce() -> Tally) -> ExitCode {
    let begun = now();
    let ran = [timed(name, step)];
    report(&ran, now().duration_since(begun))
}

fn timed(name: &'static str, step: impl FnOnce() -> Tally) -> (&'static str, Tally, Duration) {
    say(format!("\n=== {name}"));
    let begun = now();
    let tally = step();
    (name, tally, now().duration_since(begun))
}

fn report(ran: &[(&str, Tally, Duration)], whole: Duration) -> ExitCode {
    let mut sum = Tally::default();
    for (name, tally, _) in ran {
        for reason in &tally.skipped {
            loudly(format!("{name}: skipped: {reason}"));
        }
    }
    say("\n=== summary");
    for (name, tally, took) in ran {
        let verdict = match tally {
            Tally { failed: 1.., .. } => "FAILED",
            Tally {
                passed: 0, skipped, ..
            } if !skipped.is_empty() => "skipped",
            Tally { skipped, .. } if !skipped.is_empty() => "ok, in part",
            _ => "ok",
        };
        let (passed, failed, seconds) = (tally.passed, tally.failed, took.as_secs_f64());
        say(format!(
            "{name:<10} {seconds:>7.1} s {passed:>6} passed {failed:>4} failed   {verdict}"
        ));
        sum.add(tally.clone());
    }
    say(format!("{:<10} {:>7.1} s", "all", whole.as_secs_f64()));
    say(format!("{} passed, {} failed", sum.passed, sum.failed));
    if sum.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// What a step that lacks a tool counts: a failure where a machine watches, else nothing.
pub(crate) fn lacking(tool: &str) -> Tally {
    if on_ci() {
        loudly(format!(
            "`{tool}` is not installed, and with CI=true nothing is skipped for that"
        ));
        Tally::of(false)
    } else {
        Tally::skipped(format!("`{tool}` is not installed"))
    }
}

fn fmt() -> Tally {
    Tally::of(stream(&mut cargo(["fmt", "--all", "--check"])).ok)
}

/// Lints each crate by itself, so that no other crate's features hide a mistake, with all features and with none.
fn clippy() -> Tally {
    let mut tally = Tally::default();
    for name in CRATES.into_iter().chain(["xtask"]) {
        let plain =
            Manifest::read(&root().join(name)).is_ok_and(|manifest| manifest.features().is_empty());
        for features in ["--all-features", "--no-default-features"] {
            if plain && features == "--no-default-features" {
                continue;
            }
            let args = [
                "clippy",
                "--quiet",
                "-p",
                name,
                "--all-targets",
                features,
                "--",
                "-D",
                "warnings",
            ];
            tally.add(Tally::of(stream(&mut cargo(args)).ok));
        }
    }
    tally
}

fn docs() -> Tally {
    let mut command = cargo([
        "doc",
        "--quiet",
        "--workspace",
        "--no-deps",
        "--all-features",
    ]);
    Tally::of(stream(command.env("RUSTDOCFLAGS", "-D warnings")).ok)
}
