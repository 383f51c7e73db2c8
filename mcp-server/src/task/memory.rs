//! Tasks in the memory of this process.

use std::{
    fmt,
    future::ready,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use super::{TaskListener, TaskStore, TaskStoreError};
use crate::{
    proto::task::{
        TaskId, TaskOwner, TaskRecord, Transition,
        table::{Applied, NoRoom, Table, TaskCaps},
    },
    service::BoxFuture,
};

/// Keeps tasks in the memory of this process: so many, and no longer than they live. A restart forgets them.
///
/// Where there is no room, tasks that are over make some, the oldest first and those of the same owner before others;
/// a task that runs is never forgotten for another.
pub struct MemoryTasks {
    table: Mutex<Table>,
    listeners: Mutex<Vec<Weak<dyn TaskListener>>>,
}

impl MemoryTasks {
    /// No tasks yet, and room for `caps`.
    pub fn new(caps: TaskCaps) -> Self {
        Self {
            table: Mutex::new(Table::new(caps)),
            listeners: Mutex::default(),
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, record: &Arc<TaskRecord>) {
        let mut listeners = self
            .listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| listener.strong_count() > 0);
        let listening: Vec<_> = listeners.iter().filter_map(Weak::upgrade).collect();
        drop(listeners);
        for listener in listening {
            listener.changed(record);
        }
    }
}

impl Default for MemoryTasks {
    fn default() -> Self {
        Self::new(TaskCaps::default())
    }
}

impl TaskStore for MemoryTasks {
    fn create(
        &self,
        record: TaskRecord,
        now_ms: u64,
    ) -> BoxFuture<Result<Arc<TaskRecord>, TaskStoreError>> {
        let created = self.table().create(record, now_ms);
        if let Ok(record) = &created {
            self.tell(record);
        }
        Box::pin(ready(created.map_err(|no_room| match no_room {
            NoRoom::Owner(most) => TaskStoreError::OwnerFull(most),
            NoRoom::Total(most) => TaskStoreError::Full(most),
            NoRoom::Taken => TaskStoreError::Taken,
        })))
    }

    fn get(
        &self,
        id: TaskId,
        now_ms: u64,
    ) -> BoxFuture<Result<Option<Arc<TaskRecord>>, TaskStoreError>> {
        Box::pin(ready(Ok(self.table().get(&id, now_ms))))
    }

    fn apply(
        &self,
        id: TaskId,
        expected: u64,
        transition: Transition,
        now_ms: u64,
    ) -> BoxFuture<Result<Applied, TaskStoreError>> {
        let (applied, changed) = self.table().apply(&id, expected, transition, now_ms);
        if let (Applied::Done(record), true) = (&applied, changed) {
            self.tell(record);
        }
        Box::pin(ready(Ok(applied)))
    }

    fn list(
        &self,
        owner: TaskOwner,
        after: Option<(u64, TaskId)>,
        most: usize,
        now_ms: u64,
    ) -> BoxFuture<Result<Vec<Arc<TaskRecord>>, TaskStoreError>> {
        let records = self.table().list(&owner, after, most, now_ms);
        Box::pin(ready(Ok(records)))
    }

    fn events(&self, listener: Weak<dyn TaskListener>) {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(listener);
    }
}

impl fmt::Debug for MemoryTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryTasks").finish_non_exhaustive()
    }
}
