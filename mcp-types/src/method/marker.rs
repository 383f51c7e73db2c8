//! Which parameters go with a request, and which result comes back.

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    completion::{CompleteParams, CompleteResult},
    elicitation::{ElicitParams, ElicitResult},
    encode::Encode,
    lifecycle::{DiscoverResult, EmptyParams, EmptyResult, InitializeParams, InitializeResult},
    logging::SetLevelParams,
    prompt::{GetPromptParams, GetPromptResult, ListPromptsParams, ListPromptsResult},
    raw::RawObject,
    resource::{
        ListResourceTemplatesParams, ListResourceTemplatesResult, ListResourcesParams,
        ListResourcesResult, ReadResourceParams, ReadResourceResult, SubscribeParams,
    },
    roots::{ListRootsParams, ListRootsResult},
    sampling::{CreateMessageParams, CreateMessageResult},
    subscription::{ListenParams, ListenResult},
    task::{
        CancelTaskResult, GetTaskResult, ListTasksParams, ListTasksResult, TaskParams,
        UpdateTaskParams,
    },
    tool::{CallToolParams, CallToolResult, ListToolsParams, ListToolsResult},
};

/// A kind of request. Implement it for methods of your own.
pub trait RequestType {
    /// The method's name.
    const METHOD: &'static str;
    /// What is sent: a JSON object.
    type Params: Serialize;
    /// What a complete result holds.
    type Result: DeserializeOwned;
}

macro_rules! markers {
    ($($(#[$meta:meta])* $Name:ident = $method:literal ($Params:ty) -> $Result:ty;)*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        #[non_exhaustive]
        pub struct $Name;

        impl RequestType for $Name {
            const METHOD: &'static str = $method;
            type Params = $Params;
            type Result = $Result;
        }

        const _: fn() = || {
            fn written_per_revision<T: Encode>() {}
            written_per_revision::<$Params>();
            written_per_revision::<$Result>();
        };
    )* };
}

markers! {
    /// `server/discover`: what a modern server is and can do.
    Discover = "server/discover" (EmptyParams) -> DiscoverResult;
    /// `initialize`: opens a legacy connection.
    Initialize = "initialize" (InitializeParams) -> InitializeResult;
    /// `ping`: is the peer alive? Legacy only.
    Ping = "ping" (EmptyParams) -> EmptyResult;
    /// `tools/list`: one page of tools.
    ListTools = "tools/list" (ListToolsParams) -> ListToolsResult;
    /// `tools/call`: runs a tool.
    CallTool = "tools/call" (CallToolParams) -> CallToolResult;
    /// `resources/list`: one page of resources.
    ListResources = "resources/list" (ListResourcesParams) -> ListResourcesResult;
    /// `resources/templates/list`: one page of resource templates.
    ListResourceTemplates = "resources/templates/list" (ListResourceTemplatesParams) -> ListResourceTemplatesResult;
    /// `resources/read`: reads a resource.
    ReadResource = "resources/read" (ReadResourceParams) -> ReadResourceResult;
    /// `resources/subscribe`: wants to hear of changes of a resource. Legacy only.
    Subscribe = "resources/subscribe" (SubscribeParams) -> EmptyResult;
    /// `resources/unsubscribe`: does not any more. Legacy only.
    Unsubscribe = "resources/unsubscribe" (SubscribeParams) -> EmptyResult;
    /// `prompts/list`: one page of prompts.
    ListPrompts = "prompts/list" (ListPromptsParams) -> ListPromptsResult;
    /// `prompts/get`: fills in a prompt.
    GetPrompt = "prompts/get" (GetPromptParams) -> GetPromptResult;
    /// `completion/complete`: what may fill an argument.
    Complete = "completion/complete" (CompleteParams) -> CompleteResult;
    /// `logging/setLevel`: which log messages the client wants. Legacy only.
    SetLevel = "logging/setLevel" (SetLevelParams) -> EmptyResult;
    /// `subscriptions/listen`: wants to hear of changes, until it ends. Modern only.
    Listen = "subscriptions/listen" (ListenParams) -> ListenResult;
    /// `tasks/get`: how a task stands.
    GetTask = "tasks/get" (TaskParams) -> GetTaskResult;
    /// `tasks/update`: answers what a task asks. Modern only.
    UpdateTask = "tasks/update" (UpdateTaskParams) -> EmptyResult;
    /// `tasks/cancel`: calls a task off.
    CancelTask = "tasks/cancel" (TaskParams) -> CancelTaskResult;
    /// `tasks/result`: waits for what comes of a task; the result is that of the request that became it.
    /// 2025-11-25 only.
    TaskResult = "tasks/result" (TaskParams) -> RawObject;
    /// `tasks/list`: one page of tasks. 2025-11-25 only.
    ListTasks = "tasks/list" (ListTasksParams) -> ListTasksResult;
    /// `sampling/createMessage`: a server asks the client's model.
    CreateMessage = "sampling/createMessage" (CreateMessageParams) -> CreateMessageResult;
    /// `elicitation/create`: a server asks the client's user.
    Elicit = "elicitation/create" (ElicitParams) -> ElicitResult;
    /// `roots/list`: a server asks for the client's roots.
    ListRoots = "roots/list" (ListRootsParams) -> ListRootsResult;
}
