//! Every code that a gateway or a specialist behind one fails with, what kind it is, and what to do about it.
//!
//! They stand in the same envelope as the fourteen stable tool codes
//! ([`ToolErrorEnvelope`]): `service`, `code`, `error`, and `retryAfter` where waiting helps. What each means stands
//! in the list that every caller has ([`GATEWAY`]).

#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

use mcp_errors::tool_code::{GATEWAY, PublishedCode};
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
        self.row().code
    }

    /// What kind of thing a caller does about it.
    pub const fn bucket(self) -> Bucket {
        self.row().bucket
    }

    /// What to do next, in words for a model.
    pub const fn advice(self) -> &'static str {
        self.row().advice
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

    /// The published row; both lists are in the same order.
    const fn row(self) -> &'static PublishedCode {
        &GATEWAY[self as usize]
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
