//! What came of a run: the counts, and what is wrong with them.

use std::{collections::BTreeMap, fmt, time::Duration};

use mcp_transport::test_util::FaultKind;

use crate::{
    cell::Ending,
    ledger::Ledger,
    plan::Plan,
    watch::{Counts, KEEPER, TOLERANCE_KIB},
};

/// At most so many wrong things are shown.
const SHOWN: usize = 20;

/// With fewer faults than this share of the requests a run shows nothing.
const LEAST_FAULTS: f64 = 0.03;

/// What one client tells.
#[derive(Debug, Default)]
pub(crate) struct Told {
    answered: usize,
    /// Of them, without all of their notifications.
    gapped: usize,
    refused: usize,
    abandoned: usize,
    failed: BTreeMap<String, usize>,
    pub(crate) connects: usize,
    pub(crate) unconnected: usize,
    pub(crate) wrong: Vec<String>,
}

impl Told {
    pub(crate) fn count(&mut self, ending: &Ending) {
        match ending {
            Ending::Answered => self.answered += 1,
            Ending::Gapped => {
                self.answered += 1;
                self.gapped += 1;
            }
            Ending::Refused => self.refused += 1,
            Ending::Abandoned => self.abandoned += 1,
            Ending::Failed(kind, _) => {
                *self
                    .failed
                    .entry(format!("{kind:?}").to_lowercase())
                    .or_default() += 1;
            }
            Ending::Wrong(why) => self.wrong.push(why.clone()),
        }
    }
}

/// The whole.
#[derive(Debug, Default)]
pub(crate) struct Report {
    all: Told,
    pub(crate) faults: [u64; FaultKind::ALL.len()],
    /// The medians of memory in the second and the last quarter, in KiB.
    pub(crate) memory: (u64, u64),
    pub(crate) before: Counts,
    pub(crate) after: Counts,
    pub(crate) took: Duration,
}

impl Report {
    /// A run that did not begin.
    pub(crate) fn broken(why: String) -> Self {
        let mut report = Self::default();
        report.wrong(why);
        report
    }

    pub(crate) fn wrong(&mut self, why: String) {
        self.all.wrong.push(why);
    }

    pub(crate) fn add(&mut self, told: Told) {
        let all = &mut self.all;
        all.answered += told.answered;
        all.gapped += told.gapped;
        all.refused += told.refused;
        all.abandoned += told.abandoned;
        all.connects += told.connects;
        all.unconnected += told.unconnected;
        all.wrong.extend(told.wrong);
        for (kind, count) in told.failed {
            *all.failed.entry(kind).or_default() += count;
        }
    }

    /// Holds what the clients were told against what ran.
    pub(crate) fn judge(&mut self, ledger: &Ledger) {
        self.all.wrong.extend(ledger.contradictions());
        let waiting = ledger.waiting.load(std::sync::atomic::Ordering::Relaxed);
        if waiting != 0 {
            self.wrong(format!(
                "{waiting} calls that were given up still run at the server"
            ));
        }
    }

    /// Everything that must not be so.
    pub(crate) fn problems(&self, plan: &Plan) -> Vec<String> {
        let wrong = &self.all.wrong;
        let mut problems: Vec<String> = wrong.iter().take(SHOWN).cloned().collect();
        if wrong.len() > SHOWN {
            problems.push(format!("and {} more outcomes", wrong.len() - SHOWN));
        }
        let ended = self.ended();
        if ended + wrong.len() < plan.requests {
            problems.push(format!("only {ended} of {} requests ended", plan.requests));
        }
        let faults = self.faults.iter().sum::<u64>();
        if (faults as f64) < plan.requests as f64 * LEAST_FAULTS {
            problems.push(format!("{faults} faults are too few to show anything"));
        }
        let (early, late) = self.memory;
        if late > early + TOLERANCE_KIB {
            let grown = late - early;
            problems.push(format!(
                "memory grew by {grown} KiB; {TOLERANCE_KIB} are allowed"
            ));
        }
        let (before, after) = (self.before, self.after);
        for (what, before, after) in [
            ("tasks", before.tasks, after.tasks),
            ("file descriptors", before.fds, after.fds),
            ("children", before.children.min(KEEPER), after.children),
        ] {
            if after > before {
                problems.push(format!(
                    "{what} are left over: {after}, and {before} at the start"
                ));
            }
        }
        problems
    }

    fn ended(&self) -> usize {
        let all = &self.all;
        all.answered + all.refused + all.abandoned + all.failed.values().sum::<usize>()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, ended) = (&self.all, self.ended());
        let failed: Vec<String> = all
            .failed
            .iter()
            .map(|(kind, count)| format!("{kind} {count}"))
            .collect();
        let faults: u64 = self.faults.iter().sum();
        let kinds: Vec<String> = FaultKind::ALL
            .into_iter()
            .zip(self.faults)
            .map(|(kind, count)| format!("{kind} {count}"))
            .collect();
        writeln!(
            f,
            "requests    {ended}: answered {} ({} of them lack a notification that a fault took), \
             with a list or the expected error {}, given up {}",
            all.answered, all.gapped, all.refused, all.abandoned
        )?;
        writeln!(
            f,
            "failed      {}, each explained by a fault: {}",
            all.failed.values().sum::<usize>(),
            failed.join(", ")
        )?;
        writeln!(
            f,
            "faults      {faults}, {:.1} % of the requests: {}",
            faults as f64 * 100.0 / ended.max(1) as f64,
            kinds.join(", ")
        )?;
        writeln!(
            f,
            "connected   {} times; in vain {} times",
            all.connects, all.unconnected
        )?;
        writeln!(f, "wrong       {}", all.wrong.len())?;
        let mib = |kib: u64| kib as f64 / 1024.0;
        writeln!(
            f,
            "memory      {:.1} MiB in the second quarter, {:.1} MiB in the last (medians; {} MiB more are allowed)",
            mib(self.memory.0),
            mib(self.memory.1),
            TOLERANCE_KIB / 1024
        )?;
        writeln!(
            f,
            "left over   tasks {}, file descriptors {} (at the start {}), children {} (at the start {})",
            self.after.tasks,
            self.after.fds,
            self.before.fds,
            self.after.children,
            self.before.children
        )?;
        let seconds = self.took.as_secs_f64();
        write!(
            f,
            "took        {seconds:.1} s, {:.0} requests a second",
            ended as f64 / seconds.max(0.001)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::plan;

    /// A run of 1,000 requests that has nothing wrong.
    fn good() -> Report {
        let counts = Counts {
            tasks: 0,
            fds: 9,
            children: 0,
        };
        let mut report = Report {
            faults: [10, 10, 10, 10, 10, 0],
            memory: (20_000, 20_100),
            before: counts,
            after: counts,
            ..Report::default()
        };
        report.all.answered = 1_000;
        report
    }

    fn check(spoil: impl FnOnce(&mut Report), expected: Option<&str>) {
        let mut report = good();
        spoil(&mut report);
        let problems = report.problems(&plan("memory", 1_000));
        match expected {
            None => assert_eq!(problems, [""; 0]),
            Some(part) => assert!(
                problems.len() == 1 && problems[0].contains(part),
                "{part}: {problems:?}"
            ),
        }
    }

    #[test]
    fn what_is_left_over_or_wrong_fails_the_run() {
        check(|_| {}, None);
        check(|report| report.memory.1 = 20_000 + TOLERANCE_KIB, None);
        check(
            |report| report.memory.1 = 20_001 + TOLERANCE_KIB,
            Some("memory grew by 4097 KiB"),
        );
        check(
            |report| report.after.tasks = 1,
            Some("tasks are left over: 1"),
        );
        check(
            |report| report.after.fds = 10,
            Some("file descriptors are left over: 10, and 9 at the start"),
        );
        check(|report| report.after.fds = 8, None);
        check(
            |report| report.after.children = 1,
            Some("children are left over: 1"),
        );
        // Even if they were there before.
        check(
            |report| (report.before.children, report.after.children) = (2, 2),
            Some("children are left over: 2, and 1 at the start"),
        );
        check(
            |report| (report.before.children, report.after.children) = (1, 1),
            None,
        );
        check(|report| report.all.answered = 999, Some("only 999 of 1000"));
        check(|report| report.faults = [5; 6], None);
        check(
            |report| report.faults = [4; 6],
            Some("24 faults are too few"),
        );
        check(
            |report| {
                report.all.answered = 999;
                report.wrong("it hangs".to_owned());
            },
            Some("it hangs"),
        );
    }
}
