//! The prompts of a running server.

use std::{fmt, sync::Arc};

use mcp_types::prompt::Prompt as Definition;

use crate::{
    completion::Completers,
    described::Filter,
    features::Flag,
    hub::{Change, Hub},
    prompt::{InvalidPrompt, Prompt},
    registry::{Named, Set},
    service::Service,
};

/// The prompts of a running server. Clones are the same set.
///
/// Changing it tells every client that listens.
#[derive(Clone)]
pub struct Prompts {
    pub(crate) set: Set<Entry>,
    completes: Flag,
}

/// A prompt as it is listed, and what fills it in.
pub(crate) struct Entry {
    pub(crate) definition: Definition,
    pub(crate) filter: Filter,
    pub(crate) completers: Completers,
    pub(crate) service: Arc<dyn Service>,
}

impl Named for Entry {
    fn key(&self) -> &str {
        &self.definition.name
    }

    fn filter(&self) -> &Filter {
        &self.filter
    }
}

impl Prompts {
    pub(crate) fn new(hub: &Hub, completes: Flag) -> Self {
        Self {
            set: Set::new(hub, Change::PromptsListChanged),
            completes,
        }
    }

    /// Adds a prompt at the end of the list.
    ///
    /// # Errors
    /// When its name is not valid, or taken.
    pub fn add(&self, prompt: Prompt) -> Result<(), InvalidPrompt> {
        let name = prompt.name().to_owned();
        let entry = prompt.into_entry()?;
        if !entry.completers.is_empty() {
            self.completes.raise();
        }
        let added = self.set.add(entry);
        added.map_err(|_| InvalidPrompt::taken(&name))
    }

    /// Removes a prompt. Says whether there was one.
    pub fn remove(&self, name: &str) -> bool {
        self.set.remove(name)
    }

    /// The names, in the order of the list.
    pub fn names(&self) -> Vec<String> {
        self.set.names()
    }
}

impl fmt::Debug for Prompts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Prompts").field(&self.names()).finish()
    }
}
