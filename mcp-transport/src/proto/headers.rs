//! The header mirror of the 2026-07-28 HTTP binding: what a header says of the body, and whether it is true.
//!
//! A modern request repeats its revision, method and target in headers, so that an intermediary can route it
//! without reading the body; a server that reads the body refuses a request whose headers differ from it
//! ([basic/transports/streamable-http][http]). A value that has no plain form in a header travels as
//! `=?base64?…?=` over its UTF-8.
//!
//! [http]: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue};

/// `MCP-Protocol-Version`: the revision of a request.
pub const MCP_PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// `Mcp-Method`: the method of a modern request.
pub const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// `Mcp-Name`: the tool, prompt, resource or task of a modern request.
pub const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");
/// `Mcp-Session-Id`: the session of a legacy request.
pub const MCP_SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// `Last-Event-ID`: where a legacy stream is taken up again.
pub const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// What the names of mirrored tool arguments start with, in lower case.
pub const MCP_PARAM_PREFIX: &str = "mcp-param-";

const OPENING: &str = "=?base64?";
const CLOSING: &str = "?=";

/// Writes `value` as a header value: as it is when it can stand there, else as `=?base64?…?=`.
///
/// Plain are visible ASCII and inner spaces. Wrapped are everything else, a value that starts or ends in a
/// space, and one that looks wrapped already, so [`decode`] always gives `value` back.
pub fn encode(value: &str) -> HeaderValue {
    let plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let padded = value.starts_with(' ') || value.ends_with(' ');
    let text = if plain && !padded && wrapped(value.as_bytes()).is_none() {
        Cow::Borrowed(value)
    } else {
        Cow::Owned(format!("{OPENING}{}{CLOSING}", STANDARD.encode(value)))
    };
    // Both forms are visible ASCII and spaces, which every header value may hold.
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// Reads what [`encode`] wrote. The markers are case-sensitive, and a value without both is literal.
///
/// # Errors
///
/// [`Malformed`] if a plain value has a character that a header must not have, or a wrapped one is not the
/// padded standard base64 of UTF-8.
pub fn decode(value: &HeaderValue) -> Result<Cow<'_, str>, Malformed> {
    let bytes = value.as_bytes().trim_ascii();
    match wrapped(bytes) {
        Some(inner) => {
            let inner = STANDARD.decode(inner).map_err(|_| Malformed)?;
            String::from_utf8(inner)
                .map(Cow::Owned)
                .map_err(|_| Malformed)
        }
        None if bytes.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~')) => {
            str::from_utf8(bytes)
                .map(Cow::Borrowed)
                .map_err(|_| Malformed)
        }
        None => Err(Malformed),
    }
}

/// The `Mcp-Param-*` header of a tool argument whose schema says `x-mcp-header: annotation`; `None` for null, which has
/// none. Strings, integers within ±(2^53−1), however they are spelled, and booleans can be mirrored.
///
/// # Errors
///
/// [`BadParam`] if the annotation is no header name or the argument is of another kind.
pub fn param(
    annotation: &str,
    argument: &serde_json::Value,
) -> Result<Option<(HeaderName, HeaderValue)>, BadParam> {
    let bad = || BadParam::new(annotation);
    let text = match argument {
        serde_json::Value::Null => return Ok(None),
        serde_json::Value::String(text) => Cow::Borrowed(text.as_str()),
        serde_json::Value::Bool(flag) => Cow::Owned(flag.to_string()),
        serde_json::Value::Number(number) => {
            Cow::Owned(integer(number).ok_or_else(bad)?.to_string())
        }
        serde_json::Value::Array(_) | serde_json::Value::Object(_) => return Err(bad()),
    };
    let name = param_name(annotation).ok_or_else(bad)?;
    Ok(Some((name, encode(&text))))
}

/// The name of the header of `annotation`; `None` if it is no header name.
pub(super) fn param_name(annotation: &str) -> Option<HeaderName> {
    let name = format!("{MCP_PARAM_PREFIX}{annotation}");
    let name = HeaderName::from_bytes(name.as_bytes()).ok();
    name.filter(|_| !annotation.is_empty())
}

/// An integer that every reader of JSON can hold: `42.0` is one.
fn integer(number: &serde_json::Number) -> Option<i64> {
    const SAFE: i64 = (1 << 53) - 1;
    let whole = |number: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "whole numbers within this range are exact"
        )]
        (number.fract() == 0.0 && number.abs() <= SAFE as f64).then_some(number as i64)
    };
    let number = number.as_i64().or_else(|| number.as_f64().and_then(whole));
    number.filter(|number| (-SAFE..=SAFE).contains(number))
}

/// Checks that `headers` has `name` exactly once and that it says `expected`, after decoding and with regard
/// to case.
///
/// # Errors
///
/// [`Mismatch`], whose text is the message of the `-32020` answer.
pub fn check(headers: &HeaderMap, name: &HeaderName, expected: &str) -> Result<(), Mismatch> {
    let problem = match single(headers, name) {
        Err(Repeated) => Problem::Repeated,
        Ok(None) => Problem::Missing,
        Ok(Some(value)) => match decode(value) {
            Err(Malformed) => Problem::Malformed,
            Ok(actual) if actual == expected => return Ok(()),
            Ok(actual) => Problem::Different(actual.into_owned()),
        },
    };
    Err(Mismatch {
        name: name.clone(),
        expected: expected.to_owned(),
        problem,
    })
}

/// The only value of `name`, `None` if it is absent.
///
/// # Errors
///
/// [`Repeated`] if there is more than one: a proxy and a server might each read another of them.
pub fn single<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, Repeated> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        Err(Repeated)
    } else {
        Ok(first)
    }
}

/// A header value that [`decode`] cannot read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the header value is neither visible ASCII nor =?base64?…?= over UTF-8")]
#[expect(clippy::exhaustive_structs, reason = "a participle without parts")]
pub struct Malformed;

/// An argument that no `Mcp-Param-*` header can mirror.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "x-mcp-header {0:?} cannot be sent: the name must be a header name, and the argument a string, an integer within \
     ±(2^53−1) or a boolean"
)]
pub struct BadParam(String);

impl BadParam {
    pub(super) fn new(annotation: &str) -> Self {
        Self(annotation.to_owned())
    }
}

/// A header that may come once came more often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the header is repeated; send it once")]
#[expect(clippy::exhaustive_structs, reason = "a participle without parts")]
pub struct Repeated;

/// A header that does not mirror the body; its text is the message of the `-32020` answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    name: HeaderName,
    expected: String,
    problem: Problem,
}

impl Mismatch {
    /// The header's name as the specification writes it.
    pub fn header(&self) -> &str {
        canonical(&self.name)
    }

    /// What the body says.
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// What the header says, where it is there once and can be read.
    pub fn actual(&self) -> Option<&str> {
        match &self.problem {
            Problem::Different(actual) => Some(actual),
            Problem::Missing | Problem::Repeated | Problem::Malformed => None,
        }
    }
}

impl core::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (name, expected) = (self.header(), &self.expected);
        match &self.problem {
            Problem::Missing => write!(
                f,
                "Header mismatch: missing {name} header, the body says '{expected}'"
            ),
            Problem::Repeated => write!(
                f,
                "Header mismatch: {name} header is repeated; send it once"
            ),
            Problem::Malformed => {
                write!(f, "Header mismatch: {name} header value cannot be decoded")
            }
            Problem::Different(actual) => {
                write!(
                    f,
                    "Header mismatch: {name} header value '{actual}' does not match body value '{expected}'"
                )
            }
        }
    }
}

impl core::error::Error for Mismatch {}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Problem {
    Missing,
    Repeated,
    Malformed,
    Different(String),
}

fn canonical(name: &HeaderName) -> &str {
    match name.as_str() {
        "mcp-protocol-version" => "MCP-Protocol-Version",
        "mcp-method" => "Mcp-Method",
        "mcp-name" => "Mcp-Name",
        other => other,
    }
}

fn wrapped(value: &[u8]) -> Option<&[u8]> {
    value
        .strip_prefix(OPENING.as_bytes())?
        .strip_suffix(CLOSING.as_bytes())
}
