//! The result that asks: `input_required`.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::SerializeMap as _,
};

use super::{InputRequest, InputRequests};
use crate::{
    encode::{At, Encode},
    outcome::INPUT_REQUIRED,
    raw::{RawObject, inner},
    revision::Revision,
};

/// The request cannot go on without input (2026-07-28). It asks something or carries a state, or both; one
/// without either cannot be made.
#[derive(Debug, Clone, PartialEq)]
pub struct InputRequired {
    requests: InputRequests,
    state: Option<String>,
    meta: Option<RawObject>,
    extra: RawObject,
}

impl InputRequired {
    /// Asks `requests`, and wants `state` back with the answers.
    ///
    /// # Errors
    /// When there is neither a request nor a state.
    pub fn new(requests: InputRequests, state: Option<String>) -> Result<Self, NothingRequired> {
        if requests.is_empty() && state.is_none() {
            return Err(NothingRequired);
        }
        Ok(Self {
            requests,
            state,
            meta: None,
            extra: RawObject::new(),
        })
    }

    /// Asks one thing.
    pub fn ask(key: impl Into<Box<str>>, request: impl Into<InputRequest>) -> Self {
        let mut requests = InputRequests::new();
        requests.insert(key, request);
        Self {
            requests,
            state: None,
            meta: None,
            extra: RawObject::new(),
        }
    }

    /// Asks nothing, and wants the request again with `state`.
    pub fn again(state: impl Into<String>) -> Self {
        Self {
            requests: InputRequests::new(),
            state: Some(state.into()),
            meta: None,
            extra: RawObject::new(),
        }
    }

    /// The same, asking `request` as well.
    #[must_use]
    pub fn and(mut self, key: impl Into<Box<str>>, request: impl Into<InputRequest>) -> Self {
        self.requests.insert(key, request);
        self
    }

    /// The same, with a state to be given back.
    #[must_use]
    pub fn with_state(mut self, state: impl Into<String>) -> Self {
        self.state = Some(state.into());
        self
    }

    /// What is asked.
    pub const fn requests(&self) -> &InputRequests {
        &self.requests
    }

    /// What the client gives back, unchanged.
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// Free members about the result.
    pub const fn meta(&self) -> Option<&RawObject> {
        self.meta.as_ref()
    }

    /// Free members about the result, to be changed.
    pub const fn meta_mut(&mut self) -> &mut Option<RawObject> {
        &mut self.meta
    }

    /// Every other member, as it came.
    pub const fn extra(&self) -> &RawObject {
        &self.extra
    }
}

impl Encode for InputRequired {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("resultType", INPUT_REQUIRED)?;
        // One of the two stands there, be it empty.
        if !self.requests.is_empty() || self.state.is_none() {
            map.serialize_entry("inputRequests", &At(&self.requests, at))?;
        }
        if let Some(state) = &self.state {
            map.serialize_entry("requestState", state)?;
        }
        if let Some(meta) = &self.meta {
            map.serialize_entry("_meta", meta)?;
        }
        self.extra.write_into(&mut map)?;
        map.end()
    }
}

impl Serialize for InputRequired {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encode(Revision::LATEST, serializer)
    }
}

impl<'de> Deserialize<'de> for InputRequired {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut extra = RawObject::deserialize(deserializer)?;
        extra.remove("resultType");
        let requests: Option<Option<InputRequests>> = extra
            .remove("inputRequests")
            .map(|raw| raw.decode())
            .transpose()
            .map_err(inner)?;
        let state: Option<Option<String>> = extra
            .remove("requestState")
            .map(|raw| raw.decode())
            .transpose()
            .map_err(inner)?;
        let meta = extra.remove("_meta").and_then(|meta| meta.decode().ok());
        let (requests, state) = (requests.flatten(), state.flatten());
        // A peer's empty `inputRequests` is there, as the specification asks.
        if requests.is_none() && state.is_none() {
            return Err(D::Error::custom(NothingRequired));
        }
        Ok(Self {
            requests: requests.unwrap_or_default(),
            state,
            meta,
            extra,
        })
    }
}

/// An `input_required` that requires nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NothingRequired;

impl fmt::Display for NothingRequired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an `input_required` has `inputRequests` or a `requestState`; give one of them")
    }
}

impl std::error::Error for NothingRequired {}
