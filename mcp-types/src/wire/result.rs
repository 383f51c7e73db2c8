//! Results and parameters, per revision.

use serde::Serialize;

use super::{
    NotExpressible, Stamp,
    tool::{call_tool, fit},
};
use crate::{
    cache::CacheScope,
    encode::{At, Encode},
    meta::SERVER_INFO,
    outcome::{COMPLETE, INPUT_REQUIRED, Outcome, Payload, TASK},
    raw::{RawJson, RawObject, RawParams},
    revision::{Era, Revision},
};

/// Writes an outcome: sieved and stamped for `stamp.revision`.
///
/// # Errors
/// When the outcome is not complete and the revision is legacy, but for a task that 2025-11-25 was asked for.
pub fn encode_outcome(outcome: Outcome, stamp: &Stamp<'_>) -> Result<RawJson, NotExpressible> {
    if let (Era::Legacy, Some(result_type)) = (stamp.revision.era(), incomplete(&outcome, stamp)) {
        return Err(NotExpressible {
            result_type,
            revision: stamp.revision,
        });
    }
    Ok(match outcome {
        Outcome::Other { body, .. } => write(&with_server(body, stamp)),
        Outcome::InputRequired(mut required) => {
            stamp_meta(required.meta_mut(), stamp);
            write(&At(&*required, stamp.revision))
        }
        Outcome::Task(mut created) => {
            stamp_meta(&mut created.meta, stamp);
            write(&At(&*created, stamp.revision))
        }
        Outcome::Complete(payload) => complete(payload, stamp),
    })
}

/// The `resultType` of an outcome that is not complete, however it calls itself.
fn incomplete(outcome: &Outcome, stamp: &Stamp<'_>) -> Option<Box<str>> {
    match outcome {
        Outcome::Other { result_type, .. } => Some(result_type.clone()),
        Outcome::InputRequired(_) => Some(INPUT_REQUIRED.into()),
        Outcome::Task(_) => (!stamp.takes_tasks()).then(|| TASK.into()),
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

/// Cache hints that a handler left out: not to be reused.
macro_rules! cached {
    ($result:ident, $stamp:ident) => {{
        stamp_meta(&mut $result.meta, $stamp);
        $result.ttl_ms.get_or_insert(0);
        $result.cache_scope.get_or_insert(CacheScope::Private);
        write(&At(&$result, $stamp.revision))
    }};
}

macro_rules! plain {
    ($result:ident, $stamp:ident) => {{
        stamp_meta(&mut $result.meta, $stamp);
        write(&At(&$result, $stamp.revision))
    }};
}

fn complete(payload: Payload, stamp: &Stamp<'_>) -> RawJson {
    let at = stamp.revision;
    match payload {
        Payload::CallTool(mut result) => {
            stamp_meta(&mut result.meta, stamp);
            call_tool(result, stamp)
        }
        Payload::ListTools(mut result) => {
            result.tools.iter_mut().for_each(|tool| fit(tool, at));
            cached!(result, stamp)
        }
        Payload::Discover(mut result) => cached!(result, stamp),
        Payload::Initialize(result) => write(&At(&*result, at)),
        Payload::ReadResource(mut result) => cached!(result, stamp),
        Payload::ListResources(mut result) => cached!(result, stamp),
        Payload::ListResourceTemplates(mut result) => cached!(result, stamp),
        Payload::GetPrompt(mut result) => plain!(result, stamp),
        Payload::ListPrompts(mut result) => cached!(result, stamp),
        Payload::Complete(mut result) => {
            result.completion.cut();
            plain!(result, stamp)
        }
        Payload::Listen(mut result) => plain!(result, stamp),
        Payload::GetTask(mut result) => {
            stamp_meta(&mut result.task.meta, stamp);
            write(&At(&*result, at))
        }
        Payload::ListTasks(mut result) => plain!(result, stamp),
        Payload::CancelTask(mut result) => plain!(result, stamp),
        Payload::Empty(mut result) => plain!(result, stamp),
        Payload::Raw(object) => write(&raw(object, stamp)),
        Payload::Written(text) => text,
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

pub(super) fn set<T: Serialize + ?Sized>(object: &mut RawObject, name: &str, value: &T) {
    if let Ok(value) = RawJson::from_serialize(value) {
        object.set(name, value);
    }
}

/// Vocabulary always becomes JSON: its maps have string keys and its numbers are finite.
pub(super) fn write<T: Serialize + ?Sized>(value: &T) -> RawJson {
    RawJson::from_serialize(value).unwrap_or_else(|_| RawJson::null())
}
