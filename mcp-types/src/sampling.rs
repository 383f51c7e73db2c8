//! Sampling: a server asks the client's model to continue a conversation.
//!
//! Source: the specification's page *Sampling* (deprecated at 2026-07-28).

mod content;

use serde_json::Number;

pub use self::content::{SamplingBlock, SamplingContent, ToolResultContent, ToolUseContent};
use crate::{content::Role, raw::RawObject, task::TaskMetadata, tool::Tool};

object! {
    /// The parameters of `sampling/createMessage`.
    pub struct CreateMessageParams {
        /// The conversation so far.
        messages: Vec<SamplingMessage> = "messages", required;
        /// Which model the server would like.
        model_preferences: Option<ModelPreferences> = "modelPreferences", hint;
        /// What the model shall be told first.
        system_prompt: Option<String> = "systemPrompt", hint;
        /// What servers say that the model shall see.
        include_context: Option<IncludeContext> = "includeContext", hint;
        /// How freely the model chooses.
        temperature: Option<Number> = "temperature", hint;
        /// The most tokens that the answer may have.
        max_tokens: u64 = "maxTokens", required;
        /// Texts that end the answer.
        stop_sequences: Option<Vec<String>> = "stopSequences", hint;
        /// For the model's provider.
        metadata: Option<RawObject> = "metadata", hint;
        /// Tools that the model may use.
        tools: Option<Vec<Tool>> = "tools", optional, since V2025_11_25;
        /// Whether the model may, or must, use them.
        tool_choice: Option<ToolChoice> = "toolChoice", hint, since V2025_11_25;
        /// Asks for a task in the place of an answer (2025-11-25 alone).
        task: Option<TaskMetadata> = "task", hint, since V2025_11_25, until V2025_11_25;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl CreateMessageParams {
    /// Continues `messages` with at most `max_tokens` tokens.
    pub const fn new(messages: Vec<SamplingMessage>, max_tokens: u64) -> Self {
        Self {
            messages,
            model_preferences: None,
            system_prompt: None,
            include_context: None,
            temperature: None,
            max_tokens,
            stop_sequences: None,
            metadata: None,
            tools: None,
            tool_choice: None,
            task: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// A part of the conversation.
    pub struct SamplingMessage {
        /// Who says it.
        role: Role = "role", required;
        /// What is said.
        content: SamplingContent = "content", required;
        /// Free members about the message.
        meta: Option<RawObject> = "_meta", hint, since V2025_11_25;
    }
}

impl SamplingMessage {
    /// `content`, said by `role`.
    pub fn new(role: Role, content: impl Into<SamplingContent>) -> Self {
        Self {
            role,
            content: content.into(),
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// Which model a server would like. The client chooses.
    #[derive(Default)]
    pub struct ModelPreferences {
        /// Models by parts of their names, the best first.
        hints: Option<Vec<ModelHint>> = "hints", hint;
        /// How much the price matters, from 0 to 1.
        cost_priority: Option<Number> = "costPriority", hint;
        /// How much the speed matters, from 0 to 1.
        speed_priority: Option<Number> = "speedPriority", hint;
        /// How much the skill matters, from 0 to 1.
        intelligence_priority: Option<Number> = "intelligencePriority", hint;
    }
}

object! {
    /// A model, by a part of its name.
    #[derive(Default)]
    pub struct ModelHint {
        /// The part.
        name: Option<String> = "name", hint;
    }
}

object! {
    /// Whether the model may, or must, use tools.
    #[derive(Default)]
    pub struct ToolChoice {
        /// `auto`, if it does not say.
        mode: Option<ToolChoiceMode> = "mode", hint;
    }
}

words! {
    /// Whether a model may, or must, use tools.
    pub enum ToolChoiceMode {
        /// It may.
        Auto = "auto",
        /// It must use one at least.
        Required = "required",
        /// It may not.
        None = "none",
    }
}

words! {
    /// What servers say that a model shall see.
    pub enum IncludeContext {
        /// What no server says.
        None = "none",
        /// What the asking server says.
        ThisServer = "thisServer",
        /// What all servers say.
        AllServers = "allServers",
    }
}

words! {
    /// Why a model stopped.
    pub enum StopReason {
        /// It was done.
        EndTurn = "endTurn",
        /// It came to a text that ends the answer.
        StopSequence = "stopSequence",
        /// It had no more tokens.
        MaxTokens = "maxTokens",
        /// It wants to use tools (since 2025-11-25).
        ToolUse = "toolUse",
    }
}

object! {
    /// What the model said.
    pub struct CreateMessageResult {
        /// Whose part it plays; the model's.
        role: Role = "role", required;
        /// What is said.
        content: SamplingContent = "content", required;
        /// The model that said it.
        model: String = "model", required;
        /// Why it stopped.
        stop_reason: Option<StopReason> = "stopReason", hint;
        /// Free members about the result.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl CreateMessageResult {
    /// `content`, said by `model`.
    pub fn new(model: impl Into<String>, content: impl Into<SamplingContent>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
            model: model.into(),
            stop_reason: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}
