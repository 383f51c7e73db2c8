//! JSON Schemas as hosts take them: cleaned for a profile, and judged by the rules that hosts are known to have.
//!
//! The specification takes any JSON Schema 2020-12; hosts and the models behind them do not, and some drop every tool
//! of a list for one schema they dislike. [`clean`] rewrites a schema that was made from types; [`lint`] names what in
//! any schema, such as one that an author wrote, a host would stumble over.
//!
//! Both are pure functions of the text. What need not change stays as it was: keywords nobody knows, `$ref` and
//! `$anchor`, the order of members, the spelling of numbers. A schema without anything to clean comes back byte for
//! byte. Nothing is ever fetched.
//!
//! ```
//! use mcp_types::{RawJson, schema::{Place, Profile, clean, lint}};
//!
//! let schema = RawJson::parse(
//!     r#"{"type":"object","properties":{"n":{"type":"integer","format":"uint32","minimum":0},"any":true}}"#,
//! )?;
//! let profile = Profile::standard();
//! assert_eq!(lint(&schema, Place::Input, &profile).len(), 2);
//! let schema = clean(&schema, Place::Input, &profile)?;
//! assert_eq!(
//!     schema.as_str(),
//!     r#"{"type":"object","properties":{"n":{"type":"integer","minimum":0},"any":{}}}"#,
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cycle;
mod inline;
mod keyword;
mod lint;
mod node;
mod openapi;
mod reference;
mod root;
mod rule;
mod standard;
mod strict;

use std::fmt;

use self::{inline::Inline, node::Node};
pub use self::{
    lint::lint,
    rule::{Finding, Rule},
};
use crate::raw::RawJson;

/// The dialect that a schema is in unless it says another one.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The most bytes of a schema that is looked at.
pub const MAX_BYTES: usize = 256 * 1024;
/// How deep a schema may nest.
pub const MAX_DEPTH: usize = 64;
/// The most schemas within one.
pub const MAX_SCHEMAS: usize = 10_000;
/// The most references within one.
pub const MAX_REFERENCES: usize = 2_000;

/// Whose rules a schema follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Profile {
    kind: Kind,
    dialect: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
enum Kind {
    #[default]
    Standard,
    Strict,
    Inlined,
    Plain,
}

impl Profile {
    /// What hosts take today: the root an object and no reference, no boolean schemas, no `format` that only Rust
    /// knows, no OpenAPI keywords.
    pub const fn standard() -> Self {
        Self::of(Kind::Standard)
    }

    /// That, and the strict mode of OpenAI: objects closed, all members required, no keyword that is refused there.
    ///
    /// Members that are closed off or required only narrow what is accepted, so that every value of the cleaned
    /// schema is one of the original; keywords that are dropped are still checked by whoever validates.
    pub const fn strict() -> Self {
        Self::of(Kind::Strict)
    }

    /// That of [`Self::standard`], without references but those of types that contain themselves.
    pub const fn inlined() -> Self {
        Self::of(Kind::Inlined)
    }

    /// That of [`Self::inlined`], for hosts that refuse lists of types: a member that may be absent is not also
    /// `null`.
    pub const fn plain() -> Self {
        Self::of(Kind::Plain)
    }

    /// Says the dialect with `$schema`; it is left out otherwise, since some hosts want to read what stands there.
    #[must_use]
    pub const fn with_dialect(mut self) -> Self {
        self.dialect = true;
        self
    }

    /// Its name, such as `strict`.
    pub const fn as_str(&self) -> &'static str {
        match self.kind {
            Kind::Standard => "standard",
            Kind::Strict => "strict",
            Kind::Inlined => "inlined",
            Kind::Plain => "plain",
        }
    }

    const fn of(kind: Kind) -> Self {
        Self {
            kind,
            dialect: false,
        }
    }

    const fn is_strict(self) -> bool {
        matches!(self.kind, Kind::Strict)
    }

    const fn is_inlined(self) -> bool {
        matches!(self.kind, Kind::Inlined | Kind::Plain)
    }

    const fn is_plain(self) -> bool {
        matches!(self.kind, Kind::Plain)
    }
}

/// Where a schema stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a tool has these two")]
pub enum Place {
    /// `inputSchema`: always of an object.
    Input,
    /// `outputSchema`: of anything at 2026-07-28; older revisions see it wrapped ([`wire`](crate::wire)).
    Output,
}

/// Cleans a schema for `profile`. Doing it again changes nothing.
///
/// What no rewriting mends without changing what is accepted stays, and [`lint`] tells of it.
///
/// # Errors
/// When `schema` is no JSON Schema (an object, or `true`), or exceeds the limits of this module, also by what its
/// references stand for where they are to be inlined.
pub fn clean(schema: &RawJson, place: Place, profile: &Profile) -> Result<RawJson, SchemaError> {
    let before = Node::parse(schema)?;
    let mut root = before.clone();
    standard::clean(&mut root);
    root::clean(&mut root, place, *profile)?;
    if profile.is_inlined() {
        root = Inline::all(&root)?;
    }
    if profile.is_plain() {
        standard::without_null(&mut root);
    }
    root::finish(&mut root, place, *profile);
    if profile.is_strict() {
        root = Inline::with_siblings(&root)?;
        strict::clean(&mut root);
    }
    if root == before {
        return Ok(schema.clone());
    }
    let cleaned = root.to_raw();
    if cleaned.as_str().len() > MAX_BYTES {
        return Err(SchemaError::TooLong);
    }
    Ok(cleaned)
}

/// Why a schema cannot be cleaned.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaError {
    /// It is neither an object nor `true`, or some object in it has a member twice.
    NotSchema,
    /// It is longer than [`MAX_BYTES`], or would be with its references inlined.
    TooLong,
    /// It nests deeper than [`MAX_DEPTH`], or would with its references inlined.
    TooDeep,
    /// It holds more than [`MAX_SCHEMAS`] schemas or [`MAX_REFERENCES`] references, or would with its references
    /// inlined.
    TooMany,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSchema => {
                f.write_str("it is no JSON Schema: write an object, each member once")
            }
            Self::TooLong => write!(
                f,
                "it is longer than {MAX_BYTES} bytes, or is once references are inlined: split the tool"
            ),
            Self::TooDeep => write!(
                f,
                "it nests deeper than {MAX_DEPTH} levels: flatten the types"
            ),
            Self::TooMany => write!(
                f,
                "it holds more than {MAX_SCHEMAS} schemas or {MAX_REFERENCES} references, or does once they are inlined: split the tool"
            ),
        }
    }
}

impl std::error::Error for SchemaError {}

#[cfg(test)]
mod tests;
