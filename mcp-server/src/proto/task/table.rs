//! The tasks of one process: bounded, and forgotten when their time is up.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Bound,
    sync::Arc,
};

use super::{Refused, TaskId, TaskOwner, TaskRecord, Transition};

/// How many tasks there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskCaps {
    /// Of one owner: 64. All whose owner is nobody are those of one.
    pub per_owner: usize,
    /// In all: 1,024.
    pub total: usize,
}

impl Default for TaskCaps {
    fn default() -> Self {
        Self {
            per_owner: 64,
            total: 1024,
        }
    }
}

impl TaskCaps {
    /// At most so many of one owner, and so many in all.
    pub const fn new(per_owner: usize, total: usize) -> Self {
        Self { per_owner, total }
    }
}

/// Why there is no room for another task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoRoom {
    /// Its owner has so many already, none of which is over.
    Owner(usize),
    /// There are so many already, none of which is over.
    Total(usize),
    /// There is one with this id.
    Taken,
}

/// What became of a transition.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Applied {
    /// The task has this version now; it is the one before if nothing changed.
    Done(Arc<TaskRecord>),
    /// Nothing was done: it has another version than expected.
    Conflict(Arc<TaskRecord>),
    /// The transition cannot happen to the task.
    Refused(Refused, Arc<TaskRecord>),
    /// There is no such task, or no longer.
    Missing,
}

/// A place in a list: when a task began, and its id.
pub(crate) type Place = (u64, TaskId);

#[derive(Debug, Default)]
pub(crate) struct Table {
    caps: TaskCaps,
    by_id: HashMap<TaskId, Arc<TaskRecord>>,
    /// In the order that they began.
    order: BTreeSet<Place>,
    /// In the order that they are to be forgotten.
    expiring: BTreeSet<Place>,
    owners: HashMap<TaskOwner, usize>,
}

impl Table {
    pub(crate) fn new(caps: TaskCaps) -> Self {
        Self {
            caps,
            ..Self::default()
        }
    }

    /// Keeps a new task. Tasks that are over make room for it, the oldest first, those of its owner before others;
    /// those of principals not for one of nobody's, since anyone may be nobody as often as they like.
    pub(crate) fn create(
        &mut self,
        record: TaskRecord,
        now_ms: u64,
    ) -> Result<Arc<TaskRecord>, NoRoom> {
        self.sweep(now_ms);
        if self.by_id.contains_key(record.id()) {
            return Err(NoRoom::Taken);
        }
        let owned = self.owners.get(record.owner()).copied().unwrap_or_default();
        let of_owner = owned >= self.caps.per_owner;
        if (of_owner || self.by_id.len() >= self.caps.total)
            && !self.evict(|owner| owner == record.owner())
            && (of_owner
                || !self.evict(|owner| record.owner().is_principal() || !owner.is_principal()))
        {
            return Err(match of_owner {
                true => NoRoom::Owner(owned),
                false => NoRoom::Total(self.by_id.len()),
            });
        }
        let record = Arc::new(record);
        self.order
            .insert((record.created_ms(), record.id().clone()));
        if let Some(at) = record.expires_ms() {
            self.expiring.insert((at, record.id().clone()));
        }
        *self.owners.entry(record.owner().clone()).or_default() += 1;
        self.by_id.insert(record.id().clone(), Arc::clone(&record));
        Ok(record)
    }

    pub(crate) fn get(&mut self, id: &TaskId, now_ms: u64) -> Option<Arc<TaskRecord>> {
        self.sweep(now_ms);
        self.by_id.get(id).cloned()
    }

    /// Lets `transition` happen to the task if it has the version `expected`. Says too whether anything changed.
    pub(crate) fn apply(
        &mut self,
        id: &TaskId,
        expected: u64,
        transition: Transition,
        now_ms: u64,
    ) -> (Applied, bool) {
        self.sweep(now_ms);
        let Some(record) = self.by_id.get_mut(id) else {
            return (Applied::Missing, false);
        };
        if record.version() != expected {
            return (Applied::Conflict(Arc::clone(record)), false);
        }
        // Readers keep what they have.
        match Arc::make_mut(record).apply(transition, now_ms) {
            Ok(changed) => (Applied::Done(Arc::clone(record)), changed),
            Err(refused) => (Applied::Refused(refused, Arc::clone(record)), false),
        }
    }

    /// At most `most` tasks of `owner` in the order that they began, those after `after`.
    pub(crate) fn list(
        &mut self,
        owner: &TaskOwner,
        after: Option<Place>,
        most: usize,
        now_ms: u64,
    ) -> Vec<Arc<TaskRecord>> {
        self.sweep(now_ms);
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let places = self.order.range((from, Bound::Unbounded));
        let records = places.filter_map(|(_, id)| self.by_id.get(id));
        records
            .filter(|record| record.owner() == owner)
            .take(most)
            .cloned()
            .collect()
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        let lens = [self.order.len(), self.owners.values().sum()];
        assert_eq!(lens, [self.by_id.len(); 2], "the indexes agree");
        self.by_id.len()
    }

    /// Forgets those whose time is up.
    fn sweep(&mut self, now_ms: u64) {
        while let Some((at, _)) = self.expiring.first()
            && *at <= now_ms
            && let Some((_, id)) = self.expiring.pop_first()
        {
            self.remove(&id);
        }
    }

    /// Forgets the oldest task that is over, of an owner who `may` lose it. Says whether there was one.
    fn evict(&mut self, may: impl Fn(&TaskOwner) -> bool) -> bool {
        let over = self.order.iter().find(|(_, id)| {
            let record = self.by_id.get(id);
            record.is_some_and(|record| record.is_over() && may(record.owner()))
        });
        let Some((_, id)) = over.cloned() else {
            return false;
        };
        self.remove(&id);
        true
    }

    fn remove(&mut self, id: &TaskId) {
        let Some(record) = self.by_id.remove(id) else {
            return;
        };
        self.order.remove(&(record.created_ms(), id.clone()));
        if let Some(at) = record.expires_ms() {
            self.expiring.remove(&(at, id.clone()));
        }
        if let Some(count) = self.owners.get_mut(record.owner()) {
            *count -= 1;
            if *count == 0 {
                self.owners.remove(record.owner());
            }
        }
    }
}
