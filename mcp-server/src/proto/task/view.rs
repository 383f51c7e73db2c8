//! A task as each profile shows it: the one place where its state becomes a status.

use mcp_types::{
    RawJson, Revision,
    task::{Task, TaskStatus},
    tool::CallToolResult,
    wire::{Stamp, TextMirror, encode_outcome},
};

use super::{TaskOutcome, TaskProfile, TaskRecord, TaskState};
use crate::proto::moment::iso8601;

/// Whether the extension's `tasks/get` says what came of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GetPayload {
    /// It does, as the extension says.
    #[default]
    Inline,
    /// It says how the task stands, and no more. Clients of the extension find a completed task without a result then,
    /// and most refuse it: this is for deployments whose clients take results elsewhere.
    MetadataOnly,
}

/// How much the extension shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) payload: GetPayload,
    pub(crate) mirror: TextMirror,
}

/// How the task stands, in the words of a profile. A tool that says that it failed has *failed* at 2025-11-25, and has
/// *completed* since.
pub(crate) fn status(record: &TaskRecord, profile: TaskProfile) -> TaskStatus {
    match (record.state(), profile) {
        (TaskState::Working, _) => TaskStatus::Working,
        (TaskState::InputRequired(_), _) => TaskStatus::InputRequired,
        (TaskState::Cancelled, _) => TaskStatus::Cancelled,
        (TaskState::Done(TaskOutcome::Error(_)), _) => TaskStatus::Failed,
        (TaskState::Done(outcome), TaskProfile::Legacy2025) if outcome.is_tool_failure() => {
            TaskStatus::Failed
        }
        (TaskState::Done(TaskOutcome::Result(_)), _) => TaskStatus::Completed,
    }
}

/// As 2025-11-25 has it: never what came of it.
pub(crate) fn legacy(record: &TaskRecord) -> Task {
    task(record, TaskProfile::Legacy2025)
}

/// As the extension has it: with what came of it, or what it waits for.
pub(crate) fn extension(record: &TaskRecord, shown: Shown) -> Task {
    let mut task = task(record, TaskProfile::Extension);
    match record.state() {
        TaskState::InputRequired(requests) => task.input_requests = Some(requests.clone()),
        TaskState::Done(TaskOutcome::Result(result)) if shown.payload == GetPayload::Inline => {
            task.result = Some(result_of(result, record.wraps_output(), shown.mirror));
        }
        TaskState::Done(TaskOutcome::Error(error)) if shown.payload == GetPayload::Inline => {
            task.error = Some(error.clone());
        }
        TaskState::Working | TaskState::Done(_) | TaskState::Cancelled => {}
    }
    task
}

/// As the handle has it: never what came of it, which only the call's own response says.
pub(crate) fn inline(record: &TaskRecord) -> Task {
    task(record, TaskProfile::InlineHandle)
}

fn task(record: &TaskRecord, profile: TaskProfile) -> Task {
    let mut task = Task::new(record.id().as_str(), iso8601(record.created_ms()));
    task.status = status(record, profile);
    let error = match record.state() {
        TaskState::Done(TaskOutcome::Error(error)) => Some(&*error.message),
        _ => None,
    };
    task.status_message = record.message().or(error).map(ToOwned::to_owned);
    task.last_updated_at = iso8601(record.updated_ms());
    task.ttl_ms = record.ttl_ms();
    task.poll_interval_ms = record.poll_ms();
    task
}

/// The result as its own response would have it.
fn result_of(result: &CallToolResult, wraps_output: bool, mirror: TextMirror) -> RawJson {
    let stamp = Stamp::new(Revision::LATEST)
        .wrapped_output(wraps_output)
        .mirrored(mirror);
    // Modern revisions have words for every outcome.
    encode_outcome(result.clone().into(), &stamp).unwrap_or_else(|_| RawJson::null())
}
