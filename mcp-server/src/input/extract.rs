//! What handlers that ask take and give.

use mcp_types::input::{InputRequired, InputResponses};
use schemars::Schema;

use crate::{
    answer::{Answer, IntoAnswer},
    call::Call,
    handler::FromCall,
    kind::Kind,
};

/// What the user did with a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the specification knows these three actions"
)]
pub enum Elicited<T> {
    /// Agreed, and filled it in.
    Accepted(T),
    /// Said no.
    Declined,
    /// Went away without an answer.
    Cancelled,
}

impl<T> Elicited<T> {
    /// What was filled in, if the user agreed.
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(content) => Some(content),
            Self::Declined | Self::Cancelled => None,
        }
    }
}

/// What a handler gives back that asks by itself: an answer, or what it wants to know.
///
/// On a legacy connection the questions are asked at once, and the handler runs again in this process.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "it is made by handlers, and taken apart by nobody"
)]
pub enum Round<T> {
    /// It is done.
    Done(T),
    /// It wants to know something.
    Asks(Box<InputRequired>),
}

impl<T> From<InputRequired> for Round<T> {
    fn from(required: InputRequired) -> Self {
        Self::Asks(Box::new(required))
    }
}

impl<K: Kind, T: IntoAnswer<K>> IntoAnswer<K> for Round<T> {
    fn into_answer(self) -> Answer {
        match self {
            Self::Done(value) => value.into_answer(),
            Self::Asks(required) => Answer::new(*required),
        }
    }

    fn output_schema() -> Option<Schema> {
        T::output_schema()
    }

    fn may_require_input() -> bool {
        true
    }
}

impl<K: Kind> IntoAnswer<K> for InputRequired {
    fn into_answer(self) -> Answer {
        Answer::new(self)
    }

    fn may_require_input() -> bool {
        true
    }
}

/// What [`InputRequired::with_state`] carried, when the handler runs again; `None` at first.
///
/// It cannot be forged, read or used for another call: the client has it sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "extractors are taken apart by pattern"
)]
pub struct RequestState(pub Option<String>);

impl FromCall for RequestState {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        let own = |rounds: &mut crate::proto::rounds::Rounds| rounds.own().map(ToOwned::to_owned);
        Ok(Self(call.input().with_rounds(own)))
    }
}

/// All answers there are so far, by the keys of their questions, as they came:
/// [`InputResponses::read`] tells whether one is an answer to a question.
impl FromCall for InputResponses {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        let answers = call.input().with_rounds(|rounds| rounds.answers());
        Ok(answers.into())
    }
}
