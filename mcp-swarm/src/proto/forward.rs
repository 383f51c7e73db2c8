//! What of a message goes on to the next hop: everything but what belongs to the hop it came over.
//!
//! Arguments, vendor members and results pass as the text they are. The protocol's own `_meta` keys, the gateway's and
//! the hints for caches say something about one hop, so they end there. A message that two readers could
//! understand differently (a member twice, nested too deep) goes nowhere.

#[cfg(test)]
mod tests;

use mcp_types::outcome::{COMPLETE, call_type};
use mcp_types::tool::CallToolParams;
use mcp_types::{RawJson, RawObject, RequestMeta, meta, strict};

use super::sanitize;

/// What the gateway's own `_meta` keys begin with.
pub const VENDOR_PREFIX: &str = "dev.mcp-swarm/";

/// The `_meta` key of a delegation token, for specialists in the same process.
pub const DELEGATION_KEY: &str = "dev.mcp-swarm/delegation";

/// The `_meta` key that says that a result's text is a specialist's.
pub const TRUSTED_KEY: &str = "dev.mcp-swarm/trusted";

/// The argument by which a modern client names its handoff.
pub const HANDLE_ARGUMENT: &str = "handoff";

/// How deep a forwarded message may be nested.
pub const MAX_DEPTH: usize = 128;

/// Whether the key of a `_meta` member is the protocol's: the second label of its prefix is `mcp` or
/// `modelcontextprotocol` (2025-11-25 and later, *Base protocol*, "`_meta`").
pub fn is_reserved(key: &str) -> bool {
    key.split_once('/')
        .and_then(|(prefix, _)| prefix.split('.').nth(1))
        .is_some_and(|label| matches!(label, "mcp" | "modelcontextprotocol"))
}

fn ends_here(key: &str) -> bool {
    is_reserved(key) || key.starts_with(VENDOR_PREFIX)
}

/// The members of a request's `_meta` that go on. Progress and trace are asked for anew on each hop.
pub fn request_meta(meta: &RequestMeta) -> RawObject {
    let mut members = meta.as_object().clone();
    let trace_is_good = members
        .decode::<String>("traceparent")
        .is_some_and(|parent| super::trace::is_valid(&parent));
    members.retain(|key| {
        let of_the_trace = key == "traceparent" || (key == "tracestate" && !trace_is_good);
        !ends_here(key) && key != meta::PROGRESS_TOKEN && !of_the_trace
    });
    members
}

/// A call of a specialist's tool `original`, without the handle, and the handle.
///
/// # Errors
/// [`BadArguments`] when `arguments` is no object, or one that two readers could understand differently.
pub fn call(
    params: CallToolParams,
    original: &str,
    with_handle: bool,
) -> Result<(CallToolParams, Option<RawJson>), BadArguments> {
    let mut arguments = match &params.arguments {
        None => RawObject::new(),
        Some(arguments) if arguments.as_str() == "null" => RawObject::new(),
        Some(arguments) => {
            strict::check_object(arguments.as_str(), MAX_DEPTH).map_err(|_| BadArguments)?;
            arguments.decode().map_err(|_| BadArguments)?
        }
    };
    let handle = if with_handle {
        arguments.remove(HANDLE_ARGUMENT)
    } else {
        None
    };
    let mut onward = CallToolParams::new(original);
    onward.arguments = match (handle.is_some(), params.arguments) {
        (false, unchanged) => unchanged,
        (true, _) => RawJson::from_serialize(&arguments).ok(),
    };
    onward.extra = params.extra;
    // Of what the gateway does not offer, a specialist must not be asked either.
    onward
        .extra
        .retain(|name| !matches!(name, "task" | "inputResponses" | "requestState"));
    Ok((onward, handle))
}

/// A specialist's result, ready to be passed on.
///
/// # Errors
/// [`BadResult`] when it is none, or none that may be passed on.
pub fn result(result: &RawJson) -> Result<RawObject, BadResult> {
    strict::check_object(result.as_str(), MAX_DEPTH).map_err(|_| BadResult::Malformed)?;
    let kind = call_type(result).map_err(|_| BadResult::Malformed)?;
    if &*kind != COMPLETE {
        return Err(BadResult::Kind {
            result_type: sanitize::excerpt(&kind, 64),
        });
    }
    let mut members: RawObject = result.decode().map_err(|_| BadResult::Malformed)?;
    let mut meta = members.decode::<RawObject>("_meta");
    let marked = meta
        .as_ref()
        .is_some_and(|meta| meta.contains("dev.mcp-swarm/handoff"));
    if marked || members.decode::<bool>("_MCPFUSION_handoff") == Some(true) {
        return Err(BadResult::Handoff);
    }
    members.retain(|name| !matches!(name, "resultType" | "ttlMs" | "cacheScope"));
    if let Some(meta) = &mut meta {
        meta.retain(|key| !ends_here(key));
        match RawJson::from_serialize(meta) {
            Ok(left) if !meta.is_empty() => members.set("_meta", left),
            _ => {
                members.remove("_meta");
            }
        }
    }
    Ok(members)
}

/// Arguments that are not passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`arguments` must be an object without a member that stands twice, nested at most {MAX_DEPTH} levels deep"
)]
#[non_exhaustive]
pub struct BadArguments;

/// A result that is not passed on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadResult {
    /// It is no object, has a member twice, or is nested too deep.
    #[error("answered with something that is no result")]
    Malformed,
    /// It asks for something that this gateway cannot pass on.
    #[error("answered with a result of type `{result_type}`, which the gateway cannot pass on")]
    #[non_exhaustive]
    Kind {
        /// The start of its type.
        result_type: String,
    },
    /// It is a handoff of the specialist's own. What it carries is not passed on.
    #[error("wants to hand the conversation over itself, which it may not")]
    Handoff,
}
