//! What a handler gives back.

use mcp_errors::ProtocolError;
use mcp_transport::Extensions;
use mcp_types::{
    ErrorObject, Outcome, Payload, RawJson, content::ContentBlock, tool::CallToolResult,
};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::{
    kind::{ForTool, Kind},
    schema,
};

/// The answer to a call: an outcome or an error, and what only layers see.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answer {
    /// What the peer gets. A tool that failed is an outcome; an error means that the call was wrong.
    pub outcome: Result<Outcome, ErrorObject>,
    /// For the layers around the handler. It never reaches a wire.
    pub ext: Extensions,
}

impl Answer {
    /// An answer that succeeded.
    pub fn new(outcome: impl Into<Outcome>) -> Self {
        Self {
            outcome: Ok(outcome.into()),
            ext: Extensions::new(),
        }
    }

    /// An answer that says that the call was wrong.
    pub fn error(error: ErrorObject) -> Self {
        Self {
            outcome: Err(error),
            ext: Extensions::new(),
        }
    }

    /// The result of a tool, if it is one.
    pub fn tool_result(&self) -> Option<&CallToolResult> {
        match &self.outcome {
            Ok(Outcome::Complete(Payload::CallTool(result))) => Some(result),
            _ => None,
        }
    }
}

/// Stands in [`Answer::ext`] where the tool's output schema is no object, so that its structured content
/// is wrapped for revisions that know only objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrappedOutput;

impl From<ErrorObject> for Answer {
    fn from(error: ErrorObject) -> Self {
        Self::error(error)
    }
}

/// What a handler may return, asked for `K`: a tool unless said otherwise.
#[diagnostic::on_unimplemented(
    message = "a handler cannot return `{Self}` (`{K}`)",
    note = "a tool returns text, `Json<T>`, `CallToolResult`, content blocks, a `Result` of these, or what implements `IntoAnswer`",
    note = "a resource returns text, bytes, `Json<T>` or contents; a prompt returns text or messages; a completion returns a list of texts"
)]
pub trait IntoAnswer<K = ForTool> {
    /// The answer.
    fn into_answer(self) -> Answer;

    /// The JSON Schema of the structured content, for handlers whose type tells it.
    fn output_schema() -> Option<Schema> {
        None
    }

    /// Whether it may be [`InputRequired`](mcp_types::input::InputRequired), so that the handler may have to run again.
    fn may_require_input() -> bool {
        false
    }
}

impl<K: Kind> IntoAnswer<K> for Answer {
    fn into_answer(self) -> Answer {
        self
    }

    fn may_require_input() -> bool {
        true
    }
}

impl IntoAnswer for CallToolResult {
    fn into_answer(self) -> Answer {
        Answer::new(self)
    }
}

impl IntoAnswer for String {
    fn into_answer(self) -> Answer {
        Answer::new(CallToolResult::text(self))
    }
}

impl IntoAnswer for &str {
    fn into_answer(self) -> Answer {
        Answer::new(CallToolResult::text(self))
    }
}

impl IntoAnswer for ContentBlock {
    fn into_answer(self) -> Answer {
        IntoAnswer::<ForTool>::into_answer(vec![self])
    }
}

impl IntoAnswer for Vec<ContentBlock> {
    fn into_answer(self) -> Answer {
        Answer::new(CallToolResult {
            content: self,
            ..CallToolResult::default()
        })
    }
}

/// Structured content: a value, its JSON text beside it, and its schema in `tools/list`.
///
/// To clients of 2025-06-18 and 2025-11-25, which know structured content only as an object, a type
/// whose schema is no object travels as `{"result": …}`.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it is made and taken apart by pattern"
)]
pub struct Json<T>(pub T);

impl<T: Serialize + JsonSchema> IntoAnswer for Json<T> {
    fn into_answer(self) -> Answer {
        match RawJson::from_serialize(&self.0) {
            Ok(value) => Answer::new(CallToolResult::structured(value)),
            Err(error) => {
                let kind = std::any::type_name::<T>();
                tracing::error!(%error, kind, "a handler's value cannot be written as JSON");
                Answer::error(ProtocolError::internal().into())
            }
        }
    }

    fn output_schema() -> Option<Schema> {
        Some(schema::of_output::<T>())
    }
}
