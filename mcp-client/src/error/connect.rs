//! Why there is no connection, with everything that was tried.

use std::fmt;

use mcp_errors::Failure;
use mcp_types::ErrorCode;

use super::WORDS;
use crate::{
    proto::probe::{Attempt, Reason},
    text::clip,
};

/// Why there is no connection.
///
/// The attempts stand in order. The failure that tells most is the [source](std::error::Error::source) and
/// [`ConnectError::failure`].
#[derive(Debug)]
pub struct ConnectError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    target: String,
    reason: Reason,
    /// Why nothing was even tried.
    detail: Option<String>,
    attempts: Vec<Attempt>,
    stderr: Stderr,
}

/// May hold secrets, so it is not shown.
struct Stderr(Option<String>);

impl fmt::Debug for Stderr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.as_ref().map_or(0, String::len))
    }
}

impl ConnectError {
    pub(crate) fn new(target: String, reason: Reason, attempts: Vec<Attempt>) -> Self {
        Self(Box::new(Inner {
            target,
            reason,
            detail: None,
            attempts,
            stderr: Stderr(None),
        }))
    }

    pub(crate) fn local(target: String, detail: String) -> Self {
        Self(Box::new(Inner {
            target,
            reason: Reason::Local,
            detail: Some(detail),
            attempts: Vec::new(),
            stderr: Stderr(None),
        }))
    }

    pub(crate) fn with_stderr(mut self, stderr: Option<String>) -> Self {
        self.0.stderr = Stderr(stderr.filter(|text| !text.is_empty()));
        self
    }

    /// The last of what the server's process wrote to stderr, if it was one and wrote something. It may
    /// hold secrets, so it is no part of the message: show it to a person, not to a model.
    pub fn stderr(&self) -> Option<&str> {
        self.0.stderr.0.as_deref()
    }

    /// Why.
    pub fn reason(&self) -> &Reason {
        &self.0.reason
    }

    /// What was tried, in order; empty where nothing could be.
    pub fn attempts(&self) -> &[Attempt] {
        &self.0.attempts
    }

    /// The failure that tells most: that a server wants authorization, why one that knows `initialize` refused it, else
    /// the first failure. That a legacy server does not know the modern probe is no failure.
    pub fn failure(&self) -> Option<&Failure> {
        let attempts = &self.0.attempts;
        let last = attempts.last().and_then(|last| last.answer.failure());
        let refused = |failure: &&Failure| {
            self.is_unauthorized()
                || failure
                    .peer_error()
                    .is_some_and(|error| error.code != ErrorCode::METHOD_NOT_FOUND)
        };
        let first = || {
            attempts
                .iter()
                .filter(|attempt| !attempt.says_legacy())
                .find_map(|attempt| attempt.answer.failure())
        };
        last.filter(refused).or_else(first)
    }

    /// Whether the server did not answer in time.
    pub fn is_timeout(&self) -> bool {
        self.0.reason == Reason::Timeout
    }

    /// Whether the server wants authorization.
    pub fn is_unauthorized(&self) -> bool {
        self.0.reason == Reason::Unauthorized
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot connect to {}: ", self.0.target)?;
        match &self.0.detail {
            Some(detail) => f.write_str(detail)?,
            None => self.0.reason.fmt(f)?,
        }
        for (n, attempt) in (1..).zip(&self.0.attempts) {
            write!(
                f,
                "; {n}. {} ({}): {}",
                attempt.step,
                attempt.revision,
                clip(&attempt.answer.to_string(), WORDS)
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.failure()
            .map(|failure| failure as &(dyn std::error::Error + 'static))
    }
}
