//! Content blocks: what a tool shows a model.
//!
//! Source: the specification's pages *Tools* and *Schema reference*.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Number;

use crate::{
    encode::Encode,
    raw::{RawJson, RawObject},
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

object! {
    /// Text.
    pub struct TextContent {
        @ "type" = "text";
        /// The text.
        text: String = "text", required;
        /// Whom it is for and how much it matters.
        annotations: Option<Annotations> = "annotations", hint, since V2024_11_05;
        /// Free members about the block.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

impl TextContent {
    /// A block of text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            annotations: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// A picture.
    pub struct ImageContent {
        @ "type" = "image";
        /// Its bytes, in base64.
        data: String = "data", required;
        /// Its media type.
        mime_type: String = "mimeType", required;
        /// Whom it is for and how much it matters.
        annotations: Option<Annotations> = "annotations", hint, since V2024_11_05;
        /// Free members about the block.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

object! {
    /// A sound.
    pub struct AudioContent {
        @ "type" = "audio";
        /// Its bytes, in base64.
        data: String = "data", required;
        /// Its media type.
        mime_type: String = "mimeType", required;
        /// Whom it is for and how much it matters.
        annotations: Option<Annotations> = "annotations", hint;
        /// Free members about the block.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

object! {
    /// A resource, by its address. Other members of a resource stand in `extra`.
    pub struct ResourceLink {
        @ "type" = "resource_link";
        /// Its address.
        uri: String = "uri", required;
        /// Its name.
        name: String = "name", required;
        /// A name for people.
        title: Option<String> = "title", hint;
        /// What it is.
        description: Option<String> = "description", hint;
        /// Its media type.
        mime_type: Option<String> = "mimeType", hint;
        /// Pictures that stand for it: an array.
        icons: Option<RawJson> = "icons", hint, since V2025_11_25;
    }
}

object! {
    /// A resource, with its contents.
    pub struct EmbeddedResource {
        @ "type" = "resource";
        /// `uri`, and `text` or `blob`.
        resource: RawObject = "resource", required;
        /// Whom it is for and how much it matters.
        annotations: Option<Annotations> = "annotations", hint, since V2024_11_05;
        /// Free members about the block.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

object! {
    /// Whom a block is for, and how much it matters.
    #[derive(Default)]
    pub struct Annotations {
        /// `user`, `assistant`, or both.
        audience: Option<Vec<String>> = "audience", hint;
        /// From 0, not at all, to 1, as much as can be.
        priority: Option<Number> = "priority", hint;
        /// When it was changed last, in ISO 8601.
        last_modified: Option<String> = "lastModified", hint, since V2025_06_18;
    }
}

impl EmbeddedResource {
    /// The contents of a resource have no `_meta` before 2025-06-18.
    fn without_inner_meta(&self) -> Self {
        let mut block = self.clone();
        block.resource.remove("_meta");
        block
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
            Self::Resource(block) if at < Revision::V2025_06_18 => {
                block.without_inner_meta().encode(at, serializer)
            }
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
        #[derive(Deserialize)]
        struct Tag {
            r#type: String,
        }
        let raw = RawJson::deserialize(deserializer)?;
        let tag: Tag = raw.decode().map_err(D::Error::custom)?;
        match tag.r#type.as_str() {
            "text" => raw.decode().map(Self::Text),
            "image" => raw.decode().map(Self::Image),
            "audio" => raw.decode().map(Self::Audio),
            "resource_link" => raw.decode().map(Self::ResourceLink),
            "resource" => raw.decode().map(Self::Resource),
            _ => return Ok(Self::Other(raw)),
        }
        .map_err(D::Error::custom)
    }
}
