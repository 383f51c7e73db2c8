//! Blocks that stand for a resource.

use super::Annotations;
use crate::{icon::Icon, raw::RawObject, resource::ResourceContents};

object! {
    /// A resource, by its address.
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
        /// Its size in bytes, before any base64.
        size: Option<u64> = "size", hint;
        /// Whom it is for and how much it matters.
        annotations: Option<Annotations> = "annotations", hint;
        /// Pictures that stand for it.
        icons: Option<Vec<Icon>> = "icons", hint, since V2025_11_25;
        /// Free members about the block.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ResourceLink {
    /// The resource at `uri`.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            icons: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// A resource, with its contents.
    pub struct EmbeddedResource {
        @ "type" = "resource";
        /// What it holds.
        resource: ResourceContents = "resource", required;
        /// Whom it is for and how much it matters.
        annotations: Option<Annotations> = "annotations", hint, since V2024_11_05;
        /// Free members about the block.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

impl EmbeddedResource {
    /// A resource that holds `contents`.
    pub const fn new(contents: ResourceContents) -> Self {
        Self {
            resource: contents,
            annotations: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}
