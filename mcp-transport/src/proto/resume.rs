//! How a legacy stream that broke is taken up again: from which event, after which wait, and when no more.
//!
//! The rules are those of [2025-11-25 basic/transports][spec]: the client asks for what follows the last event it has
//! seen, and waits before that as long as `retry` says.
//!
//! [spec]: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery

#[cfg(test)]
mod tests;

use core::time::Duration;

use super::sse::Event;

/// How often in a row a stream is taken up again without any progress.
pub const TRIES: u32 = 5;

const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST_RETRY: Duration = Duration::from_secs(60);
const FIRST_BACKOFF: Duration = Duration::from_millis(500);
const LONGEST_BACKOFF: Duration = Duration::from_secs(30);

/// The place in one stream, over all its connections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resume {
    last: Option<String>,
    retry: Option<Duration>,
    /// The last id when the connection that broke began.
    asked: Option<String>,
    /// A message without an id came.
    unnumbered: bool,
    tries: u32,
}

impl Resume {
    /// At the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes note of an event of the stream. `retry` counts between 100 ms and 60 s.
    pub fn saw(&mut self, event: &Event) {
        if let Some(id) = &event.id {
            self.last = Some(id.clone()).filter(|id| !id.is_empty());
        } else if self.last.is_none() && event.data.is_some() {
            self.unnumbered = true;
        }
        if let Some(retry) = event.retry {
            self.retry = Some(retry.clamp(SHORTEST, LONGEST_RETRY));
        }
    }

    /// The id of the last event, for `Last-Event-ID`.
    pub fn last_id(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// The connection broke after `lived`: how long to wait before the next, `None` to give up. `random` is even over
    /// its range.
    ///
    /// Progress is an event with a new id, a message on a stream without ids, or a connection that held for 30 s. After
    /// [`TRIES`] connections without any it is over: the same id again and again is a server that goes in circles. The
    /// wait is the server's `retry` or else 0.5 s doubled with every try up to 30 s, with full jitter; jitter only ever
    /// lengthens `retry`.
    pub fn again(&mut self, lived: Duration, random: u64) -> Option<Duration> {
        let moved = self.last != self.asked;
        if moved || self.unnumbered || lived >= LONGEST_BACKOFF {
            self.tries = 0;
        }
        self.asked.clone_from(&self.last);
        self.unnumbered = false;
        if self.tries == TRIES {
            return None;
        }
        let backoff = (FIRST_BACKOFF * (1 << self.tries)).min(LONGEST_BACKOFF);
        let wait = match (self.retry, self.tries) {
            (Some(retry), 0) => retry + portion((retry / 10).min(SHORTEST), random),
            (Some(retry), _) => retry + portion(backoff, random),
            (None, _) => portion(backoff, random).max(SHORTEST),
        };
        self.tries += 1;
        Some(wait)
    }
}

/// An even part of `whole`.
fn portion(whole: Duration, random: u64) -> Duration {
    let thousandth = u32::try_from(random % 1_001).unwrap_or_default();
    whole * thousandth / 1_000
}
