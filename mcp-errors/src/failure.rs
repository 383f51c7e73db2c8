//! How a call failed: where the failure arose, and whether the call may have run.
//!
//! Whether a repeat is safe follows from [`Executed`], not from a status.

use std::{borrow::Cow, error::Error, fmt, time::Duration};

use mcp_types::ErrorObject;

use crate::{
    catalogue::{ProtocolError, ProtocolErrorKind},
    tool_code::ToolErrorCode,
};

/// Why a call has no result.
///
/// Local failures carry no JSON-RPC code, so they cannot be mistaken for the peer's.
pub struct Failure(Box<Inner>);

struct Inner {
    kind: FailureKind,
    executed: Executed,
    detail: Cow<'static, str>,
    peer: Option<ErrorObject>,
    http_status: Option<u16>,
    retry_after: Option<Duration>,
    transient: Option<bool>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// The call cannot be made as asked: bad arguments, no such feature here.
    Invalid,
    /// Too much is in flight or queued on this side.
    Full,
    /// This side gave the call up.
    Cancelled,
    /// The connection was closed on this side.
    Closed,
    /// A deadline passed.
    Timeout,
    /// The peer could not be reached: name, address, TLS, process.
    Unreachable,
    /// The connection broke, or the answer's stream ended, before the answer.
    Lost,
    /// HTTP answered with a status and no JSON-RPC error.
    Http,
    /// HTTP answered 401 or 403: authorization is needed.
    Unauthorized,
    /// HTTP answered with a redirect that is not followed.
    Redirected,
    /// The peer answered with a JSON-RPC error.
    Peer,
    /// The peer's answer is no answer: not JSON-RPC, or not of the expected shape.
    Malformed,
    /// The peer's answer is larger than the limit.
    TooLarge,
}

/// On whose side a failure arose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is no fourth side")]
pub enum Fault {
    /// On ours.
    Local,
    /// On the peer's.
    Peer,
    /// Between us.
    Network,
}

/// Whether the peer ran the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is no fourth answer")]
pub enum Executed {
    /// It provably did not.
    No,
    /// It may have.
    Unknown,
    /// It did.
    Yes,
}

impl Failure {
    /// A failure of `kind`; `detail` is a sentence that names the value and the remedy.
    ///
    /// [`Failure::executed`] starts at what the kind implies.
    pub fn new(kind: FailureKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            executed: kind.implies(),
            detail: detail.into(),
            peer: None,
            http_status: None,
            retry_after: None,
            transient: None,
            source: None,
        }))
    }

    /// The peer's own error. Whether the call ran is unknown unless the error tells.
    pub fn peer(error: ErrorObject) -> Self {
        let mut failure = Self::new(FailureKind::Peer, error.message.clone());
        let protocol = ProtocolError::from(error.clone());
        failure.0.executed = match protocol.kind() {
            kind if kind.precedes_handlers() => Executed::No,
            _ => Executed::Unknown,
        };
        failure.0.retry_after = protocol.retry_after();
        failure.0.peer = Some(error);
        failure
    }

    /// Says whether the call ran.
    #[must_use]
    pub fn with_executed(mut self, executed: Executed) -> Self {
        self.0.executed = executed;
        self
    }

    /// Keeps the HTTP status of the answer.
    #[must_use]
    pub fn with_http_status(mut self, status: u16) -> Self {
        self.0.http_status = Some(status);
        self
    }

    /// Keeps how long the peer asked to wait.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    /// Says whether the same call may succeed later, where the kind alone does not tell: a host that cannot be
    /// reached may be back in a second, one whose certificate is not trusted will not.
    #[must_use]
    pub fn with_transient(mut self, transient: bool) -> Self {
        self.0.transient = Some(transient);
        self
    }

    /// Keeps the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> FailureKind {
        self.0.kind
    }

    /// On whose side it arose.
    pub fn fault(&self) -> Fault {
        self.0.kind.fault()
    }

    /// Whether the peer ran the call.
    pub fn executed(&self) -> Executed {
        self.0.executed
    }

    /// The peer's error, if it sent one.
    pub fn peer_error(&self) -> Option<&ErrorObject> {
        self.0.peer.as_ref()
    }

    /// The peer's error in the words of the catalogue, if it sent one.
    pub fn protocol_error(&self) -> Option<ProtocolError> {
        self.0.peer.clone().map(ProtocolError::from)
    }

    /// The HTTP status of the answer, if there was one.
    pub fn http_status(&self) -> Option<u16> {
        self.0.http_status
    }

    /// How long the peer asked to wait before a repeat.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The stable code that says the same, where there is one: `at_capacity` of the peer's error, else the one of
    /// the HTTP status.
    pub fn code(&self) -> Option<ToolErrorCode> {
        if let Some(error) = self.protocol_error()
            && matches!(error.kind(), ProtocolErrorKind::AtCapacity { .. })
        {
            return Some(ToolErrorCode::AT_CAPACITY);
        }
        self.0.http_status.map(ToolErrorCode::from_status)
    }

    /// Whether the same call may succeed later, as far as repeating it is safe.
    ///
    /// The network's failures are, as is a full queue of this side; of the peer's, those that say when to come back
    /// and the HTTP statuses 408, 425, 429 and all from 500 on but 501 and 505.
    pub fn is_transient(&self) -> bool {
        self.0.transient.unwrap_or_else(|| match self.0.kind {
            FailureKind::Full
            | FailureKind::Timeout
            | FailureKind::Unreachable
            | FailureKind::Lost => true,
            FailureKind::Http | FailureKind::Peer => {
                self.0.retry_after.is_some() || self.0.http_status.is_some_and(may_pass)
            }
            _ => false,
        })
    }

    /// Whether a deadline passed.
    pub fn is_timeout(&self) -> bool {
        self.0.kind == FailureKind::Timeout
    }

    /// Whether this side gave up.
    pub fn is_cancelled(&self) -> bool {
        self.0.kind == FailureKind::Cancelled
    }

    /// Whether authorization is needed.
    pub fn is_unauthorized(&self) -> bool {
        self.0.kind == FailureKind::Unauthorized
    }
}

/// Whether a status tells of a state that passes.
const fn may_pass(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502..=504 | 506..)
}

impl FailureKind {
    /// On whose side failures of this kind arise.
    pub const fn fault(self) -> Fault {
        match self {
            Self::Invalid | Self::Full | Self::Cancelled | Self::Closed => Fault::Local,
            Self::Timeout | Self::Unreachable | Self::Lost => Fault::Network,
            Self::Http
            | Self::Unauthorized
            | Self::Redirected
            | Self::Peer
            | Self::Malformed
            | Self::TooLarge => Fault::Peer,
        }
    }

    const fn implies(self) -> Executed {
        match self {
            Self::Invalid
            | Self::Full
            | Self::Unreachable
            | Self::Unauthorized
            | Self::Redirected => Executed::No,
            Self::Cancelled
            | Self::Closed
            | Self::Timeout
            | Self::Lost
            | Self::Http
            | Self::Peer
            | Self::Malformed
            | Self::TooLarge => Executed::Unknown,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.detail)?;
        if let Some(error) = &self.0.peer {
            write!(f, " (peer's code {})", error.code)?;
        }
        if let Some(status) = self.0.http_status {
            write!(f, " (HTTP {status})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure")
            .field("kind", &self.0.kind)
            .field("executed", &self.0.executed)
            .field("detail", &self.0.detail)
            .field("peer", &self.0.peer)
            .field("http_status", &self.0.http_status)
            .field("retry_after", &self.0.retry_after)
            .field("source", &self.0.source)
            .finish()
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::ErrorCode;

    use super::*;

    #[test]
    fn the_peers_error_tells_whether_a_call_ran() {
        let check = |error: ErrorObject, expected| {
            let failure = Failure::peer(error);
            let code = failure.peer_error().unwrap().code;
            assert_eq!(failure.executed(), expected, "{code}");
            assert_eq!(failure.fault(), Fault::Peer);
        };
        for code in [-32700, -32600, -32601, -32020, -32022] {
            check(ErrorObject::new(ErrorCode(code), "x"), Executed::No);
        }
        // A handler may find midway that it needs a capability.
        for code in [-32603, -32602, -32021, -32000, 7] {
            check(ErrorObject::new(ErrorCode(code), "x"), Executed::Unknown);
        }
        check(ProtocolError::missing_meta(["a"]).into(), Executed::No);
        check(ProtocolError::unknown_tool("a").into(), Executed::Unknown);
    }

    #[test]
    fn a_peer_at_capacity_says_when_to_come_back() {
        let wait = Duration::from_secs(3);
        let failure =
            Failure::peer(ProtocolError::at_capacity("64 calls are the most", wait).into());
        assert_eq!(
            (failure.retry_after(), failure.executed()),
            (Some(wait), Executed::No)
        );
        assert_eq!(failure.code(), Some(ToolErrorCode::AT_CAPACITY));
        assert!(failure.is_transient());
    }

    #[test]
    fn a_status_has_a_code_and_may_pass() {
        for status in 100..600 {
            let failure = Failure::new(FailureKind::Http, "x").with_http_status(status);
            let expected = [408, 425, 429].contains(&status)
                || (status >= 500 && ![501, 505].contains(&status));
            assert_eq!(failure.is_transient(), expected, "{status}");
            assert_eq!(failure.code(), Some(ToolErrorCode::from_status(status)));
            let told = Failure::new(FailureKind::Http, "x").with_http_status(status);
            assert_eq!(told.with_transient(!expected).is_transient(), !expected);
        }
        let failure = Failure::new(FailureKind::Lost, "x");
        assert_eq!((failure.code(), failure.is_transient()), (None, true));
    }

    #[test]
    fn a_local_failure_has_no_code() {
        let failure = Failure::new(FailureKind::Timeout, "no answer within 60 s");
        assert!(failure.peer_error().is_none() && failure.is_timeout());
        assert_eq!(
            (failure.fault(), failure.executed()),
            (Fault::Network, Executed::Unknown)
        );
        assert_eq!(failure.to_string(), "no answer within 60 s");
    }
}
