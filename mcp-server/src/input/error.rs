//! Why a question has no answer.

use mcp_errors::ProtocolError;
use mcp_types::{ErrorObject, capability::ClientCapabilities, wire::Unsupported};

/// Why a question has no answer. A "no" of the user is none: that is an answer.
///
/// A handler that hands it on with `?` says it to the client: a missing capability as -32021 to a modern one, and
/// everything else as a failure of the tool.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The client has not declared that it answers such questions; these are the capabilities it would have to
    /// declare.
    #[error("the client does not support {}", .0.names())]
    MissingCapability(MissingCapability),
    /// The client's revision has no words for the question.
    #[error("the client cannot be asked: {0}")]
    Unsupported(#[from] Unsupported),
    /// There is no way to ask: a legacy client without a session, or one that nobody reads for.
    #[error("the client cannot be asked: the connection has no way back to it")]
    NoBackChannel,
    /// The call is of a method that cannot ask.
    #[error(
        "a handler of `{method}` cannot ask; those of tools/call, prompts/get and resources/read can"
    )]
    NotHere {
        /// The method.
        method: Box<str>,
    },
    /// Nobody answered in time.
    #[error("the client did not answer in time")]
    TimedOut,
    /// The connection ended before the answer came.
    #[error("the connection ended before the client answered")]
    Cancelled,
    /// The client answered with an error, such as -1 where its user refused to sample.
    #[error("the client refused to answer: {}", .0.message)]
    Refused(ErrorObject),
    /// What the client answered was no answer to the question, again and again.
    #[error("the client's answer does not fit the question")]
    Misfit,
    /// So many questions of the session wait for answers that there is no room for another.
    #[error("{limit} questions wait for an answer, the most one session may have")]
    Full {
        /// How many.
        limit: usize,
    },
    /// The question cannot be put: the type of the answer makes no form. It is a mistake of the handler.
    #[error("the question cannot be put: {0}")]
    Question(String),
}

/// The capabilities that a question needs and a client lacks.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MissingCapability {
    /// What the client would have to declare.
    pub required: Box<ClientCapabilities>,
}

impl MissingCapability {
    pub(crate) fn new(required: ClientCapabilities) -> Self {
        Self {
            required: Box::new(required),
        }
    }

    fn names(&self) -> String {
        let required = &self.required;
        let names = [
            ("elicitation", &required.elicitation),
            ("sampling", &required.sampling),
            ("roots", &required.roots),
        ];
        let named = names.iter().filter(|(_, wanted)| wanted.is_some());
        let named = named.map(|(name, wanted)| {
            let modes = wanted.iter().flat_map(|modes| modes.iter());
            let modes: Vec<_> = modes.map(|(mode, _)| mode).collect();
            match modes[..] {
                [] => (*name).to_owned(),
                _ => format!("{name} ({})", modes.join(", ")),
            }
        });
        named.collect::<Vec<_>>().join(" and ")
    }
}

impl From<MissingCapability> for ErrorObject {
    fn from(missing: MissingCapability) -> Self {
        ProtocolError::missing_client_capability(*missing.required).into()
    }
}

impl From<MissingCapability> for AskError {
    fn from(missing: MissingCapability) -> Self {
        Self::MissingCapability(missing)
    }
}
