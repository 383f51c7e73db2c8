//! Whose a task is, and under which rules it was made.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whose a task is.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TaskOwner {
    /// Of a principal: for anybody else it does not exist.
    Principal(Box<str>),
    /// Of nobody by name, made on this legacy session: whoever is nobody and knows the id may use it, and the session
    /// has it in its list.
    Session(Box<str>),
    /// Of nobody: whoever is nobody and knows the id may use it.
    Nobody,
}

impl TaskOwner {
    /// Whether `caller` may use a task of this owner, whose id it knows.
    pub fn admits(&self, caller: &Self) -> bool {
        match (self, caller) {
            (Self::Principal(own), Self::Principal(other)) => own == other,
            (Self::Principal(_), _) | (_, Self::Principal(_)) => false,
            (Self::Session(_) | Self::Nobody, Self::Session(_) | Self::Nobody) => true,
        }
    }

    /// Whether it is a principal.
    pub fn is_principal(&self) -> bool {
        matches!(self, Self::Principal(_))
    }
}

impl fmt::Debug for TaskOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Principal(_) => "Principal(…)",
            Self::Session(_) => "Session(…)",
            Self::Nobody => "Nobody",
        })
    }
}

/// The rules that a task is made and shown under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TaskProfile {
    /// The tasks of the core of 2025-11-25, which the client asks for.
    Legacy2025,
    /// The extension `io.modelcontextprotocol/tasks` at 2026-07-28, which the client declares.
    Extension,
    /// A handle in `_meta.taskHandle` of a complete result, for modern clients that declare nothing.
    InlineHandle,
}
