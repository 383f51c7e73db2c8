//! Completion: what may fill an argument of a prompt, or a blank of a resource template.
//!
//! Source: the specification's page *Completion*.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    encode::Encode,
    raw::{RawJson, RawObject, inner},
    revision::Revision,
};

/// The most values that a result may hold; the encoder keeps the first ones.
pub const MAX_VALUES: usize = 100;

object! {
    /// The parameters of `completion/complete`.
    pub struct CompleteParams {
        /// Of what an argument is completed.
        reference: CompletionReference = "ref", required;
        /// The argument.
        argument: CompletionArgument = "argument", required;
        /// What is filled in already.
        context: Option<CompletionContext> = "context", hint, since V2025_06_18;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl CompleteParams {
    /// Completes `argument` of `reference`.
    pub const fn new(reference: CompletionReference, argument: CompletionArgument) -> Self {
        Self {
            reference,
            argument,
            context: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// An argument that someone is filling in.
    pub struct CompletionArgument {
        /// Its name.
        name: String = "name", required;
        /// What is there so far.
        value: String = "value", required;
    }
}

impl CompletionArgument {
    /// The argument `name`, with `value` so far.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
            extra: RawObject::new(),
        }
    }
}

object! {
    /// What is filled in already.
    #[derive(Default)]
    pub struct CompletionContext {
        /// Arguments by their names: texts.
        arguments: Option<RawObject> = "arguments", hint;
    }
}

/// Of what an argument is completed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CompletionReference {
    /// Of a prompt.
    Prompt(PromptReference),
    /// Of a resource or resource template.
    Resource(ResourceReference),
    /// Of something that this library does not know, kept as it came.
    Other(RawJson),
}

object! {
    /// A prompt, by its name.
    pub struct PromptReference {
        @ "type" = "ref/prompt";
        /// Its name.
        name: String = "name", required;
        /// A name for people.
        title: Option<String> = "title", hint, since V2025_06_18;
    }
}

impl PromptReference {
    /// The prompt `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// A resource template, or a resource, by its address.
    pub struct ResourceReference {
        @ "type" = "ref/resource";
        /// Its address, with blanks as in RFC 6570.
        uri: String = "uri", required;
    }
}

impl ResourceReference {
    /// The resource or template at `uri`.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            extra: RawObject::new(),
        }
    }
}

impl Encode for CompletionReference {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Prompt(reference) => reference.encode(at, serializer),
            Self::Resource(reference) => reference.encode(at, serializer),
            Self::Other(reference) => reference.encode(at, serializer),
        }
    }
}

impl Serialize for CompletionReference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encode(Revision::LATEST, serializer)
    }
}

impl<'de> Deserialize<'de> for CompletionReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        match &*raw.tag().map_err(inner)? {
            "ref/prompt" => raw.decode().map(Self::Prompt),
            "ref/resource" => raw.decode().map(Self::Resource),
            _ => return Ok(Self::Other(raw)),
        }
        .map_err(inner)
    }
}

object! {
    /// What may fill the argument.
    #[derive(Default)]
    pub struct CompleteResult {
        @ "resultType" = "complete", since V2026_07_28;
        /// The values.
        completion: Completion = "completion", list;
        /// Free members about the result.
        meta: Option<RawObject> = "_meta", hint;
    }
}

object! {
    /// Values that may fill an argument.
    #[derive(Default)]
    pub struct Completion {
        /// The best ones first, [`MAX_VALUES`] at most.
        values: Vec<String> = "values", list;
        /// How many there are in all.
        total: Option<u64> = "total", hint;
        /// Whether there are more than these.
        has_more: Option<bool> = "hasMore", hint;
    }
}

impl Completion {
    /// Cuts the values to [`MAX_VALUES`], and says so.
    pub fn cut(&mut self) {
        if self.values.len() > MAX_VALUES {
            self.total.get_or_insert(self.values.len() as u64);
            self.values.truncate(MAX_VALUES);
            self.has_more = Some(true);
        }
    }
}
