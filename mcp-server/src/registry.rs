//! The registry: what a server offers of one kind, as a snapshot that calls read and a set that changes it.
//!
//! Tools, resources, templates and prompts are each a [`Set`]. It keeps the order of registration, finds
//! by name, and publishes a change to the hub each time it is edited.

#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    ops::Deref,
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use mcp_types::{RawJson, Revision, wire::Item};

use crate::{
    call::Call,
    described::Filter,
    hub::{Change, Hub},
};

/// Can be in a [`Set`].
pub(crate) trait Named: Send + Sync + 'static {
    /// What it is found by, unlike that of any other in the set.
    fn key(&self) -> &str;

    /// Who sees it.
    fn filter(&self) -> &Filter;
}

/// What a server offers of one kind. Clones are the same set.
pub(crate) struct Set<T>(Arc<Inner<T>>);

struct Inner<T> {
    // Readers clone the `Arc` and let go; writers build a new snapshot.
    current: RwLock<Arc<Snapshot<T>>>,
    offered: AtomicBool,
    open: AtomicBool,
    hub: Hub,
    change: Change,
}

/// One state of the set, in the order of registration.
pub(crate) struct Snapshot<T> {
    // Their numbers only grow.
    entries: Vec<Arc<Placed<T>>>,
    by_name: HashMap<Box<str>, Arc<Placed<T>>>,
    next: u64,
    /// How many of them not everyone sees.
    filtered: usize,
}

/// Something in a set, with its place in the order of registration.
pub(crate) struct Placed<T> {
    number: u64,
    item: T,
    /// As it is listed in each revision, once somebody asked.
    written: [OnceLock<RawJson>; Revision::ALL.len()],
}

/// The name is taken in the set.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Taken;

impl<T: Named> Set<T> {
    /// An empty set, whose edits are published as `change`.
    pub(crate) fn new(hub: &Hub, change: Change) -> Self {
        Self(Arc::new(Inner {
            current: RwLock::default(),
            offered: AtomicBool::new(false),
            open: AtomicBool::new(false),
            hub: hub.clone(),
            change,
        }))
    }

    /// Adds `item` at the end.
    pub(crate) fn add(&self, item: T) -> Result<(), Taken> {
        // What is refused is handed out: its destructor may look at the set, so it is not to run under the lock.
        let refused = self.edit(|snapshot| snapshot.push(item));
        if refused.is_some() {
            return Err(Taken);
        }
        self.offer();
        self.0.hub.publish(&self.0.change);
        Ok(())
    }

    /// Removes what has this name; who uses it goes on. Says whether there was any.
    pub(crate) fn remove(&self, name: &str) -> bool {
        let removed = self.edit(|snapshot| snapshot.remove(name));
        if removed.is_some() {
            self.0.hub.publish(&self.0.change);
        }
        removed.is_some()
    }

    /// The names, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let snapshot = self.snapshot();
        let names = snapshot.entries.iter();
        names.map(|entry| entry.key().to_owned()).collect()
    }

    /// The set as it is now.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot<T>> {
        let current = self.0.current.read();
        Arc::clone(&current.unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the server says that it has such things: once it had one, it stays so.
    pub(crate) fn is_offered(&self) -> bool {
        self.0.offered.load(Ordering::Relaxed)
    }

    /// Says that the server has such things, even while it has none.
    pub(crate) fn offer(&self) {
        self.0.offered.store(true, Ordering::Relaxed);
    }

    /// Whether someone can change the set while the server runs.
    pub(crate) fn can_change(&self) -> bool {
        self.0.open.load(Ordering::Relaxed)
    }

    /// Says that someone can change the set while the server runs, so that there will be something.
    pub(crate) fn open(&self) {
        self.offer();
        self.0.open.store(true, Ordering::Relaxed);
    }

    fn edit<R>(&self, edit: impl FnOnce(&mut Snapshot<T>) -> R) -> R {
        let current = self.0.current.write();
        edit(Arc::make_mut(
            &mut current.unwrap_or_else(PoisonError::into_inner),
        ))
    }
}

impl<T> Clone for Set<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Named> Snapshot<T> {
    /// All of them, in the order of registration.
    pub(crate) fn entries(&self) -> &[Arc<Placed<T>>] {
        &self.entries
    }

    /// The one of that name, if who made `call` sees it.
    pub(crate) fn find(&self, name: &str, call: &Call) -> Option<&Arc<Placed<T>>> {
        let found = self.by_name.get(name);
        found.filter(|entry| entry.filter().shows(call))
    }

    /// Whether there are some that not everyone sees.
    pub(crate) fn is_filtered(&self) -> bool {
        self.filtered > 0
    }

    /// Those after the one of that name, or, if it is gone, after where it was.
    pub(crate) fn after(&self, number: u64, name: &str) -> &[Arc<Placed<T>>] {
        let last = self.by_name.get(name).map_or(number, |entry| entry.number);
        let start = self.entries.partition_point(|entry| entry.number <= last);
        &self.entries[start..]
    }

    /// Gives `item` back if its name is taken.
    fn push(&mut self, item: T) -> Option<T> {
        if self.by_name.contains_key(item.key()) {
            return Some(item);
        }
        let number = self.next;
        self.next += 1;
        self.filtered += usize::from(item.filter().is_some());
        let entry = Arc::new(Placed {
            number,
            item,
            written: Default::default(),
        });
        self.by_name.insert(entry.key().into(), Arc::clone(&entry));
        self.entries.push(entry);
        None
    }

    fn remove(&mut self, name: &str) -> Option<Arc<Placed<T>>> {
        let removed = self.by_name.remove(name)?;
        let at = self
            .entries
            .binary_search_by_key(&removed.number, |entry| entry.number);
        if let Ok(at) = at {
            self.entries.remove(at);
            self.filtered -= usize::from(removed.filter().is_some());
        }
        Some(removed)
    }
}

impl<T> Default for Snapshot<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            by_name: HashMap::new(),
            next: 0,
            filtered: 0,
        }
    }
}

impl<T> Clone for Snapshot<T> {
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            by_name: self.by_name.clone(),
            next: self.next,
            filtered: self.filtered,
        }
    }
}

impl<T> Placed<T> {
    /// Its place in the order of registration.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Its definition as it is listed at `revision`, written once.
    pub(crate) fn written(&self, definition: &impl Item, revision: Revision) -> &RawJson {
        self.written[revision as usize].get_or_init(|| definition.write(revision))
    }
}

impl<T> Deref for Placed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item
    }
}
