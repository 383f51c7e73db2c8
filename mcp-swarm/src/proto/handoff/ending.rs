//! Why a handoff is refused, over, or not to be used, with the codes the caller is told.

use crate::codes::SwarmCode;
use crate::proto::namespace::DomainName;

/// An activation is refused. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The gateway was disposed.
    #[error("the gateway is closed")]
    Closed,
    /// The session belongs to somebody else.
    #[error("there is no such handoff")]
    Foreign,
    /// There are too many sessions.
    #[error("the gateway has {limit} handoffs, as many as it takes")]
    #[non_exhaustive]
    Full {
        /// How many it takes.
        limit: usize,
    },
}

impl Refused {
    /// The code the caller is told.
    pub const fn code(&self) -> SwarmCode {
        match self {
            Self::Closed => SwarmCode::GatewayClosed,
            Self::Foreign => SwarmCode::Unknown,
            Self::Full { .. } => SwarmCode::SessionLimit,
        }
    }
}

/// A result came for something nobody waits for any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Stale {
    /// A newer handoff of the same session took its place.
    #[error("a newer handoff took this one's place")]
    Superseded,
    /// It took longer than it may.
    #[error("the specialist could not be reached in time")]
    TimedOut,
    /// Its session was returned, went idle, or its client went away.
    #[error("the handoff ended before this was done")]
    Ended,
    /// The gateway was disposed.
    #[error("the gateway is closed")]
    Closed,
}

impl Stale {
    /// The code the caller is told, if it still listens.
    pub const fn code(&self) -> SwarmCode {
        match self {
            Self::Superseded => SwarmCode::Superseded,
            Self::TimedOut => SwarmCode::ConnectTimeout,
            Self::Ended => SwarmCode::Expired,
            Self::Closed => SwarmCode::GatewayClosed,
        }
    }
}

/// A session has no tunnel for a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unroutable {
    /// There is no such session, there never was, or it is somebody else's; which one is not told.
    #[error("there is no such handoff")]
    Unknown,
    /// It is not connected yet.
    #[error("the handoff to `{domain}` is still connecting")]
    #[non_exhaustive]
    Connecting {
        /// The specialist.
        domain: DomainName,
    },
    /// It is over.
    #[error("{0}")]
    Ended(Ended),
}

impl Unroutable {
    /// The code the caller is told.
    pub const fn code(&self) -> SwarmCode {
        match self {
            Self::Unknown => SwarmCode::Unknown,
            Self::Connecting { .. } => SwarmCode::Connecting,
            Self::Ended(ended) => ended.ending.code(),
        }
    }
}

/// A session that is over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the handoff to `{domain}` {ending}")]
#[non_exhaustive]
pub struct Ended {
    /// The specialist.
    pub domain: DomainName,
    /// How it ended.
    pub ending: Ending,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Ending {
    /// The specialist could not be connected to.
    #[error("failed: {}", .0.message)]
    Failed(Failure),
    /// Connecting took too long.
    #[error("failed: the specialist could not be reached in time")]
    ConnectTimeout,
    /// Nobody used it for too long.
    #[error("ended because nobody used it for a while")]
    Idle,
    /// It was returned.
    #[error("was returned")]
    Returned,
    /// Its client went away.
    #[error("ended when its client went away")]
    Disconnected,
    /// The gateway was disposed.
    #[error("ended when the gateway closed")]
    Disposed,
}

impl Ending {
    /// The code the next caller is told.
    pub const fn code(&self) -> SwarmCode {
        match self {
            Self::Failed(failure) => failure.code,
            Self::ConnectTimeout => SwarmCode::ConnectTimeout,
            Self::Idle | Self::Returned | Self::Disconnected => SwarmCode::Expired,
            Self::Disposed => SwarmCode::GatewayClosed,
        }
    }
}

/// Why a specialist could not be connected to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The code the caller is told.
    pub code: SwarmCode,
    /// A sentence for the model, without addresses and secrets.
    pub message: String,
}

impl Failure {
    /// A failure of this code.
    pub fn new(code: SwarmCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}
