//! The one table of methods: direction, revisions, results, caching, headers, capabilities.
//!
//! Era gating, the `Mcp-Name` header, caching hints and eligibility for input all derive from
//! [`TABLE`]; nothing else lists methods. A method that is absent for a revision and direction *is*
//! "method not found".

mod marker;
mod table;

use std::{fmt, sync::Arc};

pub use self::{
    marker::{
        CallTool, CancelTask, Complete, CreateMessage, Discover, Elicit, GetPrompt, GetTask,
        Initialize, ListPrompts, ListResourceTemplates, ListResources, ListRoots, ListTasks,
        ListTools, Listen, Ping, ReadResource, RequestType, SetLevel, Subscribe, TaskResult,
        Unsubscribe, UpdateTask,
    },
    table::{Kind, MethodSpec, Span, TABLE},
};
use crate::revision::Revision;

/// The name of a method, and its row in [`TABLE`] if it has one.
///
/// Methods that the table does not know survive, so that a proxy can forward them.
#[derive(Clone)]
pub struct Method(Name);

#[derive(Clone)]
enum Name {
    Known(&'static MethodSpec),
    Other(Arc<str>),
}

impl Method {
    /// The name as it stands on the wire.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Name::Known(spec) => spec.name,
            Name::Other(name) => name,
        }
    }

    /// What the table says about it; `None` for methods of nobody's revision.
    pub fn spec(&self) -> Option<&'static MethodSpec> {
        match self.0 {
            Name::Known(spec) => Some(spec),
            Name::Other(_) => None,
        }
    }

    /// Whether a client may send it to a server of `revision`.
    pub fn is_for_server(&self, revision: Revision) -> bool {
        self.spec()
            .is_some_and(|spec| spec.to_server.contains(revision))
    }

    /// Whether a server may send it to a client of `revision`.
    pub fn is_for_client(&self, revision: Revision) -> bool {
        self.spec()
            .is_some_and(|spec| spec.to_client.contains(revision))
    }
}

impl From<&str> for Method {
    fn from(name: &str) -> Self {
        let known = TABLE.iter().find(|spec| spec.name == name);
        Self(known.map_or_else(|| Name::Other(name.into()), Name::Known))
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Method {}

impl PartialEq<str> for Method {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Method {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
