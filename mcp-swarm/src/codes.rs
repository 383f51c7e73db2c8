//! Every code that a gateway or a specialist behind one fails with, what kind it is, and what to do about it.
//!
//! They stand in the same envelope as the fourteen stable tool codes
//! ([`ToolErrorEnvelope`]): `service`, `code`, `error`, and `retryAfter` where waiting helps.

#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

use mcp_errors::{Bucket, ToolErrorCode, ToolErrorEnvelope};

use crate::proto::token::HandoffAuthCode;

/// A gateway's or a clearance's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SwarmCode {
    /// A handoff's target means no one specialist.
    LookupFailed,
    /// A specialist's address is none that a gateway connects to; found when the gateway is built.
    InvalidUri,
    /// A specialist's name or alias is not usable; found when the gateway is built.
    InvalidEntry,
    /// There are as many handoffs as the gateway takes.
    SessionLimit,
    /// The specialist could not be reached in time.
    ConnectTimeout,
    /// The handoff is not connected yet.
    Connecting,
    /// The specialist cannot be reached.
    UpstreamUnavailable,
    /// The specialist did not answer in time; it may have done the work.
    UpstreamTimeout,
    /// The specialist's answer is not one, or is one that this gateway cannot pass on.
    UpstreamProtocol,
    /// The tool is not one of the specialist that the conversation is with.
    NamespaceMismatch,
    /// A specialist's tool was called without a handoff.
    Required,
    /// There is no such handoff.
    Unknown,
    /// The handoff is over.
    Expired,
    /// A newer handoff took this one's place.
    Superseded,
    /// Whoever asked for the handoff gave up.
    Cancelled,
    /// The handoff is not one: its target or its carried state is malformed.
    Invalid,
    /// A handler handed over, and there is no gateway around it.
    NotConfigured,
    /// A specialist handed over itself, which is not allowed.
    ChainRefused,
    /// The carried state is too large for a token, and its store cannot be shared with the specialist.
    StateNotShared,
    /// The store of carried states could not be asked.
    StateUnavailable,
    /// The gateway was disposed.
    GatewayClosed,
    /// The request carries no delegation token.
    MissingToken,
    /// The delegation token is not one, or not for this specialist now.
    InvalidToken,
    /// The delegation token's time is over, or its state was already taken.
    ExpiredToken,
    /// None of the accepted secrets signed the delegation token.
    InvalidSignature,
}

impl SwarmCode {
    /// All of them.
    pub const ALL: [Self; 25] = [
        Self::LookupFailed,
        Self::InvalidUri,
        Self::InvalidEntry,
        Self::SessionLimit,
        Self::ConnectTimeout,
        Self::Connecting,
        Self::UpstreamUnavailable,
        Self::UpstreamTimeout,
        Self::UpstreamProtocol,
        Self::NamespaceMismatch,
        Self::Required,
        Self::Unknown,
        Self::Expired,
        Self::Superseded,
        Self::Cancelled,
        Self::Invalid,
        Self::NotConfigured,
        Self::ChainRefused,
        Self::StateNotShared,
        Self::StateUnavailable,
        Self::GatewayClosed,
        Self::MissingToken,
        Self::InvalidToken,
        Self::ExpiredToken,
        Self::InvalidSignature,
    ];

    /// The code of that text.
    pub fn find(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == code)
    }

    /// The code as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// What kind of thing a caller does about it.
    pub const fn bucket(self) -> Bucket {
        self.row().1
    }

    /// What to do next, in words for a model.
    pub const fn advice(self) -> &'static str {
        self.row().2
    }

    /// How long to wait before the same call, where waiting helps.
    pub const fn retry_after(self) -> Option<Duration> {
        match self {
            Self::Connecting => Some(Duration::from_secs(2)),
            Self::StateUnavailable => Some(Duration::from_secs(5)),
            Self::SessionLimit
            | Self::ConnectTimeout
            | Self::UpstreamUnavailable
            | Self::GatewayClosed => Some(Duration::from_secs(30)),
            _ => None,
        }
    }

    /// The envelope of a failure of `service`: `sentence`, then the advice.
    pub fn envelope(self, service: impl Into<String>, sentence: &str) -> ToolErrorEnvelope {
        let sentence = sentence.trim_end_matches(['.', ' ']);
        let text = format!("{sentence}. {}", self.advice());
        let mut envelope = ToolErrorEnvelope::new(service, self, text);
        envelope.retry_after = self.retry_after();
        envelope
    }

    #[rustfmt::skip]
    const fn row(self) -> (&'static str, Bucket, &'static str) {
        use Bucket::{ContactSupport, FixInput, Investigate, SwitchTool, WaitAndRetry};
        match self {
            Self::LookupFailed => ("REGISTRY_LOOKUP_FAILED", FixInput, "Hand over to one of the registered specialists."),
            Self::InvalidUri => ("REGISTRY_INVALID_URI", ContactSupport, "Correct the specialist's address."),
            Self::InvalidEntry => ("REGISTRY_INVALID_ENTRY", ContactSupport, "Correct the specialist's name or alias."),
            Self::SessionLimit => ("SESSION_LIMIT_EXCEEDED", WaitAndRetry, "Return from a handoff, or try again later."),
            Self::ConnectTimeout => ("UPSTREAM_CONNECT_TIMEOUT", WaitAndRetry, "Tell the user, or start a new handoff later; nothing was done."),
            Self::Connecting => ("HANDOFF_CONNECTING", WaitAndRetry, "Try again in a moment."),
            Self::UpstreamUnavailable => ("HANDOFF_UPSTREAM_UNAVAILABLE", WaitAndRetry, "Tell the user, or try again later."),
            Self::UpstreamTimeout => ("HANDOFF_UPSTREAM_TIMEOUT", Investigate, "It may have been done: find out before it is repeated."),
            Self::UpstreamProtocol => ("HANDOFF_UPSTREAM_PROTOCOL_ERROR", Investigate, "Do not repeat the call unless that is safe; report it."),
            Self::NamespaceMismatch => ("HANDOFF_NAMESPACE_MISMATCH", SwitchTool, "Use one of the specialist's own tools, or return to the gateway first."),
            Self::Required => ("HANDOFF_REQUIRED", FixInput, "Start a handoff first."),
            Self::Unknown => ("HANDOFF_UNKNOWN", FixInput, "Start a new handoff."),
            Self::Expired => ("HANDOFF_EXPIRED", FixInput, "Start a new handoff."),
            Self::Superseded => ("HANDOFF_SUPERSEDED", SwitchTool, "Go on with the newer handoff."),
            Self::Cancelled => ("HANDOFF_CANCELLED", FixInput, "Start a new handoff if it is still wanted."),
            Self::Invalid => ("HANDOFF_INVALID", Investigate, "Report it: the tool that hands over has to be corrected."),
            Self::NotConfigured => ("HANDOFF_NOT_CONFIGURED", ContactSupport, "This server has no gateway that could hand the conversation over: report it."),
            Self::ChainRefused => ("HANDOFF_CHAIN_REFUSED", SwitchTool, "Return to the gateway, and hand over from there."),
            Self::StateNotShared => ("HANDOFF_STATE_NOT_SHARED", ContactSupport, "Carry less, or give gateway and specialist one store."),
            Self::StateUnavailable => ("HANDOFF_STATE_UNAVAILABLE", WaitAndRetry, "Try again in a moment."),
            Self::GatewayClosed => ("GATEWAY_CLOSED", WaitAndRetry, "Connect to it again."),
            Self::MissingToken => ("MISSING_DELEGATION_TOKEN", FixInput, "Start a new handoff at the gateway."),
            Self::InvalidToken => ("INVALID_DELEGATION_TOKEN", FixInput, "Start a new handoff at the gateway."),
            Self::ExpiredToken => ("EXPIRED_DELEGATION_TOKEN", FixInput, "Start a new handoff at the gateway."),
            Self::InvalidSignature => ("INVALID_SIGNATURE", FixInput, "Start a new handoff at the gateway."),
        }
    }
}

impl From<SwarmCode> for ToolErrorCode {
    fn from(code: SwarmCode) -> Self {
        Self::new(code.as_str())
    }
}

impl From<HandoffAuthCode> for SwarmCode {
    fn from(code: HandoffAuthCode) -> Self {
        match code {
            HandoffAuthCode::Missing => Self::MissingToken,
            HandoffAuthCode::Invalid => Self::InvalidToken,
            HandoffAuthCode::Expired => Self::ExpiredToken,
            HandoffAuthCode::Signature => Self::InvalidSignature,
        }
    }
}

impl fmt::Display for SwarmCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
