//! Which profile a request gets, over a connection (server.md 4.2).

use mcp_server::Server;
use mcp_transport::{Event, clock::ManualClock};
use mcp_types::Revision;
use serde_json::{Value, json};

use super::fixtures::{
    DECLARED, advance, as_task, begin, begin_legacy, declaring, get, id_of, legacy, now, of,
    policy, server, slow, suite, tools, until,
};
use crate::peer::{Peer, finish};

/// Waits for the result of a call, while time passes.
async fn waited(peer: &Peer, clock: &ManualClock, params: &str) -> Value {
    let call = peer.result("tools/call", params);
    tokio::join!(call, advance(clock, 1)).0
}

#[tokio::test]
async fn r4_2_up_to_2025_06_18_calls_wait_and_there_are_no_methods() {
    let (clock, server) = suite();
    for revision in &Revision::ALL[..4] {
        let peer = Peer::legacy(&server, *revision).await;
        let result = waited(&peer, &clock, &as_task("slow_compute", &slow())).await;
        // The oldest revision has another shape.
        assert!(result.to_string().contains("it is computed"), "{result}");
        assert_eq!(result.get("task"), None);
        let failed = waited(&peer, &clock, r#"{"name":"failing_job"}"#).await;
        assert!(failed.to_string().contains("it broke"), "{failed}");
        for method in [
            "tasks/get",
            "tasks/result",
            "tasks/list",
            "tasks/cancel",
            "tasks/update",
        ] {
            assert_eq!(
                peer.error(method, &of("x")).await.code.0,
                -32601,
                "{method}"
            );
        }
    }
}

async fn without_tasks(peer: Peer, clock: &ManualClock) {
    let result = waited(&peer, clock, &as_task("slow_compute", &slow())).await;
    assert_eq!(result["content"][0]["text"], "it is computed");
    let failed = waited(&peer, clock, r#"{"name":"failing_job"}"#).await;
    assert_eq!(failed["isError"], true);
    for method in [
        "tasks/get",
        "tasks/result",
        "tasks/list",
        "tasks/cancel",
        "tasks/update",
    ] {
        assert_eq!(
            peer.error(method, &of("x")).await.code.0,
            -32601,
            "{method}"
        );
    }
}

#[tokio::test]
async fn r4_2_2025_11_25_tasks_off_bl_083() {
    let clock = ManualClock::new();
    without_tasks(legacy(&tools(&clock)).await, &clock).await;
}

#[tokio::test]
async fn r4_2_2026_07_28_extension_off() {
    let clock = ManualClock::new();
    without_tasks(declaring(&tools(&clock)), &clock).await;
}

#[tokio::test]
async fn r4_2_2025_11_25_no_task_param() {
    let (clock, server) = suite();
    let peer = legacy(&server).await;
    let result = waited(
        &peer,
        &clock,
        &json!({"name": "slow_compute", "arguments": slow()}).to_string(),
    )
    .await;
    assert_eq!(result["content"][0]["text"], "it is computed");
    // Report 35: the specification says -32601, a policy what others say.
    let error = peer.error("tools/call", r#"{"name":"failing_job"}"#).await;
    assert_eq!(
        (error.code.0, &*error.message),
        (-32601, "Tool `failing_job` must run as a task")
    );
    let policy = policy().with_task_required_is_invalid_request(true);
    let peer = legacy(&self::server(&clock, policy)).await;
    let error = peer.error("tools/call", r#"{"name":"failing_job"}"#).await;
    assert_eq!(
        (error.code.0, &*error.message),
        (-32600, "Task augmentation required")
    );
}

#[tokio::test]
async fn r4_2_2025_11_25_task_param() {
    let (_, server) = suite();
    let peer = legacy(&server).await;
    for tool in ["slow_compute", "failing_job"] {
        let created = peer.result("tools/call", &as_task(tool, &slow())).await;
        assert_eq!(created["task"]["status"], "working", "{tool}");
    }
    for tool in ["greet", "plain"] {
        let error = peer
            .error("tools/call", &as_task(tool, &json!({"name": "A"})))
            .await;
        assert_eq!(error.code.0, -32601, "{tool}");
        assert!(
            error.message.contains("does not run as a task"),
            "{}",
            error.message
        );
    }
}

#[tokio::test]
async fn r4_2_2025_11_25_the_extension_in_initialize_means_nothing() {
    let (clock, server) = suite();
    let peer = Peer::legacy_with(&server, Revision::V2025_11_25, DECLARED).await;
    let result = waited(
        &peer,
        &clock,
        &json!({"name": "slow_compute", "arguments": slow()}).to_string(),
    )
    .await;
    assert_eq!(result.get("resultType"), None);
    assert_eq!(
        peer.error("tools/call", r#"{"name":"failing_job"}"#)
            .await
            .code
            .0,
        -32601
    );
    assert!(
        peer.result("tools/call", &as_task("slow_compute", &slow()))
            .await["task"]
            .is_object()
    );
}

#[tokio::test]
async fn r4_2_2026_07_28_declared() {
    let (_, server) = suite();
    let peer = declaring(&server);
    for tool in ["slow_compute", "failing_job"] {
        begin(&peer, tool, &slow()).await;
    }
    assert_eq!(peer.call("plain", "{}").await["resultType"], "complete");
}

#[tokio::test]
async fn r4_2_2026_07_28_not_declared() {
    let (clock, server) = suite();
    let peer = Peer::modern(&server);
    let result = waited(&peer, &clock, &as_task("slow_compute", &slow())).await;
    assert_eq!(result["resultType"], "complete");
    assert_eq!(
        peer.error("tools/call", r#"{"name":"failing_job"}"#)
            .await
            .code
            .0,
        -32021
    );
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        assert_eq!(
            peer.error(method, &of("unknown")).await.code.0,
            -32021,
            "{method}"
        );
    }
    for method in ["tasks/result", "tasks/list"] {
        assert_eq!(
            peer.error(method, &of("unknown")).await.code.0,
            -32601,
            "{method}"
        );
    }
}

#[tokio::test]
async fn r4_2_2026_07_28_not_declared_may_look_after_its_principals_legacy_tasks() {
    let (clock, server) = suite();
    let old = legacy(&server).await.with_principal("alice");
    let id = begin_legacy(&old, "slow_compute", &slow()).await;
    let new = Peer::modern(&server).with_principal("alice");
    assert_eq!(get(&new, &id).await["status"], "working");
    for stranger in [
        Peer::modern(&server),
        Peer::modern(&server).with_principal("bob"),
    ] {
        assert_eq!(stranger.error("tasks/get", &of(&id)).await.code.0, -32021);
        assert_eq!(
            stranger.error("tasks/cancel", &of(&id)).await.code.0,
            -32021
        );
    }
    let params = json!({"taskId": id, "inputResponses": {}}).to_string();
    assert_eq!(new.error("tasks/update", &params).await.code.0, -32021);
    advance(&clock, 1).await;
    let done = until(&new, &id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "it is computed");
    assert_eq!(
        new.result("tasks/cancel", &of(&id)).await["resultType"],
        "complete"
    );
    // A task of the extension is not one of those.
    let declared = declaring(&server).with_principal("alice");
    let id = begin(&declared, "slow_compute", &slow()).await;
    assert_eq!(new.error("tasks/get", &of(&id)).await.code.0, -32021);
}

fn inline(clock: &ManualClock) -> Server {
    server(clock, policy().with_inline_handles(true))
}

#[tokio::test]
async fn r4_2_inline_handle_is_announced_first_and_carried_by_the_result() {
    let clock = ManualClock::new();
    let server = inline(&clock);
    let peer = Peer::modern(&server);
    let params = json!({"name": "slow_compute", "arguments": slow()}).to_string();
    let mut call = peer.open("tools/call", &params);
    let Some(Event::Notification(first)) = now(&mut call).await else {
        panic!("the handle comes first");
    };
    let first: Value = first.params.decode().unwrap();
    let handle = &first["_meta"]["taskHandle"];
    assert_eq!(handle["status"], "working");
    let id = id_of(handle);
    let seen = get(&peer, &id).await;
    assert_eq!(
        (&seen["status"], &seen["createdAt"]),
        (&json!("working"), &handle["createdAt"])
    );
    advance(&clock, 1).await;
    let result = finish(call).await.1.unwrap();
    assert_eq!(
        (&result["resultType"], &result["content"][0]["text"]),
        (&json!("complete"), &json!("it is computed"))
    );
    assert_eq!(result.get("taskId"), None);
    let handle = &result["_meta"]["taskHandle"];
    assert_eq!(
        (&handle["taskId"], &handle["status"]),
        (&json!(id), &json!("completed"))
    );
    // The content travels on the response alone.
    let seen = get(&peer, &id).await;
    assert_eq!(
        (&seen["status"], seen.get("result")),
        (&json!("completed"), None)
    );
    for _ in 0..2 {
        assert_eq!(
            peer.result("tasks/cancel", &of(&id)).await["resultType"],
            "complete"
        );
    }
    assert_eq!(get(&peer, &id).await["status"], "completed");
}

#[tokio::test]
async fn r4_2_inline_handle_under_a_progress_token() {
    let clock = ManualClock::new();
    let server = inline(&clock);
    let peer = Peer::modern(&server).with_progress("p");
    let params = r#"{"name":"failing_job"}"#;
    let call = peer.ask("tools/call", params);
    let ((told, result), ()) = tokio::join!(call, advance(&clock, 1));
    assert_eq!(
        (&told[0]["method"], &told[0]["progress"]),
        (&json!("notifications/progress"), &json!(0))
    );
    let id = id_of(&told[0]["_meta"]["taskHandle"]);
    let result = result.unwrap();
    assert_eq!(
        (&result["isError"], &result["_meta"]["taskHandle"]["taskId"]),
        (&json!(true), &json!(id))
    );
    assert_eq!(get(&peer, &id).await["status"], "completed");
}

#[tokio::test]
async fn r4_2_inline_handle_asks_in_rounds_before_it_waits() {
    let clock = ManualClock::new();
    let server = inline(&clock);
    let peer = Peer::modern_with(&server, r#"{"elicitation":{}}"#);
    let first = peer.call("confirm_delete", r#"{"filename":"a"}"#).await;
    assert_eq!(first["resultType"], "input_required");
    let retry = json!({
        "name": "confirm_delete", "arguments": {"filename": "a"}, "requestState": first["requestState"],
        "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": true}}},
    });
    let result = peer.result("tools/call", &retry.to_string()).await;
    assert_eq!(result["content"][0]["text"], "a: true");
    assert_eq!(result["_meta"]["taskHandle"]["status"], "completed");
}

#[tokio::test]
async fn r4_2_inline_handle_can_be_cancelled_while_its_call_waits() {
    let clock = ManualClock::new();
    let server = inline(&clock);
    let peer = Peer::modern(&server);
    let params = json!({"name": "slow_compute", "arguments": slow()}).to_string();
    let mut call = peer.open("tools/call", &params);
    let Some(Event::Notification(first)) = now(&mut call).await else {
        panic!("the handle comes first");
    };
    let first: Value = first.params.decode().unwrap();
    let id = id_of(&first["_meta"]["taskHandle"]);
    peer.result("tasks/cancel", &of(&id)).await;
    let error = finish(call).await.1.unwrap_err();
    assert_eq!(&*error.message, "Task was cancelled");
}

#[tokio::test]
async fn r4_2_inline_handles_change_nothing_for_others() {
    let clock = ManualClock::new();
    let server = inline(&clock);
    let declared = declaring(&server);
    let id = begin(&declared, "slow_compute", &slow()).await;
    advance(&clock, 1).await;
    assert!(until(&declared, &id, "completed").await["result"].is_object());
    // Who declares nothing does not see tasks of those who do.
    let peer = Peer::modern(&server);
    assert_eq!(peer.error("tasks/get", &of(&id)).await.code.0, -32021);
    assert_eq!(peer.error("tasks/get", &of("unknown")).await.code.0, -32602);
    assert!(
        peer.call("plain", "{}")
            .await
            .get("_meta")
            .is_none_or(|meta| meta.get("taskHandle").is_none())
    );
    let old = legacy(&server).await;
    assert!(
        old.result("tools/call", &as_task("slow_compute", &slow()))
            .await["task"]
            .is_object()
    );
}
