//! Errors that are answered at once.

use std::time::Duration;

use http::StatusCode;
use mcp_transport::{http::server::HttpAnswer, proto::http::Refusal};
use mcp_types::{ErrorCode, ErrorObject, RequestId, jsonrpc::ErrorId};

use crate::proto::{
    http_era::Refused,
    sessions::{Full, NotBegun},
};

/// How long a client is asked to wait when a cap is reached.
const RETRY_AFTER: Duration = Duration::from_secs(5);

impl From<Refused> for HttpAnswer {
    fn from(refused: Refused) -> Self {
        Self::error(refused.status, &refused.id, &refused.error)
    }
}

/// A cap is reached.
pub(super) fn at_capacity(full: Full, id: &ErrorId) -> HttpAnswer {
    let refusal = Refusal::Capacity {
        what: full.what,
        limit: full.limit,
        retry_after: RETRY_AFTER,
    };
    HttpAnswer::refusal(&refusal, id)
}

/// A request of a session cannot begin.
pub(super) fn refuse(not_begun: NotBegun, id: &RequestId) -> HttpAnswer {
    let status = match not_begun {
        NotBegun::Full(full) => return at_capacity(full, &ErrorId::Known(id.clone())),
        NotBegun::Duplicate => StatusCode::BAD_REQUEST,
        NotBegun::Unknown => StatusCode::NOT_FOUND,
    };
    HttpAnswer::error(status, &ErrorId::Known(id.clone()), &said(not_begun))
}

/// A session has ended while a request of it was judged.
pub(super) fn gone() -> HttpAnswer {
    let error = said(NotBegun::Unknown);
    HttpAnswer::error(StatusCode::NOT_FOUND, &ErrorId::Omitted, &error)
}

/// Why not, in the words of the protocol.
pub(super) fn said(not_begun: NotBegun) -> ErrorObject {
    let (code, text) = match not_begun {
        NotBegun::Unknown => (ErrorCode::INVALID_REQUEST, "Session not found".to_owned()),
        NotBegun::Duplicate => (
            ErrorCode::INVALID_REQUEST,
            "Duplicate request id".to_owned(),
        ),
        NotBegun::Full(full) => (
            ErrorCode::INTERNAL_ERROR,
            format!("At capacity: {} {}", full.limit, full.what),
        ),
    };
    ErrorObject::new(code, text)
}
