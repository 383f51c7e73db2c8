//! The check that the feature `validate` brings: JSON Schema 2020-12, and draft-07 where a schema says so.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use jsonschema::{PatternOptions, Validator};
use mcp_types::{RawJson, schema::MAX_BYTES};
use serde_json::Value;

use super::{InvalidSchema, Mismatch, SchemaCheck, ValueCheck, mismatch};
use crate::{
    path::clipped,
    proto::effort::{Effort, Refused},
};

/// How large a compiled pattern may be, in bytes.
const PATTERN_SIZE: usize = 1024 * 1024;
/// Up to how many steps a mismatch is looked for in detail.
const DETAIL_STEPS: u64 = 50_000;

/// Checks values against JSON Schema 2020-12, and draft-07 where a schema says so with `$schema`.
///
/// - Nothing is fetched: references lead to places of the same schema (`#/$defs/…`, `#anchor`).
/// - Patterns run in time that is linear in the text. Those that need more, with look-around or back-references, are
///   left unchecked with a warning in the log; [`Self::strict`] refuses them, and so does a schema where to leave one
///   out could refuse more.
/// - Work is bounded: schemas that make much of little are refused when a server takes the tool, and values that would
///   cost more than four million steps when they come.
/// - `format` is an annotation, as the dialect has it.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct JsonSchema {
    strict: bool,
}

impl JsonSchema {
    /// The usual check.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that refuses patterns that cannot be checked.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { strict: true }
    }

    /// Takes the patterns out of `schema` that the engine cannot express.
    fn drop_patterns(self, effort: &Effort, schema: &mut Value) -> Result<(), InvalidSchema> {
        let is_known = |pattern: &&String| build(&serde_json::json!({"pattern": pattern})).is_ok();
        for pattern in effort.patterns.iter().filter(|pattern| !is_known(pattern)) {
            let shown = clipped(pattern, 100);
            if self.strict || effort.negates {
                return Err(InvalidSchema(format!(
                    "its pattern `{shown}` cannot be checked: write it without look-around and back-references, or leave it out"
                )));
            }
            tracing::warn!(
                pattern = shown,
                "a pattern of a schema cannot be checked; any text passes it"
            );
            drop_pattern(schema, pattern);
        }
        Ok(())
    }
}

impl SchemaCheck for JsonSchema {
    fn compile(&self, schema: &RawJson) -> Result<Arc<dyn ValueCheck>, InvalidSchema> {
        if schema.as_str().len() > MAX_BYTES {
            let reason = format!("it is longer than {MAX_BYTES} bytes: split the tool");
            return Err(InvalidSchema(reason));
        }
        let mut schema: Value = schema
            .decode()
            .map_err(|_| InvalidSchema("it nests too deep: flatten the types".to_owned()))?;
        let effort = Effort::of(&schema)?;
        self.drop_patterns(&effort, &mut schema)?;
        let validator = build(&schema).map_err(|error| InvalidSchema(described(&error)))?;
        Ok(Arc::new(Compiled { validator, effort }))
    }
}

/// Takes `pattern` out, wherever it stands as a keyword; a member of this name has a schema for a value.
fn drop_pattern(schema: &mut Value, pattern: &str) {
    match schema {
        Value::Object(members) => {
            if members.get("pattern").is_some_and(|it| it == pattern) {
                members.remove("pattern");
            }
            members
                .values_mut()
                .for_each(|it| drop_pattern(it, pattern));
        }
        Value::Array(items) => items.iter_mut().for_each(|it| drop_pattern(it, pattern)),
        _ => {}
    }
}

fn build(schema: &Value) -> Result<Validator, jsonschema::ValidationError<'static>> {
    let patterns = PatternOptions::regex()
        .size_limit(PATTERN_SIZE)
        .dfa_size_limit(PATTERN_SIZE);
    jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(patterns)
        .build(schema)
}

fn described(error: &jsonschema::ValidationError<'_>) -> String {
    let place = error.instance_path().as_str();
    let reason = clipped(&error.masked().to_string(), 300);
    format!("it is no JSON Schema, at `#{place}`: {reason}")
}

struct Compiled {
    validator: Validator,
    effort: Effort,
}

impl ValueCheck for Compiled {
    fn check(&self, value: &str) -> Result<(), Mismatch> {
        let value: Value = serde_json::from_str(value)
            .map_err(|error| Mismatch::new("", format!("expected a JSON value: {error}")))?;
        let spent = self.effort.spend(&value);
        let steps = spent.map_err(|much| Mismatch::new("", much.to_string()))?;
        if self.validator.is_valid(&value) {
            return Ok(());
        }
        if steps > DETAIL_STEPS {
            let reason = "expected another value, too large to say where; see the schema";
            return Err(Mismatch::new("", reason));
        }
        self.validator
            .validate(&value)
            .map_err(|error| mismatch::of(&error))
    }
}

impl From<Refused> for InvalidSchema {
    fn from(refused: Refused) -> Self {
        Self(refused.to_string())
    }
}
