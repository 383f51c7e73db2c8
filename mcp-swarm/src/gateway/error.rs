//! Why the gateway could not do what was asked, and how that is told.

use std::fmt;
use std::time::Duration;

use mcp_errors::Executed;
use mcp_server::Answer;
use mcp_types::{ErrorObject, RawJson};

use crate::codes::SwarmCode;
use crate::proto::handoff::{Failure, Refused, Stale, Unroutable};

/// Why the gateway could not do what was asked.
pub struct GatewayError(Box<Inner>);

struct Inner {
    code: SwarmCode,
    message: String,
    retry_after: Option<Duration>,
    executed: Option<Executed>,
    peer: Option<ErrorObject>,
}

impl GatewayError {
    pub(super) fn new(code: SwarmCode, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            code,
            message: message.into(),
            retry_after: code.retry_after(),
            executed: None,
            peer: None,
        }))
    }

    /// The specialist said when to come back.
    pub(super) fn retry_after(mut self, wait: Option<Duration>) -> Self {
        self.0.retry_after = wait.or(self.0.retry_after);
        self
    }

    /// Whether the specialist ran the call.
    pub(super) fn executed(mut self, executed: Executed) -> Self {
        self.0.executed = Some(executed);
        self
    }

    /// The specialist's own error, which the caller gets as it is.
    pub(super) fn passing_on(mut self, error: ErrorObject) -> Self {
        self.0.peer = Some(error);
        self
    }

    /// What a program goes by.
    pub fn code(&self) -> SwarmCode {
        self.0.code
    }

    /// A sentence for a model, without addresses and secrets.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What is remembered of it for the next caller.
    pub(super) fn to_failure(&self) -> Failure {
        Failure::new(self.0.code, self.0.message.clone())
    }

    /// The answer to the call that failed so: a tool's error from `service`, or the specialist's own.
    pub(super) fn into_answer(self, service: &str) -> Answer {
        let Inner {
            code,
            message,
            retry_after,
            executed,
            peer,
        } = *self.0;
        if let Some(error) = peer {
            return Answer::error(error);
        }
        let mut envelope = code.envelope(service, &message);
        envelope.retry_after = retry_after;
        if let Some(executed) = executed {
            let word = match executed {
                Executed::No => "no",
                Executed::Unknown => "unknown",
                Executed::Yes => "yes",
            };
            if let Ok(word) = RawJson::from_serialize(word) {
                envelope.extra.set("executed", word);
            }
        }
        Answer::new(envelope.into_result())
    }
}

impl From<Refused> for GatewayError {
    fn from(refused: Refused) -> Self {
        Self::new(refused.code(), capitalised(&refused.to_string()))
    }
}

impl From<Stale> for GatewayError {
    fn from(stale: Stale) -> Self {
        Self::new(stale.code(), capitalised(&stale.to_string()))
    }
}

impl From<Unroutable> for GatewayError {
    fn from(unroutable: Unroutable) -> Self {
        Self::new(unroutable.code(), capitalised(&unroutable.to_string()))
    }
}

/// A message as a sentence of its own.
fn capitalised(message: &str) -> String {
    let mut letters = message.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

impl fmt::Display for GatewayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.0.message, self.0.code)
    }
}

impl fmt::Debug for GatewayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatewayError")
            .field("code", &self.0.code)
            .field("message", &self.0.message)
            .field("executed", &self.0.executed)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for GatewayError {}
