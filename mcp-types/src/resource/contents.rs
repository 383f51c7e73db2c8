//! What a resource holds: text or bytes.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    encode::Encode,
    raw::{RawJson, RawObject, inner},
    revision::Revision,
};

/// What a resource holds, or a part of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
    /// Neither `text` nor `blob`, kept as it came.
    Other(RawObject),
}

impl ResourceContents {
    /// `text`, found at `uri`.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Text(TextResourceContents {
            uri: uri.into(),
            mime_type: None,
            text: text.into(),
            meta: None,
            extra: RawObject::new(),
        })
    }

    /// Bytes in base64, found at `uri`.
    pub fn blob(uri: impl Into<String>, blob: impl Into<String>) -> Self {
        Self::Blob(BlobResourceContents {
            uri: uri.into(),
            mime_type: None,
            blob: blob.into(),
            meta: None,
            extra: RawObject::new(),
        })
    }

    /// The address; empty where none is said.
    pub fn uri(&self) -> String {
        match self {
            Self::Text(contents) => contents.uri.clone(),
            Self::Blob(contents) => contents.uri.clone(),
            Self::Other(contents) => contents.decode("uri").unwrap_or_default(),
        }
    }
}

object! {
    /// Text of a resource.
    pub struct TextResourceContents {
        /// The resource's address.
        uri: String = "uri", required;
        /// Its media type.
        mime_type: Option<String> = "mimeType", hint;
        /// The text.
        text: String = "text", required;
        /// Free members about the contents.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

object! {
    /// Bytes of a resource.
    pub struct BlobResourceContents {
        /// The resource's address.
        uri: String = "uri", required;
        /// Its media type.
        mime_type: Option<String> = "mimeType", hint;
        /// The bytes, in base64.
        blob: String = "blob", required;
        /// Free members about the contents.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

impl Encode for ResourceContents {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(contents) => contents.encode(at, serializer),
            Self::Blob(contents) => contents.encode(at, serializer),
            Self::Other(contents) => contents.encode(at, serializer),
        }
    }
}

impl Serialize for ResourceContents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encode(Revision::LATEST, serializer)
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Kind {
            text: Option<serde::de::IgnoredAny>,
            blob: Option<serde::de::IgnoredAny>,
        }
        let raw = RawJson::deserialize(deserializer)?;
        let kind: Kind = raw.decode().map_err(inner)?;
        match kind {
            Kind { text: Some(_), .. } => raw.decode().map(Self::Text),
            Kind { blob: Some(_), .. } => raw.decode().map(Self::Blob),
            Kind { .. } => raw.decode().map(Self::Other),
        }
        .map_err(inner)
    }
}
