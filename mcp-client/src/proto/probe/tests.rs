//! The rows of the decision tables, by name: what is sent after each answer, and how it ends.
//!
//! The trace spells the requests: `D` discover, `I` initialize, `+I` initialize to a new process,
//! `S` HTTP+SSE and initialize over it.

mod after;
mod first;
mod old;
mod process;
mod whole;

use std::time::{Duration, Instant};

use mcp_errors::{Failure, FailureKind};
use mcp_types::{
    ErrorCode, ErrorObject, Revision,
    capability::{Implementation, ServerCapabilities},
    lifecycle::{DiscoverResult, InitializeResult},
};

use super::{Confidence, Next, Observation, Plan, Probe, Reason, Send, Step, Wire};

const NOV24: Revision = Revision::V2024_11_05;
const V24: Revision = Revision::V2024_10_07;
const NOV25: Revision = Revision::V2025_11_25;
const JUN25: Revision = Revision::V2025_06_18;
const JUL26: Revision = Revision::V2026_07_28;

/// How a story ends.
#[derive(Debug, PartialEq)]
enum End {
    /// The last request of the trace waits for its answer.
    Waits,
    Connected(Revision, Confidence),
    Fails(Reason),
}

use self::End::{Connected, Fails, Waits};

const FIRM: Confidence = Confidence::Firm;
const ASSUMED: Confidence = Confidence::Assumed;

#[expect(
    clippy::disallowed_methods,
    reason = "an instant has no other beginning"
)]
fn start() -> Instant {
    Instant::now()
}

/// Plays `story` over `wire`, each answer coming at once.
#[track_caller]
fn check(wire: Wire, story: Vec<Observation>, trace: &str, end: End) {
    check_plan(Plan::new(wire), story, trace, end);
}

#[track_caller]
fn check_plan(plan: Plan, story: Vec<Observation>, trace: &str, end: End) {
    let (sent, ended) = play(plan, story);
    let spelled: Vec<String> = sent.iter().map(spell).collect();
    assert_eq!((spelled.join(" ").as_str(), ended), (trace, end));
}

/// Everything sent, and the end.
#[track_caller]
fn play(plan: Plan, story: Vec<Observation>) -> (Vec<Send>, End) {
    let (mut probe, send) = Probe::new(plan, start());
    let mut sent = vec![send];
    let mut ended = Waits;
    for seen in story {
        assert_eq!(ended, Waits, "the story goes on after its end: {seen:?}");
        let now = sent.last().unwrap().not_before;
        ended = match probe.handle(seen, now) {
            Next::Send(send) => {
                sent.push(send);
                Waits
            }
            Next::Connected(connected) => Connected(connected.revision, connected.confidence),
            Next::Failed(reason) => Fails(reason),
        };
    }
    (sent, ended)
}

fn spell(send: &Send) -> String {
    let step = match send.step {
        Step::Discover => "D",
        Step::Initialize => "I",
        Step::Sse => "S",
    };
    format!("{}{step}", if send.fresh { "+" } else { "" })
}

fn failure(kind: FailureKind) -> Failure {
    Failure::new(kind, "x")
}

fn fails(kind: FailureKind) -> Observation {
    Observation::Failed(failure(kind))
}

fn timeout() -> Observation {
    fails(FailureKind::Timeout)
}

fn lost() -> Observation {
    fails(FailureKind::Lost)
}

/// A status without a JSON-RPC message, as the HTTP client types it.
fn bare(status: u16) -> Observation {
    let kind = match status {
        300..=399 => FailureKind::Redirected,
        401 | 403 | 407 => FailureKind::Unauthorized,
        200..=299 => FailureKind::Malformed,
        _ => FailureKind::Http,
    };
    Observation::Failed(failure(kind).with_http_status(status))
}

fn peer(code: i64) -> Observation {
    Observation::Failed(peer_failure(code))
}

fn peer_at(status: u16, code: i64) -> Observation {
    Observation::Failed(peer_failure(code).with_http_status(status))
}

fn peer_failure(code: i64) -> Failure {
    Failure::peer(ErrorObject::new(ErrorCode(code), "x"))
}

/// -32022 with these versions.
fn refuses(supported: &[&str]) -> Observation {
    Observation::Failed(refusal(&serde_json::json!({ "supported": supported })))
}

fn refusal(data: &serde_json::Value) -> Failure {
    Failure::peer(
        ErrorObject::new(
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
            "Unsupported protocol version",
        )
        .with_data(data),
    )
}

fn discovered(versions: &[&str]) -> Observation {
    let mut result = DiscoverResult::new([], ServerCapabilities::default());
    result.supported_versions = versions.iter().map(|&text| text.to_owned()).collect();
    Observation::Discovered(Box::new(result))
}

fn initialized(version: &str) -> Observation {
    let server = Implementation::new("s", "1");
    let mut result = InitializeResult::new(NOV25, ServerCapabilities::default(), server);
    result.protocol_version = version.to_owned();
    Observation::Initialized(Box::new(result))
}

fn unsupported(version: &str) -> End {
    Fails(Reason::UnsupportedVersion(version.into()))
}

fn no_common(versions: &[&str]) -> End {
    Fails(Reason::NoCommonVersion(
        versions.iter().map(|&text| text.into()).collect(),
    ))
}

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}
