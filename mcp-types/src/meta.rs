//! `_meta` of a request: what a modern request says about its sender, and what anyone may add.
//!
//! Source: 2026-07-28, *Base protocol*, section on `_meta`.

mod trace;

use std::{fmt, sync::OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};

pub use self::trace::{BAGGAGE, TRACEPARENT, TRACESTATE, TraceContext};
use crate::{
    capability::{ClientCapabilities, Implementation},
    jsonrpc::{ProgressToken, RequestId},
    logging::LogLevel,
    raw::{RawJson, RawObject, RawParams},
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
#[derive(Clone)]
pub struct RequestMeta(Members);

#[derive(Clone)]
enum Members {
    /// Written here.
    Object(RawObject),
    /// In the bytes of the message they came in; an object of its own once somebody wants one.
    Message(RawParams, OnceLock<RawObject>),
}

impl RequestMeta {
    /// Without any member.
    pub const fn new() -> Self {
        Self(Members::Object(RawObject::new()))
    }

    /// The `_meta` of `params`, empty where there is none. It shares their bytes: what is not asked for is
    /// not read.
    ///
    /// # Errors
    /// When it is no object, or has a member twice.
    pub fn of(params: &RawParams) -> Result<Self, serde_json::Error> {
        let members = params.object("_meta")?;
        Ok(members.map_or_else(Self::new, |members| {
            Self(Members::Message(members, OnceLock::new()))
        }))
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
        self.decode(PROTOCOL_VERSION)
    }

    /// Whether the request claims a protocol version at all, well-formed or not: the mark of a modern request.
    pub fn is_claim(&self) -> bool {
        self.contains(PROTOCOL_VERSION)
    }

    /// Who sent the request, if it says so.
    pub fn client_info(&self) -> Option<Implementation> {
        self.decode(CLIENT_INFO)
    }

    /// What the sender can do; nothing, if it does not say.
    pub fn client_capabilities(&self) -> ClientCapabilities {
        self.decode(CLIENT_CAPABILITIES).unwrap_or_default()
    }

    /// The token under which the sender wants progress.
    pub fn progress_token(&self) -> Option<ProgressToken> {
        self.decode(PROGRESS_TOKEN)
    }

    /// Asks for progress under `token`.
    pub fn set_progress_token(&mut self, token: &ProgressToken) {
        self.put(PROGRESS_TOKEN, token);
    }

    /// Which log messages the sender wants; `None` is none at all.
    pub fn log_level(&self) -> Option<LogLevel> {
        self.decode(LOG_LEVEL)
    }

    /// Asks for log messages of `level` and worse.
    pub fn set_log_level(&mut self, level: &LogLevel) {
        self.put(LOG_LEVEL, level);
    }

    /// The trace that the request belongs to.
    pub fn trace_context(&self) -> TraceContext {
        TraceContext::read(self.as_object())
    }

    /// Puts the request into a trace.
    pub fn set_trace_context(&mut self, context: &TraceContext) {
        context.write(self.as_object_mut());
    }

    /// A member as it came.
    pub fn get(&self, key: &str) -> Option<&RawJson> {
        self.as_object().get(key)
    }

    /// Whether there is such a member.
    pub fn contains(&self, key: &str) -> bool {
        match &self.0 {
            Members::Object(object) => object.contains(key),
            Members::Message(members, _) => members.get(key).is_some(),
        }
    }

    /// A member, read as a `T`; `None` when it is absent or has another shape.
    pub fn decode<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        match &self.0 {
            Members::Object(object) => object.decode(key),
            Members::Message(members, _) => members.decode_member(key).ok().flatten(),
        }
    }

    /// Sets a member.
    pub fn set(&mut self, key: impl Into<Box<str>>, value: RawJson) {
        self.as_object_mut().set(key, value);
    }

    /// Removes every reserved key, on the way from one hop to another.
    pub fn strip_reserved(&mut self) {
        self.as_object_mut()
            .retain(|key| !key.starts_with(RESERVED_PREFIX));
    }

    /// All members, in order.
    pub fn as_object(&self) -> &RawObject {
        match &self.0 {
            Members::Object(object) => object,
            // It was an object when it was found, so this never falls back.
            Members::Message(members, object) => {
                object.get_or_init(|| members.decode().unwrap_or_default())
            }
        }
    }

    fn as_object_mut(&mut self) -> &mut RawObject {
        if let Members::Message(..) = &self.0 {
            self.0 = Members::Object(self.as_object().clone());
        }
        match &mut self.0 {
            Members::Object(object) => object,
            Members::Message(..) => unreachable!("it became an object above"),
        }
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Members::Object(object) => object.is_empty(),
            Members::Message(members, _) => members.is_empty(),
        }
    }

    fn put<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        // Vocabulary always becomes JSON; a value that would not is left out.
        if let Ok(value) = RawJson::from_serialize(value) {
            self.as_object_mut().set(key, value);
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
    meta.as_object().clone()
}

/// Who made a result, by its `_meta`.
pub fn server_info(meta: &RawObject) -> Option<Implementation> {
    meta.decode(SERVER_INFO)
}

impl From<RawObject> for RequestMeta {
    fn from(object: RawObject) -> Self {
        Self(Members::Object(object))
    }
}

impl Default for RequestMeta {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for RequestMeta {
    fn eq(&self, other: &Self) -> bool {
        self.as_object() == other.as_object()
    }
}

impl fmt::Debug for RequestMeta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RequestMeta")
            .field(self.as_object())
            .finish()
    }
}

impl Serialize for RequestMeta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_object().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RequestMeta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawObject::deserialize(deserializer).map(Self::from)
    }
}
