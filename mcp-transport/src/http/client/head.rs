//! The headers of a request by its era, and the legacy session they depend on.

use ::http::{HeaderMap, HeaderName, HeaderValue, header};
use mcp_errors::{Failure, FailureKind};
use mcp_types::{Method, RawJson};

use crate::{
    exchange::Request,
    proto::{
        headers::{
            self, MCP_METHOD, MCP_NAME, MCP_PARAM_PREFIX, MCP_PROTOCOL_VERSION, MCP_SESSION_ID,
        },
        mirror::ParamHeaders,
    },
};

/// In this order: some servers compare the text.
pub(super) const ACCEPT_BOTH: HeaderValue =
    HeaderValue::from_static("application/json, text/event-stream");
pub(super) const ACCEPT_EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
pub(super) const IDENTITY: HeaderValue = HeaderValue::from_static("identity");
pub(super) const CONTENT_TYPE_JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Whether the transport sets the header `name` itself.
pub(super) fn is_reserved(name: &HeaderName) -> bool {
    let mirrored =
        name.as_str().starts_with("mcp-") && !name.as_str().starts_with(MCP_PARAM_PREFIX);
    mirrored
        || [
            header::ACCEPT,
            header::ACCEPT_ENCODING,
            header::CONNECTION,
            header::CONTENT_LENGTH,
            header::CONTENT_TYPE,
            header::HOST,
            header::TRANSFER_ENCODING,
            headers::LAST_EVENT_ID,
        ]
        .contains(name)
}

/// Replaces what `headers` has of the names in `over`; the transport's own names are left out.
pub(super) fn overlay(headers: &mut HeaderMap, over: &HeaderMap) {
    for name in over.keys() {
        headers.remove(name);
    }
    for (name, value) in over {
        if !is_reserved(name) {
            headers.append(name, value.clone());
        }
    }
}

/// What earlier answers decided about later requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    id: Option<HeaderValue>,
    /// The revision that `initialize` negotiated.
    version: Option<HeaderValue>,
    /// The revision of the modern requests, which a modern notification repeats.
    modern: Option<HeaderValue>,
    /// It took the place of one that only seemed to be lost, and nothing was answered in it yet.
    unproven: bool,
}

impl Session {
    /// Headers of a modern request, which mirror its body.
    pub(super) fn modern(
        &mut self,
        request: &Request,
        headers: &mut HeaderMap,
    ) -> Result<(), Failure> {
        let version = request.meta.protocol_version().unwrap_or_default();
        let version = headers::encode(&version);
        headers.insert(MCP_PROTOCOL_VERSION, version.clone());
        headers.insert(MCP_METHOD, headers::encode(request.method.as_str()));
        self.modern = Some(version);
        if let Some(member) = request.method.spec().and_then(|spec| spec.name_header) {
            let name = request
                .params
                .decode_member::<String>(member)
                .map_err(|error| {
                    let detail = format!(
                        "{member} of {} must be a string: it becomes a header",
                        request.method
                    );
                    Failure::new(FailureKind::Invalid, detail).with_source(error)
                })?;
            if let Some(name) = name {
                headers.insert(MCP_NAME, headers::encode(&name));
            }
        }
        if let Some(params) = request.ext.get::<ParamHeaders>() {
            // What the body says stands above what a caller set by hand.
            for (name, value) in params.as_map() {
                headers.insert(name, value.clone());
            }
        }
        Ok(())
    }

    /// Headers of a legacy request: the session's, but for `initialize`, which begins one.
    pub(super) fn legacy(&self, method: &Method, headers: &mut HeaderMap) {
        if *method != "initialize" {
            self.tag(headers);
        }
    }

    /// Headers of a notification or of an answer to the server.
    pub(super) fn aside(&self, method: Option<&Method>, headers: &mut HeaderMap) {
        match (&self.version, &self.modern) {
            (None, Some(modern)) => {
                headers.insert(MCP_PROTOCOL_VERSION, modern.clone());
                if let Some(method) = method {
                    headers.insert(MCP_METHOD, headers::encode(method.as_str()));
                }
            }
            _ => self.tag(headers),
        }
    }

    /// Begins a session: its id comes from the answer to `initialize` and from nowhere else. Whether it takes the place
    /// of one with another id.
    pub(super) fn begin(&mut self, headers: &HeaderMap, result: &RawJson) -> bool {
        #[derive(serde::Deserialize)]
        struct Negotiated {
            #[serde(rename = "protocolVersion")]
            protocol_version: String,
        }
        let id = headers.get(MCP_SESSION_ID).cloned();
        let replaced = self.id.is_some() && self.id != id;
        self.id = id;
        self.unproven = false;
        let negotiated = result.decode::<Negotiated>().ok();
        self.version =
            negotiated.and_then(|found| HeaderValue::from_str(&found.protocol_version).ok());
        replaced
    }

    /// It was begun on a mere suspicion.
    pub(super) fn doubt(&mut self) {
        self.unproven = true;
    }

    /// A request in it was answered.
    pub(super) fn prove(&mut self) {
        self.unproven = false;
    }

    /// Whether nothing is known that it was ever good for.
    pub(super) fn is_unproven(&self) -> bool {
        self.unproven
    }

    /// Whether a session goes on, and is another than `lost`.
    pub(super) fn is_beyond(&self, lost: &HeaderValue) -> bool {
        self.version.is_some() && self.id.as_ref() != Some(lost)
    }

    /// Whether there is none, or it was ended.
    pub(super) fn is_over(&self) -> bool {
        self.version.is_none()
    }

    /// Whether `other` speaks the same revision.
    pub(super) fn speaks_like(&self, other: &Self) -> bool {
        self.version == other.version
    }

    /// Ends the session. Whether it had an id, so that a DELETE with these headers is to say so.
    pub(super) fn end(&mut self, headers: &mut HeaderMap) -> bool {
        self.tag(headers);
        self.version = None;
        self.id.take().is_some()
    }

    pub(super) fn tag(&self, headers: &mut HeaderMap) {
        headers.remove(MCP_SESSION_ID);
        if let Some(version) = &self.version {
            headers.insert(MCP_PROTOCOL_VERSION, version.clone());
        }
        if let Some(id) = &self.id {
            headers.insert(MCP_SESSION_ID, id.clone());
        }
    }
}
