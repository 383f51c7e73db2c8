//! What is said in a conversation with a model: blocks, the use of tools among them.

use std::slice;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    content::{AudioContent, ContentBlock, ImageContent, TextContent},
    encode::Encode,
    raw::{RawJson, RawObject, inner},
    revision::Revision,
};

/// What is said: one block, or (since 2025-11-25) an array of them. Which of both is kept.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the specification knows these two shapes"
)]
pub enum SamplingContent {
    /// One block.
    One(Box<SamplingBlock>),
    /// An array.
    Many(Vec<SamplingBlock>),
}

impl SamplingContent {
    /// One block of text.
    pub fn text(text: impl Into<String>) -> Self {
        SamplingBlock::Text(TextContent::new(text)).into()
    }

    /// The blocks, however they are written.
    pub fn blocks(&self) -> &[SamplingBlock] {
        match self {
            Self::One(block) => slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }
}

impl From<SamplingBlock> for SamplingContent {
    fn from(block: SamplingBlock) -> Self {
        Self::One(Box::new(block))
    }
}

impl From<Vec<SamplingBlock>> for SamplingContent {
    fn from(blocks: Vec<SamplingBlock>) -> Self {
        Self::Many(blocks)
    }
}

impl From<&str> for SamplingContent {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl Encode for SamplingContent {
    /// An array of one is that one where a revision knows no arrays. Longer ones have no words there, and
    /// [`encode_ask`](crate::wire::encode_ask) refuses them.
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Many(blocks) if at < Revision::V2025_11_25 && blocks.len() == 1 => {
                blocks[0].encode(at, serializer)
            }
            Self::One(block) => block.encode(at, serializer),
            Self::Many(blocks) => blocks.encode(at, serializer),
        }
    }
}

impl Serialize for SamplingContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encode(Revision::LATEST, serializer)
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        if raw.is_object() {
            raw.decode().map(Self::One)
        } else {
            raw.decode().map(Self::Many)
        }
        .map_err(inner)
    }
}

/// One block of a conversation with a model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SamplingBlock {
    /// Text.
    Text(TextContent),
    /// A picture.
    Image(ImageContent),
    /// A sound (since 2025-03-26; told of in words before).
    Audio(AudioContent),
    /// The model uses a tool (since 2025-11-25).
    ToolUse(ToolUseContent),
    /// What came of it (since 2025-11-25).
    ToolResult(ToolResultContent),
    /// A block of a type that this library does not know, kept as it came.
    Other(RawJson),
}

impl SamplingBlock {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// The text, if it is a block of text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

object! {
    /// The model uses a tool.
    pub struct ToolUseContent {
        @ "type" = "tool_use";
        /// What its result will refer to.
        id: String = "id", required;
        /// The tool's name.
        name: String = "name", required;
        /// Its arguments.
        input: RawObject = "input", required;
        /// Free members about the block.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ToolUseContent {
    /// The use `id` of the tool `name`.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: RawObject) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// What came of the use of a tool.
    pub struct ToolResultContent {
        @ "type" = "tool_result";
        /// The id of the use.
        tool_use_id: String = "toolUseId", required;
        /// For the model to read.
        content: Vec<ContentBlock> = "content", list;
        /// For programs to read: any JSON at 2026-07-28, an object before.
        structured_content: Option<RawJson> = "structuredContent", any;
        /// Whether the tool failed.
        is_error: Option<bool> = "isError", hint;
        /// Free members about the block.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ToolResultContent {
    /// `content` came of the use `id`.
    pub fn new(id: impl Into<String>, content: Vec<ContentBlock>) -> Self {
        Self {
            tool_use_id: id.into(),
            content,
            structured_content: None,
            is_error: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl Encode for SamplingBlock {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(block) => block.encode(at, serializer),
            Self::Image(block) => block.encode(at, serializer),
            // One rule for sounds, wherever they stand.
            Self::Audio(block) if at < Revision::V2025_03_26 => {
                ContentBlock::Audio(block.clone()).encode(at, serializer)
            }
            Self::Audio(block) => block.encode(at, serializer),
            Self::ToolUse(block) => block.encode(at, serializer),
            Self::ToolResult(block) => match &block.structured_content {
                Some(value) if at == Revision::V2025_11_25 && !value.is_object() => {
                    let mut wrapped = block.clone();
                    wrapped.structured_content = Some(crate::wire::wrap_value(value));
                    wrapped.encode(at, serializer)
                }
                _ => block.encode(at, serializer),
            },
            Self::Other(block) => block.encode(at, serializer),
        }
    }
}

impl Serialize for SamplingBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encode(Revision::LATEST, serializer)
    }
}

impl<'de> Deserialize<'de> for SamplingBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        match &*raw.tag().map_err(inner)? {
            "text" => raw.decode().map(Self::Text),
            "image" => raw.decode().map(Self::Image),
            "audio" => raw.decode().map(Self::Audio),
            "tool_use" => raw.decode().map(Self::ToolUse),
            "tool_result" => raw.decode().map(Self::ToolResult),
            _ => return Ok(Self::Other(raw)),
        }
        .map_err(inner)
    }
}
