//! What one answer means: a pure function of typed facts, never of a message's wording.
//!
//! The order of the questions decides: network, redirect, authorization, load, then the JSON-RPC
//! message in the body, then the bare status. Several clients in the field read a body first and so
//! take a refusal of access for a sign of an old server.

use std::time::Duration;

use mcp_errors::{Failure, FailureKind};
use mcp_transport::proto::answer::EndpointAnnounced;
use mcp_types::{Era, ErrorCode, ErrorObject, Revision};
use serde::Deserialize;

use super::{Confidence, Observation, Reason, Step, Wire};

/// What was asked, and what may still be done.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Asked<'a> {
    /// The step.
    pub step: Step,
    /// What it was sent over.
    pub wire: Wire,
    /// Whether the wire has seen a probe: some old servers never recover from one.
    pub probed: bool,
    /// How often the step was repeated already.
    pub repeats: u8,
    /// The revisions we speak.
    pub speaks: &'a [Revision],
}

impl<'a> Asked<'a> {
    /// A step sent for the first time.
    pub const fn new(step: Step, wire: Wire, speaks: &'a [Revision]) -> Self {
        Self {
            step,
            wire,
            probed: true,
            repeats: 0,
            speaks,
        }
    }
}

/// What to make of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The server is modern and speaks this.
    Modern(Revision),
    /// The connection is legacy and speaks this.
    Legacy(Revision),
    /// Probe once more, in this revision.
    Reprobe(Revision),
    /// Send `initialize`.
    Initialize {
        /// The revision to ask for.
        revision: Revision,
        /// Whether the server said that it is legacy.
        confidence: Confidence,
    },
    /// Start the process, or connect to the socket, anew and send `initialize` at once.
    Fresh,
    /// The server may speak only HTTP+SSE, the transport of 2024-11-05: try that.
    Sse(Confidence),
    /// Send the same again.
    Again {
        /// When the server asked for that.
        after: Option<Duration>,
    },
    /// Give up.
    Fail(Reason),
}

/// What to make of what came of a step.
pub fn classify(asked: &Asked<'_>, seen: &Observation) -> Verdict {
    match seen {
        Observation::Discovered(result) => discovered(asked, &result.supported_versions),
        Observation::Initialized(result) => initialized(asked, &result.protocol_version),
        Observation::Failed(failure) => failed(asked, failure),
    }
}

fn discovered(asked: &Asked<'_>, versions: &[String]) -> Verdict {
    let theirs = Theirs::new(asked, versions);
    if let Some(revision) = theirs.modern {
        Verdict::Modern(revision)
    } else if let Some(revision) = theirs.legacy {
        Verdict::Initialize {
            revision,
            confidence: Confidence::Firm,
        }
    } else if versions.is_empty() {
        assumed(asked)
    } else {
        Verdict::Fail(Reason::no_common_version(versions))
    }
}

fn initialized(asked: &Asked<'_>, version: &str) -> Verdict {
    version
        .parse()
        .ok()
        .filter(|revision: &Revision| {
            revision.era() == Era::Legacy && asked.speaks.contains(revision)
        })
        .map_or_else(
            || Verdict::Fail(Reason::unsupported_version(version)),
            Verdict::Legacy,
        )
}

fn failed(asked: &Asked<'_>, failure: &Failure) -> Verdict {
    if asked.step == Step::Sse {
        return old(asked, failure);
    }
    if EndpointAnnounced::explains(failure) {
        return Verdict::Sse(Confidence::Assumed);
    }
    match failure.kind() {
        FailureKind::Timeout if asked.step == Step::Discover => return assumed(asked),
        FailureKind::Timeout => return Verdict::Fail(Reason::Timeout),
        FailureKind::Unreachable => return Verdict::Fail(Reason::Unreachable),
        FailureKind::TooLarge => return Verdict::Fail(Reason::TooLarge),
        FailureKind::Lost => return lost(asked, failure),
        FailureKind::Invalid | FailureKind::Full | FailureKind::Cancelled | FailureKind::Closed => {
            return Verdict::Fail(Reason::Local);
        }
        FailureKind::Redirected => return Verdict::Fail(Reason::Redirected),
        _ => {}
    }
    let status = failure.http_status();
    match status {
        Some(300..=399) => return Verdict::Fail(Reason::Redirected),
        Some(401) => return Verdict::Fail(Reason::Unauthorized),
        Some(407) => return Verdict::Fail(Reason::ProxyAuth),
        Some(403) => return Verdict::Fail(Reason::Forbidden),
        Some(408 | 425) => return again(asked, failure, 1),
        Some(429 | 502..=504 | 520..=529) => return again(asked, failure, 2),
        _ => {}
    }
    match (failure.peer_error(), failure.kind()) {
        (Some(error), _) => peer(asked, error),
        (None, FailureKind::Unauthorized) => Verdict::Fail(Reason::Unauthorized),
        (None, _) => bare(asked, status.unwrap_or_default()),
    }
}

/// HTTP+SSE failed too. What ended the first attempt tells more than that, unless the server knows this transport.
fn old(asked: &Asked<'_>, failure: &Failure) -> Verdict {
    match (failure.http_status(), failure.peer_error(), failure.kind()) {
        (Some(401), ..) | (None, None, FailureKind::Unauthorized) => {
            Verdict::Fail(Reason::Unauthorized)
        }
        (Some(429 | 502..=504 | 520..=529), ..) => again(asked, failure, 2),
        (_, Some(_), _) => Verdict::Fail(Reason::Rejected),
        _ => Verdict::Fail(Reason::NoTransport),
    }
}

/// The wire broke before the answer was whole.
fn lost(asked: &Asked<'_>, failure: &Failure) -> Verdict {
    match (asked.wire, asked.step) {
        (wire, _) if wire.reopens() && asked.probed => Verdict::Fresh,
        (wire @ (Wire::Process | Wire::Socket), _) => Verdict::Fail(wire.broken()),
        // Opening a connection has no side effects, so a repeat is safe.
        (Wire::Http | Wire::Sse | Wire::Custom, _) if asked.repeats < 1 => {
            Verdict::Again { after: None }
        }
        (_, Step::Discover) if failure.http_status().is_some() => assumed(asked),
        _ => Verdict::Fail(Reason::Lost),
    }
}

fn again(asked: &Asked<'_>, failure: &Failure, most: u8) -> Verdict {
    if asked.repeats < most {
        Verdict::Again {
            after: failure.retry_after(),
        }
    } else {
        Verdict::Fail(Reason::from_status(Some(failure)))
    }
}

/// A JSON-RPC error, whatever its status.
fn peer(asked: &Asked<'_>, error: &ErrorObject) -> Verdict {
    match error.code {
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => version_refused(asked, error),
        ErrorCode::HEADER_MISMATCH => Verdict::Fail(Reason::HeaderMismatch),
        ErrorCode::MISSING_CLIENT_CAPABILITY => Verdict::Fail(Reason::CapabilityRequired),
        _ if asked.step != Step::Discover => rejected(asked),
        ErrorCode::METHOD_NOT_FOUND => Verdict::Initialize {
            revision: newest_legacy(asked),
            confidence: Confidence::Firm,
        },
        _ => assumed(asked),
    }
}

fn version_refused(asked: &Asked<'_>, error: &ErrorObject) -> Verdict {
    #[derive(Deserialize)]
    struct Data {
        supported: Vec<String>,
    }
    let supported = error
        .data
        .as_ref()
        .and_then(|data| data.decode::<Data>().ok())
        .map(|data| data.supported)
        .unwrap_or_default();
    let theirs = Theirs::new(asked, &supported);
    match (theirs.modern, theirs.legacy, asked.step) {
        (Some(modern), ..) => Verdict::Reprobe(modern),
        (None, _, Step::Initialize | Step::Sse) => rejected(asked),
        (None, Some(revision), Step::Discover) => Verdict::Initialize {
            revision,
            confidence: Confidence::Firm,
        },
        (None, None, Step::Discover) if supported.is_empty() => assumed(asked),
        (None, None, Step::Discover) => Verdict::Fail(Reason::no_common_version(&supported)),
    }
}

/// `initialize` was refused. The server may have been spoilt by the probe before it.
fn rejected(asked: &Asked<'_>) -> Verdict {
    if asked.wire.reopens() && asked.probed {
        Verdict::Fresh
    } else {
        Verdict::Fail(Reason::Rejected)
    }
}

/// A status and no JSON-RPC message.
fn bare(asked: &Asked<'_>, status: u16) -> Verdict {
    match (asked.step, status) {
        (Step::Discover, 400..=499 | 501) => assumed(asked),
        (Step::Initialize, 400 | 404 | 405) => Verdict::Sse(Confidence::Firm),
        (Step::Initialize, 406 | 410 | 411 | 415 | 501) => Verdict::Sse(Confidence::Assumed),
        (_, 500..=599) => Verdict::Fail(Reason::ServerError),
        (Step::Initialize | Step::Sse, 400..=499) => Verdict::Fail(Reason::Refused),
        (Step::Discover, _) => assumed(asked),
        (Step::Initialize | Step::Sse, _) => Verdict::Fail(Reason::NotMcp),
    }
}

fn assumed(asked: &Asked<'_>) -> Verdict {
    Verdict::Initialize {
        revision: newest_legacy(asked),
        confidence: Confidence::Assumed,
    }
}

fn newest_legacy(asked: &Asked<'_>) -> Revision {
    asked
        .speaks
        .iter()
        .copied()
        .filter(|revision| revision.era() == Era::Legacy)
        .max()
        .unwrap_or(Revision::LATEST_LEGACY)
}

/// The newest of a server's versions that we speak too, by era.
struct Theirs {
    modern: Option<Revision>,
    legacy: Option<Revision>,
}

impl Theirs {
    fn new(asked: &Asked<'_>, versions: &[String]) -> Self {
        let newest = |era| {
            asked
                .speaks
                .iter()
                .copied()
                .filter(|ours| ours.era() == era)
                .filter(|ours| versions.iter().any(|theirs| theirs == ours.as_str()))
                .max()
        };
        Self {
            modern: newest(Era::Modern),
            legacy: newest(Era::Legacy),
        }
    }
}
