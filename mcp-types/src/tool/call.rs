//! `tools/call`.

use crate::{
    content::ContentBlock,
    input::InputResponses,
    raw::{RawJson, RawObject},
    task::TaskMetadata,
};

object! {
    /// Which tool to run, with what.
    pub struct CallToolParams {
        /// The tool's name.
        name: String = "name", required;
        /// Its arguments: a JSON object.
        arguments: Option<RawJson> = "arguments", optional;
        /// Asks for a task in the place of a result (2025-11-25 alone).
        task: Option<TaskMetadata> = "task", hint, since V2025_11_25, until V2025_11_25;
        /// Answers to what the server asked before (2026-07-28).
        input_responses: Option<InputResponses> = "inputResponses", hint, since V2026_07_28;
        /// What the server gave to carry, unchanged (2026-07-28).
        request_state: Option<String> = "requestState", optional, since V2026_07_28;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl CallToolParams {
    /// Runs `name` without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            task: None,
            input_responses: None,
            request_state: None,
            meta: None,
            extra: RawObject::new(),
        }
    }

    /// With these arguments: a JSON object.
    #[must_use]
    pub fn with_arguments(mut self, arguments: RawJson) -> Self {
        self.arguments = Some(arguments);
        self
    }
}

object! {
    /// What a tool made.
    #[derive(Default)]
    pub struct CallToolResult {
        @ "resultType" = "complete", since V2026_07_28;
        /// For the model to read.
        content: Vec<ContentBlock> = "content", list;
        /// For programs to read: any JSON at 2026-07-28, an object before.
        structured_content: Option<RawJson> = "structuredContent", any, since V2025_06_18;
        /// Whether the tool failed; then the content says why, so that the model can mend its call.
        is_error: Option<bool> = "isError", hint;
        /// Free members about the result.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl CallToolResult {
    /// A result that is one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![ContentBlock::text(text)],
            ..Self::default()
        }
    }

    /// A result that is a value, with its JSON text as content for readers that know no structure.
    pub fn structured(value: RawJson) -> Self {
        Self {
            content: vec![ContentBlock::text(value.as_str())],
            structured_content: Some(value),
            ..Self::default()
        }
    }

    /// Whether the tool says that it failed.
    pub fn failed(&self) -> bool {
        self.is_error == Some(true)
    }
}
