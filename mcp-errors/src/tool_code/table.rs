//! The published codes, one row each: bucket, whether the call ran, what to do next.

use super::Bucket;
use crate::failure::Executed;

/// A code of the published lists, and what a caller goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PublishedCode {
    /// The code as it stands on the wire.
    pub code: &'static str,
    /// The HTTP status that goes with it; `None` where there is none or it varies.
    pub status: Option<u16>,
    /// What kind of thing to do next.
    pub bucket: Bucket,
    /// Whether the call ran, as far as the code alone tells.
    pub executed: Executed,
    /// What to do next, in words for a person or a model.
    pub advice: &'static str,
}

const fn row(
    code: &'static str,
    status: Option<u16>,
    bucket: Bucket,
    executed: Executed,
    advice: &'static str,
) -> PublishedCode {
    PublishedCode {
        code,
        status,
        bucket,
        executed,
        advice,
    }
}

/// The fourteen codes of tool errors.
#[rustfmt::skip]
pub const STABLE: [PublishedCode; 14] = {
    use Bucket::{ContactSupport, FixInput, Investigate, SwitchTool, WaitAndRetry};
    use Executed::{No, Unknown, Yes};
    [
        row("ssrf_blocked", None, FixInput, No, "Change the URL: it resolves to a private or reserved address."),
        row("bad_request", Some(400), FixInput, No, "Fix the arguments."),
        row("auth_failed", Some(401), FixInput, No, "Fix the key."),
        row("not_found", Some(404), FixInput, No, "The target does not exist: name another."),
        row("forbidden", Some(403), SwitchTool, No, "Use the next tool of the ladder, for example single, proxy, browser."),
        row("rate_limited", Some(429), WaitAndRetry, No, "Wait `retryAfter` seconds: `current.rpm` reached `limits.maxRpm`."),
        row("at_capacity", Some(503), WaitAndRetry, No, "Wait `retryAfter` seconds: `current.concurrency` reached `limits.maxConcurrency`."),
        row("service_unavailable", Some(503), WaitAndRetry, Unknown, "Back off shortly, then repeat the call."),
        row("upstream_error", None, WaitAndRetry, Unknown, "Back off exponentially, then repeat the call."),
        row("upstream_client_error", None, FixInput, Unknown, "Usually the input: check it against the upstream's answer."),
        row("service_disabled", Some(503), ContactSupport, No, "The service is off for this account: ask support to turn it on."),
        row("upstream_non_json", None, Investigate, Yes, "The upstream's body was not JSON: look at it."),
        row("output_validation_failed", None, Investigate, Yes, "The result broke the tool's `outputSchema`: report it."),
        row("upstream_unknown", None, Investigate, Unknown, "This should not occur: report it."),
    ]
};

/// The codes of a gateway and of the clearance in front of a specialist. `executed` speaks of the specialist's
/// tool; an envelope's own member `executed` tells more ([`ToolErrorEnvelope::executed`](crate::ToolErrorEnvelope::executed)).
#[rustfmt::skip]
pub const GATEWAY: [PublishedCode; 25] = {
    use Bucket::{ContactSupport, FixInput, Investigate, SwitchTool, WaitAndRetry};
    use Executed::{No, Unknown, Yes};
    [
        row("REGISTRY_LOOKUP_FAILED", None, FixInput, No, "Hand over to one of the registered specialists."),
        row("REGISTRY_INVALID_URI", None, ContactSupport, No, "Correct the specialist's address."),
        row("REGISTRY_INVALID_ENTRY", None, ContactSupport, No, "Correct the specialist's name or alias."),
        row("SESSION_LIMIT_EXCEEDED", None, WaitAndRetry, No, "Return from a handoff, or try again later."),
        row("UPSTREAM_CONNECT_TIMEOUT", None, WaitAndRetry, No, "Tell the user, or start a new handoff later; nothing was done."),
        row("HANDOFF_CONNECTING", None, WaitAndRetry, No, "Try again in a moment."),
        row("HANDOFF_UPSTREAM_UNAVAILABLE", None, WaitAndRetry, Unknown, "Tell the user, or try again later."),
        row("HANDOFF_UPSTREAM_TIMEOUT", None, Investigate, Unknown, "It may have been done: find out before it is repeated."),
        row("HANDOFF_UPSTREAM_PROTOCOL_ERROR", None, Investigate, Unknown, "Do not repeat the call unless that is safe; report it."),
        row("HANDOFF_NAMESPACE_MISMATCH", None, SwitchTool, No, "Use one of the specialist's own tools, or return to the gateway first."),
        row("HANDOFF_REQUIRED", None, FixInput, No, "Start a handoff first."),
        row("HANDOFF_UNKNOWN", None, FixInput, No, "Start a new handoff."),
        row("HANDOFF_EXPIRED", None, FixInput, No, "Start a new handoff."),
        row("HANDOFF_SUPERSEDED", None, SwitchTool, No, "Go on with the newer handoff."),
        row("HANDOFF_CANCELLED", None, FixInput, Unknown, "Start a new handoff if it is still wanted."),
        row("HANDOFF_INVALID", None, Investigate, Unknown, "Report it: the tool that hands over has to be corrected."),
        row("HANDOFF_NOT_CONFIGURED", None, ContactSupport, Unknown, "This server has no gateway that could hand the conversation over: report it."),
        row("HANDOFF_CHAIN_REFUSED", None, SwitchTool, Yes, "Return to the gateway, and hand over from there."),
        row("HANDOFF_STATE_NOT_SHARED", None, ContactSupport, No, "Carry less, or give gateway and specialist one store."),
        row("HANDOFF_STATE_UNAVAILABLE", None, WaitAndRetry, No, "Try again in a moment."),
        row("GATEWAY_CLOSED", None, WaitAndRetry, Unknown, "Connect to it again."),
        row("MISSING_DELEGATION_TOKEN", None, FixInput, No, "Start a new handoff at the gateway."),
        row("INVALID_DELEGATION_TOKEN", None, FixInput, No, "Start a new handoff at the gateway."),
        row("EXPIRED_DELEGATION_TOKEN", None, FixInput, No, "Start a new handoff at the gateway."),
        row("INVALID_SIGNATURE", None, FixInput, No, "Start a new handoff at the gateway."),
    ]
};
