//! The tools of a running server.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use mcp_types::tool::{TaskSupport, Tool as Definition};

use crate::{
    described::Filter,
    hub::{Change, Hub},
    proto::mirror::Mirrors,
    registry::{Named, Set},
    service::Service,
    tool::{InvalidTool, Tool},
    validate::{Checks, Chosen, SchemaCheck},
};

/// The tools of a running server. Clones are the same set.
///
/// Changing it tells every client that listens.
#[derive(Clone)]
pub struct Tools(pub(crate) Set<Entry>, Chosen);

/// A tool as it is listed, and what runs it.
pub(crate) struct Entry {
    pub(crate) definition: Definition,
    pub(crate) service: Arc<dyn Service>,
    /// Whether its output is wrapped for revisions that know only objects.
    pub(crate) wraps_output: bool,
    /// Whether it runs as a task.
    pub(crate) task_support: TaskSupport,
    /// Whether its handler says when its task begins.
    pub(crate) begins_in_handler: bool,
    /// Arguments that a modern HTTP client repeats in headers.
    pub(crate) mirrors: Mirrors,
    pub(crate) filter: Filter,
    /// What its failures carry as `service`.
    pub(crate) label: Arc<str>,
    /// What its arguments and results are checked by, where the server checks them.
    pub(crate) checks: OnceLock<Checks>,
}

impl Entry {
    fn check_by(&self, check: &dyn SchemaCheck) -> Result<(), InvalidTool> {
        if self.checks.get().is_none() {
            let checks = Checks::of(&self.definition, check)?;
            // Whoever was faster compiled the same.
            let _ = self.checks.set(checks);
        }
        Ok(())
    }
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
        Self(Set::new(hub, Change::ToolsListChanged), Chosen::default())
    }

    /// Adds a tool at the end of the list.
    ///
    /// # Errors
    /// When its definition is not valid, its name is taken, or its schemas are not to be checked against.
    pub fn add(&self, tool: Tool) -> Result<(), InvalidTool> {
        let entry = tool.into_entry()?;
        if let Some(check) = self.1.get() {
            entry.check_by(&**check)?;
        }
        self.place(entry)
    }

    fn place(&self, entry: Entry) -> Result<(), InvalidTool> {
        let name = entry.definition.name.clone();
        let added = self.0.add(entry);
        added.map_err(|_| InvalidTool::taken(&name))?;
        // A check that was chosen meanwhile may have looked at the tools before this one was there.
        let Some(check) = self.1.get() else {
            return Ok(());
        };
        let snapshot = self.0.snapshot();
        let mut entries = snapshot.entries().iter();
        let placed = entries.rfind(|entry| entry.key() == &*name);
        let checked = placed.map_or(Ok(()), |entry| entry.check_by(&**check));
        if checked.is_err() {
            self.0.remove(&name);
        }
        checked
    }

    /// Checks the values of all tools by `check`, those that are there and those to come. The first one stands.
    pub(crate) fn check_by(&self, check: Arc<dyn SchemaCheck>) -> Result<(), InvalidTool> {
        let check = self.1.get_or_init(|| check);
        let snapshot = self.0.snapshot();
        let mut entries = snapshot.entries().iter();
        entries.try_for_each(|entry| entry.check_by(&**check))
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

#[cfg(test)]
mod tests {
    use mcp_types::RawJson;

    use super::*;
    use crate::validate::{InvalidSchema, Mismatch, ValueCheck};

    /// Takes every schema, or none.
    struct Takes(bool);

    impl SchemaCheck for Takes {
        fn compile(&self, _: &RawJson) -> Result<Arc<dyn ValueCheck>, InvalidSchema> {
            match self.0 {
                true => Ok(Arc::new(Fits)),
                false => Err(InvalidSchema::new("it is wrong")),
            }
        }
    }

    struct Fits;

    impl ValueCheck for Fits {
        fn check(&self, _: &str) -> Result<(), Mismatch> {
            Ok(())
        }
    }

    /// A check is chosen after a tool was looked at and before it is in the list: whether the tool is taken, and how
    /// many tools are listed and checked then.
    fn check(takes: bool, expected: (bool, usize, usize)) {
        let tools = Tools::new(&Hub::default());
        let entry = Tool::new("a", || async { "done" }).into_entry().unwrap();
        tools.check_by(Arc::new(Takes(takes))).unwrap();
        let placed = tools.place(entry).is_ok();
        let snapshot = tools.0.snapshot();
        let checked = snapshot.entries().iter();
        let checked = checked.filter(|entry| entry.checks.get().is_some()).count();
        assert_eq!((placed, snapshot.entries().len(), checked), expected);
    }

    #[test]
    fn a_check_chosen_while_a_tool_is_added_checks_it_too() {
        check(true, (true, 1, 1));
        check(false, (false, 0, 0));
    }
}
