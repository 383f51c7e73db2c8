//! Why a value is not what it should be, and where in it.

use std::fmt;

use crate::strict::JsonPath;

/// A JSON value of another shape than was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeError {
    /// Where, as far as it is known: the innermost value that was being read.
    pub path: JsonPath,
    /// What is wrong there.
    pub reason: Box<str>,
}

impl DecodeError {
    pub(crate) fn new(text: &str, error: &serde_json::Error) -> Self {
        Self {
            path: JsonPath::at(text.as_bytes(), offset(text, error)),
            reason: placeless(error).into(),
        }
    }
}

/// An error of a value that was kept as text first: its line and column are those of that text, and would be taken
/// for the whole's.
#[expect(clippy::needless_pass_by_value, reason = "the shape `map_err` wants")]
pub(crate) fn inner<E: serde::de::Error>(error: serde_json::Error) -> E {
    E::custom(placeless(&error))
}

fn placeless(error: &serde_json::Error) -> String {
    let mut reason = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    if reason.ends_with(&place) {
        reason.truncate(reason.len() - place.len());
    }
    reason
}

/// Behind the last byte that was read.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let before: usize = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    before + error.column()
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.reason)
    }
}

impl std::error::Error for DecodeError {}
