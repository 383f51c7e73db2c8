//! The tools of the conformance suite's scenarios on tasks, and clients of each kind.

use std::{pin::Pin, sync::Arc, time::Duration};

use mcp_server::{
    Answer, Args, Context, Elicited, Server, Tool, ToolError,
    schemars::{self, JsonSchema},
    task::TasksPolicy,
    types::{ErrorCode, ErrorObject, Revision, tool::TaskSupport},
};
use mcp_transport::{Clock as _, Event, Exchange, clock::ManualClock};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::peer::{Peer, event};

/// What a client that knows the extension declares.
pub(super) const DECLARED: &str =
    r#"{"elicitation":{"form":{}},"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Slow {
    seconds: u64,
    label: String,
}

#[derive(Deserialize, JsonSchema)]
struct Delete {
    filename: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// Waits for this long of the clock that the test moves.
pub(super) async fn pass(clock: &ManualClock, seconds: u64) {
    let until = clock.deadline(Duration::from_secs(seconds));
    clock.sleep_until(until).await;
}

async fn greet(Args(Greet { name }): Args<Greet>) -> String {
    format!("Hello, {name}!")
}

async fn protocol_error() -> Answer {
    Answer::error(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "out of order"))
}

async fn confirm_delete(
    Args(Delete { filename }): Args<Delete>,
    cx: Context,
) -> Result<String, ToolError> {
    let sure = cx.confirm("confirm", format!("Delete {filename}?")).await?;
    Ok(format!("{filename}: {sure}"))
}

async fn multi_input(cx: Context) -> Result<String, ToolError> {
    let (one, two) = tokio::join!(
        cx.elicit::<Name>("first", "First name?"),
        cx.elicit::<Name>("last", "Last name?"),
    );
    let name = |said: Elicited<Name>| {
        said.accepted()
            .map(|Name { name }| name)
            .unwrap_or_default()
    };
    Ok(format!("{} {}", name(one?), name(two?)))
}

async fn with_task(cx: Context, clock: ManualClock) -> Result<String, ToolError> {
    let name = cx.elicit::<Name>("user_name", "What is your name?").await?;
    cx.begin_task().await;
    pass(&clock, 1).await;
    let name = name
        .accepted()
        .map(|Name { name }| name)
        .unwrap_or_default();
    Ok(format!("Hello, {name}!"))
}

/// The server of the suite, whose time stands still until `clock` is moved.
pub(super) fn server(clock: &ManualClock, policy: TasksPolicy) -> Server {
    tools(clock).tasks(policy)
}

/// The same tools on a server that has no tasks.
pub(super) fn tools(clock: &ManualClock) -> Server {
    let (slow, failing, task) = (clock.clone(), clock.clone(), clock.clone());
    let slow_compute = move |Args(Slow { seconds, label }): Args<Slow>, cx: Context| {
        let clock = slow.clone();
        async move {
            if let Some(task) = cx.task() {
                task.say(format!("computing {label}"));
            }
            pass(&clock, seconds).await;
            format!("{label} is computed")
        }
    };
    let failing_job = move || {
        let clock = failing.clone();
        async move {
            pass(&clock, 1).await;
            Err::<String, _>(ToolError::upstream_error("it broke"))
        }
    };
    Server::new("s", "1")
        .clock(Arc::new(clock.clone()))
        .tool(Tool::new("greet", greet).tasks(TaskSupport::Forbidden))
        .tool(Tool::new("slow_compute", slow_compute).tasks(TaskSupport::Optional))
        .tool(Tool::new("failing_job", failing_job).tasks(TaskSupport::Required))
        .tool(Tool::new("protocol_error_job", protocol_error).tasks(TaskSupport::Optional))
        .tool(Tool::new("confirm_delete", confirm_delete).tasks(TaskSupport::Optional))
        .tool(Tool::new("multi_input", multi_input).tasks(TaskSupport::Optional))
        .tool(
            Tool::new("test_tool_with_task", move |cx: Context| {
                with_task(cx, task.clone())
            })
            .tasks(TaskSupport::Required)
            .task_begins_in_handler(),
        )
        .tool(Tool::new("plain", || async { "plain" }))
}

/// The default policy, with what runs tasks where no feature brings it.
pub(super) fn policy() -> TasksPolicy {
    TasksPolicy::default().with_spawner(|task| {
        #[expect(clippy::disallowed_methods, reason = "the runtime of the test ends it")]
        drop(tokio::spawn(task));
    })
}

pub(super) fn suite() -> (ManualClock, Server) {
    let clock = ManualClock::new();
    let server = server(&clock, policy());
    (clock, server)
}

pub(super) fn declaring(server: &Server) -> Peer {
    Peer::modern_with(server, DECLARED)
}

pub(super) async fn legacy(server: &Server) -> Peer {
    let capabilities = r#"{"elicitation":{},"roots":{}}"#;
    Peer::legacy_with(server, Revision::V2025_11_25, capabilities).await
}

/// The parameters of a call of `tool`, with a task asked for.
pub(super) fn as_task(tool: &str, arguments: &Value) -> String {
    json!({"name": tool, "arguments": arguments, "task": {"ttl": 60_000}}).to_string()
}

pub(super) fn slow() -> Value {
    json!({"seconds": 1, "label": "it"})
}

/// Makes a task with the extension; its id.
pub(super) async fn begin(peer: &Peer, tool: &str, arguments: &Value) -> String {
    let created = peer.call(tool, &arguments.to_string()).await;
    assert_eq!(created["resultType"], "task", "{created}");
    id_of(&created)
}

/// Makes a task of 2025-11-25; its id.
pub(super) async fn begin_legacy(peer: &Peer, tool: &str, arguments: &Value) -> String {
    let created = peer.result("tools/call", &as_task(tool, arguments)).await;
    id_of(&created["task"])
}

pub(super) fn id_of(task: &Value) -> String {
    task["taskId"].as_str().unwrap().to_owned()
}

pub(super) fn of(id: &str) -> String {
    json!({"taskId": id}).to_string()
}

pub(super) async fn get(peer: &Peer, id: &str) -> Value {
    peer.result("tasks/get", &of(id)).await
}

pub(super) async fn answer(peer: &Peer, id: &str, responses: &Value) -> Value {
    let params = json!({"taskId": id, "inputResponses": responses});
    peer.result("tasks/update", &params.to_string()).await
}

/// Looks at a task until it has this status, while others go on.
pub(super) async fn until(peer: &Peer, id: &str, status: &str) -> Value {
    let mut task = Value::Null;
    for _ in 0..1_000 {
        task = get(peer, id).await;
        if task["status"] == status {
            return task;
        }
        tokio::task::yield_now().await;
    }
    panic!("the task never was {status}: {task}");
}

/// Lets everything go on that can.
pub(super) async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

/// Moves the clock as soon as somebody waits for it.
pub(super) async fn advance(clock: &ManualClock, seconds: u64) {
    settle().await;
    clock.advance(Duration::from_secs(seconds));
    settle().await;
}

pub(super) fn accept(content: &Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// Whether an exchange has an event now.
pub(super) async fn now(exchange: &mut Pin<Box<dyn Exchange>>) -> Option<Event> {
    settle().await;
    tokio::select! {
        biased;
        event = event(exchange) => Some(event),
        () = tokio::task::yield_now() => None,
    }
}
