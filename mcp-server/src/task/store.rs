//! Where tasks are kept.

use std::{
    fmt,
    sync::{Arc, Weak},
};

use crate::{
    proto::task::{TaskId, TaskOwner, TaskRecord, Transition, table::Applied},
    service::BoxFuture,
};

/// Where tasks are kept: in memory, or where several instances of a server find them.
///
/// A store keeps records and compares versions; what may happen to a task is for [`TaskRecord::apply`] alone to say.
/// Times are milliseconds since 1970 and come with each request, so that a store needs no clock. The feature
/// `test-util` has `contract`, tests that every store passes.
pub trait TaskStore: fmt::Debug + Send + Sync {
    /// Keeps a new task. When this returns, every instance finds it.
    ///
    /// # Errors
    /// When there is no room, or the store cannot be reached.
    fn create(
        &self,
        record: TaskRecord,
        now_ms: u64,
    ) -> BoxFuture<Result<Arc<TaskRecord>, TaskStoreError>>;

    /// The task with this id; none if its time is up.
    ///
    /// # Errors
    /// When the store cannot be reached.
    fn get(
        &self,
        id: TaskId,
        now_ms: u64,
    ) -> BoxFuture<Result<Option<Arc<TaskRecord>>, TaskStoreError>>;

    /// Lets `transition` happen to a task that has the version `expected`, in one step. Listeners are told of each new
    /// version.
    ///
    /// # Errors
    /// When the store cannot be reached.
    fn apply(
        &self,
        id: TaskId,
        expected: u64,
        transition: Transition,
        now_ms: u64,
    ) -> BoxFuture<Result<Applied, TaskStoreError>>;

    /// At most `most` tasks of exactly this owner, in the order that they began, and by their ids where they began at
    /// once; those that come after `after`, the beginning and the id of a task that may be gone.
    ///
    /// # Errors
    /// When the store cannot be reached.
    fn list(
        &self,
        owner: TaskOwner,
        after: Option<(u64, TaskId)>,
        most: usize,
        now_ms: u64,
    ) -> BoxFuture<Result<Vec<Arc<TaskRecord>>, TaskStoreError>>;

    /// Tells `listener` of each new version of every task, by whichever instance, until the listener is gone. It may be
    /// told late, twice, or in another order, and goes by the versions.
    fn events(&self, listener: Weak<dyn TaskListener>);
}

/// Hears of new versions of tasks. It is told while something else runs, under no lock of the store: it notes what it
/// wants, and wakes who waits.
pub trait TaskListener: Send + Sync {
    /// A task has this version now.
    fn changed(&self, record: &Arc<TaskRecord>);
}

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskStoreError {
    /// Its owner has so many tasks already, none of which is over.
    #[error("there are {0} tasks of this owner already, the most there may be")]
    OwnerFull(usize),
    /// There are so many tasks already, none of which is over.
    #[error("there are {0} tasks already, the most there may be")]
    Full(usize),
    /// There is a task with this id.
    #[error("there is a task with this id already")]
    Taken,
    /// It cannot be reached, or what it keeps cannot be read.
    #[error("the store of tasks failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}
