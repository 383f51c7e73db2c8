//! What the handler of a resource may return.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use mcp_errors::ProtocolError;
use mcp_types::resource::{ReadResourceResult, ResourceContents};
use serde::Serialize;

use crate::{
    answer::{Answer, IntoAnswer, Json},
    kind::ForResource,
};

impl IntoAnswer<ForResource> for ReadResourceResult {
    fn into_answer(self) -> Answer {
        Answer::new(self)
    }
}

/// Parts of the resource, each at its own address; one without has that of the resource.
impl IntoAnswer<ForResource> for Vec<ResourceContents> {
    fn into_answer(self) -> Answer {
        Answer::new(ReadResourceResult {
            contents: self,
            ..ReadResourceResult::default()
        })
    }
}

impl IntoAnswer<ForResource> for ResourceContents {
    fn into_answer(self) -> Answer {
        vec![self].into_answer()
    }
}

impl IntoAnswer<ForResource> for String {
    fn into_answer(self) -> Answer {
        ResourceContents::text("", self).into_answer()
    }
}

impl IntoAnswer<ForResource> for &str {
    fn into_answer(self) -> Answer {
        ResourceContents::text("", self).into_answer()
    }
}

/// Bytes; they travel in base64.
impl IntoAnswer<ForResource> for Vec<u8> {
    fn into_answer(self) -> Answer {
        ResourceContents::blob("", STANDARD.encode(self)).into_answer()
    }
}

/// Bytes; they travel in base64.
impl IntoAnswer<ForResource> for Bytes {
    fn into_answer(self) -> Answer {
        ResourceContents::blob("", STANDARD.encode(self)).into_answer()
    }
}

/// The value as JSON text, `application/json`.
impl<T: Serialize> IntoAnswer<ForResource> for Json<T> {
    fn into_answer(self) -> Answer {
        match serde_json::to_string(&self.0) {
            Ok(text) => {
                let mut contents = ResourceContents::text("", text);
                if let ResourceContents::Text(text) = &mut contents {
                    text.mime_type = Some("application/json".into());
                }
                contents.into_answer()
            }
            Err(error) => {
                let kind = std::any::type_name::<T>();
                tracing::error!(%error, kind, "a handler's value cannot be written as JSON");
                Answer::error(ProtocolError::internal().into())
            }
        }
    }
}
