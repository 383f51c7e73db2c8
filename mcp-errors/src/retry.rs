//! Whether a failed call is repeated, and when.
//!
//! It is all pure: time and randomness are arguments, and the caller waits. One [`Attempts`] goes with one call, one
//! [`Budget`] and one [`Breaker`] with one server. Only the outermost layer that sends may own an [`Attempts`], since
//! layers that each repeat multiply.
//!
//! A call is repeated when all of this holds:
//!
//! 1. its failure may pass ([`Symptom::transient`]);
//! 2. a repeat does no harm: the call provably did not run, or repeating it is [`Safety::Repeatable`], or the caller
//!    opted in ([`Retry::by_code`], [`Retry::even_if_run`]);
//! 3. attempts are left;
//! 4. it would start before the deadline of the call, which is one for all attempts;
//! 5. the server's budget pays for it.
//!
//! ```
//! use std::time::{Duration, Instant};
//!
//! use mcp_errors::{
//!     ToolErrorCode, ToolErrorEnvelope,
//!     retry::{Attempts, Budget, Retry, Safety, Symptom, Verdict},
//! };
//!
//! # #[expect(clippy::disallowed_methods, reason = "an example needs some instant to count from")]
//! let now = Instant::now();
//! let mut budget = Budget::new(now);
//! let mut attempts = Attempts::new(Retry::by_code(), Safety::Effects, now + Duration::from_secs(60));
//! let mut envelope = ToolErrorEnvelope::new("search", ToolErrorCode::RATE_LIMITED, "60 calls a minute are the most.");
//! envelope.retry_after = Some(Duration::from_secs(7));
//! let verdict = attempts.handle_failure(&Symptom::from(&envelope), &mut budget, 0, now);
//! assert!(matches!(verdict, Verdict::Repeat { wait, .. } if wait == Duration::from_secs(7)));
//! ```

mod attempts;
mod breaker;
mod budget;
mod safety;
mod symptom;

use std::time::Duration;

pub use self::{
    attempts::{Attempt, Attempts, Stop, Verdict},
    breaker::{Breaker, Gate},
    budget::Budget,
    safety::Safety,
    symptom::Symptom,
};
use crate::retry_after::LONGEST_WAIT;

/// How a caller repeats calls that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retry {
    /// How often a call is sent in all; 3 by default.
    pub attempts: u32,
    /// What the first wait is drawn from, doubled with each attempt; 250 ms by default.
    pub base: Duration,
    /// What no wait without a hint exceeds; 20 s by default.
    pub cap: Duration,
    /// What a server's hint is clamped to; one hour.
    pub longest_hint: Duration,
    /// Whether to wait a little longer than a hint says, so that clients do not return all at once: up to a tenth of
    /// it, at most one second.
    pub spread_hints: bool,
    opt_in: OptIn,
}

/// How much of what may have run is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OptIn {
    Nothing,
    WaitCodes,
    Everything,
}

impl Retry {
    /// Repeats what provably did not run, and what may be repeated.
    pub const fn new() -> Self {
        Self {
            attempts: 3,
            base: Duration::from_millis(250),
            cap: Duration::from_secs(20),
            longest_hint: LONGEST_WAIT,
            spread_hints: true,
            opt_in: OptIn::Nothing,
        }
    }

    /// Repeats nothing.
    pub const fn never() -> Self {
        Self {
            attempts: 1,
            ..Self::new()
        }
    }

    /// The caller's opt-in by code: what fails with `rate_limited`, `at_capacity`, `service_unavailable` or
    /// `upstream_error` is repeated, whatever the tool does. It waits as long as the server asks, else up to
    /// min(2^n, 30) s with full jitter, n counting the repeats from 0; three attempts in all.
    pub const fn by_code() -> Self {
        Self {
            base: Duration::from_secs(1),
            cap: Duration::from_secs(30),
            spread_hints: false,
            opt_in: OptIn::WaitCodes,
            ..Self::new()
        }
    }

    /// Sends so often in all, at least once.
    #[must_use]
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = if attempts == 0 { 1 } else { attempts };
        self
    }

    /// Draws waits from `base`, doubled with each attempt up to `cap`.
    #[must_use]
    pub const fn backoff(mut self, base: Duration, cap: Duration) -> Self {
        self.base = base;
        self.cap = cap;
        self
    }

    /// The caller's opt-in to all: what may pass is repeated even where the call may have run.
    #[must_use]
    pub const fn even_if_run(mut self) -> Self {
        self.opt_in = OptIn::Everything;
        self
    }

    fn may_repeat(&self, symptom: &Symptom, safety: Safety) -> bool {
        symptom.executed == crate::Executed::No
            || safety == Safety::Repeatable
            || match self.opt_in {
                OptIn::Nothing => false,
                OptIn::WaitCodes => symptom.has_wait_code(),
                OptIn::Everything => true,
            }
    }

    /// How long to wait before the repeat after `failed` attempts; never less than the hint.
    fn wait(&self, hint: Option<Duration>, failed: u32, random: u64) -> Duration {
        let doublings = failed.saturating_sub(1).min(31);
        let longest = self.base.saturating_mul(1 << doublings).min(self.cap);
        let Some(hint) = hint else {
            return full_jitter(longest, random);
        };
        let spread = match self.spread_hints {
            true => full_jitter((hint / 10).min(Duration::from_secs(1)), random),
            false => Duration::ZERO,
        };
        hint.saturating_add(spread)
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self::new()
    }
}

/// A wait between nothing and `longest`; `random` is uniform over all of `u64`.
pub fn full_jitter(longest: Duration, random: u64) -> Duration {
    let nanos = longest.as_nanos();
    // Split, since a product of both may not fit.
    let (high, low) = (nanos >> 64, nanos & u128::from(u64::MAX));
    let random = u128::from(random);
    let drawn = high * random + ((low * random) >> 64);
    let seconds = u64::try_from(drawn / 1_000_000_000).unwrap_or(u64::MAX);
    Duration::new(seconds, (drawn % 1_000_000_000) as u32)
}

#[cfg(test)]
mod tests;
