//! Reading a message: one pass finds what it is and where its parts stand.

use std::fmt;

use bytes::Bytes;
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{error::Category, value::RawValue};

use super::{ErrorObject, Flaw, Malformed, MalformedKind, RequestId};
use crate::{
    method::Method,
    object::Key,
    raw::{Members, RawJson, RawParams, Twice},
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

/// Reads one message. Its raw parts share `bytes`.
///
/// # Errors
/// When `bytes` is not UTF-8, not JSON, nested deeper than [`MAX_DEPTH`], or no JSON-RPC message;
/// a member that stands twice counts as the latter.
pub fn decode(bytes: &Bytes) -> Result<Message, Malformed> {
    match parse(bytes)? {
        Top::Object(parts) => classify(bytes, parts),
        Top::Array => Err(Malformed::new(MalformedKind::Batch, Flaw::Batch)),
        Top::Other => Err(Malformed::new(MalformedKind::Invalid, Flaw::NotObject)),
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
    let text = text_of(bytes)?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let Elements { first, count } = Elements::read(&mut deserializer, limit)
        .and_then(|elements| deserializer.end().map(|()| elements))
        .map_err(|error| match error.classify() {
            Category::Data => Malformed::new(MalformedKind::Invalid, Flaw::BatchLength),
            Category::Io | Category::Syntax | Category::Eof => not_json(error),
        })?;
    if count == 0 || count > limit {
        return Err(
            Malformed::new(MalformedKind::Invalid, Flaw::BatchLength).with_detail(format!(
                "a batch holds 1 to {limit} messages, not {count}; send fewer at a time"
            )),
        );
    }
    let decoded = first.into_iter().enumerate().map(|(index, item)| {
        decode(&bytes.slice_ref(item.get().as_bytes())).map_err(|flawed| flawed.in_batch(index))
    });
    Ok(decoded.collect())
}

/// The first byte decides, and not serde: a number may pose as an object, where some crate of the program
/// turns on serde_json's `arbitrary_precision`.
fn parse(bytes: &Bytes) -> Result<Top<'_>, Malformed> {
    let text = text_of(bytes)?;
    let first = text.trim_start_matches([' ', '\t', '\n', '\r']);
    let top = if first.starts_with('{') {
        serde_json::from_str(text).map(Top::Object)
    } else {
        let top = if first.starts_with('[') {
            Top::Array
        } else {
            Top::Other
        };
        serde_json::from_str::<IgnoredAny>(text).map(|_| top)
    };
    top.map_err(not_json)
}

fn text_of(bytes: &[u8]) -> Result<&str, Malformed> {
    check_depth(bytes)?;
    std::str::from_utf8(bytes).map_err(|_| Malformed::new(MalformedKind::Parse, Flaw::NotUtf8))
}

#[expect(clippy::needless_pass_by_value, reason = "the shape `map_err` wants")]
fn not_json(error: serde_json::Error) -> Malformed {
    Malformed::new(MalformedKind::Parse, Flaw::NotJson).with_detail(format!(
        "not JSON at line {}, column {}",
        error.line(),
        error.column()
    ))
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
                    return Err(Malformed::new(MalformedKind::Parse, Flaw::TooDeep));
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
        .map(|raw| serde_json::from_str::<RequestId>(raw.get()).map_err(|_| Flaw::Id));
    let known = id.as_ref().and_then(|id| id.as_ref().ok()).cloned();
    let is_response = parts.method.is_none() && (parts.result.is_some() || parts.error.is_some());
    let kind = if is_response {
        MalformedKind::Response
    } else {
        MalformedKind::Invalid
    };
    let invalid = |flaw| Malformed::new(kind, flaw).with_id(known.clone());

    if let Some(name) = parts.twice {
        return Err(invalid(Flaw::DuplicateMember)
            .with_detail(format!("member `{name}` stands twice"))
            .at("$", name));
    }
    if !parts.jsonrpc.is_some_and(is_version) {
        return Err(invalid(Flaw::Version));
    }
    let Some(method) = parts.method else {
        return response(&parts, id).map_err(invalid);
    };
    if parts.result.is_some() || parts.error.is_some() {
        return Err(invalid(Flaw::MethodAndResult));
    }
    let method = serde_json::from_str::<Key<'_>>(method.get())
        .map(|name| Method::from(&*name))
        .map_err(|_| invalid(Flaw::Method))?;
    let params = match parts.params {
        None => RawParams::empty(),
        Some(Members::Object(members)) => {
            RawParams::locate(bytes, &members).map_err(|Twice(name)| {
                invalid(Flaw::DuplicateMember)
                    .with_detail(format!("member `{name}` of params stands twice"))
                    .at("$.params", &name)
            })?
        }
        Some(Members::Other) => return Err(invalid(Flaw::Params)),
    };
    match id.transpose().map_err(invalid)? {
        None => Ok(Message::Notification(NotificationMessage {
            method,
            params,
        })),
        Some(id) => Ok(Message::Request(RequestMessage { id, method, params })),
    }
}

fn is_version(raw: &RawValue) -> bool {
    raw.get() == "\"2.0\""
        || serde_json::from_str::<Key<'_>>(raw.get()).is_ok_and(|text| &*text == "2.0")
}

fn response(parts: &Parts<'_>, id: Option<Result<RequestId, Flaw>>) -> Result<Message, Flaw> {
    let body = match (parts.result, parts.error) {
        (Some(result), None) => Ok(RawJson::from(result)),
        (None, Some(error)) => {
            Err(serde_json::from_str(error.get()).map_err(|_| Flaw::ErrorShape)?)
        }
        (None, None) => return Err(Flaw::NoMember),
        (Some(_), Some(_)) => return Err(Flaw::ResultAndError),
    };
    // An error need not know which request it answers; a result must.
    let nameless = parts.id.is_none_or(|raw| raw.get() == "null") && body.is_err();
    let id = match id {
        _ if nameless => None,
        Some(id) => Some(id?),
        None => return Err(Flaw::ResultWithoutId),
    };
    Ok(Message::Response(ResponseMessage { id, body }))
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

impl<'de> Deserialize<'de> for Parts<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MessageMembers)
    }
}

struct MessageMembers;

impl<'de> Visitor<'de> for MessageMembers {
    type Value = Parts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parts<'de>, A::Error> {
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
        Ok(parts)
    }
}

/// The first elements of an array, and how many it has in all: a long one costs no memory.
struct Elements<'a> {
    first: Vec<&'a RawValue>,
    count: usize,
}

impl<'a> Elements<'a> {
    fn read<D: Deserializer<'a>>(deserializer: D, limit: usize) -> Result<Self, D::Error> {
        struct Limit(usize);
        impl<'de> Visitor<'de> for Limit {
            type Value = Elements<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut elements = Elements {
                    first: Vec::new(),
                    count: 0,
                };
                while let Some(item) = items.next_element()? {
                    elements.count += 1;
                    if elements.count <= self.0 {
                        elements.first.push(item);
                    }
                }
                Ok(elements)
            }
        }
        deserializer.deserialize_seq(Limit(limit))
    }
}
