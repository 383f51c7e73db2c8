//! One task's life: it works, waits for input, and ends once; the first end stands.
//!
//! A [`TaskRecord`] is what a store keeps. It changes by a [`Transition`] and in no other way, and every change makes it
//! the next version, so that stores compare versions and need know nothing of tasks. Source: *Tasks* (2025-11-25) and the
//! extension `io.modelcontextprotocol/tasks` (2026-07-28).

mod mailbox;
mod owner;
pub(crate) mod plan;
pub(crate) mod table;
#[cfg(test)]
mod tests;
pub(crate) mod view;

use std::{borrow::Borrow, fmt, sync::Arc};

use mcp_types::{
    ErrorObject, RawJson, RawObject,
    input::{InputRequest, InputRequests},
    tool::CallToolResult,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use self::mailbox::Mailbox;
pub use self::{
    mailbox::{MAX_KEYS, MAX_REPLY_BYTES, TaskReply},
    owner::{TaskOwner, TaskProfile},
};

/// The id of a task. Whoever knows it may ask for the task, if the owner is nobody in particular: it is made of 128
/// random bits, and `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(Arc<str>);

impl TaskId {
    /// This very id.
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self(id.into())
    }

    /// The id as it travels.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for TaskId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TaskId(…)")
    }
}

impl Serialize for TaskId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TaskId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

/// A task as a store keeps it. It is written and read with serde, as one JSON value.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskRecord {
    id: TaskId,
    owner: TaskOwner,
    origin: TaskProfile,
    tool: Box<str>,
    created_ms: u64,
    updated_ms: u64,
    ttl_ms: Option<u64>,
    poll_ms: Option<u64>,
    wraps_output: bool,
    version: u64,
    message: Option<Box<str>>,
    phase: Phase,
    mailbox: Mailbox,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
enum Phase {
    Live,
    Done(TaskOutcome),
    Cancelled,
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TaskOutcome {
    /// The result of the tool, be it one that says that it failed.
    Result(Box<CallToolResult>),
    /// A JSON-RPC error in place of a result.
    Error(ErrorObject),
}

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum TaskState<'a> {
    /// It works.
    Working,
    /// It waits for answers to these.
    InputRequired(&'a InputRequests),
    /// It is over, and this came of it.
    Done(&'a TaskOutcome),
    /// It was called off.
    Cancelled,
}

/// What happens to a task.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Transition {
    /// Its handler asks something, under a key that it never used before.
    Ask {
        /// The key.
        key: Box<str>,
        /// The question.
        request: Box<InputRequest>,
    },
    /// Its handler does not want an answer any more.
    Withdraw {
        /// The key of the question.
        key: Box<str>,
    },
    /// Answers came, by their keys, as they came. Those to nothing that is asked are ignored, and so are those that are
    /// no answer to their question.
    Answer(RawObject),
    /// The client refused to answer one question, with this error (2025-11-25).
    Refuse {
        /// The key of the question.
        key: Box<str>,
        /// Why.
        error: ErrorObject,
    },
    /// What it does just now, in words for people.
    Say(Option<Box<str>>),
    /// It is done.
    Finish(TaskOutcome),
    /// It is called off.
    Cancel,
}

/// Why a transition is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The task is over: nothing changes it any more.
    #[error("the task is over, and stays as it ended")]
    Over,
    /// The key was used before, be it for the same question.
    #[error("the key was used before; each question of a task has one of its own")]
    KeyUsed,
    /// It has asked as much as it may.
    #[error("the task has asked {MAX_KEYS} questions, the most it may")]
    TooManyKeys,
    /// The answers would be larger together than a task keeps. The questions stay open.
    #[error(
        "the answers to the task's questions would have over {MAX_REPLY_BYTES} bytes together; answer with less"
    )]
    TooManyBytes,
}

impl TaskRecord {
    /// A task that begins at `now_ms`, milliseconds since 1970, and works.
    pub fn new(
        id: TaskId,
        owner: TaskOwner,
        origin: TaskProfile,
        tool: impl Into<Box<str>>,
        now_ms: u64,
    ) -> Self {
        Self {
            id,
            owner,
            origin,
            tool: tool.into(),
            created_ms: now_ms,
            updated_ms: now_ms,
            ttl_ms: None,
            poll_ms: None,
            wraps_output: false,
            version: 1,
            message: None,
            phase: Phase::Live,
            mailbox: Mailbox::default(),
        }
    }

    /// Sets for how many milliseconds from its beginning it is kept; for ever, if nothing is said.
    #[must_use]
    pub fn with_ttl_ms(mut self, ttl_ms: Option<u64>) -> Self {
        self.ttl_ms = ttl_ms;
        self
    }

    /// Sets after how many milliseconds a client is to ask again.
    #[must_use]
    pub fn with_poll_ms(mut self, poll_ms: Option<u64>) -> Self {
        self.poll_ms = poll_ms;
        self
    }

    /// Its structured content is wrapped for revisions that know only objects, or not.
    #[must_use]
    pub(crate) fn with_wrapped_output(mut self, wraps: bool) -> Self {
        self.wraps_output = wraps;
        self
    }

    /// The id.
    pub fn id(&self) -> &TaskId {
        &self.id
    }

    /// Whose it is.
    pub fn owner(&self) -> &TaskOwner {
        &self.owner
    }

    /// The rules that it was made under.
    pub fn origin(&self) -> TaskProfile {
        self.origin
    }

    /// The tool that runs.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// When it began, in milliseconds since 1970.
    pub fn created_ms(&self) -> u64 {
        self.created_ms
    }

    /// When it last changed, in milliseconds since 1970.
    pub fn updated_ms(&self) -> u64 {
        self.updated_ms
    }

    /// For how many milliseconds from its beginning it is kept; `None` for ever.
    pub fn ttl_ms(&self) -> Option<u64> {
        self.ttl_ms
    }

    /// After how many milliseconds a client is to ask again.
    pub fn poll_ms(&self) -> Option<u64> {
        self.poll_ms
    }

    /// What it does, in words for people.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Which version it is: 1 at first, and one more with each change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// When it is to be forgotten, in milliseconds since 1970.
    pub fn expires_ms(&self) -> Option<u64> {
        Some(self.created_ms.saturating_add(self.ttl_ms?))
    }

    /// Whether its time is up at `now_ms`. Stores keep no such task, whatever became of it.
    pub fn is_expired(&self, now_ms: u64) -> bool {
        self.expires_ms().is_some_and(|at| at <= now_ms)
    }

    /// How it stands.
    pub fn state(&self) -> TaskState<'_> {
        match &self.phase {
            Phase::Live if self.mailbox.pending().is_empty() => TaskState::Working,
            Phase::Live => TaskState::InputRequired(self.mailbox.pending()),
            Phase::Done(outcome) => TaskState::Done(outcome),
            Phase::Cancelled => TaskState::Cancelled,
        }
    }

    /// Whether nothing comes next.
    pub fn is_over(&self) -> bool {
        !matches!(self.phase, Phase::Live)
    }

    /// What was answered to the question `key`, if anything was.
    pub fn reply(&self, key: &str) -> Option<&TaskReply> {
        self.mailbox.reply(key)
    }

    pub(crate) fn wraps_output(&self) -> bool {
        self.wraps_output
    }

    /// Lets `transition` happen at `now_ms`. Says whether anything changed; if so, the version did too.
    ///
    /// # Errors
    /// When it cannot happen. Nothing has changed then.
    pub fn apply(&mut self, transition: Transition, now_ms: u64) -> Result<bool, Refused> {
        if self.is_over() {
            return Err(Refused::Over);
        }
        let changed = match transition {
            Transition::Ask { key, request } => self.mailbox.ask(key, *request).map(|()| true)?,
            Transition::Withdraw { key } => self.mailbox.withdraw(&key),
            Transition::Answer(responses) => self.mailbox.answer(&responses)?,
            Transition::Refuse { key, error } => self.mailbox.refuse(&key, error),
            Transition::Say(message) => {
                let changes = self.message != message;
                self.message = message;
                changes
            }
            Transition::Finish(outcome) => self.end(Phase::Done(outcome)),
            Transition::Cancel => self.end(Phase::Cancelled),
        };
        if changed {
            self.version += 1;
            self.updated_ms = self.updated_ms.max(now_ms);
        }
        Ok(changed)
    }

    fn end(&mut self, phase: Phase) -> bool {
        self.phase = phase;
        // What was asked and answered is nobody's business any more.
        self.mailbox.clear();
        true
    }
}

impl TaskOutcome {
    /// Whether the tool says of itself that it failed.
    pub fn is_tool_failure(&self) -> bool {
        matches!(self, Self::Result(result) if result.failed())
    }
}

impl fmt::Debug for TaskRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What was answered, and what came of it, may be anybody's secret.
        let state = match self.state() {
            TaskState::Working => "working",
            TaskState::InputRequired(_) => "input required",
            TaskState::Done(_) => "done",
            TaskState::Cancelled => "cancelled",
        };
        f.debug_struct("TaskRecord")
            .field("tool", &self.tool)
            .field("origin", &self.origin)
            .field("version", &self.version)
            .field("state", &state)
            .finish_non_exhaustive()
    }
}

/// An answer as it came.
pub(crate) fn answer_of(key: &str, answer: RawJson) -> Transition {
    let mut answers = RawObject::new();
    answers.set(key, answer);
    Transition::Answer(answers)
}
