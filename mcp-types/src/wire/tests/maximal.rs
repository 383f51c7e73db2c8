//! Each message with all that any revision knows of it, in the newest words.

mod value;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use self::value::{
    annotations, contents, filter, form, got_prompt, list, prompt, resource, retry, sampling,
    sampling_with_tools, task, template, with,
};
use super::golden::{called, discovered, initialize, initialized, page, progress};
use crate::{
    completion::CompleteParams,
    elicitation::{ElicitParams, ElicitationCompleteParams},
    encode::Encode,
    input::{InputRequest, InputResponse},
    jsonrpc::ErrorId,
    lifecycle::{EmptyParams, InitializeParams},
    logging::{LoggingMessageParams, SetLevelParams},
    method::Method,
    notification::{CancelledParams, ProgressParams},
    outcome::Outcome,
    page::PaginatedParams,
    prompt::GetPromptParams,
    raw::RawJson,
    resource::{ReadResourceParams, ResourceUpdatedParams, SubscribeParams},
    revision::Revision::{
        self, V2024_10_07 as OCT24, V2024_11_05 as NOV24, V2025_06_18 as JUN25,
        V2025_11_25 as NOV25, V2026_07_28 as JUL26,
    },
    roots::ListRootsParams,
    sampling::CreateMessageParams,
    subscription::{AcknowledgedParams, ListenParams},
    task::{Task, TaskParams, UpdateTaskParams},
    tool::CallToolParams,
    wire::{Stamp, encode_answer, encode_ask, encode_outcome, encode_params},
};

/// A message, the schema's name for it, and how it is written.
pub(super) struct Maximal {
    pub(super) method: &'static str,
    /// The definition of the request, notification or result.
    pub(super) definition: &'static str,
    pub(super) kind: Kind,
    pub(super) since: Revision,
    pub(super) until: Revision,
    pub(super) value: Value,
    /// Reads and writes it in the newest words.
    pub(super) again: fn(&Value) -> Result<Value, String>,
    /// Whether it can be read.
    pub(super) reads: fn(&str) -> bool,
    pub(super) encode: fn(&Value, &'static str, Revision) -> Result<Value, String>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Request,
    Notification,
    Result,
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_json::from_str(&value.to_string()).map_err(|error| format!("{error} in {value}"))
}

fn reads<T: DeserializeOwned>(text: &str) -> bool {
    serde_json::from_str::<T>(text).is_ok()
}

fn again<T: DeserializeOwned + Serialize>(value: &Value) -> Result<Value, String> {
    let typed: T = read(value)?;
    let text = serde_json::to_string(&typed).map_err(|error| error.to_string())?;
    Ok(serde_json::from_str(&text).unwrap())
}

fn params<T: DeserializeOwned + Encode>(
    value: &Value,
    _: &'static str,
    at: Revision,
) -> Result<Value, String> {
    let typed: T = read(value)?;
    Ok(encode_params(&typed, at).decode().unwrap())
}

fn outcome(value: &Value, method: &'static str, at: Revision) -> Result<Value, String> {
    let method = Method::from(method);
    let raw = RawJson::from_serialize(value).unwrap();
    let outcome = Outcome::decode(&method, &raw).map_err(|error| error.to_string())?;
    let cacheable = method.spec().is_some_and(|spec| spec.cacheable);
    let stamp = Stamp::new(at).cacheable(cacheable).as_task(true);
    let written = encode_outcome(outcome, &stamp).map_err(|error| error.to_string())?;
    Ok(written.decode().unwrap())
}

fn outcome_again(value: &Value) -> Result<Value, String> {
    Ok(value.clone())
}

fn ask(value: &Value, method: &'static str, at: Revision) -> Result<Value, String> {
    let request = json!({"method": method, "params": value});
    let request: InputRequest = read(&request)?;
    let params = encode_ask(&request, at).map_err(|error| error.to_string())?;
    Ok(params.decode().unwrap())
}

fn answer(value: &Value, _: &'static str, at: Revision) -> Result<Value, String> {
    let response: InputResponse = read(value)?;
    let raw = encode_answer(&response, at).map_err(|error| error.to_string())?;
    Ok(raw.decode().unwrap())
}

impl Maximal {
    fn sent<T: DeserializeOwned + Serialize + Encode>(
        method: &'static str,
        definition: &'static str,
        value: Value,
    ) -> Self {
        let kind = if definition.ends_with("Notification") {
            Kind::Notification
        } else {
            Kind::Request
        };
        Self {
            method,
            definition,
            kind,
            since: OCT24,
            until: JUL26,
            value,
            again: again::<T>,
            reads: reads::<T>,
            encode: params::<T>,
        }
    }

    fn asked<T: DeserializeOwned + Serialize>(
        method: &'static str,
        definition: &'static str,
        value: Value,
    ) -> Self {
        Self {
            method,
            definition,
            kind: Kind::Request,
            since: OCT24,
            until: JUL26,
            value,
            again: again::<T>,
            reads: reads::<T>,
            encode: ask,
        }
    }

    fn result(method: &'static str, definition: &'static str, value: Value) -> Self {
        Self {
            method,
            definition,
            kind: Kind::Result,
            since: OCT24,
            until: JUL26,
            value,
            again: outcome_again,
            reads: reads::<RawJson>,
            encode: outcome,
        }
    }

    fn answered(method: &'static str, definition: &'static str, value: Value) -> Self {
        Self {
            again: again::<InputResponse>,
            reads: reads::<InputResponse>,
            encode: answer,
            ..Self::result(method, definition, value)
        }
    }

    /// Whether a client sent it as a result.
    pub(super) fn is_answer(&self) -> bool {
        self.kind == Kind::Result
            && Method::from(self.method)
                .spec()
                .is_some_and(|spec| spec.asked_by_input)
    }

    fn within(self, since: Revision, until: Revision) -> Self {
        Self {
            since,
            until,
            ..self
        }
    }
}

/// What a client sends, and gets.
fn of_clients() -> Vec<Maximal> {
    let cursor = || json!({"cursor": "c"});
    let call = json!({"name": "t", "arguments": {"a": 1}, "task": {"ttl": 5}});
    let required = json!({"resultType": "input_required", "requestState": "s", "_meta": {"k": 1}, "inputRequests": {
        "f": {"method": "elicitation/create", "params": form(&["string", "multi"])},
        "s": {"method": "sampling/createMessage", "params": sampling_with_tools()},
        "r": {"method": "roots/list", "params": {"_meta": {"k": 1}}}}});
    vec![
        Maximal::sent::<InitializeParams>("initialize", "InitializeRequest", initialize())
            .within(OCT24, NOV25),
        Maximal::result("initialize", "InitializeResult", initialized()).within(OCT24, NOV25),
        Maximal::sent::<EmptyParams>("server/discover", "DiscoverRequest", json!({}))
            .within(JUL26, JUL26),
        Maximal::result("server/discover", "DiscoverResult", discovered()).within(JUL26, JUL26),
        Maximal::sent::<EmptyParams>("ping", "PingRequest", json!({})).within(OCT24, NOV25),
        Maximal::sent::<CallToolParams>("tools/call", "CallToolRequest", with(call, &retry())),
        Maximal::result("tools/call", "CallToolResult", called()),
        Maximal::result("tools/call", "InputRequiredResult", required).within(JUL26, JUL26),
        Maximal::sent::<PaginatedParams>("tools/list", "ListToolsRequest", cursor()),
        Maximal::result("tools/list", "ListToolsResult", page()),
    ]
}

/// The same about resources.
fn of_resources() -> Vec<Maximal> {
    let cursor = || json!({"cursor": "c"});
    let uri = || json!({"uri": "file:///a"});
    vec![
        Maximal::sent::<ReadResourceParams>(
            "resources/read",
            "ReadResourceRequest",
            with(uri(), &retry()),
        ),
        Maximal::result("resources/read", "ReadResourceResult", contents()),
        Maximal::sent::<PaginatedParams>("resources/list", "ListResourcesRequest", cursor()),
        Maximal::result(
            "resources/list",
            "ListResourcesResult",
            list("resources", &resource()),
        ),
        Maximal::sent::<PaginatedParams>(
            "resources/templates/list",
            "ListResourceTemplatesRequest",
            cursor(),
        )
        .within(NOV24, JUL26),
        Maximal::result(
            "resources/templates/list",
            "ListResourceTemplatesResult",
            list("resourceTemplates", &template()),
        )
        .within(NOV24, JUL26),
        Maximal::sent::<SubscribeParams>("resources/subscribe", "SubscribeRequest", uri())
            .within(OCT24, NOV25),
        Maximal::sent::<SubscribeParams>("resources/unsubscribe", "UnsubscribeRequest", uri())
            .within(OCT24, NOV25),
    ]
}

/// The same about prompts, completion, logging and subscriptions.
fn of_prompts() -> Vec<Maximal> {
    let cursor = || json!({"cursor": "c"});
    let complete = json!({"ref": {"type": "ref/prompt", "name": "p", "title": "P"},
        "argument": {"name": "a", "value": "v"}, "context": {"arguments": {"b": "w"}}});
    let of_resource = json!({"ref": {"type": "ref/resource", "uri": "file:///{a}"},
        "argument": {"name": "a", "value": "v"}, "context": {"arguments": {"b": "w"}}});
    let completed = json!({"resultType": "complete", "completion": {"values": ["v"], "total": 1, "hasMore": false},
        "_meta": {"k": 1}});
    let named = json!({"name": "p", "arguments": {"a": "b"}});
    let ended =
        json!({"resultType": "complete", "_meta": {"io.modelcontextprotocol/subscriptionId": 7}});
    vec![
        Maximal::sent::<GetPromptParams>("prompts/get", "GetPromptRequest", with(named, &retry())),
        Maximal::result("prompts/get", "GetPromptResult", got_prompt()),
        Maximal::sent::<PaginatedParams>("prompts/list", "ListPromptsRequest", cursor()),
        Maximal::result(
            "prompts/list",
            "ListPromptsResult",
            list("prompts", &prompt()),
        ),
        Maximal::sent::<CompleteParams>("completion/complete", "CompleteRequest", complete),
        Maximal::sent::<CompleteParams>("completion/complete", "CompleteRequest", of_resource),
        Maximal::result("completion/complete", "CompleteResult", completed),
        Maximal::sent::<SetLevelParams>(
            "logging/setLevel",
            "SetLevelRequest",
            json!({"level": "warning"}),
        )
        .within(OCT24, NOV25),
        Maximal::sent::<ListenParams>(
            "subscriptions/listen",
            "SubscriptionsListenRequest",
            filter(),
        )
        .within(JUL26, JUL26),
        Maximal::result("subscriptions/listen", "SubscriptionsListenResult", ended)
            .within(JUL26, JUL26),
    ]
}

/// What a server sends, and gets.
fn of_servers() -> Vec<Maximal> {
    const SINGLE: [&str; 7] = [
        "string",
        "number",
        "integer",
        "boolean",
        "single",
        "titled single",
        "legacy",
    ];
    const ALL: [&str; 9] = [
        "string",
        "number",
        "integer",
        "boolean",
        "single",
        "titled single",
        "legacy",
        "multi",
        "titled multi",
    ];
    let said = |content: Value| json!({"role": "assistant", "model": "m", "stopReason": "endTurn", "content": content, "_meta": {"k": 1}});
    let text =
        json!({"type": "text", "text": "a", "annotations": annotations(), "_meta": {"k": 1}});
    let used = json!([text, {"type": "tool_use", "id": "u", "name": "t", "input": {}}]);
    let url = json!({"mode": "url", "message": "m", "url": "https://e.com", "elicitationId": "e"});
    let roots =
        json!({"roots": [{"uri": "file:///a", "name": "a", "_meta": {"k": 1}}], "_meta": {"k": 1}});
    let list_roots = json!({"_meta": {"progressToken": 1}});
    vec![
        Maximal::asked::<CreateMessageParams>(
            "sampling/createMessage",
            "CreateMessageRequest",
            sampling(),
        ),
        Maximal::asked::<CreateMessageParams>(
            "sampling/createMessage",
            "CreateMessageRequest",
            sampling_with_tools(),
        )
        .within(NOV25, JUL26),
        Maximal::answered("sampling/createMessage", "CreateMessageResult", said(text)),
        Maximal::answered("sampling/createMessage", "CreateMessageResult", said(used))
            .within(NOV25, JUL26),
        Maximal::asked::<ElicitParams>("elicitation/create", "ElicitRequest", form(&SINGLE))
            .within(JUN25, JUL26),
        Maximal::asked::<ElicitParams>("elicitation/create", "ElicitRequest", form(&ALL))
            .within(NOV25, JUL26),
        Maximal::asked::<ElicitParams>("elicitation/create", "ElicitRequest", url)
            .within(NOV25, JUL26),
        Maximal::answered(
            "elicitation/create",
            "ElicitResult",
            json!({"action": "accept", "content": {"a": "b", "c": 1, "d": true}, "_meta": {"k": 1}}),
        )
        .within(JUN25, JUL26),
        Maximal::answered(
            "elicitation/create",
            "ElicitResult",
            json!({"action": "accept", "content": {"a": ["b"]}}),
        )
        .within(NOV25, JUL26),
        Maximal::asked::<ListRootsParams>("roots/list", "ListRootsRequest", list_roots),
        Maximal::answered("roots/list", "ListRootsResult", roots),
    ]
}

/// News, either way.
fn notifications() -> Vec<Maximal> {
    let message = json!({"level": "info", "logger": "l", "data": {"a": [1]}, "_meta": {"k": 1}});
    let empty = Maximal::sent::<EmptyParams>;
    vec![
        Maximal::sent::<ProgressParams>(
            "notifications/progress",
            "ProgressNotification",
            progress(),
        ),
        Maximal::sent::<CancelledParams>(
            "notifications/cancelled",
            "CancelledNotification",
            json!({"requestId": 7, "reason": "r"}),
        )
        .within(NOV24, JUL26),
        empty(
            "notifications/initialized",
            "InitializedNotification",
            json!({}),
        )
        .within(OCT24, NOV25),
        Maximal::sent::<LoggingMessageParams>(
            "notifications/message",
            "LoggingMessageNotification",
            message,
        ),
        empty(
            "notifications/tools/list_changed",
            "ToolListChangedNotification",
            json!({}),
        ),
        empty(
            "notifications/prompts/list_changed",
            "PromptListChangedNotification",
            json!({}),
        ),
        empty(
            "notifications/resources/list_changed",
            "ResourceListChangedNotification",
            json!({}),
        ),
        Maximal::sent::<ResourceUpdatedParams>(
            "notifications/resources/updated",
            "ResourceUpdatedNotification",
            json!({"uri": "file:///a", "_meta": {"k": 1}}),
        ),
        empty(
            "notifications/roots/list_changed",
            "RootsListChangedNotification",
            json!({}),
        )
        .within(OCT24, NOV25),
        Maximal::sent::<ElicitationCompleteParams>(
            "notifications/elicitation/complete",
            "ElicitationCompleteNotification",
            json!({"elicitationId": "e"}),
        )
        .within(NOV25, NOV25),
        Maximal::sent::<AcknowledgedParams>(
            "notifications/subscriptions/acknowledged",
            "SubscriptionsAcknowledgedNotification",
            with(
                filter(),
                &json!({"_meta": {"io.modelcontextprotocol/subscriptionId": "7"}}),
            ),
        )
        .within(JUL26, JUL26),
    ]
}

/// Tasks. What has no definition belongs to the extension, whose schema is not among the official ones.
fn tasks() -> Vec<Maximal> {
    let id = || json!({"taskId": "t"});
    let whole = with(
        task(),
        &json!({"resultType": "complete", "result": {"content": []}}),
    );
    let created = with(task(), &json!({"resultType": "task", "_meta": {"k": 1}}));
    let listed = json!({"tasks": [task()], "nextCursor": "2", "_meta": {"k": 1}});
    let update = json!({"taskId": "t", "inputResponses": {"k": {"action": "decline"}}});
    vec![
        Maximal::result("tools/call", "CreateTaskResult", created).within(NOV25, JUL26),
        Maximal::sent::<TaskParams>("tasks/get", "GetTaskRequest", id()).within(NOV25, JUL26),
        Maximal::result("tasks/get", "GetTaskResult", whole).within(NOV25, JUL26),
        Maximal::sent::<TaskParams>("tasks/cancel", "CancelTaskRequest", id()).within(NOV25, JUL26),
        Maximal::result("tasks/cancel", "CancelTaskResult", task()).within(NOV25, NOV25),
        Maximal::sent::<TaskParams>("tasks/result", "GetTaskPayloadRequest", id())
            .within(NOV25, NOV25),
        Maximal::sent::<PaginatedParams>("tasks/list", "ListTasksRequest", json!({"cursor": "c"}))
            .within(NOV25, NOV25),
        Maximal::result("tasks/list", "ListTasksResult", listed).within(NOV25, NOV25),
        Maximal::sent::<UpdateTaskParams>("tasks/update", "", update).within(JUL26, JUL26),
        Maximal::sent::<Task>(
            "notifications/tasks/status",
            "TaskStatusNotification",
            task(),
        )
        .within(NOV25, NOV25),
    ]
}

pub(super) fn all() -> Vec<Maximal> {
    let mut all = of_clients();
    all.extend(of_resources());
    all.extend(of_prompts());
    all.extend(of_servers());
    all.extend(notifications());
    all.extend(tasks());
    all
}

#[test]
fn an_id_that_is_unknown_is_null_or_absent() {
    for revision in Revision::ALL {
        let expected = if revision < NOV25 {
            ErrorId::Null
        } else {
            ErrorId::Omitted
        };
        assert_eq!(ErrorId::unknown(revision), expected, "{revision}");
    }
}
