//! Failures of handlers as answers.
//!
//! A tool's is a result that says so, with the stable envelope, so that a model can read it. What fails elsewhere is a
//! JSON-RPC error whose data is the same envelope.
//!
//! The envelope also stands in [`Answer::ext`], where layers find it, and where the tool fills in
//! its label if the handler named no service.

use mcp_errors::{ProtocolError, ToolError, ToolErrorCode, ToolErrorEnvelope};
use mcp_types::{ErrorCode, ErrorObject, RawJson};

use crate::{
    answer::{Answer, IntoAnswer},
    input::AskError,
    kind::Kind,
};

/// A result that says that the tool failed.
pub(crate) fn of_tool(error: ToolError) -> Answer {
    let asked = asked(&error);
    let envelope = logged(error);
    let mut answer = Answer::new(envelope.clone().into_result());
    answer.ext.insert(envelope);
    with_asked(answer, asked)
}

/// An error, for what is no tool.
pub(crate) fn as_error(error: ToolError) -> Answer {
    let asked = asked(&error);
    let envelope = logged(error);
    let code = match &envelope.code {
        code if *code == ToolErrorCode::BAD_REQUEST => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    let mut object = ErrorObject::new(code, envelope.error.clone());
    object.data = RawJson::from_serialize(&envelope).ok();
    let mut answer = Answer::error(object);
    answer.ext.insert(envelope);
    with_asked(answer, asked)
}

/// The question that had no answer, if that is what failed.
fn asked(error: &ToolError) -> Option<AskError> {
    let source = error.source()?;
    source.downcast_ref::<AskError>().cloned()
}

/// What a client is told of a question without an answer depends on its era.
fn with_asked(mut answer: Answer, asked: Option<AskError>) -> Answer {
    if let Some(asked) = asked {
        answer.ext.insert(asked);
    }
    answer
}

fn logged(error: ToolError) -> ToolErrorEnvelope {
    if let Some(source) = error.source() {
        tracing::debug!(code = %error.code(), %source, "a handler failed");
    }
    error.into_envelope("")
}

impl From<ToolError> for Answer {
    /// A tool that failed.
    fn from(error: ToolError) -> Self {
        of_tool(error)
    }
}

impl<K: Kind> IntoAnswer<K> for ToolError {
    fn into_answer(self) -> Answer {
        K::failed(self)
    }
}

/// A value, or a failure: a [`ToolError`], or any error, which takes the code of its
/// cause or `upstream_unknown`.
impl<K: Kind, T: IntoAnswer<K>, E: Into<ToolError>> IntoAnswer<K> for Result<T, E> {
    fn into_answer(self) -> Answer {
        match self {
            Ok(value) => value.into_answer(),
            Err(error) => K::failed(error.into()),
        }
    }

    fn output_schema() -> Option<schemars::Schema> {
        T::output_schema()
    }

    fn may_require_input() -> bool {
        T::may_require_input()
    }
}

/// Fills in the service of a failure that names none.
pub(crate) fn label(answer: &mut Answer, service: &str) {
    let unnamed = |envelope: &&mut ToolErrorEnvelope| envelope.service.is_empty();
    if let Some(envelope) = answer.ext.get_mut::<ToolErrorEnvelope>().filter(unnamed) {
        service.clone_into(&mut envelope.service);
        let envelope = envelope.clone();
        match &mut answer.outcome {
            Ok(outcome) => *outcome = envelope.into_result().into(),
            Err(error) => error.data = RawJson::from_serialize(&envelope).ok(),
        }
    }
}

/// Whether the handler said that its target does not exist.
pub(crate) fn is_not_found(answer: &Answer) -> bool {
    let envelope = answer.ext.get::<ToolErrorEnvelope>();
    envelope.is_some_and(|envelope| envelope.code == ToolErrorCode::NOT_FOUND)
        && answer.outcome.is_err()
}

/// -32602, in words that name what is wrong and what would fit.
pub(crate) fn invalid(detail: impl Into<std::borrow::Cow<'static, str>>) -> ErrorObject {
    ProtocolError::invalid_params(detail).into()
}
