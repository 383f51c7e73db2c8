//! Counts the allocations of each case, ours and theirs. More than allowed is a failure.

use std::process::ExitCode;

use allocation_counter::measure;
use mcp_bench::cases;

fn main() -> ExitCode {
    println!(
        "{:<42} {:>7} {:>10} {:>10} {:>13}",
        "case", "bytes", "ours", "rmcp", "allowed"
    );
    let mut over = false;
    for case in cases() {
        // Once before, so that nothing lazy is counted.
        (case.ours)();
        (case.theirs)();
        let (ours, theirs) = (
            measure(&case.ours).count_total,
            measure(&case.theirs).count_total,
        );
        let exceeded = case.allocations.is_some_and(|allowed| ours > allowed);
        over |= exceeded;
        let allowed = case
            .allocations
            .map_or_else(|| "-".to_owned(), |it| it.to_string());
        let verdict = if exceeded { "  OVER" } else { "" };
        let (name, bytes) = (case.name, case.bytes);
        println!("{name:<42} {bytes:>7} {ours:>10} {theirs:>10} {allowed:>13}{verdict}");
    }
    if over {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
