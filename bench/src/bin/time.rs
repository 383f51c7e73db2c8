//! Times each case, ours and theirs in turn, and prints the medians and their ratio.
//!
//! `--smoke` takes a tenth of the time, and only says when a bar is missed.

use std::{process::ExitCode, time::Instant};

use mcp_bench::{Case, cases};

/// The fastest of `rounds`, in nanoseconds for one call: ours, theirs.
fn time(case: &Case, rounds: u32) -> (f64, f64) {
    let once = |run: &dyn Fn(), repeats: u32| {
        let begun = Instant::now();
        (0..repeats).for_each(|_| run());
        begun.elapsed().as_secs_f64() * 1e9 / f64::from(repeats)
    };
    let repeats = |run: &dyn Fn()| (2e6 / once(run, 20).max(1.0)).clamp(5.0, 1e5) as u32;
    let (ours, theirs) = (repeats(&case.ours), repeats(&case.theirs));
    let mut best = (f64::MAX, f64::MAX);
    for _ in 0..rounds {
        // In turn, so that a busy machine slows both.
        best.0 = best.0.min(once(&case.ours, ours));
        best.1 = best.1.min(once(&case.theirs, theirs));
    }
    best
}

fn main() -> ExitCode {
    let smoke = std::env::args().any(|arg| arg == "--smoke");
    let rounds = if smoke { 20 } else { 200 };
    println!(
        "{:<42} {:>7} {:>10} {:>10} {:>7} {:>5}",
        "case", "bytes", "ours ns", "rmcp ns", "ratio", "bar"
    );
    let mut missed = 0;
    for case in cases() {
        let (ours, theirs) = time(&case, rounds);
        let ratio = theirs / ours;
        let (bar, verdict) = match case.bar {
            None => ("-".to_owned(), ""),
            Some(bar) if ratio >= bar => (format!("{bar:.0}x"), ""),
            Some(bar) => {
                missed += 1;
                (format!("{bar:.0}x"), "  MISSED")
            }
        };
        let (name, bytes) = (case.name, case.bytes);
        println!(
            "{name:<42} {bytes:>7} {ours:>10.0} {theirs:>10.0} {ratio:>6.1}x {bar:>5}{verdict}"
        );
    }
    if missed > 0 && !smoke {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
