//! What a handler gives back.

use mcp_transport::Extensions;
use mcp_types::{ErrorObject, Outcome, Payload, tool::CallToolResult};

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

impl From<ErrorObject> for Answer {
    fn from(error: ErrorObject) -> Self {
        Self::error(error)
    }
}

/// What a handler may return.
pub trait IntoAnswer {
    /// The answer.
    fn into_answer(self) -> Answer;

    /// The JSON Schema of the structured content, for handlers whose type tells it.
    fn output_schema() -> Option<schemars::Schema> {
        None
    }
}

impl IntoAnswer for Answer {
    fn into_answer(self) -> Answer {
        self
    }
}

impl IntoAnswer for CallToolResult {
    fn into_answer(self) -> Answer {
        Answer::new(self)
    }
}
