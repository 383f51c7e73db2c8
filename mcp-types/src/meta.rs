//! `_meta` of a request: what a modern request says about its sender, and what anyone may add.
//!
//! Source: 2026-07-28, *Base protocol*, section on `_meta`.

mod trace;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::trace::{BAGGAGE, TRACEPARENT, TRACESTATE, TraceContext};
use crate::{
    capability::{ClientCapabilities, Implementation},
    jsonrpc::{ProgressToken, RequestId},
    logging::LogLevel,
    raw::{RawJson, RawObject},
    revision::Revision,
};

/// The protocol version a modern request speaks; required there.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// What the client that sent a modern request can do; required there.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Who sent a modern request; optional.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// Which log messages a modern request wants; optional.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Who made a modern result.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The subscription that a modern notification or the end of one belongs to.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The token under which a request wants progress.
pub const PROGRESS_TOKEN: &str = "progressToken";
/// What the reserved keys above begin with.
pub const RESERVED_PREFIX: &str = "io.modelcontextprotocol/";

/// The `_meta` of a request, kept as it came; the accessors read what they are asked for.
///
/// Keys outside [`RESERVED_PREFIX`] are anybody's (trace context, vendors) and pass through.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestMeta(RawObject);

impl RequestMeta {
    /// Without any member.
    pub const fn new() -> Self {
        Self(RawObject::new())
    }

    /// What a modern request must say, and who says it.
    pub fn modern(
        revision: Revision,
        client: &Implementation,
        capabilities: &ClientCapabilities,
    ) -> Self {
        let mut meta = Self::new();
        meta.put(PROTOCOL_VERSION, &revision);
        meta.put(CLIENT_INFO, client);
        meta.put(CLIENT_CAPABILITIES, capabilities);
        meta
    }

    /// The protocol version, as the peer wrote it. `None` on a legacy request, or where it is no string.
    pub fn protocol_version(&self) -> Option<String> {
        self.0.decode(PROTOCOL_VERSION)
    }

    /// Whether the request claims a protocol version at all, well-formed or not: the mark of a modern request.
    pub fn is_claim(&self) -> bool {
        self.0.contains(PROTOCOL_VERSION)
    }

    /// Who sent the request, if it says so.
    pub fn client_info(&self) -> Option<Implementation> {
        self.0.decode(CLIENT_INFO)
    }

    /// What the sender can do; nothing, if it does not say.
    pub fn client_capabilities(&self) -> ClientCapabilities {
        self.0.decode(CLIENT_CAPABILITIES).unwrap_or_default()
    }

    /// The token under which the sender wants progress.
    pub fn progress_token(&self) -> Option<ProgressToken> {
        self.0.decode(PROGRESS_TOKEN)
    }

    /// Asks for progress under `token`.
    pub fn set_progress_token(&mut self, token: &ProgressToken) {
        self.put(PROGRESS_TOKEN, token);
    }

    /// Which log messages the sender wants; `None` is none at all.
    pub fn log_level(&self) -> Option<LogLevel> {
        self.0.decode(LOG_LEVEL)
    }

    /// Asks for log messages of `level` and worse.
    pub fn set_log_level(&mut self, level: &LogLevel) {
        self.put(LOG_LEVEL, level);
    }

    /// The trace that the request belongs to.
    pub fn trace_context(&self) -> TraceContext {
        TraceContext::read(&self.0)
    }

    /// Puts the request into a trace.
    pub fn set_trace_context(&mut self, context: &TraceContext) {
        context.write(&mut self.0);
    }

    /// A member as it came.
    pub fn get(&self, key: &str) -> Option<&RawJson> {
        self.0.get(key)
    }

    /// Sets a member.
    pub fn set(&mut self, key: impl Into<Box<str>>, value: RawJson) {
        self.0.set(key, value);
    }

    /// Removes every reserved key, on the way from one hop to another.
    pub fn strip_reserved(&mut self) {
        self.0.retain(|key| !key.starts_with(RESERVED_PREFIX));
    }

    /// All members, in order.
    pub fn as_object(&self) -> &RawObject {
        &self.0
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn put<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        // Vocabulary always becomes JSON; a value that would not is left out.
        if let Ok(value) = RawJson::from_serialize(value) {
            self.0.set(key, value);
        }
    }
}

/// The subscription that a notification or result belongs to, by its `_meta`.
pub fn subscription_id(meta: &RawObject) -> Option<RequestId> {
    meta.decode(SUBSCRIPTION_ID)
}

/// The `_meta` of what belongs to the subscription of the request `id`.
pub fn of_subscription(id: &RequestId) -> RawObject {
    let mut meta = RequestMeta::new();
    meta.put(SUBSCRIPTION_ID, id);
    meta.0
}

/// Who made a result, by its `_meta`.
pub fn server_info(meta: &RawObject) -> Option<Implementation> {
    meta.decode(SERVER_INFO)
}

impl From<RawObject> for RequestMeta {
    fn from(object: RawObject) -> Self {
        Self(object)
    }
}

impl Serialize for RequestMeta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RequestMeta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawObject::deserialize(deserializer).map(Self)
    }
}
