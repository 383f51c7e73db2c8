//! JSON that every reader understands alike: what may be forwarded, and what may be signed.
//!
//! A [`RawJson`](crate::RawJson) is well-formed and no more. Two readers can still differ about it: one takes the
//! first of two members with one name and another the last, one reads `1e999` as infinity, one keeps half
//! of a surrogate pair. [`check`] refuses such text in one pass, without reading it into values:
//!
//! | refused | as |
//! |---|---|
//! | what is not JSON (RFC 8259), or more than one value | [`StrictFlaw::Syntax`] |
//! | arrays and objects nested deeper than the caller's limit, at most [`MAX_DEPTH`] | [`StrictFlaw::TooDeep`] |
//! | a member that stands twice in one object, at any level, however it is spelled | [`StrictFlaw::DuplicateMember`] |
//! | `\ud800` without its other half, in a text or a name | [`StrictFlaw::LoneSurrogate`] |
//! | a number that is no finite `f64`, such as `1e999` | [`StrictFlaw::NumberRange`] |
//!
//! A number that an `f64` only comes near to (`0.1`, 2^53 + 1, twenty digits) passes, and so does `-0`: texts are
//! forwarded as they are, so nothing is lost.

use std::fmt;

use serde::de::DeserializeOwned;

pub(crate) mod lexer;
mod path;

use self::lexer::{Lexer, Stop, Strict};
pub use self::path::JsonPath;
use crate::jsonrpc::MAX_DEPTH;

/// Checks that `text` is one strict JSON value, nested at most `max_depth` levels; an array or object that holds
/// none is one level, and more than [`MAX_DEPTH`] is never allowed.
///
/// # Errors
/// The first flaw that is met, with its place. A member that stands twice is met at the end of its object.
///
/// ```
/// use mcp_types::strict::{StrictFlaw, check};
///
/// assert!(check(r#"{"a":[1,-0,"\ud83d\ude00"]}"#, 8).is_ok());
/// let not_strict = check(r#"{"a":[1,1e999]}"#, 8).unwrap_err();
/// assert_eq!(not_strict.flaw, StrictFlaw::NumberRange);
/// assert_eq!(not_strict.path.as_str(), "$.a[1]");
/// ```
pub fn check(text: &str, max_depth: usize) -> Result<(), NotStrict> {
    let mut names = Strict::default();
    let mut lexer = Lexer::new(text, max_depth.min(MAX_DEPTH));
    lexer
        .value(&mut names)
        .and_then(|()| lexer.end())
        .map_err(|stop| NotStrict::new(text, stop))
}

/// Checks that `text` is one strict JSON object; otherwise like [`check`].
///
/// # Errors
/// Those of [`check`], and [`StrictFlaw::NotObject`].
pub fn check_object(text: &str, max_depth: usize) -> Result<(), NotStrict> {
    check(text, max_depth)?;
    let start = Lexer::new(text, 0).start();
    if text[start..].starts_with('{') {
        return Ok(());
    }
    let (at, flaw) = (start, StrictFlaw::NotObject);
    Err(NotStrict::new(text, Stop { at, flaw }))
}

/// Reads `text` as a `T`, if it is strict.
///
/// # Errors
/// Those of [`check`]; and [`StrictFlaw::Shape`], without a place, when it is strict and no `T`.
pub fn decode<T: DeserializeOwned>(text: &str, max_depth: usize) -> Result<T, NotStrict> {
    check(text, max_depth)?;
    serde_json::from_str(text).map_err(|_| {
        NotStrict::new(
            text,
            Stop {
                at: 0,
                flaw: StrictFlaw::Shape,
            },
        )
    })
}

/// Why a text is not strict JSON, and where. It quotes names of members, and no values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotStrict {
    /// The rule that it breaks.
    pub flaw: StrictFlaw,
    /// The value, or the second of two members, that breaks it.
    pub path: JsonPath,
    /// How many bytes stand before the place where this was seen.
    pub offset: usize,
}

impl NotStrict {
    pub(crate) fn new(text: &str, Stop { at, flaw }: Stop) -> Self {
        Self {
            flaw,
            path: JsonPath::at(text.as_bytes(), at),
            offset: at,
        }
    }
}

/// The rule of strict JSON that a text breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StrictFlaw {
    /// A member stands twice in one object.
    DuplicateMember,
    /// Half of a surrogate pair.
    LoneSurrogate,
    /// Another value where an object is due.
    NotObject,
    /// A number that is no finite `f64`.
    NumberRange,
    /// Strict, but not what was to be read.
    Shape,
    /// Not JSON.
    Syntax,
    /// Nested deeper than the limit.
    TooDeep,
}

impl StrictFlaw {
    const fn sentence(self) -> &'static str {
        match self {
            Self::DuplicateMember => "a member stands twice; send it once",
            Self::LoneSurrogate => "half of a surrogate pair; escape both halves, or neither",
            Self::NotObject => "not an object",
            Self::NumberRange => "a number beyond ±1.8e308; send it as text",
            Self::Shape => "not of the expected shape",
            Self::Syntax => "not JSON",
            Self::TooDeep => "nested too deep",
        }
    }
}

impl fmt::Display for StrictFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

impl fmt::Display for NotStrict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at `{}`", self.flaw.sentence(), self.path)
    }
}

impl std::error::Error for NotStrict {}

#[cfg(test)]
mod tests;
