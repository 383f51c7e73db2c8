//! Methods of one's own: their parameters, and what they return.

use mcp_errors::ProtocolError;
use mcp_types::{Outcome, RawJson, lifecycle::EmptyResult, outcome::Payload};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    answer::{Answer, IntoAnswer, Json},
    call::Call,
    failed::invalid,
    handler::FromCall,
    kind::ForMethod,
    path::clipped,
};

/// All parameters of a request, read as a `T`; what does not fit is refused with -32602. It is for methods of one's own.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "extractors are taken apart by pattern"
)]
pub struct Params<T>(pub T);

impl<T: DeserializeOwned> FromCall for Params<T> {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        call.params.decode().map(Self).map_err(|error| {
            let error = clipped(&error.to_string(), 400);
            Box::new(Answer::error(invalid(format!(
                "Invalid parameters: {error}"
            ))))
        })
    }
}

/// The members of the value; it must be an object.
impl<T: Serialize> IntoAnswer<ForMethod> for Json<T> {
    fn into_answer(self) -> Answer {
        let object = RawJson::from_serialize(&self.0).and_then(|value| value.decode());
        match object {
            Ok(object) => Answer::new(Outcome::Complete(Payload::Raw(object))),
            Err(error) => {
                let kind = std::any::type_name::<T>();
                tracing::error!(%error, kind, "the result of a method is a JSON object");
                Answer::error(ProtocolError::internal().into())
            }
        }
    }
}

/// It is done, and there is nothing to say.
impl IntoAnswer<ForMethod> for () {
    fn into_answer(self) -> Answer {
        Answer::new(EmptyResult::default())
    }
}
