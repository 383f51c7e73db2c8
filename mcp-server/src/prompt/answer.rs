//! What the handler of a prompt may return.

use mcp_types::{
    content::{ContentBlock, Role},
    prompt::{GetPromptResult, PromptMessage},
};

use crate::{
    answer::{Answer, IntoAnswer},
    kind::ForPrompt,
};

/// A conversation, message by message.
///
/// ```
/// # use mcp_server::{Messages, types::content::ContentBlock};
/// let messages = Messages::new()
///     .description("A greeting")
///     .user("Say hello.")
///     .assistant("Hello!");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct Messages(GetPromptResult);

impl Messages {
    /// Nothing is said yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What the conversation is for, where it differs from what the prompt says of itself.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.0.description = Some(text.into());
        self
    }

    /// The user says this.
    pub fn user(self, text: impl Into<String>) -> Self {
        self.message(Role::User, ContentBlock::text(text))
    }

    /// The model says this.
    pub fn assistant(self, text: impl Into<String>) -> Self {
        self.message(Role::Assistant, ContentBlock::text(text))
    }

    /// `role` says or shows this: a text, a picture, a sound, a resource.
    pub fn message(mut self, role: Role, content: ContentBlock) -> Self {
        self.0.messages.push(PromptMessage::new(role, content));
        self
    }
}

impl IntoAnswer<ForPrompt> for Messages {
    fn into_answer(self) -> Answer {
        Answer::new(self.0)
    }
}

impl IntoAnswer<ForPrompt> for GetPromptResult {
    fn into_answer(self) -> Answer {
        Answer::new(self)
    }
}

impl IntoAnswer<ForPrompt> for Vec<PromptMessage> {
    fn into_answer(self) -> Answer {
        Answer::new(GetPromptResult {
            messages: self,
            ..GetPromptResult::default()
        })
    }
}

impl IntoAnswer<ForPrompt> for PromptMessage {
    fn into_answer(self) -> Answer {
        vec![self].into_answer()
    }
}

/// One message of the user.
impl IntoAnswer<ForPrompt> for String {
    fn into_answer(self) -> Answer {
        Messages::new().user(self).into_answer()
    }
}

/// One message of the user.
impl IntoAnswer<ForPrompt> for &str {
    fn into_answer(self) -> Answer {
        Messages::new().user(self).into_answer()
    }
}
