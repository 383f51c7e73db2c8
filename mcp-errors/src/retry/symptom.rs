//! What a retry policy looks at, of whatever failed.

use std::time::{Duration, SystemTime};

use crate::{
    envelope::ToolErrorEnvelope,
    failure::{Executed, Failure, FailureKind, Fault},
    tool_code::{Bucket, ToolErrorCode},
};

/// What a retry policy looks at, of a [`Failure`] or of a tool's [`ToolErrorEnvelope`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Symptom {
    /// The stable code, if there is one.
    pub code: Option<ToolErrorCode>,
    /// The HTTP status, if there is one.
    pub status: Option<u16>,
    /// Whether the call ran.
    pub executed: Executed,
    /// Whether the same call may succeed later.
    pub transient: bool,
    /// How long the server asks to wait.
    pub hint: Option<Duration>,
    /// Whether a deadline passed, which costs the server more than an error does.
    pub timeout: bool,
    /// Whether the server is to blame as a whole: the network failed, or a status from 500 on came. A tool's error
    /// and a refusal say that it is alive.
    pub unhealthy: bool,
}

impl Symptom {
    /// A tool's error; dates to wait for count from `now`.
    pub fn of_tool(envelope: &ToolErrorEnvelope, now: SystemTime) -> Self {
        Self {
            hint: envelope.hint(now),
            ..Self::from(envelope)
        }
    }

    /// Whether the code is one of the four that [`Retry::by_code`](super::Retry::by_code) repeats.
    pub fn has_wait_code(&self) -> bool {
        self.code
            .as_ref()
            .is_some_and(|code| code.is_known() && code.bucket() == Bucket::WaitAndRetry)
    }
}

impl From<&Failure> for Symptom {
    fn from(failure: &Failure) -> Self {
        let of_server = matches!(failure.kind(), FailureKind::Http | FailureKind::Peer);
        let fails = failure.http_status().is_some_and(|status| status >= 500);
        Self {
            code: failure.code(),
            status: failure.http_status(),
            executed: failure.executed(),
            transient: failure.is_transient(),
            hint: failure.retry_after(),
            timeout: failure.is_timeout(),
            unhealthy: failure.fault() == Fault::Network || (of_server && fails),
        }
    }
}

/// Its date to wait for is not read here: [`Symptom::of_tool`] knows the time.
///
/// A code that nobody published counts as transient only where its error says when to come back; whether it is then
/// repeated still depends on what repeating does.
impl From<&ToolErrorEnvelope> for Symptom {
    fn from(envelope: &ToolErrorEnvelope) -> Self {
        let code = &envelope.code;
        let transient = match code.published() {
            Some(row) => row.bucket.is_transient(),
            None => envelope.retry_after.is_some(),
        };
        Self {
            code: Some(code.clone()),
            status: envelope.status,
            executed: envelope.executed(),
            transient,
            hint: envelope.retry_after,
            timeout: false,
            unhealthy: false,
        }
    }
}
