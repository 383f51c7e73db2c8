//! Elicitation: a server asks the client's user, with a form or by an address to go to.
//!
//! Source: the specification's page *Elicitation* (since 2025-06-18).

mod field;
mod schema;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::{
    field::{
        BooleanSchema, Choice, EnumSchema, Field, LegacyEnumSchema, MultiSelectSchema,
        NumberSchema, SingleSelectSchema, StringSchema, TitledMultiSelectSchema,
        TitledSingleSelectSchema,
    },
    schema::FormSchema,
};
use crate::{
    encode::Encode,
    raw::{RawJson, RawObject, inner},
    revision::Revision,
    task::TaskMetadata,
};

/// The parameters of `elicitation/create`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ElicitParams {
    /// Asks with a form; also what a request without `mode` does.
    Form(ElicitFormParams),
    /// Asks to go to an address (since 2025-11-25).
    Url(ElicitUrlParams),
    /// A mode that this library does not know, kept as it came.
    Other(RawJson),
}

impl ElicitParams {
    /// What the user is told.
    pub fn message(&self) -> String {
        match self {
            Self::Form(params) => params.message.clone(),
            Self::Url(params) => params.message.clone(),
            Self::Other(params) => {
                let members: RawObject = params.decode().unwrap_or_default();
                members.decode("message").unwrap_or_default()
            }
        }
    }
}

object! {
    /// Asks with a form.
    pub struct ElicitFormParams {
        /// `form`, or nothing.
        mode: Option<String> = "mode", hint, since V2025_11_25;
        /// What the user is told.
        message: String = "message", required;
        /// The form.
        requested_schema: FormSchema = "requestedSchema", required;
        /// Asks for a task in the place of an answer (2025-11-25 alone).
        task: Option<TaskMetadata> = "task", hint, since V2025_11_25, until V2025_11_25;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ElicitFormParams {
    /// Says `message` and shows the form.
    pub fn new(message: impl Into<String>, form: FormSchema) -> Self {
        Self {
            mode: Some("form".to_owned()),
            message: message.into(),
            requested_schema: form,
            task: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// Asks to go to an address, where what is secret is told to the server and not to the client.
    pub struct ElicitUrlParams {
        @ "mode" = "url";
        /// What the user is told.
        message: String = "message", required;
        /// The address.
        url: String = "url", required;
        /// What `notifications/elicitation/complete` will name; required at 2025-11-25, and gone later.
        elicitation_id: Option<String> = "elicitationId", hint, until V2025_11_25;
        /// Asks for a task in the place of an answer (2025-11-25 alone).
        task: Option<TaskMetadata> = "task", hint, since V2025_11_25, until V2025_11_25;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ElicitUrlParams {
    /// Says `message` and asks to go to `url`.
    pub fn new(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            url: url.into(),
            elicitation_id: None,
            task: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl Encode for ElicitParams {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Form(params) => params.encode(at, serializer),
            Self::Url(params) => params.encode(at, serializer),
            Self::Other(params) => params.encode(at, serializer),
        }
    }
}

impl Serialize for ElicitParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encode(Revision::LATEST, serializer)
    }
}

impl<'de> Deserialize<'de> for ElicitParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Mode {
            mode: Option<Box<str>>,
        }
        let raw = RawJson::deserialize(deserializer)?;
        let Mode { mode } = raw.decode().map_err(inner)?;
        match mode.as_deref() {
            None | Some("form") => raw.decode().map(Self::Form),
            Some("url") => raw.decode().map(Self::Url),
            Some(_) => return Ok(Self::Other(raw)),
        }
        .map_err(inner)
    }
}

words! {
    /// What the user did.
    pub enum ElicitAction {
        /// Agreed; a form is filled in.
        Accept = "accept",
        /// Said no.
        Decline = "decline",
        /// Went away without an answer.
        Cancel = "cancel",
    }
}

object! {
    /// The user's answer.
    pub struct ElicitResult {
        /// What the user did.
        action: ElicitAction = "action", required;
        /// What is in the form, by the names of its fields.
        content: Option<RawObject> = "content", hint;
        /// Free members about the result.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ElicitResult {
    /// An answer without content.
    pub const fn new(action: ElicitAction) -> Self {
        Self {
            action,
            content: None,
            meta: None,
            extra: RawObject::new(),
        }
    }

    /// A form, filled in.
    pub const fn accept(content: RawObject) -> Self {
        Self {
            action: ElicitAction::Accept,
            content: Some(content),
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// What was asked by an address is done: `notifications/elicitation/complete` (2025-11-25 alone).
    pub struct ElicitationCompleteParams {
        /// What the request named.
        elicitation_id: String = "elicitationId", required;
        /// Free members about the notification.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ElicitationCompleteParams {
    /// The elicitation `id` is done.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            elicitation_id: id.into(),
            meta: None,
            extra: RawObject::new(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
