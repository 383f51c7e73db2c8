//! What a connection is once it stands: era, revision, and who is at the other end.

use std::fmt;

use mcp_types::{
    Era, Method, RequestMeta, Revision,
    capability::{ClientCapabilities, Implementation, ServerCapabilities},
    meta,
};

use crate::proto::probe::{Confidence, Connected, Opened, Wire};

/// What was agreed with a server, and what it says of itself.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Link {
    /// How the server is spoken to.
    pub era: Era,
    /// The revision that is spoken.
    pub revision: Revision,
    /// How that was found: only what is firm may be remembered.
    pub confidence: Confidence,
    /// What it is spoken over.
    pub wire: Wire,
    /// Who the server is; a modern one need not say.
    pub server: Option<Implementation>,
    /// What it offers.
    pub capabilities: ServerCapabilities,
    /// How to use it, for a model.
    pub instructions: Option<String>,
}

impl Link {
    pub(crate) fn new(connected: Connected) -> Self {
        let Connected {
            revision,
            confidence,
            wire,
            opened,
        } = connected;
        let (server, capabilities, instructions) = match opened {
            Opened::Modern(result) => (
                result
                    .meta
                    .as_ref()
                    .and_then(|members| members.decode(meta::SERVER_INFO)),
                result.capabilities,
                result.instructions,
            ),
            Opened::Legacy(result) => (
                Some(result.server_info),
                result.capabilities,
                result.instructions,
            ),
        };
        Self {
            era: revision.era(),
            revision,
            confidence,
            wire,
            server,
            capabilities,
            instructions,
        }
    }

    /// Whether what a tool wants mirrored into headers may get there: who made an endpoint knows what is behind it.
    pub(crate) fn is_mirrored(&self) -> bool {
        self.era == Era::Modern && matches!(self.wire, Wire::Http | Wire::Custom)
    }

    /// Whether the method may be sent; methods that no revision knows may.
    pub(crate) fn allows(&self, method: &Method) -> bool {
        method.spec().is_none() || method.is_for_server(self.revision)
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, revision {}", self.era, self.revision)?;
        if self.confidence == Confidence::Assumed {
            f.write_str(" (assumed)")?;
        }
        f.write_str(match self.wire {
            Wire::Http => ", over streamable HTTP",
            Wire::Sse => ", over HTTP+SSE",
            Wire::Process => ", over stdio",
            Wire::Socket => ", over a socket",
            Wire::Custom => "",
        })?;
        match &self.server {
            Some(server) => write!(f, ", server {:?} {:?}", server.name, server.version),
            None => f.write_str(", a server that does not say who it is"),
        }
    }
}

/// Who this client is, and how it says so in each era.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) client: Implementation,
    pub(crate) capabilities: ClientCapabilities,
}

/// The keys that make a request modern; they are the connection's, never the caller's.
const CLAIM: [&str; 3] = [
    meta::PROTOCOL_VERSION,
    meta::CLIENT_INFO,
    meta::CLIENT_CAPABILITIES,
];

impl Identity {
    /// The `_meta` of a request: what the era demands, and what the caller adds.
    pub(crate) fn meta(&self, revision: Revision, users: &RequestMeta) -> RequestMeta {
        let mut members = match revision.era() {
            Era::Modern => RequestMeta::modern(revision, &self.client, &self.capabilities),
            _ => RequestMeta::new(),
        };
        for (key, value) in users.as_object().iter() {
            if !CLAIM.contains(&key) {
                members.set(key, value.clone());
            }
        }
        members
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::RawJson;

    use super::*;

    #[test]
    fn the_claim_is_the_connections_and_the_rest_the_callers() {
        let identity = Identity {
            client: Implementation::new("me", "1"),
            capabilities: ClientCapabilities::default(),
        };
        let mut users = RequestMeta::new();
        for key in [meta::PROTOCOL_VERSION, meta::LOG_LEVEL, "traceparent"] {
            users.set(key, RawJson::parse("\"x\"").unwrap());
        }
        let modern = identity.meta(Revision::V2026_07_28, &users);
        assert_eq!(modern.protocol_version().as_deref(), Some("2026-07-28"));
        assert_eq!(modern.client_info(), Some(Implementation::new("me", "1")));
        assert!(modern.get("traceparent").is_some() && modern.get(meta::LOG_LEVEL).is_some());

        let legacy = identity.meta(Revision::V2025_11_25, &users);
        assert!(!legacy.is_claim());
        assert_eq!(legacy.as_object().len(), 2);
    }
}
