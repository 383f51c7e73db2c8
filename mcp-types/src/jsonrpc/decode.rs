//! Reading a message: one pass finds what it is and where its parts stand.

use std::fmt;

use bytes::Bytes;

use super::{ErrorObject, Flaw, Malformed, MalformedKind, RequestId};
use crate::{
    method::Method,
    object::Key,
    raw::{Located, RawJson, RawParams},
    strict::{
        JsonPath, StrictFlaw,
        lexer::{Lexer, Stop},
    },
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

/// What it is, in a few words: ``request 1 `ping` ``.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(it) => write!(f, "request {} `{}`", it.id, it.method),
            Self::Notification(it) => write!(f, "notification `{}`", it.method),
            Self::Response(it) => {
                f.write_str(if it.body.is_ok() { "result" } else { "error" })?;
                match &it.id {
                    Some(id) => write!(f, " for {id}"),
                    None => f.write_str(" for nobody"),
                }
            }
        }
    }
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
    let text = text_of(bytes)?;
    let mut lexer = Lexer::new(text, MAX_DEPTH);
    let first = lexer.next();
    if first == b'{' {
        let mut parts = Parts::default();
        let read = parts.read(&mut lexer).and_then(|()| lexer.end());
        return match read {
            Ok(()) => classify(bytes, parts),
            Err(stop) => Err(not_json(text, stop)),
        };
    }
    let value = lexer.loose().and_then(|_| lexer.end());
    value.map_err(|stop| not_json(text, stop))?;
    Err(match first {
        b'[' => Malformed::new(MalformedKind::Batch, Flaw::Batch),
        _ => Malformed::new(MalformedKind::Invalid, Flaw::NotObject),
    })
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
    let (mut first, mut count) = (Vec::new(), 0);
    let mut lexer = Lexer::new(text, MAX_DEPTH);
    let is_array = lexer.next() == b'[';
    let read = if is_array {
        // A long one costs no memory.
        lexer.elements(|lexer| {
            let element = lexer.loose()?;
            count += 1;
            if count <= limit {
                first.push(element);
            }
            Ok(())
        })
    } else {
        lexer.loose().map(|_| ())
    };
    read.and_then(|()| lexer.end())
        .map_err(|stop| not_json(text, stop))?;
    if !is_array {
        return Err(Malformed::new(MalformedKind::Invalid, Flaw::BatchLength));
    }
    if count == 0 || count > limit {
        return Err(
            Malformed::new(MalformedKind::Invalid, Flaw::BatchLength).with_detail(format!(
                "a batch holds 1 to {limit} messages, not {count}; send fewer at a time"
            )),
        );
    }
    let decoded = first.into_iter().enumerate().map(|(index, element)| {
        decode(&bytes.slice(element)).map_err(|flawed| flawed.in_batch(index))
    });
    Ok(decoded.collect())
}

fn text_of(bytes: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(bytes).map_err(|error| {
        Malformed::new(MalformedKind::Parse, Flaw::NotUtf8)
            .at_path(&JsonPath::at(bytes, error.valid_up_to()))
    })
}

fn not_json(text: &str, Stop { at, flaw }: Stop) -> Malformed {
    let path = JsonPath::at(text.as_bytes(), at);
    if flaw == StrictFlaw::TooDeep {
        return Malformed::new(MalformedKind::Parse, Flaw::TooDeep).at_path(&path);
    }
    let before = &text.as_bytes()[..at];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before
        .iter()
        .rev()
        .take_while(|byte| **byte != b'\n')
        .count()
        + 1;
    Malformed::new(MalformedKind::Parse, Flaw::NotJson)
        .with_detail(format!("not JSON at line {line}, column {column}"))
        .at_path(&path)
}

fn classify(bytes: &Bytes, parts: Parts<'_>) -> Result<Message, Malformed> {
    let raw_id = parts.id;
    let id = || raw_id.map(|raw| serde_json::from_str::<RequestId>(raw).map_err(|_| Flaw::Id));
    let is_response = parts.method.is_none() && (parts.result.is_some() || parts.error.is_some());
    let kind = if is_response {
        MalformedKind::Response
    } else {
        MalformedKind::Invalid
    };
    let invalid = |flaw| Malformed::new(kind, flaw).with_id(id().and_then(Result::ok));

    if let Some(name) = parts.twice {
        return Err(invalid(Flaw::DuplicateMember)
            .with_detail(format!("member `{name}` stands twice"))
            .at("$", name));
    }
    if !parts.jsonrpc.is_some_and(is_version) {
        return Err(invalid(Flaw::Version));
    }
    let Some(method) = parts.method else {
        return response(&parts, id()).map_err(invalid);
    };
    if parts.result.is_some() || parts.error.is_some() {
        return Err(invalid(Flaw::MethodAndResult));
    }
    let method = serde_json::from_str::<Key<'_>>(method)
        .map(|name| Method::from(&*name))
        .map_err(|_| invalid(Flaw::Method))?;
    let params = match parts.params {
        None => RawParams::empty(),
        Some(Params::Object(Located {
            twice: Some(name), ..
        })) => {
            return Err(invalid(Flaw::DuplicateMember)
                .with_detail(format!("member `{name}` of params stands twice"))
                .at("$.params", &name));
        }
        Some(Params::Object(located)) => RawParams::share(bytes, located),
        Some(Params::Other) => return Err(invalid(Flaw::Params)),
    };
    match id().transpose().map_err(invalid)? {
        None => Ok(Message::Notification(NotificationMessage {
            method,
            params,
        })),
        Some(id) => Ok(Message::Request(RequestMessage { id, method, params })),
    }
}

fn is_version(raw: &str) -> bool {
    raw == "\"2.0\"" || serde_json::from_str::<Key<'_>>(raw).is_ok_and(|text| &*text == "2.0")
}

fn response(parts: &Parts<'_>, id: Option<Result<RequestId, Flaw>>) -> Result<Message, Flaw> {
    let body = match (parts.result, parts.error) {
        (Some(result), None) => Ok(RawJson::found(result).map_err(|_| Flaw::NotJson)?),
        (None, Some(error)) => Err(serde_json::from_str(error).map_err(|_| Flaw::ErrorShape)?),
        (None, None) => return Err(Flaw::NoMember),
        (Some(_), Some(_)) => return Err(Flaw::ResultAndError),
    };
    // An error need not know which request it answers; a result must.
    let nameless = parts.id.is_none_or(|raw| raw == "null") && body.is_err();
    let id = match id {
        _ if nameless => None,
        Some(id) => Some(id?),
        None => return Err(Flaw::ResultWithoutId),
    };
    Ok(Message::Response(ResponseMessage { id, body }))
}

/// The members of a message, each as it came.
#[derive(Default)]
struct Parts<'a> {
    jsonrpc: Option<&'a str>,
    id: Option<&'a str>,
    method: Option<&'a str>,
    params: Option<Params>,
    result: Option<&'a str>,
    error: Option<&'a str>,
    twice: Option<&'static str>,
}

enum Params {
    Object(Located),
    Other,
}

impl<'a> Parts<'a> {
    /// Reads the object before which `lexer` stands.
    fn read(&mut self, lexer: &mut Lexer<'a>) -> Result<(), Stop> {
        lexer.members(|lexer, name| {
            let name = name.read(lexer.text())?;
            self.member(&name, lexer)
        })
    }

    fn member(&mut self, name: &str, lexer: &mut Lexer<'a>) -> Result<(), Stop> {
        let (slot, name) = match name {
            "jsonrpc" => (&mut self.jsonrpc, "jsonrpc"),
            "id" => (&mut self.id, "id"),
            "method" => (&mut self.method, "method"),
            "result" => (&mut self.result, "result"),
            "error" => (&mut self.error, "error"),
            "params" => {
                let params = match lexer.next() {
                    b'{' => Params::Object(Located::read(lexer)?),
                    _ => lexer.loose().map(|_| Params::Other)?,
                };
                if self.params.replace(params).is_some() {
                    self.twice = Some("params");
                }
                return Ok(());
            }
            _ => return lexer.loose().map(|_| ()),
        };
        let value = lexer.loose()?;
        if slot.replace(&lexer.text()[value]).is_some() {
            self.twice = Some(name);
        }
        Ok(())
    }
}
