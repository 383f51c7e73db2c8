//! The era of one POST: judged alone, from its headers, its session and its message.
//!
//! A modern header or a claim in the body makes a request modern, a known session or its absence makes it
//! legacy, and where header and body disagree nobody wins: the request is refused. Order and answers are
//! those of the specification's conformance suite: envelope present, routing headers equal, version served,
//! envelope well-formed.

#[cfg(test)]
mod tests;

use http::{HeaderMap, HeaderName, StatusCode};
use mcp_transport::proto::{
    headers::{self, MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION, Mismatch},
    http::Refusal,
    status,
};
use mcp_types::{
    ErrorCode, ErrorObject, Message, RawJson, RequestId, RequestMeta, Revision,
    jsonrpc::{ErrorId, Malformed, MalformedKind, RequestMessage},
};
use serde::Serialize;

use super::envelope;
use crate::policy::{EraPolicy, LegacyMode};

/// What is known of a POST.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) headers: &'a HeaderMap,
    /// The session that `Mcp-Session-Id` names; never one where there are no sessions.
    pub(crate) session: Named,
    pub(crate) message: &'a Result<Message, Malformed>,
}

/// What `Mcp-Session-Id` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// It is absent.
    Nothing,
    /// No session, or none any more.
    Unknown,
    /// A session of this revision.
    Session(Revision),
}

/// What a server serves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) policy: &'a EraPolicy,
    pub(crate) legacy: LegacyMode,
}

/// What becomes of a POST.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    /// A modern request, with its `_meta`.
    Modern(RequestMeta),
    /// A legacy handshake.
    Initialize,
    /// A legacy message, or batch, of the session that was named.
    Session,
    /// A legacy request, or batch, that belongs to no session.
    Stateless(Revision),
    /// 202: nothing is to be done.
    Accepted,
    /// An error at once.
    Refused(Refused),
}

/// An error at once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    pub(crate) id: ErrorId,
    pub(crate) error: ErrorObject,
}

/// Judges a POST whose body was read.
pub(crate) fn judge(facts: &Facts<'_>, rules: &Rules<'_>) -> Verdict {
    let verdict = Header::read(facts.headers, rules).and_then(|header| {
        let shape = Shape::of(facts.message)?;
        match header {
            Header::Modern | Header::Unknown(_) => modern(&header, shape, facts, rules),
            Header::Absent | Header::Legacy(_) => legacy(&header, shape, facts, rules),
        }
    });
    verdict.unwrap_or_else(|(status, error)| {
        let id = error_id(facts, rules);
        Verdict::Refused(Refused { status, id, error })
    })
}

/// Judges a GET or a DELETE, which only sessions have.
pub(crate) fn judge_session(
    headers: &HeaderMap,
    session: Named,
    rules: &Rules<'_>,
) -> Result<(), Refused> {
    let judged = Header::read(headers, rules).and_then(|header| match (header, session) {
        (Header::Unknown(requested), _) => Err(unsupported(requested, rules)),
        (_, Named::Session(_)) => Ok(()),
        (_, Named::Unknown) => Err(no_session(true)),
        (_, Named::Nothing) => Err(no_session(false)),
    });
    judged.map_err(|(status, error)| Refused {
        status,
        id: ErrorId::Omitted,
        error,
    })
}

/// A status and what it carries; the id comes later.
type No = (StatusCode, ErrorObject);

/// What `MCP-Protocol-Version` says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Header {
    Absent,
    /// A modern revision that is served.
    Modern,
    /// A legacy revision that is served.
    Legacy(Revision),
    Unknown(String),
}

impl Header {
    fn read(headers: &HeaderMap, rules: &Rules<'_>) -> Result<Self, No> {
        let value = match headers::single(headers, &MCP_PROTOCOL_VERSION) {
            Ok(None) => return Ok(Self::Absent),
            Ok(Some(value)) => String::from_utf8_lossy(value.as_bytes().trim_ascii()),
            Err(_) => {
                // The text of a repeated header does not name what the body says.
                let repeated = headers::check(headers, &MCP_PROTOCOL_VERSION, "");
                return Err(repeated.map_or_else(
                    |mismatch| mismatched(&mismatch),
                    |()| invalid("MCP-Protocol-Version header is repeated; send it once"),
                ));
            }
        };
        let served = |revisions: &[Revision]| {
            let found = revisions.iter().find(|known| known.as_str() == value);
            found.copied()
        };
        if served(&rules.policy.modern).is_some() {
            return Ok(Self::Modern);
        }
        Ok(served(rules.legacy_revisions()).map_or_else(
            || Self::Unknown(value.chars().take(64).collect()),
            Self::Legacy,
        ))
    }
}

/// The message by what it wants.
#[derive(Debug, Clone, Copy)]
enum Shape<'a> {
    Request(&'a RequestMessage),
    Notification,
    Response,
    Batch,
}

impl<'a> Shape<'a> {
    fn of(message: &'a Result<Message, Malformed>) -> Result<Self, No> {
        match message {
            Ok(Message::Request(request)) => Ok(Self::Request(request)),
            Ok(Message::Notification(_)) => Ok(Self::Notification),
            Ok(Message::Response(_)) => Ok(Self::Response),
            Err(malformed) if malformed.kind == MalformedKind::Batch => Ok(Self::Batch),
            Err(malformed) => Err(malformed.answer().map_or_else(
                || invalid(&format!("Invalid request: {malformed}")),
                |error| (StatusCode::BAD_REQUEST, error),
            )),
        }
    }
}

/// The header names a modern revision, or none that is served.
fn modern(
    header: &Header,
    shape: Shape<'_>,
    facts: &Facts<'_>,
    rules: &Rules<'_>,
) -> Result<Verdict, No> {
    let unknown = match header {
        Header::Unknown(requested) => Some(requested),
        _ => None,
    };
    let request = match (shape, unknown) {
        (Shape::Batch, _) => return Err(no_batch()),
        (Shape::Response, _) => {
            return Err(invalid("Invalid request: nothing here awaits a response"));
        }
        (Shape::Notification, None) => return Ok(Verdict::Accepted),
        (Shape::Notification, Some(requested)) => {
            return Err(unsupported(requested.clone(), rules));
        }
        (Shape::Request(request), _) => request,
    };
    let meta = envelope::read_meta(&request.params).map_err(bad_request)?;
    match unknown {
        _ if meta.is_claim() => {}
        Some(requested) => return Err(unsupported(requested.clone(), rules)),
        // Clients that negotiated the newest revision in `initialize` exist.
        None if request.method == "initialize" => return handshake(request, rules),
        None => {}
    }
    envelope::check_present(&meta, rules.policy).map_err(bad_request)?;
    let claimed = claimed_version(&meta)?;
    check_routing(facts.headers, request, &claimed)?;
    if let Some(requested) = unknown {
        return Err(unsupported(requested.clone(), rules));
    }
    envelope::check_rest(&meta, rules.policy).map_err(bad_request)?;
    Ok(Verdict::Modern(meta))
}

/// The header names a legacy revision, or is absent.
fn legacy(
    header: &Header,
    shape: Shape<'_>,
    facts: &Facts<'_>,
    rules: &Rules<'_>,
) -> Result<Verdict, No> {
    let initialize = match shape {
        Shape::Request(request) if request.method == "initialize" => Some(request),
        _ => None,
    };
    match (facts.session, initialize) {
        // A known session wins: what its messages claim is opaque.
        (Named::Session(_), Some(_)) => {
            return Err(invalid(
                "The session is initialized. To start another, send initialize without Mcp-Session-Id.",
            ));
        }
        (Named::Session(revision), None) => {
            return match shape {
                Shape::Batch if revision != Revision::V2025_03_26 => Err(no_batch()),
                _ => Ok(Verdict::Session),
            };
        }
        // Whoever starts anew may still carry the id of before.
        (Named::Unknown, None) => return Err(no_session(true)),
        (Named::Unknown, Some(_)) | (Named::Nothing, _) => {}
    }
    if let Shape::Request(request) = shape {
        check_claim(header, request, facts.headers, rules)?;
    }
    if let Some(request) = initialize {
        return handshake(request, rules);
    }
    let revision = match header {
        Header::Legacy(revision) => *revision,
        // What a client sends that knows no header.
        _ => Revision::V2025_03_26,
    };
    match (rules.legacy_mode(), shape) {
        (LegacyMode::Reject, _) => Err(modern_only("", rules)),
        (LegacyMode::Stateful, Shape::Batch) => Err(no_batch()),
        (LegacyMode::Stateful, _) => Err(no_session(false)),
        (LegacyMode::Stateless, Shape::Batch) if revision != Revision::V2025_03_26 => {
            Err(no_batch())
        }
        (LegacyMode::Stateless, Shape::Request(_) | Shape::Batch) => {
            Ok(Verdict::Stateless(revision))
        }
        (LegacyMode::Stateless, Shape::Notification | Shape::Response) => Ok(Verdict::Accepted),
    }
}

/// Without a session, a claim must be what the header says.
fn check_claim(
    header: &Header,
    request: &RequestMessage,
    headers: &HeaderMap,
    rules: &Rules<'_>,
) -> Result<(), No> {
    // A legacy peer's odd `_meta` is better ignored than refused.
    let meta = envelope::read_meta(&request.params).unwrap_or_default();
    if rules.policy.modern.is_empty() || !meta.is_claim() {
        return Ok(());
    }
    let claimed = claimed_version(&meta)?;
    match header {
        Header::Legacy(revision) if revision.as_str() == claimed => Ok(()),
        _ => headers::check(headers, &MCP_PROTOCOL_VERSION, &claimed)
            .map_err(|mismatch| mismatched(&mismatch)),
    }
}

fn handshake(request: &RequestMessage, rules: &Rules<'_>) -> Result<Verdict, No> {
    if rules.legacy_mode() != LegacyMode::Reject {
        return Ok(Verdict::Initialize);
    }
    let requested = request.params.decode_member::<String>("protocolVersion");
    Err(modern_only(
        &requested.ok().flatten().unwrap_or_default(),
        rules,
    ))
}

/// The headers that an intermediary routes by must say what the body says.
fn check_routing(headers: &HeaderMap, request: &RequestMessage, claimed: &str) -> Result<(), No> {
    let check = |name: &HeaderName, expected: &str| {
        headers::check(headers, name, expected).map_err(|mismatch| mismatched(&mismatch))
    };
    check(&MCP_PROTOCOL_VERSION, claimed)?;
    check(&MCP_METHOD, request.method.as_str())?;
    let member = request.method.spec().and_then(|spec| spec.name_header);
    let name = member.map(|member| request.params.decode_member::<String>(member));
    // A name that is missing or no string is a matter of the parameters.
    if let Some(Ok(Some(name))) = name {
        check(&MCP_NAME, &name)?;
    }
    Ok(())
}

fn claimed_version(meta: &RequestMeta) -> Result<String, No> {
    meta.protocol_version().ok_or_else(|| {
        bad_request(envelope::malformed(
            mcp_types::meta::PROTOCOL_VERSION,
            "string",
        ))
    })
}

/// The id of the request; else `null` while the revision is unknown or at most 2025-06-18, and none after.
fn error_id(facts: &Facts<'_>, rules: &Rules<'_>) -> ErrorId {
    let known: Option<&RequestId> = match facts.message {
        Ok(Message::Request(request)) => Some(&request.id),
        Ok(_) => None,
        Err(malformed) => malformed.id.as_ref(),
    };
    if let Some(id) = known {
        return ErrorId::Known(id.clone());
    }
    let revision = match (facts.session, Header::read(facts.headers, rules)) {
        (Named::Session(revision), _) | (_, Ok(Header::Legacy(revision))) => Some(revision),
        (_, Ok(Header::Absent)) => None,
        (_, Ok(Header::Modern | Header::Unknown(_)) | Err(_)) => Some(Revision::LATEST),
    };
    match revision {
        Some(revision) if revision > Revision::V2025_06_18 => ErrorId::Omitted,
        _ => ErrorId::Null,
    }
}

impl Rules<'_> {
    /// The mode; nothing is served in the legacy era where no legacy revision is.
    pub(crate) fn legacy_mode(&self) -> LegacyMode {
        match self.policy.legacy.is_empty() {
            true => LegacyMode::Reject,
            false => self.legacy,
        }
    }

    fn legacy_revisions(&self) -> &[Revision] {
        match self.legacy_mode() {
            LegacyMode::Reject => &[],
            LegacyMode::Stateful | LegacyMode::Stateless => &self.policy.legacy,
        }
    }
}

fn bad_request(error: ErrorObject) -> No {
    (StatusCode::BAD_REQUEST, error)
}

fn invalid(message: &str) -> No {
    let message = message.to_owned();
    bad_request(ErrorObject::new(ErrorCode::INVALID_REQUEST, message))
}

fn no_batch() -> No {
    invalid("Invalid request: a batch is not allowed here; send one message at a time")
}

fn no_session(is_named: bool) -> No {
    let (_, error) = invalid(match is_named {
        true => "Session not found",
        false => "Missing Mcp-Session-Id header",
    });
    (status::legacy_session(is_named), error)
}

/// The header names a revision that is not served.
fn unsupported(requested: String, rules: &Rules<'_>) -> No {
    let modern = rules.policy.modern.iter();
    let mut served: Vec<Revision> = modern.chain(rules.legacy_revisions()).copied().collect();
    served.sort_unstable_by(|one, other| other.cmp(one));
    let refusal = Refusal::Version {
        requested,
        served: served.iter().map(|revision| revision.as_str()).collect(),
        modern: rules
            .policy
            .modern
            .iter()
            .map(|revision| revision.as_str())
            .collect(),
    };
    let mut error = ErrorObject::new(ErrorCode(refusal.code()), refusal.to_string());
    error.data = refusal.data().map(RawJson::from);
    (refusal.status(), error)
}

/// A legacy message where only modern ones are served.
fn modern_only(requested: &str, rules: &Rules<'_>) -> No {
    bad_request(envelope::unsupported_version(requested, rules.policy))
}

fn mismatched(mismatch: &Mismatch) -> No {
    let error = ErrorObject::new(ErrorCode::HEADER_MISMATCH, mismatch.to_string());
    bad_request(error.with_data(&MismatchData {
        header: mismatch.header(),
        expected: mismatch.expected(),
        actual: mismatch.actual(),
    }))
}

#[derive(Serialize)]
struct MismatchData<'a> {
    header: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    expected: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<&'a str>,
}

/// The status of an error that `initialize` ends in.
pub(crate) fn handshake_status(error: &ErrorObject) -> StatusCode {
    status::legacy(error.code.0, status::Raised::Protocol)
}
