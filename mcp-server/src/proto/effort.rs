//! How much work a JSON Schema can make: known before any value is looked at, so that hostile ones are refused.
//!
//! A schema applies others to the same value (`anyOf`, `$ref`, …), in place, and others to the parts of the value
//! (`properties`, `items`, …). What is counted is how often a part at some depth is looked at, at most. That grows with
//! the depth where schemas contain themselves more than once, so values are weighed too.

mod graph;
#[cfg(test)]
mod tests;
mod weight;

use std::fmt;

use mcp_types::schema::{MAX_REFERENCES, MAX_SCHEMAS};
use serde_json::Value;

/// The most steps that a value may cost.
pub(crate) const MAX_STEPS: u64 = 4_000_000;
/// How many schemas may be at work within each other, on one value.
pub(crate) const MAX_NESTED: u64 = 1_000;
/// How long a pattern may be, in bytes.
pub(crate) const MAX_PATTERN: usize = 4 * 1024;
/// How many schemas may lie between the root and one that it leads to.
pub(crate) const MAX_CHAIN: usize = 400;

/// How much work a schema makes of a value, by the depth of its parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    /// How often a part at this depth is looked at, at most; the last one stands for all that lies deeper.
    looks: Vec<u64>,
    /// How many schemas are then at work within each other; likewise.
    nested: Vec<u64>,
    /// The patterns in it.
    pub(crate) patterns: Vec<String>,
    /// Whether to look for less than it says can refuse more: it has `not`, `if`, `oneOf` or `maxContains`.
    pub(crate) negates: bool,
}

impl Effort {
    /// That of `schema`.
    ///
    /// # Errors
    /// When no bound holds, or what would be needed lies elsewhere.
    pub(crate) fn of(schema: &Value) -> Result<Self, Refused> {
        let graph = graph::Graph::of(schema)?;
        graph.check_chain()?;
        let (looks, nested) = weight::by_depth(&graph)?;
        Ok(Self {
            looks,
            nested,
            patterns: graph.patterns.iter().map(|&text| text.to_owned()).collect(),
            negates: graph.negates,
        })
    }

    /// How many steps `value` costs, at most.
    ///
    /// # Errors
    /// When it is more than [`MAX_STEPS`], or too many schemas would be at work within each other.
    pub(crate) fn spend(&self, value: &Value) -> Result<u64, TooMuch> {
        let mut parts = Vec::new();
        count(value, 0, &mut parts);
        let deepest = parts.len().saturating_sub(1);
        let steps = parts
            .iter()
            .enumerate()
            .fold(0_u64, |steps, (depth, &parts)| {
                steps.saturating_add(at(&self.looks, depth).saturating_mul(parts))
            });
        if steps > MAX_STEPS || at(&self.nested, deepest) > MAX_NESTED {
            return Err(TooMuch { deepest });
        }
        Ok(steps)
    }
}

fn at(by_depth: &[u64], depth: usize) -> u64 {
    let found = by_depth.get(depth).or_else(|| by_depth.last());
    found.copied().unwrap_or(u64::MAX)
}

/// Counts the parts of `value` by their depth. A name counts as a part, since it is compared.
fn count(value: &Value, depth: usize, parts: &mut Vec<u64>) {
    if parts.len() <= depth {
        parts.push(0);
    }
    parts[depth] += 1;
    match value {
        Value::Array(items) => items.iter().for_each(|item| count(item, depth + 1, parts)),
        Value::Object(members) => {
            members
                .values()
                .for_each(|member| count(member, depth + 1, parts));
        }
        _ => {}
    }
}

/// A value costs too much to look at.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooMuch {
    deepest: usize,
}

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "too much to be checked, {} levels deep: send fewer parts, nested less",
            self.deepest
        )
    }
}

/// Why values are not checked against a schema.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Dialect(String),
    Elsewhere(String),
    Nowhere(String),
    Nested(String),
    Circle(String),
    Pattern,
    TooMany,
    TooDeep,
    TooMuch,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dialect(uri) => write!(
                f,
                "its dialect `{uri}` is not known: write it in JSON Schema 2020-12 or draft-07"
            ),
            Self::Elsewhere(uri) => write!(
                f,
                "its reference `{uri}` leads elsewhere, and nothing is fetched: copy it to `$defs` and write `#/$defs/…`"
            ),
            Self::Nowhere(uri) => write!(f, "its reference `{uri}` leads nowhere"),
            Self::Nested(id) => write!(
                f,
                "a schema within it has the `$id` `{id}`: leave it out, and refer to the schema by `#/$defs/…`"
            ),
            Self::Circle(place) => write!(
                f,
                "its schema at `{place}` refers to itself for the same value, which has no end"
            ),
            Self::Pattern => write!(f, "a pattern in it is longer than {MAX_PATTERN} bytes"),
            Self::TooMany => write!(
                f,
                "it holds more than {MAX_SCHEMAS} schemas or {MAX_REFERENCES} references: split the tool"
            ),
            Self::TooDeep => write!(
                f,
                "more than {MAX_CHAIN} schemas in it lead from one to the next: flatten the types"
            ),
            Self::TooMuch => f.write_str(
                "it applies too many schemas to the same value: use fewer `allOf`, `anyOf` and `oneOf`",
            ),
        }
    }
}
