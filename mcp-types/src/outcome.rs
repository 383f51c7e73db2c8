//! What a request ends in, if not in an error.

use serde::{Serializer, de::Error as _};

use crate::{
    completion::CompleteResult,
    encode::Encode,
    input::InputRequired,
    jsonrpc::MAX_DEPTH,
    lifecycle::{DiscoverResult, EmptyResult, InitializeResult},
    method::Method,
    prompt::{GetPromptResult, ListPromptsResult},
    raw::{RawJson, RawObject},
    resource::{ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult},
    revision::Revision,
    strict::{NotStrict, lexer::Lexer},
    subscription::ListenResult,
    task::{CancelTaskResult, CreateTaskResult, GetTaskResult, ListTasksResult},
    tool::{CallToolResult, ListToolsResult},
};

/// How a request ended, told apart by `resultType` (2026-07-28); a legacy result is complete.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// It is done; this is its result.
    Complete(Payload),
    /// It needs input (2026-07-28). It never reaches a legacy peer.
    InputRequired(Box<InputRequired>),
    /// It goes on as a task (2025-11-25, if the client asked for one; the extension at 2026-07-28).
    Task(Box<CreateTaskResult>),
    /// Another `resultType`: the whole result, as it came. It never reaches a legacy peer.
    Other {
        /// The `resultType`.
        result_type: Box<str>,
        /// The result, `resultType` included.
        body: RawObject,
    },
}

/// A complete result, in the words of the newest revision.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Payload {
    /// Of any method, written for the revision of the request already: it is sent as it is.
    Written(RawJson),
    /// Of `tools/call`.
    CallTool(CallToolResult),
    /// Of `tools/list`.
    ListTools(ListToolsResult),
    /// Of `server/discover`.
    Discover(Box<DiscoverResult>),
    /// Of `initialize`.
    Initialize(Box<InitializeResult>),
    /// Of `resources/read`.
    ReadResource(ReadResourceResult),
    /// Of `resources/list`.
    ListResources(ListResourcesResult),
    /// Of `resources/templates/list`.
    ListResourceTemplates(ListResourceTemplatesResult),
    /// Of `prompts/get`.
    GetPrompt(GetPromptResult),
    /// Of `prompts/list`.
    ListPrompts(ListPromptsResult),
    /// Of `completion/complete`.
    Complete(CompleteResult),
    /// Of `subscriptions/listen`, at its end.
    Listen(ListenResult),
    /// Of `tasks/get`.
    GetTask(Box<GetTaskResult>),
    /// Of `tasks/list`.
    ListTasks(ListTasksResult),
    /// Of `tasks/cancel`.
    CancelTask(Box<CancelTaskResult>),
    /// Of `ping`, and of what only acknowledges.
    Empty(EmptyResult),
    /// Of any method: the result's members as they are, with or without `resultType`.
    Raw(RawObject),
}

macro_rules! payloads {
    ($($Variant:ident($Result:ty)),* $(,)?) => { $(
        impl From<$Result> for Payload {
            fn from(result: $Result) -> Self {
                Self::$Variant(result.into())
            }
        }

        impl From<$Result> for Outcome {
            fn from(result: $Result) -> Self {
                Self::Complete(Payload::$Variant(result.into()))
            }
        }
    )*
        /// Written as it is, without a stamp; [`encode_outcome`](crate::wire::encode_outcome) is for peers.
        impl Encode for Payload {
            fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$Variant(result) => result.encode(at, serializer),)*
                    Self::Written(result) => result.encode(at, serializer),
                }
            }
        }
    };
}

payloads!(
    CallTool(CallToolResult),
    ListTools(ListToolsResult),
    Discover(DiscoverResult),
    Initialize(InitializeResult),
    ReadResource(ReadResourceResult),
    ListResources(ListResourcesResult),
    ListResourceTemplates(ListResourceTemplatesResult),
    GetPrompt(GetPromptResult),
    ListPrompts(ListPromptsResult),
    Complete(CompleteResult),
    Listen(ListenResult),
    GetTask(GetTaskResult),
    ListTasks(ListTasksResult),
    CancelTask(CancelTaskResult),
    Empty(EmptyResult),
    Raw(RawObject),
);

/// Written as it is, without a stamp; [`encode_outcome`](crate::wire::encode_outcome) is for peers.
impl Encode for Outcome {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Complete(payload) => payload.encode(at, serializer),
            Self::InputRequired(required) => required.encode(at, serializer),
            Self::Task(created) => created.encode(at, serializer),
            Self::Other { body, .. } => body.encode(at, serializer),
        }
    }
}

impl From<InputRequired> for Outcome {
    fn from(required: InputRequired) -> Self {
        Self::InputRequired(Box::new(required))
    }
}

impl From<CreateTaskResult> for Outcome {
    fn from(created: CreateTaskResult) -> Self {
        Self::Task(Box::new(created))
    }
}

impl Outcome {
    /// Reads a result, as `method` says what a complete one looks like.
    ///
    /// A method that this library does not know has [`Payload::Raw`]; a `resultType` it does not know,
    /// [`Outcome::Other`].
    ///
    /// # Errors
    /// When the result is not what its type and method say.
    pub fn decode(method: &Method, result: &RawJson) -> Result<Self, serde_json::Error> {
        let kind = match method.as_str() {
            "tools/call" => call_type(result)?,
            _ => result_type(result)?,
        };
        Ok(match &*kind {
            COMPLETE => Self::Complete(Payload::decode(method, result)?),
            INPUT_REQUIRED => Self::InputRequired(result.decode()?),
            TASK => Self::Task(result.decode()?),
            other => Self::Other {
                result_type: other.into(),
                body: result.decode()?,
            },
        })
    }
}

impl Payload {
    /// Reads a complete result of `method`.
    ///
    /// # Errors
    /// When it is no such result.
    pub fn decode(method: &Method, result: &RawJson) -> Result<Self, serde_json::Error> {
        Ok(match method.as_str() {
            "tools/call" => Self::CallTool(result.decode()?),
            "tools/list" => Self::ListTools(result.decode()?),
            "server/discover" => Self::Discover(result.decode()?),
            "initialize" => Self::Initialize(result.decode()?),
            "resources/read" => Self::ReadResource(result.decode()?),
            "resources/list" => Self::ListResources(result.decode()?),
            "resources/templates/list" => Self::ListResourceTemplates(result.decode()?),
            "prompts/get" => Self::GetPrompt(result.decode()?),
            "prompts/list" => Self::ListPrompts(result.decode()?),
            "completion/complete" => Self::Complete(result.decode()?),
            "subscriptions/listen" => Self::Listen(result.decode()?),
            "tasks/get" => Self::GetTask(result.decode()?),
            "tasks/list" => Self::ListTasks(result.decode()?),
            "tasks/cancel" => Self::CancelTask(result.decode()?),
            "ping"
            | "logging/setLevel"
            | "resources/subscribe"
            | "resources/unsubscribe"
            | "tasks/update" => Self::Empty(result.decode()?),
            _ => Self::Raw(result.decode()?),
        })
    }
}

/// The `resultType` of a result, the first if it stands twice; `complete` where there is none, as the specification
/// says.
///
/// # Errors
/// When `result` is no object, or its `resultType` no string.
pub fn result_type(result: &RawJson) -> Result<Box<str>, serde_json::Error> {
    if !result.is_object() {
        return Err(serde_json::Error::custom("a result is an object"));
    }
    let text = result.as_str();
    let mut found = None;
    let mut lexer = Lexer::new(text, MAX_DEPTH);
    let read = lexer.members(|lexer, name| {
        let value = lexer.loose()?;
        if name.read(text)? != "resultType" {
            return Ok(());
        }
        found = Some(value);
        // It mostly comes first; a long list behind it is not read.
        Err(lexer.here())
    });
    match (found, read) {
        (Some(value), _) => {
            let kind: Option<Box<str>> = serde_json::from_str(&text[value])?;
            Ok(kind.unwrap_or_else(|| COMPLETE.into()))
        }
        (None, Ok(())) => Ok(COMPLETE.into()),
        (None, Err(stop)) => Err(serde_json::Error::custom(NotStrict::new(text, stop))),
    }
}

/// The type of what answers `tools/call`: its `resultType`, and `task` for `{"task": {…}}` as well, in which 2025-11-25
/// gives a task in the place of a result, so that nobody takes it for a tool that made nothing.
///
/// # Errors
/// As [`result_type`].
pub fn call_type(result: &RawJson) -> Result<Box<str>, serde_json::Error> {
    let kind = result_type(result)?;
    // Most results have no such member, and need no second look.
    if &*kind != COMPLETE || !result.as_str().contains("\"task\"") {
        return Ok(kind);
    }
    let members: RawObject = result.decode()?;
    let made = ["resultType", "content", "structuredContent", "toolResult"];
    let is_task = members.get("task").is_some_and(RawJson::is_object)
        && !made.iter().any(|name| members.contains(name));
    Ok(if is_task { TASK.into() } else { kind })
}

/// The `resultType` of a complete result.
pub const COMPLETE: &str = "complete";
/// The `resultType` of a result that needs input.
pub const INPUT_REQUIRED: &str = "input_required";
/// The `resultType` of a result that goes on as a task (extension `io.modelcontextprotocol/tasks`).
pub const TASK: &str = "task";
