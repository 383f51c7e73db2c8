//! Finding out who the peer is: `server/discover`, `initialize`, `ping`.

use crate::{
    cache::CacheScope,
    capability::{ClientCapabilities, Implementation, ServerCapabilities},
    raw::RawObject,
    revision::Revision,
};

object! {
    /// Parameters of a method that has none of its own.
    #[derive(Default)]
    pub struct EmptyParams {}
}

object! {
    /// A result without members of its own.
    #[derive(Default)]
    pub struct EmptyResult {
        @ "resultType" = "complete", since V2026_07_28;
        /// Free members about the result.
        meta: Option<RawObject> = "_meta", hint;
    }
}

object! {
    /// The answer to `server/discover` (2026-07-28).
    pub struct DiscoverResult {
        @ "resultType" = "complete", since V2026_07_28;
        /// The versions that a request's `_meta` may name, in the server's order of preference.
        supported_versions: Vec<String> = "supportedVersions", list;
        /// What the server offers.
        capabilities: ServerCapabilities = "capabilities", list;
        /// How to use the server, for a model.
        instructions: Option<String> = "instructions", hint;
        /// For how many milliseconds the answer may be reused.
        ttl_ms: Option<u64> = "ttlMs", hint, since V2026_07_28;
        /// Who may reuse it.
        cache_scope: Option<CacheScope> = "cacheScope", hint, since V2026_07_28;
        /// Free members about the result; the server's name and version stand here.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl DiscoverResult {
    /// A server that serves `versions` and offers `capabilities`.
    pub fn new(
        versions: impl IntoIterator<Item = Revision>,
        capabilities: ServerCapabilities,
    ) -> Self {
        Self {
            supported_versions: versions
                .into_iter()
                .map(|version| version.to_string())
                .collect(),
            capabilities,
            instructions: None,
            ttl_ms: None,
            cache_scope: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// The parameters of `initialize` (legacy).
    pub struct InitializeParams {
        /// The version that the client would like.
        protocol_version: String = "protocolVersion", required;
        /// What the client can do.
        capabilities: ClientCapabilities = "capabilities", required;
        /// Who the client is.
        client_info: Implementation = "clientInfo", required;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl InitializeParams {
    /// Asks for `revision` in the name of `client`.
    pub fn new(
        revision: Revision,
        capabilities: ClientCapabilities,
        client: Implementation,
    ) -> Self {
        Self {
            protocol_version: revision.to_string(),
            capabilities,
            client_info: client,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// The answer to `initialize` (legacy).
    pub struct InitializeResult {
        /// The version that the connection speaks from here on.
        protocol_version: String = "protocolVersion", required;
        /// What the server offers.
        capabilities: ServerCapabilities = "capabilities", list;
        /// Who the server is.
        server_info: Implementation = "serverInfo", required;
        /// How to use the server, for a model.
        instructions: Option<String> = "instructions", hint, since V2024_11_05;
        /// Free members about the result.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl InitializeResult {
    /// A connection that speaks `revision`.
    pub fn new(
        revision: Revision,
        capabilities: ServerCapabilities,
        server: Implementation,
    ) -> Self {
        Self {
            protocol_version: revision.to_string(),
            capabilities,
            server_info: server,
            instructions: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}
