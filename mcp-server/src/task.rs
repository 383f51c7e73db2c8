//! Tasks: calls of tools that go on after the answer.
//!
//! A tool says whether it runs as a task, and a server that it has tasks:
//!
//! ```
//! # use mcp_server::{Context, Server, Tool, task::TasksPolicy, types::tool::TaskSupport};
//! async fn render(cx: Context) -> String {
//!     if let Some(task) = cx.task() {
//!         task.say("rendering the first of 100 frames");
//!     }
//!     "done".to_owned()
//! }
//! let server = Server::new("studio", "1.0")
//!     .tasks(TasksPolicy::default())
//!     .tool(Tool::new("render", render).tasks(TaskSupport::Optional));
//! ```
//!
//! The handler is the same for every client. One of 2025-11-25 that asks for a task, or a modern one that declares the
//! extension `io.modelcontextprotocol/tasks`, gets the task at once and looks after it with `tasks/*`; anybody else
//! waits for the result. What the handler asks meanwhile waits in the task until it is answered.
//!
//! Tasks are kept in a [`TaskStore`]; without another one, in [`MemoryTasks`], which is bounded and forgets them when
//! their time is up.

#[cfg(feature = "test-util")]
pub mod contract;
mod desk;
mod host;
mod life;
mod memory;
mod methods;
mod policy;
mod related;
mod result;
mod run;
mod start;
mod store;

pub(crate) use self::{host::TaskHost, life::Life, related::AsTask};
pub use self::{
    life::RunningTask,
    memory::MemoryTasks,
    policy::TasksPolicy,
    store::{TaskListener, TaskStore, TaskStoreError},
};
pub use crate::proto::task::{
    MAX_KEYS, MAX_REPLY_BYTES, Refused, TaskId, TaskOutcome, TaskOwner, TaskProfile, TaskRecord,
    TaskReply, TaskState, Transition,
    table::{Applied, TaskCaps},
    view::GetPayload,
};
