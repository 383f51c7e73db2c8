//! Finds out how a server wants to be spoken to.
//!
//! The machine asks `server/discover` first; an answer, or an error only a modern server can give,
//! settles for modern. Anything else that does not end the attempt leads to one `initialize`, and where a URL
//! refuses even that without a word of the protocol, to one over HTTP+SSE, the transport of 2024-11-05. It
//! never falls back after a modern sign, never falls back where authorization or load is the matter,
//! and keeps every attempt, since the first failure is mostly the one that tells.
//!
//! A driver sends what [`Next::Send`] asks for, and feeds back what came of it.

mod classify;
mod reason;
mod record;

use std::time::{Duration, Instant};

use mcp_errors::{Failure, FailureKind};
use mcp_transport::proto::answer::EndpointAnnounced;
use mcp_types::{
    Era, Revision,
    lifecycle::{DiscoverResult, InitializeResult},
};

use super::deadline::after;

pub use self::{
    classify::{Asked, Verdict, classify},
    reason::Reason,
    record::{Answer, Attempt},
};

/// How long to wait before a step is repeated, where the server does not say.
const PAUSE: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(1)];
/// The longest pause a server may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(3_600);

/// The machine of one connect.
#[derive(Debug)]
pub struct Probe {
    plan: Plan,
    deadline: Instant,
    sent: Sent,
    /// Whether the corrective probe was spent.
    reprobed: bool,
    /// Whether `initialize` was sent.
    initialized: bool,
    /// Whether the wire as it is now has seen a probe.
    probed: bool,
    /// Whether the wire was opened anew.
    respawned: bool,
    /// How sure it is that the server is legacy.
    confidence: Confidence,
    attempts: Vec<Attempt>,
}

#[derive(Debug, Clone, Copy)]
struct Sent {
    step: Step,
    revision: Revision,
    since: Instant,
    repeats: u8,
}

impl Probe {
    /// A connect that starts at `now`, and what to send first.
    pub fn new(plan: Plan, now: Instant) -> (Self, Send) {
        let legacy = plan.era() == Some(Era::Legacy);
        let step = if legacy {
            Step::Initialize
        } else {
            Step::Discover
        };
        let revision = plan.revision.unwrap_or(if legacy {
            Revision::LATEST_LEGACY
        } else {
            Revision::LATEST
        });
        let mut probe = Self {
            deadline: after(now, plan.patience.total),
            plan,
            sent: Sent {
                step,
                revision,
                since: now,
                repeats: 0,
            },
            reprobed: false,
            initialized: false,
            probed: false,
            respawned: false,
            // Who pins an era knows it.
            confidence: Confidence::Firm,
            attempts: Vec::new(),
        };
        let send = probe.send(step, revision, 0, now, false);
        (probe, send)
    }

    /// What came of the step sent last, and so what to do next.
    pub fn handle(&mut self, seen: Observation, now: Instant) -> Next {
        let asked = Asked {
            step: self.sent.step,
            wire: self.plan.wire,
            probed: self.probed,
            repeats: self.sent.repeats,
            speaks: self.plan.speaks(),
        };
        let verdict = self.restrain(classify(&asked, &seen), &seen, now);
        let (answer, opened) = seen.split();
        self.attempts.push(Attempt {
            step: self.sent.step,
            revision: self.sent.revision,
            answer,
            verdict: verdict.clone(),
            took: now.saturating_duration_since(self.sent.since),
        });
        self.follow(verdict, opened, now)
    }

    /// Every attempt so far, in order.
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// The attempts, once the machine is done.
    pub fn into_attempts(self) -> Vec<Attempt> {
        self.attempts
    }

    /// Takes back what the plan, the deadline or an earlier step forbids.
    fn restrain(&self, verdict: Verdict, seen: &Observation, now: Instant) -> Verdict {
        let forbidden = match (&verdict, self.plan.era()) {
            (Verdict::Initialize { .. } | Verdict::Fresh | Verdict::Sse(_), Some(Era::Modern)) => {
                Some(seen.alone(self.plan.wire, Era::Modern))
            }
            (Verdict::Reprobe(_), Some(Era::Legacy)) => {
                Some(seen.alone(self.plan.wire, Era::Legacy))
            }
            // `initialize` has no headers that could differ from its body: only a modern server asks for them.
            (Verdict::Fail(Reason::HeaderMismatch), Some(Era::Legacy)) => {
                Some(Reason::Pinned(Era::Legacy))
            }
            (Verdict::Fresh, _) if self.respawned => Some(seen.spoilt(self.plan.wire)),
            (Verdict::Reprobe(_), _) if self.reprobed => Some(Reason::VersionLoop),
            (Verdict::Initialize { .. }, _) if self.initialized => Some(Reason::VersionLoop),
            // Whoever made the endpoint chose its transport.
            (Verdict::Sse(_), _) if self.plan.wire != Wire::Http => Some(Reason::Refused),
            (Verdict::Again { after }, _) => (now + self.pause(*after) >= self.deadline)
                .then(|| Reason::from_status(seen.failure())),
            (
                Verdict::Initialize { .. } | Verdict::Reprobe(_) | Verdict::Fresh | Verdict::Sse(_),
                _,
            ) if now >= self.deadline => Some(Reason::Timeout),
            _ => None,
        };
        forbidden.map_or(verdict, Verdict::Fail)
    }

    fn follow(&mut self, verdict: Verdict, opened: Option<Opened>, now: Instant) -> Next {
        match (verdict, opened) {
            (Verdict::Modern(revision), Some(opened)) => Next::Connected(Connected {
                revision,
                confidence: Confidence::Firm,
                wire: self.wire(),
                opened,
            }),
            (Verdict::Legacy(revision), Some(opened)) => Next::Connected(Connected {
                revision,
                confidence: self.confidence,
                wire: self.wire(),
                opened,
            }),
            (Verdict::Reprobe(revision), _) => {
                self.reprobed = true;
                Next::Send(self.send(Step::Discover, revision, 0, now, false))
            }
            (
                Verdict::Initialize {
                    revision,
                    confidence,
                },
                _,
            ) => {
                self.confidence = confidence;
                Next::Send(self.send(Step::Initialize, revision, 0, now, false))
            }
            (Verdict::Fresh, _) => {
                self.confidence = Confidence::Assumed;
                self.probed = false;
                self.respawned = true;
                let revision = self.legacy_revision();
                Next::Send(self.send(Step::Initialize, revision, 0, now, true))
            }
            (Verdict::Sse(confidence), _) => {
                self.confidence = confidence;
                let revision = self.legacy_revision();
                Next::Send(self.send(Step::Sse, revision, 0, now, false))
            }
            (Verdict::Again { after }, _) => {
                let at = now + self.pause(after);
                let Sent {
                    step,
                    revision,
                    repeats,
                    ..
                } = self.sent;
                Next::Send(self.send(step, revision, repeats + 1, at, false))
            }
            (Verdict::Fail(reason), _) => Next::Failed(reason),
            // There is nothing to connect to without a result.
            (Verdict::Modern(_) | Verdict::Legacy(_), None) => Next::Failed(Reason::NotMcp),
        }
    }

    fn send(
        &mut self,
        step: Step,
        revision: Revision,
        repeats: u8,
        at: Instant,
        fresh: bool,
    ) -> Send {
        match step {
            Step::Discover => self.probed = true,
            Step::Initialize | Step::Sse => self.initialized = true,
        }
        self.sent = Sent {
            step,
            revision,
            since: at,
            repeats,
        };
        let slice = match step {
            Step::Discover => self.plan.patience.probe,
            Step::Initialize | Step::Sse => self.plan.patience.initialize,
        };
        Send {
            step,
            revision,
            fresh,
            not_before: at,
            deadline: self.deadline.min(after(at, slice)),
        }
    }

    /// What an `initialize` after the step that was sent last asks for.
    fn legacy_revision(&self) -> Revision {
        match self.sent.step {
            Step::Initialize | Step::Sse => self.sent.revision,
            Step::Discover => Revision::LATEST_LEGACY,
        }
    }

    /// What the step that was sent last went over.
    fn wire(&self) -> Wire {
        match self.sent.step {
            Step::Sse => Wire::Sse,
            Step::Discover | Step::Initialize => self.plan.wire,
        }
    }

    fn pause(&self, asked: Option<Duration>) -> Duration {
        let own = PAUSE[usize::from(self.sent.repeats).min(PAUSE.len() - 1)];
        asked.unwrap_or(own).min(LONGEST_PAUSE)
    }
}

/// What a connect may do, and for how long.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Plan {
    /// What can be done about a broken wire.
    pub wire: Wire,
    /// The only era to try.
    pub pin: Option<Era>,
    /// The only revision to speak; it pins its era.
    pub revision: Option<Revision>,
    /// How long to wait.
    pub patience: Patience,
}

impl Plan {
    /// Tries both eras on `wire`.
    pub fn new(wire: Wire) -> Self {
        Self {
            wire,
            pin: None,
            revision: None,
            patience: Patience::default(),
        }
    }

    /// The era that is pinned, if one is.
    pub fn era(&self) -> Option<Era> {
        self.revision.map(Revision::era).or(self.pin)
    }

    fn speaks(&self) -> &[Revision] {
        self.revision
            .as_ref()
            .map_or(&Revision::ALL, std::slice::from_ref)
    }
}

/// How long a connect waits: one deadline over all, and a slice of it for each step.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Patience {
    /// For everything together; 30 s.
    pub total: Duration,
    /// For the answer to `server/discover`; 5 s.
    pub probe: Duration,
    /// For the answer to `initialize`, over HTTP+SSE with the opening of its stream; 30 s.
    pub initialize: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            total: Duration::from_secs(30),
            probe: Duration::from_secs(5),
            initialize: Duration::from_secs(30),
        }
    }
}

/// What lies between client and server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wire {
    /// HTTP: each request travels alone.
    Http,
    /// HTTP+SSE of 2024-11-05: one stream carries every answer. A plan starts with [`Wire::Http`].
    Sse,
    /// A process of ours, which can be started again.
    Process,
    /// A socket, which can be connected to again.
    Socket,
    /// An endpoint that somebody else made.
    Custom,
}

impl Wire {
    /// Whether it can be opened anew, for a server that a probe has spoilt.
    pub const fn reopens(self) -> bool {
        matches!(self, Self::Process | Self::Socket)
    }

    /// Why there is no connection when this broke.
    pub(crate) const fn broken(self) -> Reason {
        match self {
            Self::Process => Reason::ProcessExited,
            Self::Http | Self::Sse | Self::Socket | Self::Custom => Reason::Lost,
        }
    }
}

/// A request that opens a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// `server/discover`, modern.
    Discover,
    /// `initialize`, legacy.
    Initialize,
    /// HTTP+SSE is opened, and `initialize` sent over it.
    Sse,
}

impl Step {
    /// The method.
    pub const fn method(self) -> &'static str {
        match self {
            Self::Discover => "server/discover",
            Self::Initialize | Self::Sse => "initialize",
        }
    }
}

/// How an era was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "it was said or it was not")]
pub enum Confidence {
    /// The server said so, or the caller pinned it; it may be remembered.
    Firm,
    /// It was concluded from silence or from an odd answer; it must not be remembered.
    Assumed,
}

/// What came of a step.
#[derive(Debug)]
#[non_exhaustive]
pub enum Observation {
    /// The result of `server/discover`.
    Discovered(Box<DiscoverResult>),
    /// The result of `initialize`.
    Initialized(Box<InitializeResult>),
    /// No result. One that cannot be read is [`FailureKind::Malformed`].
    Failed(Failure),
}

impl Observation {
    fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            Self::Discovered(_) | Self::Initialized(_) => None,
        }
    }

    fn split(self) -> (Answer, Option<Opened>) {
        match self {
            Self::Discovered(result) => (
                Answer::versions(&result.supported_versions),
                Some(Opened::Modern(result)),
            ),
            Self::Initialized(result) => (
                Answer::versions(std::slice::from_ref(&result.protocol_version)),
                Some(Opened::Legacy(result)),
            ),
            Self::Failed(failure) => (Answer::Failed(failure), None),
        }
    }

    /// Why a wire that was opened anew is no better.
    fn spoilt(&self, wire: Wire) -> Reason {
        match self.failure().map(Failure::kind) {
            Some(FailureKind::Lost) => wire.broken(),
            _ => Reason::Rejected,
        }
    }

    /// Why a step that may not be followed by another era's failed.
    fn alone(&self, wire: Wire, era: Era) -> Reason {
        match self.failure().map(Failure::kind) {
            _ if self.failure().is_some_and(EndpointAnnounced::explains) => Reason::Pinned(era),
            Some(FailureKind::Timeout) => Reason::Timeout,
            Some(FailureKind::Malformed) => Reason::NotMcp,
            Some(FailureKind::Lost) => wire.broken(),
            _ => Reason::Pinned(era),
        }
    }
}

/// What to do next.
#[derive(Debug)]
#[non_exhaustive]
pub enum Next {
    /// Send this.
    Send(Send),
    /// Nothing: there is a connection.
    Connected(Connected),
    /// Nothing: there is none.
    Failed(Reason),
}

/// A request to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Send {
    /// Which.
    pub step: Step,
    /// In which revision: what `_meta` says of `server/discover`, or what `initialize` asks for.
    pub revision: Revision,
    /// Whether the process must be started, or the socket connected to, anew first.
    pub fresh: bool,
    /// When to send it.
    pub not_before: Instant,
    /// When to give it up, as [`FailureKind::Timeout`].
    pub deadline: Instant,
}

/// A connection was made.
#[derive(Debug)]
#[non_exhaustive]
pub struct Connected {
    /// What it speaks.
    pub revision: Revision,
    /// How that was found.
    pub confidence: Confidence,
    /// What it is spoken over.
    pub wire: Wire,
    /// What the server said.
    pub opened: Opened,
}

/// What a server says of itself.
#[derive(Debug)]
#[non_exhaustive]
pub enum Opened {
    /// A modern one.
    Modern(Box<DiscoverResult>),
    /// A legacy one.
    Legacy(Box<InitializeResult>),
}

#[cfg(test)]
mod tests;
