//! What a step counts: things that passed, things that failed, and why a step did not run.

/// The result of one step.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Checks or tests that held.
    pub(crate) passed: u64,
    /// Checks or tests that did not.
    pub(crate) failed: u64,
    /// Why the step, or a part of it, did not run.
    pub(crate) skipped: Vec<String>,
}

impl Tally {
    /// One check that held, or did not.
    pub(crate) fn of(ok: bool) -> Self {
        Self {
            passed: u64::from(ok),
            failed: u64::from(!ok),
            skipped: Vec::new(),
        }
    }

    /// A step that did not run, for this reason.
    pub(crate) fn skipped(reason: impl Into<String>) -> Self {
        Self {
            skipped: vec![reason.into()],
            ..Self::default()
        }
    }

    /// Adds what another step counted.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend(other.skipped);
    }

    /// Counts the tests a test runner reported in `output`.
    ///
    /// A run that failed without one failing test (it did not compile, it was killed) counts as one failure.
    pub(crate) fn of_tests(ok: bool, output: &str) -> Self {
        // nextest quotes what libtest said of a failed test, and has counted it itself.
        let by_nextest = output.lines().any(is_summary_of_nextest);
        let mut sum = Self::default();
        for line in output
            .lines()
            .filter(|line| is_summary_of_nextest(line) == by_nextest)
        {
            sum.add(summary(line));
        }
        if !ok && sum.failed == 0 {
            sum.failed = 1;
        }
        sum
    }
}

/// Reads a summary line of libtest (`test result: ok. 3 passed; 0 failed; …`) or of nextest
/// (`Summary [ 0.1s] 3 tests run: 2 passed, 1 failed, 0 skipped`).
fn summary(line: &str) -> Tally {
    let line = line.trim();
    if !line.starts_with("test result:") && !is_summary_of_nextest(line) {
        return Tally::default();
    }
    let mut tally = Tally::default();
    let words: Vec<&str> = line
        .split([' ', ';', ','])
        .filter(|word| !word.is_empty())
        .collect();
    for pair in words.windows(2) {
        let Ok(count) = pair[0].parse::<u64>() else {
            continue;
        };
        match pair[1] {
            "passed" => tally.passed += count,
            "failed" | "timed" | "exec" => tally.failed += count,
            _ => {}
        }
    }
    tally
}

fn is_summary_of_nextest(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("Summary [") && line.contains(" run: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ok: bool, output: &str, passed: u64, failed: u64) {
        let tally = Tally::of_tests(ok, output);
        assert_eq!((tally.passed, tally.failed), (passed, failed), "{output}");
    }

    #[test]
    fn counts_what_the_runners_report() {
        check(
            true,
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out",
            3,
            0,
        );
        check(
            false,
            "test result: FAILED. 3 passed; 2 failed; 0 ignored",
            3,
            2,
        );
        check(
            true,
            "     Summary [   0.012s] 7 tests run: 7 passed, 1 skipped",
            7,
            0,
        );
        check(
            false,
            "     Summary [   0.012s] 7 tests run: 5 passed (1 slow), 2 failed, 1 skipped",
            5,
            2,
        );
        check(
            false,
            "     Summary [  60.0s] 2/7 tests run: 1 passed, 1 timed out, 0 skipped",
            1,
            1,
        );
    }

    #[test]
    fn sums_over_binaries() {
        check(
            true,
            "test result: ok. 3 passed; 0 failed\nother\ntest result: ok. 4 passed; 0 failed",
            7,
            0,
        );
    }

    #[test]
    fn a_failure_that_nextest_quotes_counts_once() {
        let quoted = "test result: FAILED. 0 passed; 1 failed\nSummary [ 1.0s] 3 tests run: 2 passed, 1 failed";
        check(false, quoted, 2, 1);
    }

    #[test]
    fn a_run_that_ends_badly_counts_once() {
        check(false, "error: could not compile", 0, 1);
        check(true, "", 0, 0);
        check(false, "test result: ok. 3 passed; 0 failed", 3, 1);
    }
}
