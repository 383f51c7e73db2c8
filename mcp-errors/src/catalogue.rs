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

mod read;

use std::{borrow::Cow, fmt, time::Duration};

use mcp_types::{
    ErrorCode, ErrorObject, RawJson, RawObject, RequestId, Revision,
    capability::ClientCapabilities, jsonrpc::ErrorId, revision::Era,
};
use serde::Serialize;

/// A JSON-RPC error of the protocol: what it says, to whichever revision.
#[derive(Debug, Clone, PartialEq)]
pub struct ProtocolError {
    kind: ProtocolErrorKind,
    message: Cow<'static, str>,
    data: Option<RawJson>,
}

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

/// How many characters of a peer's own words an error repeats.
const EXCERPT: usize = 256;

impl ProtocolError {
    /// -32700: the text is not JSON.
    pub fn parse(detail: impl fmt::Display) -> Self {
        Self::new(ProtocolErrorKind::Parse, format!("Parse error: {detail}"))
    }

    /// -32600: the request is none, or not allowed now; `message` says why and what would be.
    pub fn invalid_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ProtocolErrorKind::InvalidRequest, message)
    }

    /// -32600: a request that says nothing of its sender came before `initialize`.
    pub fn not_initialized() -> Self {
        Self::invalid_request("Invalid request parameters")
    }

    /// -32600: the id is that of a request still in flight.
    pub fn duplicate_request_id() -> Self {
        Self::invalid_request("Duplicate request id")
    }

    /// -32601: the method is unknown, removed, or not offered.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(
            ProtocolErrorKind::MethodNotFound,
            format!("Method not found: {}", excerpt(method)),
        )
    }

    /// -32602: the parameters do not fit; `message` names the member and what would fit.
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ProtocolErrorKind::InvalidParams, message)
    }

    /// -32602: there is no such tool.
    pub fn unknown_tool(name: &str) -> Self {
        Self::invalid_params(format!("Unknown tool: {}", excerpt(name)))
    }

    /// -32602: `_meta` lacks these members.
    pub fn missing_meta<'a>(missing: impl IntoIterator<Item = &'a str>) -> Self {
        let missing: Vec<String> = missing.into_iter().map(str::to_owned).collect();
        let noun = if missing.len() == 1 {
            "field"
        } else {
            "fields"
        };
        let message = format!("Missing required _meta {noun}: {}", missing.join(", "));
        #[derive(Serialize)]
        struct Data<'a> {
            missing: &'a [String],
        }
        let data = json(&Data { missing: &missing });
        Self::new(ProtocolErrorKind::MissingMeta { missing }, message).with_data(data)
    }

    /// -32602: the member `key` of `_meta` must be `expected`, such as `object`; `key` may be
    /// `_meta` itself.
    pub fn malformed_meta(key: &str, expected: &str) -> Self {
        let message = format!("Malformed _meta field: {key} must be of type {expected}");
        #[derive(Serialize)]
        struct Data<'a> {
            key: &'a str,
            expected: &'a str,
        }
        let data = json(&Data { key, expected });
        let kind = ProtocolErrorKind::MalformedMeta {
            key: key.to_owned(),
            expected: expected.to_owned(),
        };
        Self::new(kind, message).with_data(data)
    }

    /// -32602 with `data.uri`: there is no such resource. Up to 2025-11-25 the number is -32002.
    pub fn resource_not_found(uri: &str) -> Self {
        let uri = excerpt(uri);
        #[derive(Serialize)]
        struct Data<'a> {
            uri: &'a str,
        }
        let data = json(&Data { uri: &uri });
        let kind = ProtocolErrorKind::ResourceNotFound {
            uri: Some(uri.clone().into_owned()),
        };
        Self::new(kind, format!("Resource not found: {uri}")).with_data(data)
    }

    /// -32042 at 2025-11-25: the user must first be sent to a URL; `elicitations` is an array of parameters of
    /// `elicitation/create` in its mode `url`. No other revision has a number for it.
    pub fn url_elicitation_required(elicitations: RawJson) -> Self {
        #[derive(Serialize)]
        struct Data<'a> {
            elicitations: &'a RawJson,
        }
        let data = json(&Data {
            elicitations: &elicitations,
        });
        let kind = ProtocolErrorKind::UrlElicitationRequired {
            elicitations: Some(elicitations),
        };
        Self::new(kind, "URL elicitation required").with_data(data)
    }

    /// -1: the user turned a request for sampling down; a client's answer, up to 2025-11-25.
    pub fn user_rejected(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ProtocolErrorKind::Other(USER_REJECTED), message)
    }

    /// -32603: the receiver failed. What failed stays in the receiver's log.
    pub fn internal() -> Self {
        Self::new(ProtocolErrorKind::Internal, "Internal error")
    }

    /// -32603: no more is taken for `retry_after`, rounded up to whole seconds; `message` names the
    /// cap.
    pub fn at_capacity(message: impl Into<Cow<'static, str>>, retry_after: Duration) -> Self {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Data {
            code: &'static str,
            retry_after: u64,
        }
        let seconds = whole_seconds(retry_after);
        let data = json(&Data {
            code: AT_CAPACITY,
            retry_after: seconds,
        });
        let kind = ProtocolErrorKind::AtCapacity {
            retry_after: Some(Duration::from_secs(seconds)),
        };
        Self::new(kind, message).with_data(data)
    }

    /// -32020: `header` says `actual`, or nothing that can be read, where the body says `expected`.
    pub fn header_mismatch(header: &str, expected: &str, actual: Option<&str>) -> Self {
        let (expected, actual) = (excerpt(expected), actual.map(excerpt));
        let message = match &actual {
            Some(actual) => format!(
                "Header mismatch: {header} header value '{actual}' does not match body value '{expected}'"
            ),
            None => {
                format!("Header mismatch: missing {header} header, the body says '{expected}'")
            }
        };
        #[derive(Serialize)]
        struct Data<'a> {
            header: &'a str,
            expected: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            actual: Option<&'a str>,
        }
        let data = json(&Data {
            header,
            expected: &expected,
            actual: actual.as_deref(),
        });
        let kind = ProtocolErrorKind::HeaderMismatch {
            header: Some(header.to_owned()),
            expected: Some(expected.into_owned()),
            actual: actual.map(Cow::into_owned),
        };
        Self::new(kind, message).with_data(data)
    }

    /// -32021: the client would have to declare `required`.
    pub fn missing_client_capability(required: ClientCapabilities) -> Self {
        let message = format!(
            "Missing required client capability: {}",
            names(&required).join(", ")
        );
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Data<'a> {
            required_capabilities: &'a ClientCapabilities,
        }
        let data = json(&Data {
            required_capabilities: &required,
        });
        let kind = ProtocolErrorKind::MissingClientCapability {
            required: Box::new(required),
        };
        Self::new(kind, message).with_data(data)
    }

    /// -32022: `requested` is not among the versions `supported`.
    pub fn unsupported_version(
        supported: impl IntoIterator<Item = Revision>,
        requested: &str,
    ) -> Self {
        let supported: Vec<String> = supported
            .into_iter()
            .map(|revision| revision.to_string())
            .collect();
        let requested = excerpt(requested);
        #[derive(Serialize)]
        struct Data<'a> {
            supported: &'a [String],
            requested: &'a str,
        }
        let data = json(&Data {
            supported: &supported,
            requested: &requested,
        });
        let kind = ProtocolErrorKind::UnsupportedVersion {
            supported,
            requested: Some(requested.into_owned()),
        };
        Self::new(kind, "Unsupported protocol version").with_data(data)
    }

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

    fn new(kind: ProtocolErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            message: message.into(),
            data: None,
        }
    }

    fn with_data(mut self, data: Option<RawJson>) -> Self {
        self.data = data;
        self
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

const USER_REJECTED: ErrorCode = ErrorCode(-1);

const AT_CAPACITY: &str = "at_capacity";

/// The capabilities in the words of the specification, extensions by their ids.
fn names(required: &ClientCapabilities) -> Vec<String> {
    let mut names: Vec<String> = [
        ("sampling", &required.sampling),
        ("elicitation", &required.elicitation),
        ("roots", &required.roots),
        ("experimental", &required.experimental),
    ]
    .into_iter()
    .filter(|(_, declared)| declared.is_some())
    .map(|(name, _)| name.to_owned())
    .collect();
    let extensions = required.extensions.iter().flat_map(|ids| ids.iter());
    names.extend(extensions.map(|(id, _)| id.to_owned()));
    names.extend(required.extra.iter().map(|(name, _)| name.to_owned()));
    names
}

/// The start of what a peer wrote, so that an answer stays short whatever was asked.
fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs()
        .saturating_add(u64::from(wait.subsec_nanos() > 0))
}

fn json<T: Serialize>(data: &T) -> Option<RawJson> {
    RawJson::from_serialize(data).ok()
}

#[cfg(test)]
mod tests;
