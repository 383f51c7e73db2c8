//! The tools of a running server.

use std::{fmt, sync::Arc};

use mcp_types::tool::Tool as Definition;

use crate::{
    described::Filter,
    hub::{Change, Hub},
    proto::mirror::Mirrors,
    registry::{Named, Set},
    service::Service,
    tool::{InvalidTool, Tool},
};

/// The tools of a running server. Clones are the same set.
///
/// Changing it tells every client that listens.
#[derive(Clone)]
pub struct Tools(pub(crate) Set<Entry>);

/// A tool as it is listed, and what runs it.
pub(crate) struct Entry {
    pub(crate) definition: Definition,
    pub(crate) service: Arc<dyn Service>,
    /// Whether its output is wrapped for revisions that know only objects.
    pub(crate) wraps_output: bool,
    /// Arguments that a modern HTTP client repeats in headers.
    pub(crate) mirrors: Mirrors,
    pub(crate) filter: Filter,
}

impl Named for Entry {
    fn key(&self) -> &str {
        &self.definition.name
    }

    fn filter(&self) -> &Filter {
        &self.filter
    }
}

impl Tools {
    pub(crate) fn new(hub: &Hub) -> Self {
        Self(Set::new(hub, Change::ToolsListChanged))
    }

    /// Adds a tool at the end of the list.
    ///
    /// # Errors
    /// When its definition is not valid, or its name is taken.
    pub fn add(&self, tool: Tool) -> Result<(), InvalidTool> {
        let name = tool.name().to_owned();
        let added = self.0.add(tool.into_entry()?);
        added.map_err(|_| InvalidTool::taken(&name))
    }

    /// Removes a tool; calls that run go on. Says whether there was one.
    pub fn remove(&self, name: &str) -> bool {
        self.0.remove(name)
    }

    /// The names, in the order of the list.
    pub fn names(&self) -> Vec<String> {
        self.0.names()
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tools").field(&self.names()).finish()
    }
}
