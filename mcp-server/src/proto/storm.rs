//! Peers that answer errors with errors end in silence: a connection is told few errors that belong to no request.

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

/// How many errors without an id a connection is told in a [`WINDOW`].
const MOST: u32 = 10;
const WINDOW: Duration = Duration::from_secs(10);

/// Counts the errors without an id of one connection.
#[derive(Debug, Default)]
pub(crate) struct Storm {
    since: Option<Instant>,
    told: u32,
}

impl Storm {
    /// Whether the peer may be told one more at `now`.
    pub(crate) fn admits(&mut self, now: Instant) -> bool {
        let is_over = |since| now.saturating_duration_since(since) >= WINDOW;
        if self.since.is_none_or(is_over) {
            *self = Self {
                since: Some(now),
                told: 0,
            };
        }
        self.told = self.told.saturating_add(1);
        self.told <= MOST
    }
}
