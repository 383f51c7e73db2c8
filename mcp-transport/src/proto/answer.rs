//! What the HTTP answer to a request says: a pure reading of its status, its headers and its bytes.

#[cfg(test)]
mod tests;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use mcp_errors::{Executed, Failure};
use mcp_types::{
    ErrorObject, Message, RawJson, RequestId,
    jsonrpc::{self, MalformedKind, ResponseMessage},
};

use super::http::{EVENT_STREAM, JSON, essence};

/// What the head of an answer announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Head {
    /// 3xx: another place, wherever its `Location` is.
    Redirect,
    /// 401, 403 or 407: a body, JSON or not, does not change what it means.
    Denied,
    /// 2xx with a body in a content coding that nobody asked for.
    Coded,
    /// One JSON text, whatever the status.
    Json,
    /// A stream of events, with a 2xx status.
    Events,
    /// 2xx without a body: not an answer to a request.
    Empty,
    /// 2xx with a body of another type.
    Foreign,
    /// 4xx or 5xx without JSON, or with JSON in a content coding.
    Bare,
}

/// Reads the head of an answer. Media types count by their essence; bodies are not sniffed.
pub fn read_head(status: StatusCode, headers: &HeaderMap) -> Head {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    let coding = text(header::CONTENT_ENCODING).trim();
    let coded = !coding.is_empty() && !coding.eq_ignore_ascii_case("identity");
    let kind = essence(text(header::CONTENT_TYPE));
    match status.as_u16() {
        300..=399 => Head::Redirect,
        401 | 403 | 407 => Head::Denied,
        202 | 204 => Head::Empty,
        200..=299 if coded => Head::Coded,
        _ if coded => Head::Bare,
        _ if kind == JSON => Head::Json,
        200..=299 if kind == EVENT_STREAM => Head::Events,
        200..=299 if text(header::CONTENT_LENGTH).trim() == "0" => Head::Empty,
        200..=299 => Head::Foreign,
        _ => Head::Bare,
    }
}

/// The outcome of the request `id` that a JSON body carries; `None` if it carries none.
///
/// One POST has one answer, so an error that is the only message counts whatever its id, as servers in the field
/// put `null` or a word of their own there. A result for another id does not; of a batch only the element that
/// answers `id` counts.
pub fn read_body(body: &Bytes, id: &RequestId) -> Option<Result<RawJson, ErrorObject>> {
    let body = body
        .strip_prefix(b"\xEF\xBB\xBF")
        .map_or_else(|| body.clone(), |text| body.slice_ref(text));
    match jsonrpc::decode(&body) {
        Ok(Message::Response(ResponseMessage {
            body: Err(error), ..
        })) => Some(Err(error)),
        Ok(Message::Response(response)) => outcome(response, id),
        Err(malformed) if malformed.kind == MalformedKind::Batch => {
            let elements = jsonrpc::decode_batch(&body, BATCH).ok()?;
            elements.into_iter().find_map(|element| match element {
                Ok(Message::Response(response)) => outcome(response, id),
                _ => None,
            })
        }
        _ => None,
    }
}

/// What `response` says about the request `id`; `None` if it is another's.
pub fn outcome(response: ResponseMessage, id: &RequestId) -> Option<Result<RawJson, ErrorObject>> {
    let ours = response.id.as_ref().is_none_or(|answered| answered == id);
    ours.then_some(response.body)
}

/// Whether the refusal of a legacy request that named a session says that the session is gone, and if so whether the
/// request ran.
///
/// A 404 says it (2025-11-25 basic/transports#session-management), unless its body says that the method is unknown. Many
/// servers answer 400 with a general code instead, which may mean something else: whether the request ran is open then.
pub fn session_loss(status: StatusCode, code: Option<i64>) -> Option<Executed> {
    match (status.as_u16(), code) {
        (404, Some(-32601)) => None,
        (404, _) => Some(Executed::No),
        (400, Some(-32000 | -32001 | -32600)) => Some(Executed::Unknown),
        _ => None,
    }
}

/// The id of the only response in `body`, if it answers another request than `id`.
pub fn foreign_id(body: &Bytes, id: &RequestId) -> Option<RequestId> {
    match jsonrpc::decode(body) {
        Ok(Message::Response(response)) => response.id.filter(|answered| answered != id),
        _ => None,
    }
}

/// The source of the failure of a request that was answered with a stream of the HTTP+SSE transport (2024-11-05): its
/// first event announces an `endpoint`. Servers that know nothing else answer any POST so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server announced an endpoint, as HTTP+SSE servers (2024-11-05) do; connect over that")]
#[expect(clippy::exhaustive_structs, reason = "a participle without parts")]
pub struct EndpointAnnounced;

impl EndpointAnnounced {
    /// Whether it is the source of `failure`.
    pub fn explains(failure: &Failure) -> bool {
        core::error::Error::source(failure).is_some_and(|source| source.is::<Self>())
    }
}

const BATCH: usize = 64;
