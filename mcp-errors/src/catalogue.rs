//! Every JSON-RPC error that MCP defines: its code per revision, its message, its data.
//!
//! Source: 2026-07-28 `basic/index#error-codes` and the schema of each revision.
//!
//! | error | 2026-07-28 | before |
//! |---|---|---|
//! | not JSON | -32700 | -32700 |
//! | no request, not allowed now | -32600 | -32600 |
//! | method not found | -32601 | -32601 |
//! | params do not fit; `_meta` incomplete | -32602 | -32602 |
//! | resource not found | -32602 with `data.uri` | -32002 with `data.uri` (-32602 at 2024-10-07) |
//! | the receiver failed, or is at capacity | -32603 | -32603 |
//! | header and body differ | -32020 | -32600 |
//! | the client did not declare a capability | -32021 | -32602 |
//! | protocol version not served | -32022 | -32602 |
//! | the user must first be sent to a URL | – (the question is a result) | -32042 at 2025-11-25 |
//!
//! A peer gets only the numbers of its own revision. Numbers of other revisions and of drafts (-32001, -32003,
//! -32004) are read whatever was negotiated; those of drafts are never written.

mod kind;
mod make;
mod read;

use std::{borrow::Cow, fmt, time::Duration};

use mcp_types::{
    ErrorCode, ErrorObject, RawJson, RawObject, RequestId, Revision, jsonrpc::ErrorId,
    revision::Era,
};

pub use self::kind::ProtocolErrorKind;

const AT_CAPACITY: &str = "at_capacity";

/// A JSON-RPC error of the protocol: what it says, to whichever revision.
#[derive(Debug, Clone, PartialEq)]
pub struct ProtocolError {
    kind: ProtocolErrorKind,
    message: Cow<'static, str>,
    data: Option<RawJson>,
}

impl ProtocolError {
    /// The same error in other words.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.message = message.into();
        self
    }

    /// Which error it is.
    pub fn kind(&self) -> &ProtocolErrorKind {
        &self.kind
    }

    /// One sentence for a person.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The data as it came or will be sent.
    pub fn data(&self) -> Option<&RawJson> {
        self.data.as_ref()
    }

    /// When the peer wants to be asked again: `retryAfter` of its data, whatever the code.
    pub fn retry_after(&self) -> Option<Duration> {
        let data: RawObject = self.data.as_ref()?.decode().ok()?;
        let seconds = data.decode::<f64>("retryAfter")?;
        let wait = || Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        (seconds >= 0.0).then(wait)
    }

    /// The code that says it to a peer of `revision`.
    pub fn code(&self, revision: Revision) -> ErrorCode {
        let (modern, legacy) = match self.kind {
            ProtocolErrorKind::Parse => return ErrorCode::PARSE_ERROR,
            ProtocolErrorKind::InvalidRequest => return ErrorCode::INVALID_REQUEST,
            ProtocolErrorKind::MethodNotFound => return ErrorCode::METHOD_NOT_FOUND,
            ProtocolErrorKind::InvalidParams
            | ProtocolErrorKind::MissingMeta { .. }
            | ProtocolErrorKind::MalformedMeta { .. } => return ErrorCode::INVALID_PARAMS,
            ProtocolErrorKind::ResourceNotFound { .. } if revision == Revision::V2024_10_07 => {
                return ErrorCode::INVALID_PARAMS;
            }
            ProtocolErrorKind::ResourceNotFound { .. } => {
                (ErrorCode::INVALID_PARAMS, read::RESOURCE_NOT_FOUND)
            }
            ProtocolErrorKind::Internal | ProtocolErrorKind::AtCapacity { .. } => {
                return ErrorCode::INTERNAL_ERROR;
            }
            ProtocolErrorKind::HeaderMismatch { .. } => {
                (ErrorCode::HEADER_MISMATCH, ErrorCode::INVALID_REQUEST)
            }
            ProtocolErrorKind::MissingClientCapability { .. } => (
                ErrorCode::MISSING_CLIENT_CAPABILITY,
                ErrorCode::INVALID_PARAMS,
            ),
            ProtocolErrorKind::UnsupportedVersion { .. } => (
                ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
                ErrorCode::INVALID_PARAMS,
            ),
            ProtocolErrorKind::UrlElicitationRequired { .. }
                if revision == Revision::V2025_11_25 =>
            {
                return read::URL_ELICITATION_REQUIRED;
            }
            // No code says it elsewhere; at 2026-07-28 the question is a result.
            ProtocolErrorKind::UrlElicitationRequired { .. } => return ErrorCode::INVALID_PARAMS,
            ProtocolErrorKind::Other(code) => return code,
        };
        match revision.era() {
            Era::Legacy => legacy,
            _ => modern,
        }
    }

    /// What goes to a peer of `revision`.
    pub fn into_object(self, revision: Revision) -> ErrorObject {
        let code = self.code(revision);
        let mut object = ErrorObject::new(code, self.message);
        object.data = self.data;
        object
    }
}

/// Which id an error response carries: that of the request where it could be read; else `null`
/// before a revision is settled and up to 2025-06-18 (JSON-RPC 2.0), and none from 2025-11-25 on
/// (whose schemas know no `null` there).
pub fn error_id(request: Option<RequestId>, revision: Option<Revision>) -> ErrorId {
    match (request, revision) {
        (Some(id), _) => ErrorId::Known(id),
        (None, Some(revision)) if revision >= Revision::V2025_11_25 => ErrorId::Omitted,
        (None, _) => ErrorId::Null,
    }
}

/// Writes for [`Revision::LATEST`].
impl From<ProtocolError> for ErrorObject {
    fn from(error: ProtocolError) -> Self {
        error.into_object(Revision::LATEST)
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ProtocolError {}

#[cfg(test)]
mod tests;
