//! Which HTTP status a JSON-RPC error travels on.

#[cfg(test)]
mod tests;

use http::StatusCode;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const HEADER_MISMATCH: i64 = -32020;
const MISSING_CAPABILITY: i64 = -32021;
const UNSUPPORTED_VERSION: i64 = -32022;

/// Who raised an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Raised {
    /// The protocol layer, before a handler ran.
    Protocol,
    /// The handler of the method.
    Handler,
}

/// The status of an error that answers a modern (2026-07-28) request.
///
/// A refusal of the protocol layer has a status of its own: 404 for an unknown method, 400 for the other
/// codes it can raise. An error of a handler is an answer, 200, but for a missing client capability, which is
/// 400 wherever it shows ([basic/transports/streamable-http][http]). Once the answer is a stream its status
/// is out already, and this does not apply.
///
/// [http]: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
pub fn modern(code: i64, raised: Raised) -> StatusCode {
    match (raised, code) {
        (_, MISSING_CAPABILITY) => StatusCode::BAD_REQUEST,
        (Raised::Protocol, METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        (
            Raised::Protocol,
            PARSE_ERROR | INVALID_REQUEST | INVALID_PARAMS | HEADER_MISMATCH | UNSUPPORTED_VERSION,
        ) => StatusCode::BAD_REQUEST,
        (Raised::Protocol | Raised::Handler, _) => StatusCode::OK,
    }
}

/// The status of an error that answers a legacy request.
///
/// Legacy errors are answers, 200, but for a body that is no request (400) and a revision in the header that
/// is not served (400). A request without its session id, 400, or with one that is not known, 404, is
/// [`legacy_session`]'s.
pub fn legacy(code: i64, raised: Raised) -> StatusCode {
    match (raised, code) {
        (
            Raised::Protocol,
            PARSE_ERROR | INVALID_REQUEST | HEADER_MISMATCH | UNSUPPORTED_VERSION,
        ) => StatusCode::BAD_REQUEST,
        (Raised::Protocol | Raised::Handler, _) => StatusCode::OK,
    }
}

/// The status of a legacy request whose session is not there: 400 if it named none, 404 if it named one that
/// is unknown or ended, on which the client starts anew (2025-11-25 basic/transports#session-management).
pub fn legacy_session(named: bool) -> StatusCode {
    if named {
        StatusCode::NOT_FOUND
    } else {
        StatusCode::BAD_REQUEST
    }
}
