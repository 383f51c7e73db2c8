//! Content blocks: what a tool shows a model.
//!
//! Source: the specification's pages *Tools* and *Schema reference*.

mod annotation;
mod media;
mod resource;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::{
    annotation::{Annotations, Role},
    media::{AudioContent, ImageContent, TextContent},
    resource::{EmbeddedResource, ResourceLink},
};
use crate::{
    encode::Encode,
    raw::{RawJson, inner},
    revision::Revision,
};

/// One block of content.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text(TextContent),
    /// A picture.
    Image(ImageContent),
    /// A sound (since 2025-03-26; told of in words before).
    Audio(AudioContent),
    /// A resource, by its address (since 2025-06-18; told of in words before).
    ResourceLink(ResourceLink),
    /// A resource, with its contents.
    Resource(EmbeddedResource),
    /// A block of a type that this library does not know, kept as it came.
    Other(RawJson),
}

impl ContentBlock {
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

impl Encode for ContentBlock {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(block) => block.encode(at, serializer),
            Self::Image(block) => block.encode(at, serializer),
            Self::Audio(block) if at < Revision::V2025_03_26 => {
                TextContent::new(format!("[audio, {}]", block.mime_type)).encode(at, serializer)
            }
            Self::Audio(block) => block.encode(at, serializer),
            Self::ResourceLink(link) if at < Revision::V2025_06_18 => {
                let title = link.title.as_ref().unwrap_or(&link.name);
                TextContent::new(format!("{title} — {}", link.uri)).encode(at, serializer)
            }
            Self::ResourceLink(block) => block.encode(at, serializer),
            Self::Resource(block) => block.encode(at, serializer),
            Self::Other(block) => block.encode(at, serializer),
        }
    }
}

impl Serialize for ContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encode(Revision::LATEST, serializer)
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        match &*raw.tag().map_err(inner)? {
            "text" => raw.decode().map(Self::Text),
            "image" => raw.decode().map(Self::Image),
            "audio" => raw.decode().map(Self::Audio),
            "resource_link" => raw.decode().map(Self::ResourceLink),
            "resource" => raw.decode().map(Self::Resource),
            _ => return Ok(Self::Other(raw)),
        }
        .map_err(inner)
    }
}
