//! Tasks: work that goes on after the answer.
//!
//! Two dialects, one model: the tasks of 2025-11-25, part of its core, and those of the extension
//! `io.modelcontextprotocol/tasks` at 2026-07-28, in whose words it is written. The encoders know which
//! members either has (`ttl` and `ttlMs`, a nested or a flat task, a payload or none).

mod result;
mod status;

pub use self::{
    result::{CancelTaskResult, CreateTaskResult, GetTaskResult, ListTasksParams, ListTasksResult},
    status::TaskStatus,
};
use crate::{
    input::{InputRequests, InputResponses},
    jsonrpc::ErrorObject,
    raw::{RawJson, RawObject},
};

/// The id of the extension (2026-07-28).
pub const EXTENSION: &str = "io.modelcontextprotocol/tasks";
/// The key of `_meta` that ties a message to a task (2025-11-25).
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// The key of `_meta` with a text for the model to go on with (2025-11-25).
pub const MODEL_IMMEDIATE_RESPONSE: &str = "io.modelcontextprotocol/model-immediate-response";

object! {
    /// Asks for a task in the place of a result: the member `task` of parameters (2025-11-25).
    #[derive(Default)]
    pub struct TaskMetadata {
        /// For how many milliseconds the task shall be kept.
        ttl: Option<u64> = "ttl", hint;
    }
}

object! {
    /// Which task a message belongs to: the value of [`RELATED_TASK`].
    pub struct RelatedTaskMetadata {
        /// The task.
        task_id: String = "taskId", required;
    }
}

impl RelatedTaskMetadata {
    /// The task `id`.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            task_id: id.into(),
            extra: RawObject::new(),
        }
    }
}

object! {
    /// A task: how it stands and, at 2026-07-28, what came of it.
    pub struct Task {
        /// Its id. Whoever knows it may ask for it, if the server knows them too.
        task_id: String = "taskId", required;
        /// How it stands.
        status: TaskStatus = "status", required;
        /// The same in words, for people.
        status_message: Option<String> = "statusMessage", hint;
        /// When it began, in ISO 8601.
        created_at: String = "createdAt", list;
        /// When it last changed, in ISO 8601.
        last_updated_at: String = "lastUpdatedAt", list;
        /// For how many milliseconds from its beginning it is kept; `None` for ever.
        ttl_ms: Option<u64> = "ttlMs", nullable, was "ttl";
        /// After how many milliseconds to ask again.
        poll_interval_ms: Option<u64> = "pollIntervalMs", hint, was "pollInterval";
        /// The result, when it is completed (2026-07-28).
        result: Option<RawJson> = "result", any, since V2026_07_28;
        /// The error, when it failed (2026-07-28).
        error: Option<ErrorObject> = "error", hint, since V2026_07_28;
        /// What it waits for, when it needs input (2026-07-28).
        input_requests: Option<InputRequests> = "inputRequests", hint, since V2026_07_28;
        /// Free members about the task or the message it stands in.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl Task {
    /// A task that began at `created_at`, in ISO 8601, and works.
    pub fn new(id: impl Into<String>, created_at: impl Into<String>) -> Self {
        let created_at = created_at.into();
        Self {
            task_id: id.into(),
            status: TaskStatus::Working,
            status_message: None,
            last_updated_at: created_at.clone(),
            created_at,
            ttl_ms: None,
            poll_interval_ms: None,
            result: None,
            error: None,
            input_requests: None,
            meta: None,
            extra: RawObject::new(),
        }
    }

    /// The same without what came of it, as it stands where a task is created or listed.
    #[must_use]
    pub fn without_payload(mut self) -> Self {
        self.result = None;
        self.error = None;
        self.input_requests = None;
        self
    }
}

object! {
    /// The parameters of `tasks/get`, `tasks/cancel` and (2025-11-25) `tasks/result`.
    pub struct TaskParams {
        /// The task.
        task_id: String = "taskId", required;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl TaskParams {
    /// For the task `id`.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            task_id: id.into(),
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// The parameters of `tasks/update` (2026-07-28).
    pub struct UpdateTaskParams {
        /// The task.
        task_id: String = "taskId", required;
        /// Answers to what it waits for. Those that cannot be read, or that nobody asked for, are ignored.
        input_responses: InputResponses = "inputResponses", list;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl UpdateTaskParams {
    /// Answers for the task `id`.
    pub fn new(id: impl Into<String>, responses: InputResponses) -> Self {
        Self {
            task_id: id.into(),
            input_responses: responses,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

#[cfg(test)]
mod tests;
