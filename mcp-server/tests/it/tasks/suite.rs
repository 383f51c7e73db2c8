//! The scenarios of the conformance suite on tasks, in memory (conformance.md 4).

use mcp_transport::clock::ManualClock;
use serde_json::{Value, json};

use super::fixtures::{
    DECLARED, accept, advance, answer, begin, declaring, get, of, policy, server, slow, suite,
    until,
};
use crate::peer::Peer;

fn absent(value: &Value, members: &[&str]) {
    for member in members {
        assert_eq!(value.get(member), None, "{member} of {value}");
    }
}

#[tokio::test]
async fn tasks_lifecycle() {
    let (clock, server) = suite();
    let peer = declaring(&server);
    let hello = peer.call("greet", r#"{"name":"Ann"}"#).await;
    assert_eq!(
        (&hello["resultType"], &hello["content"][0]["text"]),
        (&json!("complete"), &json!("Hello, Ann!"))
    );

    let created = peer.call("slow_compute", &slow().to_string()).await;
    assert_eq!(
        (&created["resultType"], &created["status"]),
        (&json!("task"), &json!("working"))
    );
    assert_eq!(created["createdAt"], "2026-07-28T00:00:00.000Z");
    assert_eq!(created["lastUpdatedAt"], "2026-07-28T00:00:00.000Z");
    absent(
        &created,
        &[
            "task",
            "result",
            "error",
            "inputRequests",
            "content",
            "requestState",
        ],
    );
    let id = created["taskId"].as_str().unwrap();
    let working = get(&peer, id).await;
    assert_eq!(
        (&working["resultType"], &working["status"]),
        (&json!("complete"), &json!("working"))
    );
    absent(&working, &["result", "error", "inputRequests"]);
    advance(&clock, 1).await;
    let done = until(&peer, id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "it is computed");
    assert_eq!(
        (&done["result"]["resultType"], &done["resultType"]),
        (&json!("complete"), &json!("complete"))
    );
    assert_eq!(done["lastUpdatedAt"], "2026-07-28T00:00:01.000Z");
    absent(&done, &["error", "inputRequests"]);

    let failing = begin(&peer, "failing_job", &json!({})).await;
    advance(&clock, 1).await;
    let failed = until(&peer, &failing, "completed").await;
    assert_eq!(failed["result"]["isError"], true);

    let broken = begin(&peer, "protocol_error_job", &json!({})).await;
    let failed = until(&peer, &broken, "failed").await;
    assert_eq!(
        failed["error"],
        json!({"code": -32603, "message": "out of order"})
    );
    absent(&failed, &["result"]);

    let id = begin(&peer, "slow_compute", &slow()).await;
    let acks = [
        peer.result("tasks/cancel", &of(&id)).await,
        // It is over by now.
        peer.result("tasks/cancel", &of(&id)).await,
        peer.result("tasks/cancel", &of(&failing)).await,
    ];
    for ack in acks {
        assert_eq!(ack["resultType"], "complete");
        absent(
            &ack,
            &["taskId", "status", "result", "error", "inputRequests"],
        );
    }
    assert_eq!(get(&peer, &id).await["status"], "cancelled");
    assert_eq!(get(&peer, &failing).await["status"], "completed");
}

#[tokio::test]
async fn tasks_capability_negotiation() {
    let (clock, server) = suite();
    let peer = declaring(&server);
    let discovered = peer.result("server/discover", "{}").await;
    let capabilities = &discovered["capabilities"];
    assert_eq!(
        capabilities["extensions"]["io.modelcontextprotocol/tasks"],
        json!({})
    );
    absent(capabilities, &["tasks"]);

    let id = begin(&peer, "slow_compute", &slow()).await;
    let other = Peer::modern(&server);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = json!({"taskId": id, "inputResponses": {}}).to_string();
        let error = other.error(method, &params).await;
        assert_eq!(error.code.0, -32021, "{method}");
    }
    // Without it the same call waits for the result, and nothing of it is remembered by the connection.
    let call = async { other.call("slow_compute", &slow().to_string()).await };
    let (result, ()) = tokio::join!(call, advance(&clock, 1));
    assert_eq!(
        (&result["resultType"], &result["content"][0]["text"]),
        (&json!("complete"), &json!("it is computed"))
    );
}

#[tokio::test]
async fn an_extension_that_is_no_object_is_not_declared() {
    let (_, server) = suite();
    for odd in ["null", "true", "[]"] {
        let declared = DECLARED.replace("tasks\":{}", &format!("tasks\":{odd}"));
        let peer = Peer::modern_with(&server, &declared);
        let error = peer.error("tools/call", r#"{"name":"failing_job"}"#).await;
        assert_eq!(error.code.0, -32021, "{odd}");
    }
}

#[tokio::test]
async fn tasks_wire_fields() {
    let (clock, server) = suite();
    let peer = declaring(&server);
    let created = peer
        .call("slow_compute", r#"{"seconds":299,"label":"it"}"#)
        .await;
    let id = created["taskId"].as_str().unwrap();
    for task in [&created, &get(&peer, id).await] {
        assert_eq!(
            (&task["ttlMs"], &task["pollIntervalMs"]),
            (&json!(300_000), &json!(1_000))
        );
        absent(task, &["ttl", "pollInterval"]);
    }
    // It is there as long as was said, and no longer.
    advance(&clock, 299).await;
    let done = until(&peer, id, "completed").await;
    let meta = done["result"].get("_meta");
    assert_eq!(
        meta.and_then(|meta| meta.get("io.modelcontextprotocol/related-task")),
        None
    );
    advance(&clock, 1).await;
    assert_eq!(peer.error("tasks/get", &of(id)).await.code.0, -32602);
}

#[tokio::test]
async fn tasks_request_state_removal() {
    let (clock, server) = suite();
    let peer = declaring(&server);
    let created = peer.call("confirm_delete", r#"{"filename":"a"}"#).await;
    absent(&created, &["requestState"]);
    let id = created["taskId"].as_str().unwrap();
    let asks = until(&peer, id, "input_required").await;
    absent(&asks, &["requestState"]);
    answer(
        &peer,
        id,
        &json!({"confirm": accept(&json!({"confirm": true}))}),
    )
    .await;
    absent(&until(&peer, id, "completed").await, &["requestState"]);
    let _ = clock;
}

#[tokio::test]
async fn tasks_mrtr_input() {
    let (_, server) = suite();
    let peer = declaring(&server);
    let id = begin(&peer, "confirm_delete", &json!({"filename": "a"})).await;
    let asks = until(&peer, &id, "input_required").await;
    let requests = asks["inputRequests"].as_object().unwrap();
    assert_eq!(requests.keys().collect::<Vec<_>>(), ["confirm"]);
    assert_eq!(requests["confirm"]["method"], "elicitation/create");
    assert_eq!(requests["confirm"]["params"]["message"], "Delete a?");
    let ack = answer(
        &peer,
        &id,
        &json!({"confirm": accept(&json!({"confirm": true}))}),
    )
    .await;
    assert_eq!(ack["resultType"], "complete");
    absent(&ack, &["taskId", "status", "result", "inputRequests"]);
    let done = until(&peer, &id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "a: true");
}

#[tokio::test]
async fn tasks_mrtr_partial_input() {
    let (_, server) = suite();
    let peer = declaring(&server);
    let id = begin(&peer, "multi_input", &json!({})).await;
    let keys = |task: &Value| -> Vec<String> {
        let requests = task["inputRequests"].as_object().unwrap();
        let mut keys: Vec<_> = requests.keys().cloned().collect();
        keys.sort();
        keys
    };
    let mut asks = until(&peer, &id, "input_required").await;
    while keys(&asks).len() < 2 {
        tokio::task::yield_now().await;
        asks = get(&peer, &id).await;
    }
    assert_eq!(keys(&asks), ["first", "last"]);
    answer(
        &peer,
        &id,
        &json!({"last": accept(&json!({"name": "Bee"}))}),
    )
    .await;
    // The very next look.
    let asks = get(&peer, &id).await;
    assert_eq!(
        (&asks["status"], keys(&asks)),
        (&json!("input_required"), vec!["first".to_owned()])
    );
    answer(
        &peer,
        &id,
        &json!({"first": accept(&json!({"name": "Ann"}))}),
    )
    .await;
    let done = until(&peer, &id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "Ann Bee");
}

#[tokio::test]
async fn tasks_dispatch_and_envelope() {
    let (_, server) = suite();
    let peer = declaring(&server);
    for method in ["tasks/result", "tasks/list"] {
        assert_eq!(
            peer.error(method, &of("x")).await.code.0,
            -32601,
            "{method}"
        );
    }
    let hinted =
        json!({"name": "greet", "arguments": {"name": "Ann"}, "task": {"ttl": "nonsense"}});
    let hello = peer.result("tools/call", &hinted.to_string()).await;
    assert_eq!(
        (&hello["resultType"], &hello["content"][0]["text"]),
        (&json!("complete"), &json!("Hello, Ann!"))
    );
    let id = begin(&peer, "confirm_delete", &json!({"filename": "a"})).await;
    assert_eq!(get(&peer, &id).await["taskId"], id.as_str());
    let ack = answer(&peer, &id, &json!({"unknown-key": {"ignored": true}})).await;
    assert_eq!(ack["resultType"], "complete");
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = json!({"taskId": "unknown", "inputResponses": {}}).to_string();
        let error = peer.error(method, &params).await;
        assert_eq!(error.code.0, -32602, "{method}");
        assert!(
            error.message.contains("Task not found"),
            "{}",
            error.message
        );
        for odd in ["{}", r#"{"taskId":5}"#, r#"{"taskId":null}"#] {
            assert_eq!(
                peer.error(method, odd).await.code.0,
                -32602,
                "{method} {odd}"
            );
        }
    }
    for odd in [json!(null), json!([]), json!("x")] {
        let params = json!({"taskId": id, "inputResponses": odd}).to_string();
        assert_eq!(
            peer.error("tasks/update", &params).await.code.0,
            -32602,
            "{odd}"
        );
    }
}

#[tokio::test]
async fn tasks_required_task_error() {
    let (_, server) = suite();
    let peer = Peer::modern(&server);
    let error = peer.error("tools/call", r#"{"name":"failing_job"}"#).await;
    assert_eq!(error.code.0, -32021);
    let data: Value = error.data.unwrap().decode().unwrap();
    let required = &data["requiredCapabilities"]["extensions"]["io.modelcontextprotocol/tasks"];
    assert_eq!(required, &json!({}));
}

#[tokio::test]
async fn tasks_mrtr_composition() {
    let (clock, server) = suite();
    let peer = declaring(&server);
    let first = peer.call("test_tool_with_task", "{}").await;
    assert_eq!(first["resultType"], "input_required");
    absent(&first, &["taskId"]);
    assert_eq!(
        first["inputRequests"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["user_name"]
    );
    let retry = json!({
        "name": "test_tool_with_task", "arguments": {}, "requestState": first["requestState"],
        "inputResponses": {"user_name": accept(&json!({"name": "Alice"}))},
    });
    let second = peer.result("tools/call", &retry.to_string()).await;
    assert_eq!(second["resultType"], "task");
    absent(&second, &["requestState", "inputRequests"]);
    advance(&clock, 1).await;
    let done = until(&peer, second["taskId"].as_str().unwrap(), "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "Hello, Alice!");
}

#[tokio::test]
async fn a_policy_may_keep_the_payload_back() {
    use mcp_server::task::GetPayload;
    let clock = ManualClock::new();
    let policy = policy().with_get_payload(GetPayload::MetadataOnly);
    let server = server(&clock, policy);
    let peer = declaring(&server);
    let id = begin(&peer, "protocol_error_job", &json!({})).await;
    absent(&until(&peer, &id, "failed").await, &["error"]);
    let id = begin(&peer, "slow_compute", &slow()).await;
    advance(&clock, 1).await;
    absent(&until(&peer, &id, "completed").await, &["result"]);
}
