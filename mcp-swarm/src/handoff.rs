//! What a handler returns to hand the conversation over.

#[cfg(test)]
mod tests;

use std::fmt;

use mcp_errors::ToolError;
use mcp_server::{Answer, IntoAnswer};
use mcp_types::strict;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::codes::SwarmCode;
use crate::proto::sanitize;
use crate::proto::target::MAX_TARGET;
use crate::proto::token::{MAX_STATE_BYTES, MAX_STATE_DEPTH};

/// The most characters of a reason that are shown.
pub const MAX_REASON: usize = 500;

/// Hands the conversation to the specialist that `target` means: a registered name such as `finance`, or a URL whose
/// host is one, such as `mcp://finance-agent`.
///
/// ```
/// use mcp_swarm::handoff;
///
/// let request = handoff("mcp://finance-agent").reason("Invoice question").carry(&serde_json::json!({"invoice": 42}));
/// assert!(request.check().is_ok());
/// ```
pub fn handoff(target: impl Into<String>) -> HandoffRequest {
    let target = target.into();
    let good =
        (1..=MAX_TARGET).contains(&target.chars().count()) && !target.chars().any(char::is_control);
    let flaw = (!good).then(|| InvalidHandoff::Target {
        target: sanitize::excerpt(&target, 200),
    });
    HandoffRequest {
        target,
        reason: None,
        state: None,
        flaw,
    }
}

/// A request to hand the conversation over.
///
/// A handler returns it, alone or in a `Result`. Only a gateway sees it: without one the caller gets the tool's error
/// `HANDOFF_NOT_CONFIGURED`, and neither target nor reason nor carried state leaves the server. `Debug` does not show the
/// carried state.
#[derive(Clone)]
pub struct HandoffRequest {
    target: String,
    reason: Option<String>,
    state: Option<Box<RawValue>>,
    flaw: Option<InvalidHandoff>,
}

impl HandoffRequest {
    /// Why, in a sentence that the model will read. Controls and role markers are taken out of it, and it is cut to
    /// [`MAX_REASON`] characters.
    pub fn reason(mut self, reason: impl AsRef<str>) -> Self {
        let clean = sanitize::clean(reason.as_ref());
        self.reason = Some(sanitize::cut(clean.trim(), MAX_REASON).to_owned())
            .filter(|reason| !reason.is_empty());
        self
    }

    /// What the specialist should know, as a JSON object of at most 64 KiB and 32 levels. It travels signed and
    /// outside the conversation: the model does not see it.
    pub fn carry<T: Serialize + ?Sized>(mut self, state: &T) -> Self {
        match checked(state) {
            Ok(state) => self.state = Some(state),
            Err(flaw) => {
                self.flaw.get_or_insert(flaw);
            }
        }
        self
    }

    /// Whether it can be handed over: the first thing that was wrong with target or carried state, if any.
    ///
    /// # Errors
    /// [`InvalidHandoff`], that thing.
    pub fn check(&self) -> Result<(), InvalidHandoff> {
        self.flaw.clone().map_or(Ok(()), Err)
    }

    /// To whom.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Why, if it was said.
    pub fn why(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// What is carried, if anything.
    pub fn state(&self) -> Option<&RawValue> {
        self.state.as_deref()
    }
}

/// A tool's error, with the request in [`Answer::ext`] for the gateway around it.
impl IntoAnswer for HandoffRequest {
    fn into_answer(self) -> Answer {
        let code = SwarmCode::NotConfigured;
        let sentence = format!("The conversation cannot be handed over. {}", code.advice());
        let mut answer = Answer::from(ToolError::new(code, sentence));
        answer.ext.insert(self);
        answer
    }
}

fn checked<T: Serialize + ?Sized>(state: &T) -> Result<Box<RawValue>, InvalidHandoff> {
    let raw = to_raw_value(state).map_err(|_| InvalidHandoff::NotJson)?;
    let json = raw.get();
    if !json.starts_with('{') {
        return Err(InvalidHandoff::NotObject);
    }
    if json.len() > MAX_STATE_BYTES {
        return Err(InvalidHandoff::TooLarge { bytes: json.len() });
    }
    strict::check_object(json, MAX_STATE_DEPTH).map_err(|_| InvalidHandoff::NotStrict)?;
    Ok(raw)
}

impl fmt::Debug for HandoffRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandoffRequest")
            .field("target", &self.target)
            .field("reason", &self.reason)
            .field(
                "state_bytes",
                &self.state.as_ref().map(|state| state.get().len()),
            )
            .field("flaw", &self.flaw)
            .finish()
    }
}

/// A handoff that cannot be carried out, whatever the gateway.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidHandoff {
    /// The target is empty, too long, or has controls.
    #[error("`{target}` is no handoff target: use 1 to {MAX_TARGET} characters without controls")]
    #[non_exhaustive]
    Target {
        /// The start of the target.
        target: String,
    },
    /// The state's `Serialize` failed.
    #[error(
        "carried state cannot be written as JSON: check its Serialize, and that its maps have text keys"
    )]
    NotJson,
    /// The state is JSON, but no object.
    #[error("carried state must be a JSON object: wrap the value in a struct")]
    NotObject,
    /// The state is over 64 KiB.
    #[error(
        "carried state has {bytes} bytes and may have {MAX_STATE_BYTES}: carry a reference to it instead"
    )]
    #[non_exhaustive]
    TooLarge {
        /// The size of its JSON.
        bytes: usize,
    },
    /// The state is nested too deep or has a member twice.
    #[error(
        "carried state is nested deeper than {MAX_STATE_DEPTH} levels or has a member twice: flatten it, or rename one"
    )]
    NotStrict,
}
