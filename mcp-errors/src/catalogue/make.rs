//! Making the errors: what each says, and its data.

use std::{borrow::Cow, fmt, time::Duration};

use mcp_types::{ErrorCode, RawJson, Revision, capability::ClientCapabilities};
use serde::Serialize;

use super::{AT_CAPACITY, ProtocolError, ProtocolErrorKind};

/// How many characters of a peer's own words an error repeats.
pub(super) const EXCERPT: usize = 256;

const USER_REJECTED: ErrorCode = ErrorCode(-1);

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
