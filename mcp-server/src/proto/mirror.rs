//! Arguments that a modern HTTP client repeats in headers: what a schema may mark so, and whether a request kept to it.
//!
//! Source: 2026-07-28 `basic/transports/streamable-http`, *Custom Headers from Tool Parameters*. A property marked
//! `x-mcp-header: Region` travels in `Mcp-Param-Region` too, where a proxy reads it; a server that reads the body refuses
//! a request in which the two differ.

mod schema;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use http::{HeaderMap, HeaderName};
use mcp_errors::ProtocolError;
use mcp_transport::proto::headers::{decode, single};
use mcp_types::{RawJson, RawObject};
use serde_json::Value;

pub(crate) use self::schema::settle;
use crate::path::clipped;

/// The marked properties of one tool's arguments.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Mirrors(Vec<Mirror>);

#[derive(Debug, PartialEq, Eq)]
struct Mirror {
    /// The names that lead to the property.
    path: Vec<String>,
    kind: Kind,
    header: HeaderName,
    /// The header as its author spelled it.
    shown: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    String,
    Integer,
    Boolean,
}

impl Mirrors {
    /// Whether nothing is marked.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks that the headers say what `arguments`, a JSON text, say.
    ///
    /// Only what is marked is read as a value: what else stands in the arguments is the handler's to judge.
    ///
    /// # Errors
    /// -32020 that names the first header that does not; -32602 where it cannot be told, since a member stands twice.
    pub(crate) fn check(
        &self,
        headers: &HeaderMap,
        arguments: Option<&str>,
    ) -> Result<(), ProtocolError> {
        let arguments = arguments.filter(|text| *text != "null");
        let arguments: RawObject = arguments
            .map_or_else(|| Ok(RawObject::new()), serde_json::from_str)
            .map_err(|error| unread(&error))?;
        self.0
            .iter()
            .try_for_each(|mirror| mirror.check(headers, &arguments))
    }
}

impl Mirror {
    /// What the body says, as a header says it; nothing for `null` and where the path leads nowhere.
    fn told(&self, arguments: &RawObject) -> Result<Option<String>, ProtocolError> {
        let mut object = Cow::Borrowed(arguments);
        for (at, name) in self.path.iter().enumerate() {
            let Some(value) = object.get(name) else {
                return Ok(None);
            };
            if at + 1 == self.path.len() {
                return Ok(text(value));
            }
            if !value.is_object() {
                return Ok(None);
            }
            object = Cow::Owned(value.decode().map_err(|error| unread(&error))?);
        }
        Ok(None)
    }

    fn check(&self, headers: &HeaderMap, arguments: &RawObject) -> Result<(), ProtocolError> {
        let expected = self.told(arguments)?;
        let mismatch = |actual: Option<&str>| {
            let expected = expected.as_deref().unwrap_or("nothing");
            ProtocolError::header_mismatch(&self.shown, expected, actual)
        };
        let value = single(headers, &self.header).map_err(|_| {
            let said = format!(
                "Header mismatch: {} header is repeated; send it once",
                self.shown
            );
            mismatch(None).with_message(said)
        })?;
        let Some(value) = value else {
            return match &expected {
                Some(_) => Err(mismatch(None)),
                None => Ok(()),
            };
        };
        let actual = decode(value).map_err(|_| {
            let said = format!(
                "Header mismatch: {} header value cannot be decoded",
                self.shown
            );
            mismatch(None).with_message(said)
        })?;
        match &expected {
            Some(expected) if self.same(expected, &actual) => Ok(()),
            _ => Err(mismatch(Some(&actual))),
        }
    }

    /// Integers are compared as numbers: `42.0` is 42.
    fn same(&self, expected: &str, actual: &str) -> bool {
        if expected == actual {
            return true;
        }
        let both = |one: &str, other: &str| Some((number(one)?, number(other)?));
        self.kind == Kind::Integer
            && both(expected, actual).is_some_and(|(one, other)| one == other)
    }
}

/// A whole number, however it is spelled.
fn number(text: &str) -> Option<i64> {
    if let Ok(whole) = text.parse() {
        return Some(whole);
    }
    // Beyond this a float does not tell one integer from the next.
    const EXACT: f64 = 9_007_199_254_740_991.0;
    let float: f64 = text.parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "integral, and within the range"
    )]
    (float.fract() == 0.0 && float.abs() <= EXACT).then_some(float as i64)
}

/// An argument as a header says it; nothing for `null`.
fn text(argument: &RawJson) -> Option<String> {
    match argument.decode() {
        Ok(Value::Null) => None,
        Ok(Value::String(text)) => Some(text),
        // What has another type than its schema says is the handler's to refuse; it is compared as JSON.
        Ok(other) => Some(other.to_string()),
        Err(_) => Some(argument.as_str().to_owned()),
    }
}

fn unread(error: &serde_json::Error) -> ProtocolError {
    let error = clipped(&error.to_string(), 200);
    ProtocolError::invalid_params(format!("`arguments` cannot be read: {error}"))
}
