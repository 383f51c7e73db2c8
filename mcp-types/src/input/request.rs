//! What a server asks.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::SerializeMap as _,
};

use crate::{
    elicitation::{ElicitFormParams, ElicitParams, ElicitUrlParams},
    encode::{At, Encode},
    raw::{RawJson, RawObject, inner},
    revision::Revision,
    roots::ListRootsParams,
    sampling::CreateMessageParams,
};

/// One thing that a server asks: `{method, params?}`, without an envelope.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "wire structs are open; what a revision adds goes to `extra`"
)]
pub struct InputRequest {
    /// What is asked.
    pub question: Question,
    /// Every other member, kept as it came and written back.
    pub extra: RawObject,
}

/// What a server can ask.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Question {
    /// The user: `elicitation/create`.
    Elicit(Box<ElicitParams>),
    /// The model: `sampling/createMessage`.
    Sample(Box<CreateMessageParams>),
    /// The client itself: `roots/list`. Its parameters may be absent.
    Roots(Option<ListRootsParams>),
    /// Something that this library does not know, kept as it came.
    Other {
        /// The method.
        method: Box<str>,
        /// Its parameters.
        params: Option<RawJson>,
    },
}

impl InputRequest {
    /// Asks `question`.
    pub const fn new(question: Question) -> Self {
        Self {
            question,
            extra: RawObject::new(),
        }
    }

    /// The method that it would be as a request of its own.
    pub fn method(&self) -> &str {
        match &self.question {
            Question::Elicit(_) => "elicitation/create",
            Question::Sample(_) => "sampling/createMessage",
            Question::Roots(_) => "roots/list",
            Question::Other { method, .. } => method,
        }
    }

    /// Reads a request of `method` that came as a message of its own (legacy).
    ///
    /// # Errors
    /// When the parameters do not fit a method that is known.
    pub fn from_parts(method: &str, params: Option<&RawJson>) -> Result<Self, serde_json::Error> {
        let empty = RawJson::parse("{}")?;
        let given = params.unwrap_or(&empty);
        Ok(Self::new(match method {
            "elicitation/create" => Question::Elicit(given.decode()?),
            "sampling/createMessage" => Question::Sample(given.decode()?),
            "roots/list" => Question::Roots(params.map(RawJson::decode).transpose()?),
            other => Question::Other {
                method: other.into(),
                params: params.cloned(),
            },
        }))
    }
}

impl From<Question> for InputRequest {
    fn from(question: Question) -> Self {
        Self::new(question)
    }
}

impl From<ElicitFormParams> for InputRequest {
    fn from(params: ElicitFormParams) -> Self {
        ElicitParams::Form(params).into()
    }
}

impl From<ElicitUrlParams> for InputRequest {
    fn from(params: ElicitUrlParams) -> Self {
        ElicitParams::Url(params).into()
    }
}

impl From<ElicitParams> for InputRequest {
    fn from(params: ElicitParams) -> Self {
        Self::new(Question::Elicit(Box::new(params)))
    }
}

impl From<CreateMessageParams> for InputRequest {
    fn from(params: CreateMessageParams) -> Self {
        Self::new(Question::Sample(Box::new(params)))
    }
}

impl From<ListRootsParams> for InputRequest {
    fn from(params: ListRootsParams) -> Self {
        Self::new(Question::Roots(Some(params)))
    }
}

impl Encode for InputRequest {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("method", self.method())?;
        match &self.question {
            Question::Elicit(params) => map.serialize_entry("params", &At(params, at))?,
            Question::Sample(params) => map.serialize_entry("params", &At(params, at))?,
            Question::Roots(Some(params)) => map.serialize_entry("params", &At(params, at))?,
            Question::Other {
                params: Some(params),
                ..
            } => map.serialize_entry("params", params)?,
            Question::Roots(None) | Question::Other { params: None, .. } => {}
        }
        self.extra.write_into(&mut map)?;
        map.end()
    }
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encode(Revision::LATEST, serializer)
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut extra = RawObject::deserialize(deserializer)?;
        let method = extra.remove("method");
        let method = method.ok_or_else(|| D::Error::missing_field("method"))?;
        let method: Box<str> = method.decode().map_err(inner)?;
        let params = extra.remove("params");
        let request = Self::from_parts(&method, params.as_ref()).map_err(inner)?;
        Ok(Self { extra, ..request })
    }
}

/// What a server asks in one round, by keys of its own, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InputRequests(Vec<(Box<str>, InputRequest)>);

impl InputRequests {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Asks `request` under `key`, in the place of what was asked under it.
    pub fn insert(&mut self, key: impl Into<Box<str>>, request: impl Into<InputRequest>) {
        let (key, request) = (key.into(), request.into());
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = request,
            None => self.0.push((key, request)),
        }
    }

    /// What is asked under `key`.
    pub fn get(&self, key: &str) -> Option<&InputRequest> {
        let found = self.0.iter().find(|(known, _)| &**known == key);
        found.map(|(_, request)| request)
    }

    /// Keys and requests, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &InputRequest)> {
        self.0.iter().map(|(key, request)| (&**key, request))
    }

    /// How many requests there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Encode for InputRequests {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, request) in self.iter() {
            map.serialize_entry(key, &At(request, at))?;
        }
        map.end()
    }
}

impl Serialize for InputRequests {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encode(Revision::LATEST, serializer)
    }
}

impl<'de> Deserialize<'de> for InputRequests {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = RawObject::deserialize(deserializer)?;
        let requests = members.iter().map(|(key, raw)| match raw.decode() {
            Ok(request) => Ok((key.into(), request)),
            Err(error) => Err(D::Error::custom(format_args!(
                "{key}: {}",
                inner::<D::Error>(error)
            ))),
        });
        requests.collect::<Result<_, _>>().map(Self)
    }
}
