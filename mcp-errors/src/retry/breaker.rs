//! A breaker in front of one server: after failures in a row it lets nothing through for a while, then one probe.

use std::time::{Duration, Instant};

use super::Symptom;

/// A breaker in front of one server.
///
/// Only what tells of the server as a whole counts ([`Symptom::unhealthy`]): not 4xx, not a tool's error, not a
/// missing authorization. Time is an argument, so each schedule can be played.
///
/// | state | lets through | goes on |
/// |---|---|---|
/// | closed | all | to open after `threshold` failures in a row |
/// | open | nothing, for `pause` | to half-open when that is over |
/// | half-open | one probe, such as `ping` or `server/discover` | to closed on success, to open on failure or after another `pause` without an answer |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaker {
    threshold: u32,
    pause: Duration,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Closed { failures: u32 },
    Open { until: Instant },
    HalfOpen { until: Instant },
}

/// What a breaker lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a breaker has these three states")]
pub enum Gate {
    /// Any call.
    Call,
    /// One harmless request, whose outcome decides; the caller that is told so sends it.
    Probe,
    /// Nothing for so long.
    Wait(Duration),
}

impl Breaker {
    /// A breaker that opens after `threshold` failures in a row, at least one, for `pause`.
    pub const fn new(threshold: u32, pause: Duration) -> Self {
        Self {
            threshold: if threshold == 0 { 1 } else { threshold },
            pause,
            state: State::Closed { failures: 0 },
        }
    }

    /// Asks what may be sent now. [`Gate::Probe`] is said once; until its outcome is known all others wait.
    pub fn handle_call(&mut self, now: Instant) -> Gate {
        match self.state {
            State::Closed { .. } => Gate::Call,
            State::Open { until } | State::HalfOpen { until } if now < until => {
                Gate::Wait(until - now)
            }
            State::Open { .. } | State::HalfOpen { .. } => {
                self.state = State::HalfOpen {
                    until: now + self.pause,
                };
                Gate::Probe
            }
        }
    }

    /// Takes note of an answer, be it an error: the server is alive.
    pub fn handle_success(&mut self) {
        self.state = State::Closed { failures: 0 };
    }

    /// Takes note of a failure.
    pub fn handle_failure(&mut self, symptom: &Symptom, now: Instant) {
        if !symptom.unhealthy {
            // Refused is answered. What was cancelled here, or never sent, tells nothing.
            if symptom.code.is_some() || symptom.status.is_some() {
                self.handle_success();
            }
            return;
        }
        let open = State::Open {
            until: now + self.pause,
        };
        self.state = match self.state {
            State::Closed { failures } if failures + 1 < self.threshold => State::Closed {
                failures: failures + 1,
            },
            State::Closed { .. } | State::HalfOpen { .. } => open,
            // A call that was sent before it opened does not make it longer.
            State::Open { until } => State::Open { until },
        };
    }

    /// Whether it lets calls through.
    pub const fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed { .. })
    }
}
