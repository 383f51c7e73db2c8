//! Values checked against the schemas that tools say they have.
//!
//! A tool's arguments are read as its handler's type in any case. Its schema may say more, such as a `maximum`, and a tool
//! whose schema was given, or whose handler takes raw values, has nothing else. [`Server::schema_check`] turns the check
//! on; the feature `validate` brings `JsonSchema`, which does it.
//!
//! [`Server::schema_check`]: crate::Server::schema_check

#[cfg(feature = "validate")]
mod json_schema;
#[cfg(feature = "validate")]
mod mismatch;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use mcp_errors::ToolError;
use mcp_types::{
    RawJson,
    tool::{CallToolResult, Tool as Definition},
};

#[cfg(feature = "validate")]
pub use self::json_schema::JsonSchema;
use crate::{
    answer::Answer,
    failed,
    path::{clipped, from_pointer},
    tool::InvalidTool,
};

/// Compiles schemas: once per tool, when a server takes it.
pub trait SchemaCheck: Send + Sync {
    /// What checks values against `schema`.
    ///
    /// # Errors
    /// When `schema` is not to be checked against: it is wrong, or would cost too much. The server does not take the tool.
    fn compile(&self, schema: &RawJson) -> Result<Arc<dyn ValueCheck>, InvalidSchema>;
}

/// Checks values against one schema.
pub trait ValueCheck: Send + Sync {
    /// Checks `value`, a JSON text.
    ///
    /// # Errors
    /// Where it does not fit, and what was expected there.
    fn check(&self, value: &str) -> Result<(), Mismatch>;
}

/// A schema that values are not checked against, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
#[non_exhaustive]
pub struct InvalidSchema(String);

impl InvalidSchema {
    /// One, for this reason: a sentence about the schema.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// Where a value does not fit its schema, and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The place: a JSON pointer (RFC 6901), empty for the value itself.
    pub pointer: String,
    /// What was expected there.
    pub expected: String,
}

impl Mismatch {
    /// At `pointer` something else was expected.
    pub fn new(pointer: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            expected: expected.into(),
        }
    }

    /// The place in words, the value called `root`, and what was expected there.
    fn described(&self, root: &str) -> String {
        let place = clipped(&from_pointer(root, &self.pointer), 200);
        format!("{place}: {}", clipped(&self.expected, 400))
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.described("value"))
    }
}

impl std::error::Error for Mismatch {}

/// Who checks for a server's tools, once that is said.
pub(crate) type Chosen = Arc<OnceLock<Arc<dyn SchemaCheck>>>;

/// What checks the values of one tool.
#[derive(Default)]
pub(crate) struct Checks {
    input: Option<Arc<dyn ValueCheck>>,
    output: Option<Arc<dyn ValueCheck>>,
}

impl Checks {
    pub(crate) fn of(
        definition: &Definition,
        check: &dyn SchemaCheck,
    ) -> Result<Self, InvalidTool> {
        let compile = |member: &str, schema: &RawJson| {
            let checked = check.compile(schema);
            checked.map_err(|error| InvalidTool::unchecked(&definition.name, member, &error))
        };
        let output = definition.output_schema.as_ref();
        Ok(Self {
            input: Some(compile("inputSchema", &definition.input_schema)?),
            output: output
                .map(|schema| compile("outputSchema", schema))
                .transpose()?,
        })
    }

    /// The answer to a call whose arguments do not fit: a failure that a model can read and mend.
    pub(crate) fn refuse(&self, arguments: Option<&str>, label: &str) -> Option<Answer> {
        let text = match arguments {
            None | Some("null") => "{}",
            Some(text) => text,
        };
        let mismatch = self.input.as_ref()?.check(text).err()?;
        let error = ToolError::bad_request(mismatch.described("arguments"));
        Some(labelled(error, label))
    }

    pub(crate) fn has_output(&self) -> bool {
        self.output.is_some()
    }

    /// `answer`, or a failure in place of a result that breaks what the tool says of its results.
    pub(crate) fn hold(&self, answer: Answer, name: &str, label: &str) -> Answer {
        let result = answer.tool_result().filter(|result| !result.failed());
        let (Some(result), Some(output)) = (result, &self.output) else {
            return answer;
        };
        let Err(mismatch) = check_output(result, &**output) else {
            return answer;
        };
        let breach = mismatch.described("structuredContent");
        tracing::error!(
            tool = name,
            breach,
            "a result breaks the tool's output schema"
        );
        let error = format!("The result of tool `{name}` breaks its output schema at {breach}");
        labelled(ToolError::output_validation_failed(error), label)
    }
}

fn check_output(result: &CallToolResult, check: &dyn ValueCheck) -> Result<(), Mismatch> {
    match &result.structured_content {
        Some(value) => check.check(value.as_str()),
        None => Err(Mismatch::new(
            "",
            "expected a value, since the tool has an output schema",
        )),
    }
}

fn labelled(error: ToolError, label: &str) -> Answer {
    let mut answer = failed::of_tool(error);
    failed::label(&mut answer, label);
    answer
}
