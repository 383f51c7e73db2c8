//! Reading an error that a peer sent, of whichever revision or draft.

use std::time::Duration;

use mcp_types::{ErrorCode, ErrorObject, RawObject};
use serde::de::DeserializeOwned;

use super::{AT_CAPACITY, ProtocolError, ProtocolErrorKind as Kind};

/// Header mismatch in drafts of 2026-07-28; also what some peers send for a lost session or a timeout.
const DRAFT_HEADER_MISMATCH: i64 = -32001;
/// Resource not found, up to 2025-11-25.
pub(super) const RESOURCE_NOT_FOUND: ErrorCode = ErrorCode(-32002);
/// Missing client capability in drafts of 2026-07-28.
const DRAFT_MISSING_CAPABILITY: i64 = -32003;
/// Unsupported protocol version in drafts of 2026-07-28.
const DRAFT_UNSUPPORTED_VERSION: i64 = -32004;
/// URL elicitation required, at 2025-11-25.
pub(super) const URL_ELICITATION_REQUIRED: ErrorCode = ErrorCode(-32042);

/// Reads what a peer sent. Message and data stay as they came.
impl From<ErrorObject> for ProtocolError {
    fn from(error: ErrorObject) -> Self {
        let data = error.data.as_ref().and_then(|data| data.decode().ok());
        let kind = kind(error.code, &error.message, &data.unwrap_or_default());
        Self {
            kind,
            message: error.message,
            data: error.data,
        }
    }
}

fn kind(code: ErrorCode, message: &str, data: &RawObject) -> Kind {
    // Draft numbers were ordinary ones of implementations too: data of the right shape must vouch.
    match code {
        ErrorCode::PARSE_ERROR => Kind::Parse,
        ErrorCode::INVALID_REQUEST => Kind::InvalidRequest,
        ErrorCode::METHOD_NOT_FOUND => Kind::MethodNotFound,
        ErrorCode::INVALID_PARAMS => invalid_params(data),
        ErrorCode::INTERNAL_ERROR => internal(data),
        ErrorCode::HEADER_MISMATCH => header_mismatch(data),
        ErrorCode::MISSING_CLIENT_CAPABILITY => {
            missing_capability(data).unwrap_or_else(|| Kind::MissingClientCapability {
                required: Box::default(),
            })
        }
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => {
            unsupported_version(data).unwrap_or_else(|| Kind::UnsupportedVersion {
                supported: Vec::new(),
                requested: data.decode("requested"),
            })
        }
        ErrorCode(DRAFT_HEADER_MISMATCH)
            if data.contains("header") || message.starts_with("Header mismatch") =>
        {
            header_mismatch(data)
        }
        ErrorCode(DRAFT_MISSING_CAPABILITY) => {
            missing_capability(data).unwrap_or(Kind::Other(code))
        }
        ErrorCode(DRAFT_UNSUPPORTED_VERSION) => {
            unsupported_version(data).unwrap_or(Kind::Other(code))
        }
        RESOURCE_NOT_FOUND => Kind::ResourceNotFound {
            uri: data.decode("uri"),
        },
        URL_ELICITATION_REQUIRED => Kind::UrlElicitationRequired {
            elicitations: data.get("elicitations").cloned(),
        },
        other => Kind::Other(other),
    }
}

/// -32602 is told apart by its data; a legacy `initialize` refuses a version with it.
fn invalid_params(data: &RawObject) -> Kind {
    let missing = || {
        Some(Kind::MissingMeta {
            missing: data.decode("missing")?,
        })
    };
    let malformed = || {
        Some(Kind::MalformedMeta {
            key: data.decode("key")?,
            expected: data.decode("expected")?,
        })
    };
    let resource = || {
        Some(Kind::ResourceNotFound {
            uri: Some(data.decode("uri")?),
        })
    };
    missing()
        .or_else(malformed)
        .or_else(resource)
        .or_else(|| unsupported_version(data))
        .unwrap_or(Kind::InvalidParams)
}

fn internal(data: &RawObject) -> Kind {
    if data.decode::<String>("code").as_deref() != Some(AT_CAPACITY) {
        return Kind::Internal;
    }
    Kind::AtCapacity {
        retry_after: data.decode("retryAfter").map(Duration::from_secs),
    }
}

fn header_mismatch(data: &RawObject) -> Kind {
    Kind::HeaderMismatch {
        header: data.decode("header"),
        expected: data.decode("expected"),
        actual: data.decode("actual"),
    }
}

fn missing_capability(data: &RawObject) -> Option<Kind> {
    Some(Kind::MissingClientCapability {
        required: boxed(data, "requiredCapabilities")?,
    })
}

fn unsupported_version(data: &RawObject) -> Option<Kind> {
    Some(Kind::UnsupportedVersion {
        supported: data.decode("supported")?,
        requested: data.decode("requested"),
    })
}

fn boxed<T: DeserializeOwned>(data: &RawObject, name: &str) -> Option<Box<T>> {
    data.decode(name).map(Box::new)
}
