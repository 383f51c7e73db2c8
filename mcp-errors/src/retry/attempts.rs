//! The attempts of one call: each failure goes in, and out comes whether and when to send again.

use std::{
    fmt,
    time::{Duration, Instant},
};

use super::{Budget, Retry, Safety, Symptom};
use crate::{failure::Executed, retry_after::RetryAfter, tool_code::ToolErrorCode};

/// The attempts of one call.
#[derive(Debug, Clone)]
pub struct Attempts {
    policy: Retry,
    safety: Safety,
    deadline: Instant,
    log: Vec<Attempt>,
}

/// One attempt that failed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Attempt {
    /// From 1.
    pub number: u32,
    /// Its stable code, if it had one.
    pub code: Option<ToolErrorCode>,
    /// Its HTTP status, if it had one.
    pub status: Option<u16>,
    /// Whether it ran.
    pub executed: Executed,
    /// How long was waited after it; nothing after the last.
    pub waited: Duration,
}

/// What comes after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Send again after `wait`.
    #[non_exhaustive]
    Repeat {
        /// How long to wait.
        wait: Duration,
        /// Whether the server asked for longer than hints are honoured for.
        clamped: bool,
    },
    /// Fail with the error at hand.
    Stop(Stop),
}

/// Why a call is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stop {
    /// The failure does not pass by itself.
    NotTransient,
    /// It may have run, and a repeat may do it twice.
    MayHaveRun,
    /// All attempts are used up.
    Attempts,
    /// The repeat would start after the deadline.
    Deadline,
    /// Too much was repeated at this server already.
    Budget,
}

impl Attempts {
    /// The attempts of a call that has until `deadline`, all of them together.
    pub const fn new(policy: Retry, safety: Safety, deadline: Instant) -> Self {
        Self {
            policy,
            safety,
            deadline,
            log: Vec::new(),
        }
    }

    /// Takes the failure of the attempt that was sent last. `random` is uniform over all of `u64`.
    pub fn handle_failure(
        &mut self,
        symptom: &Symptom,
        budget: &mut Budget,
        random: u64,
        now: Instant,
    ) -> Verdict {
        let number = u32::try_from(self.log.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        let verdict = self.judge(symptom, number, budget, random, now);
        let waited = match verdict {
            Verdict::Repeat { wait, .. } => wait,
            Verdict::Stop(_) => Duration::ZERO,
        };
        self.log.push(Attempt {
            number,
            code: symptom.code.clone(),
            status: symptom.status,
            executed: symptom.executed,
            waited,
        });
        verdict
    }

    /// The attempts that failed, in order.
    pub fn log(&self) -> &[Attempt] {
        &self.log
    }

    fn judge(
        &self,
        symptom: &Symptom,
        number: u32,
        budget: &mut Budget,
        random: u64,
        now: Instant,
    ) -> Verdict {
        if !symptom.transient {
            return Verdict::Stop(Stop::NotTransient);
        }
        if !self.policy.may_repeat(symptom, self.safety) {
            return Verdict::Stop(Stop::MayHaveRun);
        }
        if number >= self.policy.attempts {
            return Verdict::Stop(Stop::Attempts);
        }
        let hint = symptom
            .hint
            .map(|hint| RetryAfter::new(hint, self.policy.longest_hint));
        let wait = self.policy.wait(hint.map(|hint| hint.wait), number, random);
        if now.checked_add(wait).is_none_or(|at| at >= self.deadline) {
            return Verdict::Stop(Stop::Deadline);
        }
        // Last, so that nothing is paid for a repeat that does not happen.
        if !budget.withdraw(symptom.timeout, now) {
            return Verdict::Stop(Stop::Budget);
        }
        Verdict::Repeat {
            wait,
            clamped: hint.is_some_and(|hint| hint.clamped),
        }
    }
}

impl Stop {
    /// Its name for programs, such as `may_have_run`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotTransient => "not_transient",
            Self::MayHaveRun => "may_have_run",
            Self::Attempts => "attempts",
            Self::Deadline => "deadline",
            Self::Budget => "budget",
        }
    }
}

/// The end of a sentence that begins with "not repeated:".
impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotTransient => "it would fail again",
            Self::MayHaveRun => "it may have run; opt in if running it twice does no harm",
            Self::Attempts => "all attempts are used up",
            Self::Deadline => "the next attempt would start after the deadline",
            Self::Budget => "the budget for repeats at this server is empty",
        })
    }
}
