//! Which errors there are, and what a program may need of each.

use std::time::Duration;

use mcp_types::{ErrorCode, RawJson, capability::ClientCapabilities};

/// Which error it is, with what a program may need of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ProtocolErrorKind {
    /// The text is not JSON.
    Parse,
    /// The JSON is no JSON-RPC request, or none that is allowed now.
    InvalidRequest,
    /// The method is unknown, removed, or not offered.
    MethodNotFound,
    /// The parameters do not fit the method.
    InvalidParams,
    /// Members that the `_meta` of a modern request must have are missing.
    MissingMeta {
        /// Their names.
        missing: Vec<String>,
    },
    /// A member of `_meta`, or `_meta` itself, has another shape than it must have.
    MalformedMeta {
        /// Its name.
        key: String,
        /// What it must be, such as `string`.
        expected: String,
    },
    /// There is no such resource.
    ResourceNotFound {
        /// Its address, if the peer said it.
        uri: Option<String>,
    },
    /// The receiver failed.
    Internal,
    /// The receiver takes no more now.
    AtCapacity {
        /// When to try again, if the peer said it.
        retry_after: Option<Duration>,
    },
    /// A header is missing, malformed, or differs from the body.
    HeaderMismatch {
        /// Its name, if the peer said it.
        header: Option<String>,
        /// What the body says.
        expected: Option<String>,
        /// What the header says.
        actual: Option<String>,
    },
    /// The request did not declare a capability that its answer needs.
    MissingClientCapability {
        /// What the client would have to declare.
        required: Box<ClientCapabilities>,
    },
    /// The protocol version is not served.
    UnsupportedVersion {
        /// The versions to choose from; empty if the peer did not say them.
        supported: Vec<String>,
        /// The version that was asked for.
        requested: Option<String>,
    },
    /// The user must first be sent to a URL (2025-11-25 alone).
    UrlElicitationRequired {
        /// The elicitations: an array of their parameters.
        elicitations: Option<RawJson>,
    },
    /// A code that MCP does not define.
    Other(ErrorCode),
}

impl ProtocolErrorKind {
    /// Whether it is given before a handler is reached, so that the call provably did not run.
    pub const fn precedes_handlers(&self) -> bool {
        matches!(
            self,
            Self::Parse
                | Self::InvalidRequest
                | Self::MethodNotFound
                | Self::MissingMeta { .. }
                | Self::MalformedMeta { .. }
                | Self::AtCapacity { .. }
                | Self::HeaderMismatch { .. }
                | Self::UnsupportedVersion { .. }
        )
    }
}
