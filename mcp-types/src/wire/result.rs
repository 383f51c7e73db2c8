//! Results and parameters, per revision.

use std::fmt;

use serde::Serialize;

use super::output;
use crate::{
    capability::Implementation,
    content::ContentBlock,
    encode::{At, Encode},
    meta::SERVER_INFO,
    outcome::{COMPLETE, Outcome, Payload},
    raw::{RawJson, RawObject, RawParams},
    revision::{Era, Revision},
    tool::{CacheScope, CallToolResult, Tool},
};

/// For whom a result is written, and what is known beside it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Stamp<'a> {
    /// The revision that the result is written for.
    pub revision: Revision,
    /// Whether the method's results are cacheable, by the method table.
    pub cacheable: bool,
    /// The name and version of the server.
    pub server: Option<&'a Implementation>,
    /// Whether the tool's `outputSchema` is one of those that [`wraps_output`](super::wraps_output)
    /// names.
    pub wrapped_output: bool,
}

impl<'a> Stamp<'a> {
    /// For a method whose results are not cacheable, by a server that does not say who it is.
    pub const fn new(revision: Revision) -> Self {
        Self {
            revision,
            cacheable: false,
            server: None,
            wrapped_output: false,
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

    /// For a call of a tool whose `outputSchema` is wrapped, or not.
    #[must_use]
    pub const fn wrapped_output(mut self, wrapped: bool) -> Self {
        self.wrapped_output = wrapped;
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
    if let (Era::Legacy, Some(result_type)) = (stamp.revision.era(), incomplete(&outcome)) {
        return Err(NotExpressible {
            result_type,
            revision: stamp.revision,
        });
    }
    Ok(match outcome {
        Outcome::Other { body, .. } => write(&with_server(body, stamp)),
        Outcome::Complete(payload) => complete(payload, stamp),
    })
}

/// The `resultType` of an outcome that is not complete, however it calls itself.
fn incomplete(outcome: &Outcome) -> Option<Box<str>> {
    match outcome {
        Outcome::Other { result_type, .. } => Some(result_type.clone()),
        Outcome::Complete(Payload::Raw(object)) => object
            .decode::<Box<str>>("resultType")
            .filter(|result_type| **result_type != *COMPLETE),
        Outcome::Complete(_) => None,
    }
}

/// Writes the parameters of a request or notification for `revision`.
pub fn encode_params<T: Encode>(params: &T, revision: Revision) -> RawParams {
    RawParams::from_serialize(&At(params, revision)).unwrap_or_default()
}

fn complete(payload: Payload, stamp: &Stamp<'_>) -> RawJson {
    let at = stamp.revision;
    match payload {
        Payload::CallTool(mut result) => {
            stamp_meta(&mut result.meta, stamp);
            call_tool(result, stamp)
        }
        Payload::ListTools(mut result) => {
            stamp_meta(&mut result.meta, stamp);
            result.ttl_ms.get_or_insert(0);
            result.cache_scope.get_or_insert(CacheScope::Private);
            result.tools.iter_mut().for_each(|tool| fit(tool, at));
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
        Payload::Raw(object) => write(&raw(object, stamp)),
    }
}

fn raw(mut object: RawObject, stamp: &Stamp<'_>) -> RawObject {
    if stamp.revision.era() == Era::Legacy {
        object.retain(|name| !matches!(name, "resultType" | "ttlMs" | "cacheScope"));
        return with_server(object, stamp);
    }
    if object.decode::<Box<str>>("resultType").is_none() {
        set(&mut object, "resultType", COMPLETE);
    }
    if stamp.cacheable && object.decode::<u64>("ttlMs").is_none() {
        set(&mut object, "ttlMs", &0);
    }
    if stamp.cacheable && object.decode::<CacheScope>("cacheScope").is_none() {
        set(&mut object, "cacheScope", &CacheScope::Private);
    }
    with_server(object, stamp)
}

/// What a sieve cannot do: members that move, or change their shape.
fn fit(tool: &mut Tool, at: Revision) {
    // 2025-03-26 has no `title` on a tool, but a place for it in the annotations.
    if at == Revision::V2025_03_26
        && let Some(title) = tool.title.take()
    {
        let annotations = tool.annotations.get_or_insert_default();
        annotations.title.get_or_insert(title);
    }
    if output::must_be_object(at)
        && let Some(schema) = tool
            .output_schema
            .take_if(|schema| output::wraps_output(schema))
    {
        tool.output_schema = Some(output::wrap_schema(&schema));
    }
}

fn call_tool(mut result: CallToolResult, stamp: &Stamp<'_>) -> RawJson {
    let at = stamp.revision;
    if at == Revision::V2024_10_07 {
        return tool_result(result);
    }
    // For readers that know no structure, or show only the content.
    if let (true, Some(value)) = (result.content.is_empty(), &result.structured_content) {
        result.content.push(ContentBlock::text(value.as_str()));
    }
    if output::must_be_object(at) {
        // No failure is described by the tool's schema.
        let wrapped = stamp.wrapped_output && !result.failed();
        result.structured_content = result.structured_content.map(|value| {
            if wrapped || !value.is_object() {
                output::wrap_value(&value)
            } else {
                value
            }
        });
    }
    write(&At(&result, at))
}

/// 2024-10-07 has one member, `toolResult`, for whatever a tool made. `isError` is not in its schema,
/// but that is open, and a failure must not pass for a success.
fn tool_result(result: CallToolResult) -> RawJson {
    let failed = result.failed();
    let made = result
        .structured_content
        .unwrap_or_else(|| write(&At(&result.content, Revision::V2024_10_07)));
    let mut object = RawObject::new();
    object.set("toolResult", made);
    if failed {
        set(&mut object, "isError", &true);
    }
    if let Some(meta) = result.meta {
        set(&mut object, "_meta", &meta);
    }
    write(&object)
}

/// Who made the result: said at 2026-07-28, unless the handler did, and never before.
fn stamp_meta(meta: &mut Option<RawObject>, stamp: &Stamp<'_>) {
    if stamp.revision.era() == Era::Legacy {
        if let Some(members) = meta {
            members.remove(SERVER_INFO);
        }
    } else if let Some(server) = stamp.server {
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
