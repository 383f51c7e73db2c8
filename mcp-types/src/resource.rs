//! Resources: what a server lets a client read, by address.
//!
//! Source: the specification's page *Resources*.

mod contents;
mod list;

pub use self::{
    contents::{BlobResourceContents, ResourceContents, TextResourceContents},
    list::{
        ListResourceTemplatesParams, ListResourceTemplatesResult, ListResourcesParams,
        ListResourcesResult, Resource, ResourceTemplate,
    },
};
use crate::{cache::CacheScope, input::InputResponses, raw::RawObject};

object! {
    /// The parameters of `resources/read`.
    pub struct ReadResourceParams {
        /// The resource's address.
        uri: String = "uri", required;
        /// Answers to what the server asked before (2026-07-28).
        input_responses: Option<InputResponses> = "inputResponses", hint, since V2026_07_28;
        /// What the server gave to carry, unchanged (2026-07-28).
        request_state: Option<String> = "requestState", optional, since V2026_07_28;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ReadResourceParams {
    /// Reads the resource at `uri`.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            input_responses: None,
            request_state: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// What was read.
    #[derive(Default)]
    pub struct ReadResourceResult {
        @ "resultType" = "complete", since V2026_07_28;
        /// The contents: of the resource, or of each part of it. Never empty for an address that is unknown.
        contents: Vec<ResourceContents> = "contents", list;
        /// For how many milliseconds they may be reused.
        ttl_ms: Option<u64> = "ttlMs", hint, since V2026_07_28;
        /// Who may reuse them.
        cache_scope: Option<CacheScope> = "cacheScope", hint, since V2026_07_28;
        /// Free members about the result.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ReadResourceResult {
    /// Contents that are one text.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            contents: vec![ResourceContents::text(uri, text)],
            ..Self::default()
        }
    }
}

object! {
    /// The parameters of `resources/subscribe` and `resources/unsubscribe` (legacy).
    pub struct SubscribeParams {
        /// The resource's address.
        uri: String = "uri", required;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl SubscribeParams {
    /// For the resource at `uri`.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// A resource changed: `notifications/resources/updated`.
    pub struct ResourceUpdatedParams {
        /// The resource's address; it may lie below the one that was subscribed to.
        uri: String = "uri", required;
        /// Free members about the notification.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ResourceUpdatedParams {
    /// The resource at `uri` changed.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            meta: None,
            extra: RawObject::new(),
        }
    }
}
