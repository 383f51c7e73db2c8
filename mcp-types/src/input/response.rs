//! What a client answers.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{InputRequest, Question};
use crate::{
    elicitation::ElicitResult,
    encode::Encode,
    raw::{RawJson, RawObject, inner},
    revision::Revision,
    roots::ListRootsResult,
    sampling::CreateMessageResult,
};

/// The answer to one [`InputRequest`]: the bare result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputResponse {
    /// The user's.
    Elicit(ElicitResult),
    /// The model's.
    Sample(Box<CreateMessageResult>),
    /// The client's own.
    Roots(ListRootsResult),
    /// To something that this library does not know, kept as it came.
    Other(RawJson),
}

impl InputResponse {
    /// Reads the answer to `request`, whose question says what an answer looks like.
    ///
    /// # Errors
    /// When it is no such answer.
    pub fn read(raw: &RawJson, request: &InputRequest) -> Result<Self, serde_json::Error> {
        match &request.question {
            Question::Elicit(_) => raw.decode().map(Self::Elicit),
            Question::Sample(_) => raw.decode().map(Self::Sample),
            Question::Roots(_) => raw.decode().map(Self::Roots),
            Question::Other { .. } => Ok(Self::Other(raw.clone())),
        }
    }
}

impl From<ElicitResult> for InputResponse {
    fn from(result: ElicitResult) -> Self {
        Self::Elicit(result)
    }
}

impl From<CreateMessageResult> for InputResponse {
    fn from(result: CreateMessageResult) -> Self {
        Self::Sample(Box::new(result))
    }
}

impl From<ListRootsResult> for InputResponse {
    fn from(result: ListRootsResult) -> Self {
        Self::Roots(result)
    }
}

impl Encode for InputResponse {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Elicit(result) => result.encode(at, serializer),
            Self::Sample(result) => result.encode(at, serializer),
            Self::Roots(result) => result.encode(at, serializer),
            Self::Other(result) => result.encode(at, serializer),
        }
    }
}

impl Serialize for InputResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encode(Revision::LATEST, serializer)
    }
}

/// Tells the three apart by the member that only one of them has. Where the question is known, use
/// [`InputResponse::read`].
impl<'de> Deserialize<'de> for InputResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let members: RawObject = raw.decode().map_err(inner)?;
        if members.contains("action") {
            raw.decode().map(Self::Elicit)
        } else if members.contains("model") {
            raw.decode().map(Self::Sample)
        } else if members.contains("roots") {
            raw.decode().map(Self::Roots)
        } else {
            Ok(Self::Other(raw))
        }
        .map_err(inner)
    }
}

/// The answers of a round, by the keys of their requests.
///
/// They are kept as they came: only the request says what an answer looks like, and one that is bad, or that
/// nobody asked for, costs no other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputResponses(RawObject);

impl InputResponses {
    /// No answers yet.
    pub const fn new() -> Self {
        Self(RawObject::new())
    }

    /// Answers under `key`.
    pub fn insert(&mut self, key: impl Into<Box<str>>, response: &InputResponse) {
        // Vocabulary always becomes JSON.
        if let Ok(response) = RawJson::from_serialize(response) {
            self.0.set(key, response);
        }
    }

    /// The answer under `key` to `request`; `None` if there is none.
    ///
    /// # Errors
    /// When what is there is no answer to `request`.
    pub fn read(
        &self,
        key: &str,
        request: &InputRequest,
    ) -> Result<Option<InputResponse>, serde_json::Error> {
        let raw = self.0.get(key);
        raw.map(|raw| InputResponse::read(raw, request)).transpose()
    }

    /// All answers, as they came.
    pub const fn as_object(&self) -> &RawObject {
        &self.0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<RawObject> for InputResponses {
    fn from(members: RawObject) -> Self {
        Self(members)
    }
}

impl Encode for InputResponses {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.encode(at, serializer)
    }
}

impl Serialize for InputResponses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for InputResponses {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawObject::deserialize(deserializer).map(Self)
    }
}
