//! Reading a message: one pass finds what it is and where its parts stand.

use std::{borrow::Cow, fmt};

use bytes::Bytes;
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{ErrorCode, ErrorObject, RequestId};
use crate::{
    method::Method,
    object::Key,
    raw::{Members, RawJson, RawParams},
};

/// How deeply arrays and objects may nest in a message.
pub const MAX_DEPTH: usize = 128;

/// One JSON-RPC message.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC knows these three")]
pub enum Message {
    /// Wants an answer.
    Request(RequestMessage),
    /// Wants none.
    Notification(NotificationMessage),
    /// Is an answer.
    Response(ResponseMessage),
}

/// A request: `{jsonrpc, id, method, params?}`.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "JSON-RPC fixes its members")]
pub struct RequestMessage {
    /// Echoed in the answer.
    pub id: RequestId,
    /// What is asked for.
    pub method: Method,
    /// With what.
    pub params: RawParams,
}

/// A notification: `{jsonrpc, method, params?}`.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "JSON-RPC fixes its members")]
pub struct NotificationMessage {
    /// What happened.
    pub method: Method,
    /// To what.
    pub params: RawParams,
}

/// A response: `{jsonrpc, id?, result | error}`.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "JSON-RPC fixes its members")]
pub struct ResponseMessage {
    /// Which request it answers; `None` when an error could not be tied to one.
    pub id: Option<RequestId>,
    /// What came of it.
    pub body: Result<RawJson, ErrorObject>,
}

/// Why a text is no message, and how far it was understood.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Malformed {
    /// What kind of text it is.
    pub kind: MalformedKind,
    /// The id, where it could be read.
    pub id: Option<RequestId>,
    /// What is wrong, in words that may be shown to the peer.
    pub detail: Cow<'static, str>,
}

/// What kind of text is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedKind {
    /// Not JSON, or nested too deeply.
    Parse,
    /// JSON, but no JSON-RPC message.
    Invalid,
    /// An array: a batch where a single message was expected.
    Batch,
    /// A response that breaks the rules; answering it could start a loop.
    Response,
}

impl Malformed {
    fn new(
        kind: MalformedKind,
        id: Option<RequestId>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            kind,
            id,
            detail: detail.into(),
        }
    }

    /// The answer that the sender gets, or `None` where answering is not allowed.
    pub fn answer(&self) -> Option<ErrorObject> {
        let (code, message) = match self.kind {
            MalformedKind::Parse => (ErrorCode::PARSE_ERROR, "Parse error"),
            MalformedKind::Invalid | MalformedKind::Batch => {
                (ErrorCode::INVALID_REQUEST, "Invalid request")
            }
            MalformedKind::Response => return None,
        };
        Some(ErrorObject::new(
            code,
            format!("{message}: {}", self.detail),
        ))
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Malformed {}

/// Reads one message. Its raw parts share `bytes`.
///
/// # Errors
/// When `bytes` is not UTF-8, not JSON, nested deeper than [`MAX_DEPTH`], or no JSON-RPC message;
/// a member that stands twice counts as the latter.
pub fn decode(bytes: &Bytes) -> Result<Message, Malformed> {
    match parse(bytes)? {
        Top::Object(parts) => classify(bytes, parts),
        Top::Array => Err(Malformed::new(
            MalformedKind::Batch,
            None,
            "a batch is not allowed here; send one message at a time",
        )),
        Top::Other => Err(Malformed::new(
            MalformedKind::Invalid,
            None,
            "a message is a JSON object",
        )),
    }
}

/// Reads a batch of 2025-03-26: an array of up to `limit` messages, each judged alone.
///
/// # Errors
/// When `bytes` is no JSON array, is empty, or holds more than `limit` elements.
pub fn decode_batch(
    bytes: &Bytes,
    limit: usize,
) -> Result<Vec<Result<Message, Malformed>>, Malformed> {
    check_depth(bytes)?;
    let items: Vec<&RawValue> = serde_json::from_slice(bytes).map_err(not_json)?;
    if items.is_empty() || items.len() > limit {
        return Err(Malformed::new(
            MalformedKind::Invalid,
            None,
            format!("a batch holds 1 to {limit} messages, not {}", items.len()),
        ));
    }
    let decoded = items
        .into_iter()
        .map(|item| decode(&bytes.slice_ref(item.get().as_bytes())));
    Ok(decoded.collect())
}

fn parse(bytes: &Bytes) -> Result<Top<'_>, Malformed> {
    check_depth(bytes)?;
    std::str::from_utf8(bytes)
        .map_err(|_| Malformed::new(MalformedKind::Parse, None, "the text is not UTF-8"))
        .and_then(|text| serde_json::from_str(text).map_err(not_json))
}

#[expect(clippy::needless_pass_by_value, reason = "the shape `map_err` wants")]
fn not_json(error: serde_json::Error) -> Malformed {
    let detail = format!(
        "not JSON at line {}, column {}",
        error.line(),
        error.column()
    );
    Malformed::new(MalformedKind::Parse, None, detail)
}

/// Refuses what nests too deeply. Text below that length cannot, and costs nothing.
fn check_depth(bytes: &[u8]) -> Result<(), Malformed> {
    if bytes.len() <= MAX_DEPTH {
        return Ok(());
    }
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    let detail = format!("nested more than {MAX_DEPTH} deep");
                    return Err(Malformed::new(MalformedKind::Parse, None, detail));
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

fn classify(bytes: &Bytes, parts: Parts<'_>) -> Result<Message, Malformed> {
    let id = parts
        .id
        .map(|raw| serde_json::from_str::<RequestId>(raw.get()));
    let known = id.as_ref().and_then(|id| id.as_ref().ok()).cloned();
    let is_response = parts.method.is_none() && (parts.result.is_some() || parts.error.is_some());
    let invalid = |detail: Cow<'static, str>| {
        let kind = if is_response {
            MalformedKind::Response
        } else {
            MalformedKind::Invalid
        };
        Malformed::new(kind, known.clone(), detail)
    };

    if let Some(name) = parts.twice {
        return Err(invalid(format!("member `{name}` stands twice").into()));
    }
    if parts.jsonrpc.is_none_or(|raw| raw.get() != "\"2.0\"") {
        return Err(invalid("`jsonrpc` must be \"2.0\"".into()));
    }
    let Some(method) = parts.method else {
        return response(&parts, id, &invalid);
    };
    if parts.result.is_some() || parts.error.is_some() {
        return Err(invalid(
            "a message has a method or a result, not both".into(),
        ));
    }
    let Ok(Key::Borrowed(_) | Key::Owned(_)) = serde_json::from_str::<Key<'_>>(method.get()) else {
        return Err(invalid("`method` must be a string".into()));
    };
    let method = serde_json::from_str::<Key<'_>>(method.get())
        .map(|name| Method::from(&*name))
        .map_err(|_| invalid("`method` must be a string".into()))?;
    let params = match parts.params {
        None => RawParams::empty(),
        Some(Members::Object(members)) => {
            RawParams::locate(bytes, &members).map_err(|detail| invalid(detail.into()))?
        }
        Some(Members::Other) => return Err(invalid("`params` must be an object".into())),
    };
    match id {
        None => Ok(Message::Notification(NotificationMessage {
            method,
            params,
        })),
        Some(Ok(id)) => Ok(Message::Request(RequestMessage { id, method, params })),
        Some(Err(_)) => Err(invalid("`id` must be a string or an integer".into())),
    }
}

fn response(
    parts: &Parts<'_>,
    id: Option<Result<RequestId, serde_json::Error>>,
    invalid: &dyn Fn(Cow<'static, str>) -> Malformed,
) -> Result<Message, Malformed> {
    let is_null = parts.id.is_none_or(|raw| raw.get() == "null");
    let body = match (parts.result, parts.error) {
        (Some(result), None) => Ok(RawJson::from(result)),
        (None, Some(error)) => Err(serde_json::from_str(error.get())
            .map_err(|_| invalid("`error` must hold an integer `code` and a `message`".into()))?),
        (None, None) => {
            return Err(invalid(
                "a message has a `method`, a `result` or an `error`".into(),
            ));
        }
        (Some(_), Some(_)) => {
            return Err(invalid(
                "a response has a result or an error, not both".into(),
            ));
        }
    };
    match id {
        Some(Ok(id)) => Ok(Message::Response(ResponseMessage { id: Some(id), body })),
        _ if is_null && body.is_err() => Ok(Message::Response(ResponseMessage { id: None, body })),
        _ => Err(invalid("`id` must be a string or an integer".into())),
    }
}

enum Top<'a> {
    Object(Parts<'a>),
    Array,
    Other,
}

#[derive(Default)]
struct Parts<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<Members<'a>>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    twice: Option<&'static str>,
}

impl<'de> Deserialize<'de> for Top<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TopVisitor)
    }
}

struct TopVisitor;

impl<'de> Visitor<'de> for TopVisitor {
    type Value = Top<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Top<'de>, A::Error> {
        fn put<T>(
            slot: &mut Option<T>,
            value: T,
            name: &'static str,
            twice: &mut Option<&'static str>,
        ) {
            if slot.replace(value).is_some() {
                *twice = Some(name);
            }
        }
        let mut parts = Parts::default();
        while let Some(name) = map.next_key::<Key<'de>>()? {
            let twice = &mut parts.twice;
            match &*name {
                "jsonrpc" => put(&mut parts.jsonrpc, map.next_value()?, "jsonrpc", twice),
                "id" => put(&mut parts.id, map.next_value()?, "id", twice),
                "method" => put(&mut parts.method, map.next_value()?, "method", twice),
                "params" => put(&mut parts.params, map.next_value()?, "params", twice),
                "result" => put(&mut parts.result, map.next_value()?, "result", twice),
                "error" => put(&mut parts.error, map.next_value()?, "error", twice),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Top::Object(parts))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Top<'de>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Top::Array)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Top<'de>, E> {
        Ok(Top::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Top<'de>, E> {
        Ok(Top::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Top<'de>, E> {
        Ok(Top::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Top<'de>, E> {
        Ok(Top::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<Top<'de>, E> {
        Ok(Top::Other)
    }

    fn visit_unit<E>(self) -> Result<Top<'de>, E> {
        Ok(Top::Other)
    }
}
