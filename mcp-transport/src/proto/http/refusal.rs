//! What HTTP refuses before a method is reached, with the status, the code and the sentence of each.

use core::time::Duration;

use http::StatusCode;
use serde_json::value::RawValue;

use super::Place;

/// A request that HTTP refuses; `Display` is the message of its JSON-RPC error body, which has no id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// 405: GET or DELETE where there are no sessions, or a method nothing serves.
    #[error("Method not allowed{}. Use POST {path}.", if *.sessions { "" } else { " in stateless mode" })]
    Method {
        /// The path of the endpoint.
        path: String,
        /// Whether the endpoint keeps legacy sessions, and so takes GET and DELETE.
        sessions: bool,
    },
    /// 403: the `Origin` is not allowed.
    #[error(
        "Origin {0} is not in the allowlist. Add it with allowed_origins or MCP_ALLOWED_ORIGINS."
    )]
    Origin(String),
    /// 403: the `Host` is not allowed.
    #[error("Host {0} is not in the allowlist. Add it with allowed_hosts or MCP_ALLOWED_HOSTS.")]
    Host(String),
    /// 415: the body is not JSON in UTF-8; `None` if `Content-Type` is missing or repeated.
    #[error("Content-Type must be application/json in UTF-8, once; it is {}.", .0.as_deref().unwrap_or("missing or repeated"))]
    MediaType(Option<String>),
    /// 415: the body has a content coding.
    #[error("Content-Encoding {0} is not supported. Send the body as it is.")]
    Encoding(String),
    /// 413: the body is over the limit.
    #[error("The body is over the limit of {limit} bytes.")]
    TooLarge {
        /// The most bytes a body may have.
        limit: usize,
    },
    /// 406: the client takes only one of the two kinds of answer.
    #[error("Accept must admit both application/json and text/event-stream.")]
    Accept,
    /// 400: the header names a revision that is not served.
    #[error("Unsupported MCP-Protocol-Version: {requested}. Supported: {}.", .served.join(", "))]
    Version {
        /// What the header says.
        requested: String,
        /// Every revision served, newest first.
        served: Vec<&'static str>,
        /// The modern ones among them.
        modern: Vec<&'static str>,
    },
    /// 503: a cap of connections, sessions or streams is reached.
    #[error("At capacity: {limit} {what}. Try again in {} s.", .retry_after.as_secs())]
    Capacity {
        /// What there are too many of, such as `sessions`.
        what: &'static str,
        /// The cap.
        limit: usize,
        /// When to try again; whole seconds, which also go into `Retry-After`.
        retry_after: Duration,
    },
}

impl Refusal {
    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::Origin(_) | Self::Host(_) => StatusCode::FORBIDDEN,
            Self::MediaType(_) | Self::Encoding(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Accept => StatusCode::NOT_ACCEPTABLE,
            Self::Version { .. } => StatusCode::BAD_REQUEST,
            Self::Capacity { .. } => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The JSON-RPC code of the body.
    pub fn code(&self) -> i64 {
        match self {
            Self::Version { .. } => -32022,
            Self::Capacity { .. } => -32603,
            Self::Method { .. }
            | Self::Origin(_)
            | Self::Host(_)
            | Self::MediaType(_)
            | Self::Encoding(_)
            | Self::TooLarge { .. }
            | Self::Accept => -32600,
        }
    }

    /// The `data` of the error, where it has one.
    pub fn data(&self) -> Option<Box<RawValue>> {
        let data = match self {
            Self::Version {
                requested, modern, ..
            } => {
                serde_json::json!({ "supported": modern, "requested": requested })
            }
            Self::Capacity { retry_after, .. } => {
                serde_json::json!({ "code": "at_capacity", "retryAfter": retry_after.as_secs() })
            }
            _ => return None,
        };
        serde_json::value::to_raw_value(&data).ok()
    }

    /// The value of `Allow`, which a 405 must have.
    pub fn allow(&self) -> Option<&'static str> {
        match self {
            Self::Method { sessions, .. } => Some(Place::Endpoint.methods(*sessions)),
            _ => None,
        }
    }

    /// Whether the connection is to be closed after the answer, since its body will not be read.
    pub fn closes(&self) -> bool {
        matches!(self, Self::TooLarge { .. })
    }
}
