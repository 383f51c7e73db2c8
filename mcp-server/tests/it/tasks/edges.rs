//! What can go wrong with a task, and who is bothered by it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcp_server::{
    Context, Server, Tool, ToolError,
    task::{TaskCaps, TasksPolicy},
    types::tool::TaskSupport,
};
use mcp_transport::{Event, clock::ManualClock};
use serde_json::{Value, json};

use super::fixtures::{
    accept, advance, answer, as_task, begin, begin_legacy, declaring, get, id_of, legacy, now, of,
    pass, policy, server, settle, slow, suite, until,
};
use crate::peer::finish;

fn with(clock: &ManualClock, policy: TasksPolicy, tool: Tool) -> Server {
    Server::new("s", "1")
        .clock(Arc::new(clock.clone()))
        .tasks(policy)
        .tool(tool.tasks(TaskSupport::Optional))
}

/// A tool that waits for so many seconds and breaks.
fn breaks_after(seconds: u64, clock: &ManualClock) -> Tool {
    let waits = clock.clone();
    Tool::new("broken", move || {
        let clock = waits.clone();
        async move {
            if seconds > 0 {
                pass(&clock, seconds).await;
            }
            assert!(seconds > 5, "the secret text");
            "never"
        }
    })
}

#[tokio::test]
async fn a_handler_that_panics_has_failed_and_the_server_lives() {
    for seconds in [0, 1] {
        let clock = ManualClock::new();
        let policy = policy();
        let server = with(&clock, policy, breaks_after(seconds, &clock));
        let peer = declaring(&server);
        for _ in 0..2 {
            let id = begin(&peer, "broken", &json!({})).await;
            advance(&clock, 1).await;
            let task = until(&peer, &id, "failed").await;
            let error = json!({"code": -32603, "message": "Internal error"});
            assert_eq!(task["error"], error);
            assert!(!task.to_string().contains("secret"));
        }
    }
}

/// Says when it is dropped.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A tool that waits for ever, and what says that it was dropped.
fn endless() -> (Tool, Arc<AtomicBool>) {
    let dropped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&dropped);
    let tool = Tool::new("endless", move || {
        let held = Dropped(Arc::clone(&flag));
        async move {
            std::future::pending::<()>().await;
            drop(held);
            "never"
        }
    });
    (tool, dropped)
}

#[tokio::test]
async fn when_its_time_is_up_the_handler_is_dropped_and_the_task_forgotten() {
    let (clock, (tool, dropped)) = (ManualClock::new(), endless());
    let server = with(&clock, policy(), tool);
    let peer = declaring(&server);
    let id = begin(&peer, "endless", &json!({})).await;
    advance(&clock, 299).await;
    assert_eq!(get(&peer, &id).await["status"], "working");
    assert!(!dropped.load(Ordering::SeqCst));
    advance(&clock, 1).await;
    assert!(dropped.load(Ordering::SeqCst));
    assert_eq!(peer.error("tasks/get", &of(&id)).await.code.0, -32602);
}

#[tokio::test]
async fn whoever_waits_for_a_result_is_told_when_the_time_is_up() {
    let clock = ManualClock::new();
    let (tool, _) = endless();
    let policy = policy().with_result_time(Duration::from_secs(10));
    let server = with(&clock, policy, tool);
    let peer = legacy(&server).await;
    let id = begin_legacy(&peer, "endless", &json!({})).await;
    let waits = peer.open("tasks/result", &of(&id));
    let (told, ()) = tokio::join!(finish(waits), advance(&clock, 10));
    let error = told.1.unwrap_err();
    assert_eq!(error.code.0, -32603);
    assert!(
        error.message.contains("still works after 10 s"),
        "{}",
        error.message
    );
    clock.advance(Duration::from_secs(45));
    let waits = peer.open("tasks/result", &of(&id));
    let (told, ()) = tokio::join!(finish(waits), advance(&clock, 5));
    assert_eq!(told.1.unwrap_err().code.0, -32602, "60 s were asked for");
}

#[tokio::test]
async fn when_the_server_is_gone_its_tasks_end() {
    let (clock, (tool, dropped)) = (ManualClock::new(), endless());
    let server = with(&clock, policy(), tool);
    let peer = declaring(&server);
    begin(&peer, "endless", &json!({})).await;
    settle().await;
    drop((server, peer));
    settle().await;
    assert!(dropped.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_call_that_is_dropped_leaves_its_task_alone() {
    let (clock, server) = suite();
    let peer = declaring(&server);
    let params = json!({"name": "slow_compute", "arguments": slow()}).to_string();
    let mut call = peer.open("tools/call", &params);
    let Some(Event::Outcome(Ok(created))) = now(&mut call).await else {
        panic!("the task is made");
    };
    drop(call);
    let created: Value = created.result.decode().unwrap();
    advance(&clock, 1).await;
    until(&peer, &id_of(&created), "completed").await;
}

#[tokio::test]
async fn a_handler_that_looks_may_end_by_itself_when_it_is_cancelled() {
    let clock = ManualClock::new();
    let cleaned = Arc::new(AtomicUsize::new(0));
    let (flag, waits) = (Arc::clone(&cleaned), clock.clone());
    let tool = Tool::new("careful", move |cx: Context| {
        let (flag, clock) = (Arc::clone(&flag), waits.clone());
        async move {
            let task = cx.task().expect("it runs as a task");
            task.cancelled().await;
            flag.store(1, Ordering::SeqCst);
            pass(&clock, 1).await;
            flag.store(2, Ordering::SeqCst);
            std::future::pending::<()>().await;
            "never"
        }
    });
    let server = with(&clock, policy(), tool);
    let peer = declaring(&server);
    let id = begin(&peer, "careful", &json!({})).await;
    settle().await;
    peer.result("tasks/cancel", &of(&id)).await;
    assert_eq!(get(&peer, &id).await["status"], "cancelled", "at once");
    settle().await;
    assert_eq!(cleaned.load(Ordering::SeqCst), 1);
    advance(&clock, 1).await;
    assert_eq!(cleaned.load(Ordering::SeqCst), 2);
    assert!(clock.next_deadline().is_some(), "it may go on for a while");
    advance(&clock, 4).await;
    assert_eq!(clock.next_deadline(), None, "and no longer");
}

#[tokio::test]
async fn one_owner_has_so_many_tasks_and_those_that_are_over_make_room() {
    let clock = ManualClock::new();
    let policy = policy().with_caps(TaskCaps::new(2, 3));
    let server = server(&clock, policy);
    let (alice, bob) = (
        declaring(&server).with_principal("alice"),
        declaring(&server).with_principal("bob"),
    );
    let first = begin(&alice, "slow_compute", &slow()).await;
    begin(&alice, "slow_compute", &slow()).await;
    let full = alice.call("slow_compute", &slow().to_string()).await;
    let envelope = &full["structuredContent"];
    assert_eq!(
        (&full["isError"], &envelope["code"], &envelope["service"]),
        (&json!(true), &json!("at_capacity"), &json!("slow_compute"))
    );
    assert_eq!(envelope["limits"]["maxConcurrency"], 2);
    begin(&bob, "slow_compute", &slow()).await;
    // One more than may run at all.
    let full = bob.call("slow_compute", &slow().to_string()).await;
    assert_eq!(full["structuredContent"]["code"], "at_capacity");
    alice.result("tasks/cancel", &of(&first)).await;
    settle().await;
    begin(&alice, "slow_compute", &slow()).await;
    assert_eq!(alice.error("tasks/get", &of(&first)).await.code.0, -32602);
    // One who asks for a task knows no result in its place.
    let old = legacy(&server).await.with_principal("alice");
    let error = old
        .error("tools/call", &as_task("slow_compute", &slow()))
        .await;
    let data: Value = error.data.unwrap().decode().unwrap();
    assert_eq!(
        (error.code.0, &data["code"]),
        (-32603, &json!("at_capacity"))
    );
}

#[tokio::test]
async fn an_answer_that_does_not_fit_the_form_is_asked_for_under_a_new_key() {
    let (_, server) = suite();
    let peer = declaring(&server);
    let id = begin(&peer, "multi_input", &json!({})).await;
    settle().await;
    let said = |name: Value| accept(&json!({"name": name}));
    answer(
        &peer,
        &id,
        &json!({"first": said(json!(5)), "last": said(json!("Bee"))}),
    )
    .await;
    settle().await;
    let asks = until(&peer, &id, "input_required").await;
    let keys: Vec<_> = asks["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["first-2"]);
    answer(
        &peer,
        &id,
        &json!({"first": said(json!("Old")), "first-2": said(json!("Ann"))}),
    )
    .await;
    let done = until(&peer, &id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "Ann Bee");
}

#[tokio::test]
async fn a_question_that_is_dropped_is_taken_back() {
    let clock = ManualClock::new();
    let waits = clock.clone();
    let tool = Tool::new("impatient", move |cx: Context| {
        let clock = waits.clone();
        async move {
            tokio::select! {
                said = cx.confirm("go", "Go?") => said.map(|said| said.to_string()).map_err(ToolError::from),
                () = pass(&clock, 1) => {
                    pass(&clock, 1).await;
                    Ok("nobody answered".to_owned())
                }
            }
        }
    });
    let server = with(&clock, policy(), tool);
    let peer = declaring(&server);
    let id = begin(&peer, "impatient", &json!({})).await;
    until(&peer, &id, "input_required").await;
    advance(&clock, 1).await;
    let task = until(&peer, &id, "working").await;
    assert_eq!(task.get("inputRequests"), None);
    advance(&clock, 1).await;
    assert_eq!(
        until(&peer, &id, "completed").await["result"]["content"][0]["text"],
        "nobody answered"
    );
}

#[tokio::test]
async fn two_who_wait_for_a_result_ask_its_questions_once() {
    let (_, server) = suite();
    let peer = legacy(&server).await;
    let id = begin_legacy(&peer, "confirm_delete", &json!({"filename": "a"})).await;
    until(&peer, &id, "input_required").await;
    let mut one = peer.open("tasks/result", &of(&id));
    let mut two = peer.open("tasks/result", &of(&id));
    assert!(matches!(now(&mut one).await, Some(Event::Ask(..))));
    assert!(now(&mut two).await.is_none(), "it is asked already");
    // The one that asks goes away, and the other takes it on.
    drop(one);
    let Some(Event::Ask(_, reply)) = now(&mut two).await else {
        panic!("it asks");
    };
    let yes = accept(&json!({"confirm": true}));
    reply.answer(Ok(mcp_types::RawJson::from_serialize(&yes).unwrap()));
    assert_eq!(
        finish(two).await.1.unwrap()["content"][0]["text"],
        "a: true"
    );
}

#[tokio::test]
async fn a_client_that_refuses_to_answer_is_heard_by_the_handler() {
    let (_, server) = suite();
    let peer = legacy(&server).await;
    let id = begin_legacy(&peer, "confirm_delete", &json!({"filename": "a"})).await;
    until(&peer, &id, "input_required").await;
    let mut waits = peer.open("tasks/result", &of(&id));
    let Some(Event::Ask(_, reply)) = now(&mut waits).await else {
        panic!("it asks");
    };
    reply.answer(Err(mcp_types::ErrorObject::new(
        mcp_types::ErrorCode(-1),
        "not today",
    )));
    let result = finish(waits).await.1.unwrap();
    assert_eq!(result["isError"], true);
    assert!(result.to_string().contains("not today"), "{result}");
}

#[tokio::test]
async fn what_a_task_says_of_itself_is_seen() {
    let (_, server) = suite();
    let peer = declaring(&server);
    let id = begin(&peer, "slow_compute", &slow()).await;
    settle().await;
    assert_eq!(get(&peer, &id).await["statusMessage"], "computing it");
}

#[tokio::test]
async fn a_handler_that_is_no_task_has_none_and_may_say_that_it_begins() {
    let clock = ManualClock::new();
    let tool = Tool::new("t", |cx: Context| async move {
        format!(
            "{:?} {:?}",
            cx.task().is_some(),
            cx.begin_task().await.is_some()
        )
    });
    let server = with(&clock, policy(), tool);
    let peer = crate::peer::Peer::modern(&server);
    assert_eq!(
        peer.call("t", "{}").await["content"][0]["text"],
        "false false"
    );
    // It has begun already.
    let peer = declaring(&server);
    let id = begin(&peer, "t", &json!({})).await;
    assert_eq!(
        until(&peer, &id, "completed").await["result"]["content"][0]["text"],
        "true true"
    );
}

#[tokio::test]
async fn a_handler_that_is_done_before_its_task_begins() {
    let clock = ManualClock::new();
    let tool = Tool::new("t", || async { "done" }).task_begins_in_handler();
    let server = with(&clock, policy(), tool);
    // The extension lets the server decide; who has asked for a task gets one.
    assert_eq!(
        declaring(&server).call("t", "{}").await["content"][0]["text"],
        "done"
    );
    let peer = legacy(&server).await;
    let created = peer.result("tools/call", &as_task("t", &json!({}))).await;
    assert_eq!(created["task"]["status"], "completed");
    let result = peer
        .result("tasks/result", &of(&id_of(&created["task"])))
        .await;
    assert_eq!(result["content"][0]["text"], "done");
}

#[cfg(any(feature = "http", feature = "stdio"))]
#[tokio::test]
async fn by_default_tasks_run_on_the_runtime_of_the_call() {
    let clock = ManualClock::new();
    let server = server(&clock, TasksPolicy::default());
    let peer = declaring(&server);
    let id = begin(&peer, "protocol_error_job", &json!({})).await;
    until(&peer, &id, "failed").await;
}

#[cfg(any(feature = "http", feature = "stdio"))]
#[test]
fn without_a_runtime_a_call_fails_and_nothing_is_left_working() {
    let clock = ManualClock::new();
    let server = server(&clock, TasksPolicy::default());
    let peer = declaring(&server);
    let params = json!({"name": "slow_compute", "arguments": slow()}).to_string();
    let mut call = peer.open("tools/call", &params);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(Event::Outcome(Err(failed))) = call.as_mut().poll_event(&mut cx)
    else {
        panic!("it fails at once");
    };
    assert_eq!(failed.peer_error().unwrap().code.0, -32603);
}

#[test]
fn a_server_without_what_runs_tasks_does_not_say_that_it_has_them() {
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    let server = Server::new("s", "1").tasks(TasksPolicy::default());
    let peer = declaring(&server);
    let mut asked = peer.open("server/discover", "{}");
    let std::task::Poll::Ready(Event::Outcome(Ok(told))) = asked.as_mut().poll_event(&mut cx)
    else {
        panic!("it is answered at once");
    };
    let told: Value = told.result.decode().unwrap();
    let has = told["capabilities"]["extensions"].is_object();
    assert_eq!(has, cfg!(any(feature = "http", feature = "stdio")));
}

#[cfg(feature = "validate")]
#[tokio::test]
async fn what_a_task_comes_to_is_held_to_its_schema_and_its_arguments_are_checked_before() {
    #[derive(serde::Deserialize, mcp_server::schemars::JsonSchema)]
    #[schemars(crate = "mcp_server::schemars")]
    struct Order {
        #[schemars(range(max = 10))]
        count: u32,
    }
    #[derive(serde::Serialize, mcp_server::schemars::JsonSchema)]
    #[schemars(crate = "mcp_server::schemars")]
    struct Receipt {
        #[schemars(range(max = 100))]
        total: u32,
    }
    let clock = ManualClock::new();
    let order = |mcp_server::Args(Order { count }): mcp_server::Args<Order>| async move {
        mcp_server::Json(Receipt { total: count * 20 })
    };
    let server = with(&clock, policy(), Tool::new("order", order))
        .schema_check(mcp_server::validate::JsonSchema::new());
    let peer = declaring(&server);
    let refused = peer.call("order", r#"{"count":11}"#).await;
    assert_eq!(refused["structuredContent"]["code"], "bad_request");
    for (count, code) in [(5, Value::Null), (6, json!("output_validation_failed"))] {
        let id = begin(&peer, "order", &json!({"count": count})).await;
        let done = until(&peer, &id, "completed").await;
        assert_eq!(done["result"]["structuredContent"]["code"], code);
    }
}
