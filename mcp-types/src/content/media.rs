//! Blocks that carry what they show: text, pictures, sounds.

use super::Annotations;
use crate::raw::RawObject;

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

impl ImageContent {
    /// A picture: bytes in base64, and their media type.
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl AudioContent {
    /// A sound: bytes in base64, and their media type.
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}
