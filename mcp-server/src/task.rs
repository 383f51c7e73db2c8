//! Tasks: calls of tools that go on after the answer.
//!
//! Tasks are kept in a [`TaskStore`]; [`MemoryTasks`] keeps them in memory: it is bounded and forgets them when
//! their time is up.

#[cfg(feature = "test-util")]
pub mod contract;
mod memory;
mod store;

pub use self::{
    memory::MemoryTasks,
    store::{TaskListener, TaskStore, TaskStoreError},
};
pub use crate::proto::task::{
    MAX_KEYS, Refused, TaskId, TaskOutcome, TaskOwner, TaskProfile, TaskRecord, TaskReply,
    TaskState, Transition,
    table::{Applied, TaskCaps},
    view::GetPayload,
};
