//! Prompts: texts that a server prepared for a model, with blanks to fill in.
//!
//! Source: the specification's page *Prompts*.

use crate::{
    content::{ContentBlock, Role},
    icon::Icon,
    input::InputResponses,
    page::PaginatedParams,
    raw::{RawJson, RawObject},
};

/// Which page of prompts.
pub type ListPromptsParams = PaginatedParams;

page! {
    /// One page of prompts.
    pub struct ListPromptsResult {
        /// The prompts.
        prompts: Prompt = "prompts";
    }
}

object! {
    /// A prompt, as a client and its user see it.
    pub struct Prompt {
        /// Its name, unique on its server.
        name: String = "name", required;
        /// A name for people.
        title: Option<String> = "title", hint, since V2025_06_18;
        /// What it is for.
        description: Option<String> = "description", hint;
        /// The blanks.
        arguments: Option<Vec<PromptArgument>> = "arguments", optional;
        /// Pictures that stand for it.
        icons: Option<Vec<Icon>> = "icons", hint, since V2025_11_25;
        /// Free members about the prompt.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

impl Prompt {
    /// A prompt without blanks.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            arguments: None,
            icons: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// A blank of a prompt; what fills it is a text.
    pub struct PromptArgument {
        /// Its name.
        name: String = "name", required;
        /// A name for people.
        title: Option<String> = "title", hint, since V2025_06_18;
        /// What belongs there.
        description: Option<String> = "description", hint;
        /// Whether it must be filled in.
        required: Option<bool> = "required", hint;
    }
}

impl PromptArgument {
    /// A blank that may stay empty.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            required: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// The parameters of `prompts/get`.
    pub struct GetPromptParams {
        /// The prompt's name.
        name: String = "name", required;
        /// What fills its blanks, by their names: texts.
        arguments: Option<RawObject> = "arguments", optional;
        /// Answers to what the server asked before (2026-07-28).
        input_responses: Option<InputResponses> = "inputResponses", hint, since V2026_07_28;
        /// What the server gave to carry, unchanged (2026-07-28).
        request_state: Option<String> = "requestState", optional, since V2026_07_28;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl GetPromptParams {
    /// The prompt `name`, with its blanks empty.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            input_responses: None,
            request_state: None,
            meta: None,
            extra: RawObject::new(),
        }
    }

    /// With a blank filled in.
    #[must_use]
    pub fn with_argument(mut self, name: impl Into<Box<str>>, value: &str) -> Self {
        if let Ok(value) = RawJson::from_serialize(value) {
            self.arguments.get_or_insert_default().set(name, value);
        }
        self
    }

    /// What fills a blank; `None` when nothing does, or no text.
    pub fn argument(&self, name: &str) -> Option<String> {
        self.arguments.as_ref()?.decode(name)
    }
}

object! {
    /// A prompt, filled in.
    #[derive(Default)]
    pub struct GetPromptResult {
        @ "resultType" = "complete", since V2026_07_28;
        /// What it is for.
        description: Option<String> = "description", hint;
        /// The conversation so far.
        messages: Vec<PromptMessage> = "messages", list;
        /// Free members about the result.
        meta: Option<RawObject> = "_meta", hint;
    }
}

object! {
    /// A part of a conversation.
    pub struct PromptMessage {
        /// Who says it.
        role: Role = "role", required;
        /// What is said.
        content: ContentBlock = "content", required;
    }
}

impl PromptMessage {
    /// `content`, said by `role`.
    pub const fn new(role: Role, content: ContentBlock) -> Self {
        Self {
            role,
            content,
            extra: RawObject::new(),
        }
    }
}
