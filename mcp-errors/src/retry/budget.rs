//! How much may be repeated at one server: a bucket of tokens that success and time fill.

use std::time::{Duration, Instant};

/// What may still be repeated at one server.
///
/// It keeps a server that comes back from being met by all that failed meanwhile: once the bucket is empty, calls
/// are sent once. First attempts cost nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    capacity: u32,
    tokens: u32,
    // One token comes in after each of these; zero for never.
    every: Duration,
    since: Instant,
}

/// What a repeat costs.
const REPEAT: u32 = 5;
/// What a repeat after a timeout costs, since the server may still be at work on the first.
const AFTER_TIMEOUT: u32 = 10;

impl Budget {
    /// A full bucket of 100 tokens; a repeat costs 5, after a timeout 10; a success brings 1, as does each second.
    pub const fn new(now: Instant) -> Self {
        Self::with(100, Duration::from_secs(1), now)
    }

    /// A full bucket of `capacity` tokens, into which time puts one `every` so often; never if that is zero.
    pub const fn with(capacity: u32, every: Duration, now: Instant) -> Self {
        Self {
            capacity,
            tokens: capacity,
            every,
            since: now,
        }
    }

    /// Takes note of a call that succeeded.
    pub fn handle_success(&mut self, now: Instant) {
        self.fill(now);
        self.tokens = self.tokens.saturating_add(1).min(self.capacity);
    }

    /// How many tokens are left.
    pub fn tokens(&self, now: Instant) -> u32 {
        let mut filled = self.clone();
        filled.fill(now);
        filled.tokens
    }

    /// Pays for a repeat; `false` if there is too little for it.
    pub(super) fn withdraw(&mut self, after_timeout: bool, now: Instant) -> bool {
        self.fill(now);
        let cost = if after_timeout { AFTER_TIMEOUT } else { REPEAT };
        match self.tokens.checked_sub(cost) {
            Some(left) => {
                self.tokens = left;
                true
            }
            None => false,
        }
    }

    fn fill(&mut self, now: Instant) {
        if self.every.is_zero() {
            return;
        }
        let waited = now.saturating_duration_since(self.since);
        let came = waited.as_nanos() / self.every.as_nanos();
        let came = u32::try_from(came).unwrap_or(u32::MAX);
        self.tokens = self.tokens.saturating_add(came).min(self.capacity);
        // What is left over of the wait counts for the next token.
        self.since = self
            .every
            .checked_mul(came)
            .map_or(now, |paid| self.since + paid)
            .min(now)
            .max(self.since);
    }
}
