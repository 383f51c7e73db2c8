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
use serde_json::Value;

pub(crate) use self::schema::settle;

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
    /// # Errors
    /// -32020 that names the first header that does not.
    pub(crate) fn check(
        &self,
        headers: &HeaderMap,
        arguments: Option<&str>,
    ) -> Result<(), ProtocolError> {
        let arguments: Value = arguments
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        self.0
            .iter()
            .try_for_each(|mirror| mirror.check(headers, &arguments))
    }
}

impl Mirror {
    fn check(&self, headers: &HeaderMap, arguments: &Value) -> Result<(), ProtocolError> {
        let told = self
            .path
            .iter()
            .try_fold(arguments, |at, name| at.get(name));
        let expected = told.and_then(text);
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
fn text(argument: &Value) -> Option<Cow<'_, str>> {
    match argument {
        Value::Null => None,
        Value::String(text) => Some(Cow::Borrowed(text)),
        // What has another type than its schema says is the handler's to refuse; it is compared as JSON.
        other => Some(Cow::Owned(other.to_string())),
    }
}
