//! The tools of a server: a snapshot that calls read, and a handle that changes it.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use mcp_types::tool::Tool as Definition;

use crate::{
    service::Service,
    session::{Session, WeakSession},
    tool::{InvalidTool, Tool},
};

/// The tools of a running server. Clones are the same set.
///
/// Changing it tells every legacy session that listens; a modern client lists again when its cache
/// says so.
#[derive(Clone)]
pub struct Tools(Arc<Inner>);

struct Inner {
    // Readers clone the `Arc` and let go; writers build a new snapshot.
    current: RwLock<Arc<Snapshot>>,
    offered: AtomicBool,
    sessions: Mutex<HashMap<u64, WeakSession>>,
}

/// One state of the set, in the order of registration.
#[derive(Clone, Default)]
pub(crate) struct Snapshot {
    entries: Vec<Arc<Entry>>,
    by_name: HashMap<Box<str>, usize>,
}

/// A tool as it is listed, and what runs it.
pub(crate) struct Entry {
    pub(crate) definition: Definition,
    pub(crate) service: Arc<dyn Service>,
    /// Whether its output is wrapped for revisions that know only objects.
    pub(crate) wraps_output: bool,
}

impl Tools {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inner {
            current: RwLock::default(),
            offered: AtomicBool::new(false),
            sessions: Mutex::default(),
        }))
    }

    /// Adds a tool at the end of the list.
    ///
    /// # Errors
    /// When its definition is not valid, or its name is taken.
    pub fn add(&self, tool: Tool) -> Result<(), InvalidTool> {
        let entry = Arc::new(tool.into_entry()?);
        self.change(|snapshot| snapshot.push(&entry))?;
        self.offer();
        self.tell();
        Ok(())
    }

    /// Removes a tool; calls that run go on. Says whether there was one.
    pub fn remove(&self, name: &str) -> bool {
        let removed = self.change(|snapshot| snapshot.remove(name));
        if removed.is_some() {
            self.tell();
        }
        removed.is_some()
    }

    /// The names, in the order of the list.
    pub fn names(&self) -> Vec<String> {
        let snapshot = self.snapshot();
        let names = snapshot.entries().iter();
        names.map(|entry| entry.definition.name.clone()).collect()
    }

    /// Whether the server says that it has tools: once it had one, it stays so.
    pub(crate) fn is_offered(&self) -> bool {
        self.0.offered.load(Ordering::Relaxed)
    }

    /// Says that the server has tools, even while it has none.
    pub(crate) fn offer(&self) {
        self.0.offered.store(true, Ordering::Relaxed);
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(
            &self
                .0
                .current
                .read()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Tells `session` of changes, as long as it lives.
    pub(crate) fn follow(&self, session: &Session) {
        self.sessions().insert(session.key(), session.downgrade());
        let (tools, key): (Weak<Inner>, u64) = (Arc::downgrade(&self.0), session.key());
        session.on_close(move || {
            if let Some(tools) = tools.upgrade() {
                Self(tools).sessions().remove(&key);
            }
        });
    }

    /// Edits the set. What leaves it is handed out: a handler's destructor may look at the tools, so it is
    /// not to run under the lock.
    fn change<T>(&self, edit: impl FnOnce(&mut Snapshot) -> T) -> T {
        let mut current = self
            .0
            .current
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        edit(Arc::make_mut(&mut current))
    }

    fn tell(&self) {
        let sessions: Vec<_> = self.sessions().values().cloned().collect();
        for session in sessions.iter().filter_map(WeakSession::upgrade) {
            session.tools_changed();
        }
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<u64, WeakSession>> {
        self.0
            .sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tools").field(&self.names()).finish()
    }
}

impl Snapshot {
    /// All tools, in the order of registration.
    pub(crate) fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// The tool of that name.
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        self.by_name.get(name).map(|&at| &self.entries[at])
    }

    fn push(&mut self, entry: &Arc<Entry>) -> Result<(), InvalidTool> {
        let name = entry.definition.name.as_str();
        if self.by_name.contains_key(name) {
            return Err(InvalidTool::taken(name));
        }
        self.by_name.insert(name.into(), self.entries.len());
        self.entries.push(Arc::clone(entry));
        Ok(())
    }

    fn remove(&mut self, name: &str) -> Option<Arc<Entry>> {
        let at = self.by_name.remove(name)?;
        let removed = self.entries.remove(at);
        for later in self.by_name.values_mut().filter(|later| **later > at) {
            *later -= 1;
        }
        Some(removed)
    }
}
