//! Failures of tools as answers: a result that says so, with the stable envelope.
//!
//! The envelope also stands in [`Answer::ext`], where layers find it, and where the tool fills in
//! its label if the handler named no service.

use mcp_errors::{ToolError, ToolErrorEnvelope};

use crate::answer::{Answer, IntoAnswer};

impl IntoAnswer for ToolError {
    fn into_answer(self) -> Answer {
        if let Some(source) = self.source() {
            tracing::debug!(code = %self.code(), %source, "a tool failed");
        }
        let envelope = self.into_envelope("");
        let mut answer = Answer::new(envelope.clone().into_result());
        answer.ext.insert(envelope);
        answer
    }
}

/// A value, or a failure of the tool: a [`ToolError`], or any error, which takes the code of its
/// cause or `upstream_unknown`.
impl<T: IntoAnswer, E: Into<ToolError>> IntoAnswer for Result<T, E> {
    fn into_answer(self) -> Answer {
        match self {
            Ok(value) => value.into_answer(),
            Err(error) => error.into().into_answer(),
        }
    }

    fn output_schema() -> Option<schemars::Schema> {
        T::output_schema()
    }
}

/// Fills in the service of a failure that names none.
pub(crate) fn label(answer: &mut Answer, service: &str) {
    let unnamed = |envelope: &&mut ToolErrorEnvelope| envelope.service.is_empty();
    if let Some(envelope) = answer.ext.get_mut::<ToolErrorEnvelope>().filter(unnamed) {
        service.clone_into(&mut envelope.service);
        answer.outcome = Ok(envelope.clone().into_result().into());
    }
}
