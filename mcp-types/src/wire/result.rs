//! Results and parameters, per revision.

use std::fmt;

use serde::Serialize;

use crate::{
    capability::Implementation,
    encode::{At, Encode},
    meta::SERVER_INFO,
    outcome::{COMPLETE, Outcome, Payload},
    raw::{RawJson, RawObject, RawParams},
    revision::{Era, Revision},
    tool::{CacheScope, CallToolResult},
};

/// What every result of a server carries at 2026-07-28.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Stamp<'a> {
    /// The revision that the result is written for.
    pub revision: Revision,
    /// Whether the method's results are cacheable, by the method table.
    pub cacheable: bool,
    /// The name and version of the server.
    pub server: Option<&'a Implementation>,
}

impl<'a> Stamp<'a> {
    /// For a method whose results are not cacheable, by a server that does not say who it is.
    pub const fn new(revision: Revision) -> Self {
        Self {
            revision,
            cacheable: false,
            server: None,
        }
    }

    /// For a cacheable method or not.
    #[must_use]
    pub const fn cacheable(mut self, cacheable: bool) -> Self {
        self.cacheable = cacheable;
        self
    }

    /// By this server.
    #[must_use]
    pub const fn by(mut self, server: &'a Implementation) -> Self {
        self.server = Some(server);
        self
    }
}

/// An outcome that the revision has no words for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotExpressible {
    /// The `resultType`.
    pub result_type: Box<str>,
    /// The revision.
    pub revision: Revision,
}

impl fmt::Display for NotExpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a result of type `{}` cannot be said in revision {}; only complete results can",
            self.result_type, self.revision
        )
    }
}

impl std::error::Error for NotExpressible {}

/// Writes an outcome: sieved and stamped for `stamp.revision`.
///
/// # Errors
/// When the outcome is not complete and the revision is legacy.
pub fn encode_outcome(outcome: Outcome, stamp: &Stamp<'_>) -> Result<RawJson, NotExpressible> {
    let modern = stamp.revision.era() == Era::Modern;
    Ok(match outcome {
        Outcome::Other { result_type, .. } if !modern => {
            return Err(NotExpressible {
                result_type,
                revision: stamp.revision,
            });
        }
        Outcome::Other { body, .. } => write(&with_server(body, stamp)),
        Outcome::Complete(payload) => complete(payload, stamp),
    })
}

/// Writes the parameters of a request or notification for `revision`.
pub fn encode_params<T: Encode>(params: &T, revision: Revision) -> RawParams {
    RawParams::from_serialize(&At(params, revision)).unwrap_or_default()
}

fn complete(payload: Payload, stamp: &Stamp<'_>) -> RawJson {
    let at = stamp.revision;
    let modern = at.era() == Era::Modern;
    match payload {
        Payload::CallTool(mut result) => {
            stamp_meta(&mut result.meta, stamp);
            call_tool(&result, at)
        }
        Payload::ListTools(mut result) => {
            stamp_meta(&mut result.meta, stamp);
            result.ttl_ms.get_or_insert(0);
            result.cache_scope.get_or_insert(CacheScope::Private);
            // 2025-03-26 has no `title` on a tool, but a place for it in the annotations.
            if at == Revision::V2025_03_26 {
                for tool in &mut result.tools {
                    if let Some(title) = tool.title.take() {
                        tool.annotations
                            .get_or_insert_default()
                            .title
                            .get_or_insert(title);
                    }
                }
            }
            write(&At(&result, at))
        }
        Payload::Discover(mut result) => {
            stamp_meta(&mut result.meta, stamp);
            result.ttl_ms.get_or_insert(0);
            result.cache_scope.get_or_insert(CacheScope::Private);
            write(&At(&*result, at))
        }
        Payload::Initialize(result) => write(&At(&*result, at)),
        Payload::Empty(mut result) => {
            stamp_meta(&mut result.meta, stamp);
            write(&At(&result, at))
        }
        Payload::Raw(mut object) => {
            if modern {
                if !object.contains("resultType") {
                    set(&mut object, "resultType", COMPLETE);
                }
                if stamp.cacheable && object.decode::<u64>("ttlMs").is_none() {
                    set(&mut object, "ttlMs", &0);
                }
                if stamp.cacheable && object.decode::<CacheScope>("cacheScope").is_none() {
                    set(&mut object, "cacheScope", &CacheScope::Private);
                }
                object = with_server(object, stamp);
            } else {
                object.retain(|name| !matches!(name, "resultType" | "ttlMs" | "cacheScope"));
            }
            write(&object)
        }
    }
}

/// 2024-10-07 has one member, `toolResult`, for whatever a tool made.
fn call_tool(result: &CallToolResult, at: Revision) -> RawJson {
    if at > Revision::V2024_10_07 {
        return write(&At(result, at));
    }
    let made = result
        .structured_content
        .clone()
        .unwrap_or_else(|| write(&At(&result.content, at)));
    let mut object = RawObject::new();
    object.set("toolResult", made);
    if result.failed() {
        set(&mut object, "isError", &true);
    }
    write(&object)
}

fn stamp_meta(meta: &mut Option<RawObject>, stamp: &Stamp<'_>) {
    if let (Some(server), Era::Modern) = (stamp.server, stamp.revision.era()) {
        let meta = meta.get_or_insert_default();
        if !meta.contains(SERVER_INFO) {
            set(meta, SERVER_INFO, server);
        }
    }
}

fn with_server(mut object: RawObject, stamp: &Stamp<'_>) -> RawObject {
    let mut meta = object.decode::<RawObject>("_meta");
    stamp_meta(&mut meta, stamp);
    if let Some(meta) = meta {
        set(&mut object, "_meta", &meta);
    }
    object
}

fn set<T: Serialize + ?Sized>(object: &mut RawObject, name: &str, value: &T) {
    if let Ok(value) = RawJson::from_serialize(value) {
        object.set(name, value);
    }
}

/// Vocabulary always becomes JSON: its maps have string keys and its numbers are finite.
fn write<T: Serialize + ?Sized>(value: &T) -> RawJson {
    RawJson::from_serialize(value).unwrap_or_else(|_| RawJson::null())
}
