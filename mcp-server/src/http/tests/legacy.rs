//! Legacy clients: sessions.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::{Hosted, Received, http};
use crate::{
    Tool,
    http::{LegacyMode, SessionLimits},
};

pub(super) fn initialize_params(version: &str) -> Value {
    json!({
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"},
    })
}

pub(super) fn initialize(version: &str) -> String {
    let params = initialize_params(version);
    http("POST", &[], &request(1, "initialize", &params))
}

pub(super) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(super) fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    request(
        id,
        "tools/call",
        &json!({"name": tool, "arguments": arguments}),
    )
}

/// A session, and its id.
pub(super) async fn open(hosted: &Hosted, version: &str) -> String {
    let answer = hosted.ask(&initialize(version)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.header("mcp-session-id").unwrap().to_owned()
}

pub(super) fn within(session: &str, method: &str, body: &Value) -> String {
    http(method, &[("Mcp-Session-Id", session)], body)
}

pub(super) async fn post(hosted: &Hosted, session: &str, body: &Value) -> Received {
    hosted.ask(&within(session, "POST", body)).await
}

#[tokio::test]
async fn a_session_from_its_initialize_to_its_delete() {
    let hosted = Hosted::start(|host| host).await;
    let opened = hosted.ask(&initialize("2025-11-25")).await;
    assert_eq!(opened.json()["result"]["protocolVersion"], "2025-11-25");
    let session = opened.header("mcp-session-id").unwrap();
    assert!(session.len() >= 32 && session.bytes().all(|byte| byte.is_ascii_graphic()));
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = post(&hosted, session, &told).await;
    assert_eq!((answer.status, answer.body.as_str()), (202, ""));
    let answer = post(&hosted, session, &call(2, "echo", &json!({"text": "hi"}))).await;
    assert_eq!(
        answer.json()["result"]["structuredContent"],
        json!({"text": "hi"})
    );
    assert_eq!(answer.json()["result"].get("resultType"), None);
    let answer = post(&hosted, session, &request(3, "ping", &json!({}))).await;
    assert_eq!(answer.json()["result"], json!({}));
    let answer = post(&hosted, session, &request(4, "server/discover", &json!({}))).await;
    assert_eq!(
        (answer.status, &answer.json()["error"]["code"]),
        (200, &json!(-32601))
    );
    let answer = hosted.ask(&within(session, "DELETE", &Value::Null)).await;
    assert_eq!(answer.status, 204);
    let answer = post(&hosted, session, &request(5, "ping", &json!({}))).await;
    assert_eq!((answer.status, &answer.json()["id"]), (404, &json!(5)));
}

#[tokio::test]
async fn a_dropped_post_does_not_cancel_the_handler() {
    let mut hosted = Hosted::start(|host| host).await;
    let session = open(&hosted, "2025-06-18").await;
    let client = hosted
        .send(&within(&session, "POST", &call(2, "hang", &json!({}))))
        .await;
    assert_eq!(hosted.event().await, "began");
    drop(client);
    // The duplicate id shows that the request still runs, on a connection later than the dropped one.
    let answer = post(&hosted, &session, &call(2, "echo", &json!({"text": ""}))).await;
    assert_eq!(
        (answer.status, &answer.json()["error"]["message"]),
        (400, &json!("Duplicate request id"))
    );
    hosted.go.notify_one();
    assert_eq!(hosted.event().await, "went on");
    assert_eq!(hosted.event().await, "dropped");
}

#[tokio::test]
async fn a_cancelled_request_is_answered_with_32800() {
    let mut hosted = Hosted::start(|host| host).await;
    let session = open(&hosted, "2025-11-25").await;
    let client = hosted
        .send(&within(&session, "POST", &call(2, "hang", &json!({}))))
        .await;
    assert_eq!(hosted.event().await, "began");
    let cancel = |id: Value| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    // Another session, and another id, cancel nothing.
    let other = open(&hosted, "2025-11-25").await;
    assert_eq!(post(&hosted, &other, &cancel(json!(2))).await.status, 202);
    assert_eq!(
        post(&hosted, &session, &cancel(json!("2"))).await.status,
        202
    );
    assert!(hosted.events.try_recv().is_err());
    assert_eq!(post(&hosted, &session, &cancel(json!(2))).await.status, 202);
    assert_eq!(hosted.event().await, "dropped");
    let answer = client.answer().await.json();
    assert_eq!(
        answer["error"],
        json!({"code": -32800, "message": "Request cancelled"})
    );
}

#[tokio::test]
async fn list_changed_goes_to_the_stream_that_listens_last() {
    let hosted = Hosted::start(|host| host).await;
    let session = open(&hosted, "2025-11-25").await;
    let listen = within(&session, "GET", &Value::Null).replace("Content-Length: 0\r\n", "");
    let mut first = hosted.send(&listen).await;
    first.until(": keep-alive").await;
    let mut second = hosted.send(&listen).await;
    second.until(": keep-alive").await;
    // The first stream was taken over, and ends.
    first.until("\r\n0\r\n\r\n").await;
    hosted
        .server
        .tools()
        .add(Tool::new("more", || async { "x".to_owned() }))
        .unwrap();
    second.until("notifications/tools/list_changed").await;
    // What nobody hears waits.
    let answer = hosted.ask(&within(&session, "DELETE", &Value::Null)).await;
    assert_eq!(answer.status, 204);
    second.until("\r\n0\r\n\r\n").await;
}

#[tokio::test]
async fn c9_a_session_ends_after_300_idle_seconds() {
    let hosted = Hosted::start(|host| host).await;
    let session = open(&hosted, "2025-11-25").await;
    hosted.clock.advance(Duration::from_secs(299));
    let ping = request(2, "ping", &json!({}));
    assert_eq!(post(&hosted, &session, &ping).await.status, 200);
    hosted.clock.advance(Duration::from_secs(299));
    assert_eq!(post(&hosted, &session, &ping).await.status, 200);
    hosted.clock.advance(Duration::from_secs(300));
    let answer = post(&hosted, &session, &ping).await;
    assert_eq!(
        (answer.status, &answer.json()["error"]["message"]),
        (404, &json!("Session not found"))
    );
}

#[tokio::test]
async fn c9_sessions_over_the_cap_are_503() {
    let hosted = Hosted::start(|host| host.sessions(SessionLimits::default().with_total(1))).await;
    open(&hosted, "2025-11-25").await;
    let answer = hosted.ask(&initialize("2025-11-25")).await;
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (503, Some("5"))
    );
    let error = &answer.json()["error"];
    assert_eq!(error["code"], -32603);
    assert_eq!(
        error["data"],
        json!({"code": "at_capacity", "retryAfter": 5})
    );
}

#[tokio::test]
async fn h13_batches_are_for_2025_03_26() {
    let hosted = Hosted::start(|host| host).await;
    let batch = json!([
        request(1, "ping", &json!({})),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        call(2, "echo", &json!({"text": "hi"})),
        request(3, "initialize", &json!({})),
        {"jsonrpc": "2.0", "id": 4},
    ]);
    let session = open(&hosted, "2025-03-26").await;
    let answer = post(&hosted, &session, &batch).await;
    let answers = answer.json();
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 4, "{answers:?}");
    for (id, is_error) in [(1, false), (2, false), (3, true), (4, true)] {
        let answer = answers.iter().find(|answer| answer["id"] == id).unwrap();
        assert_eq!(answer.get("error").is_some(), is_error, "{answer}");
    }
    let notifications = json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]);
    assert_eq!(post(&hosted, &session, &notifications).await.status, 202);
    let answer = post(&hosted, &session, &json!([])).await;
    assert_eq!(
        (answer.status, &answer.json()["error"]["code"]),
        (400, &json!(-32600))
    );
    let session = open(&hosted, "2025-06-18").await;
    let answer = post(&hosted, &session, &batch).await;
    assert_eq!(
        (answer.status, &answer.json()["error"]["code"]),
        (400, &json!(-32600))
    );
}

#[tokio::test]
async fn stateless_clients_have_no_sessions() {
    let hosted = Hosted::start(|host| host.legacy(LegacyMode::Stateless)).await;
    let opened = hosted.ask(&initialize("2025-06-18")).await;
    assert_eq!(
        (opened.status, opened.header("mcp-session-id")),
        (200, None)
    );
    let version = [("MCP-Protocol-Version", "2025-06-18")];
    let body = call(2, "echo", &json!({"text": "hi"}));
    let answer = hosted.ask(&http("POST", &version, &body)).await;
    assert_eq!(
        answer.json()["result"]["structuredContent"],
        json!({"text": "hi"})
    );
    let answer = hosted.ask(&http("GET", &version, &Value::Null)).await;
    assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));
    let message = answer.json()["error"]["message"].clone();
    assert_eq!(
        message,
        "Method not allowed in stateless mode. Use POST /mcp."
    );
}

#[tokio::test]
async fn the_end_of_a_session_cancels_what_runs() {
    let mut hosted = Hosted::start(|host| host).await;
    let session = open(&hosted, "2025-11-25").await;
    let client = hosted
        .send(&within(&session, "POST", &call(2, "hang", &json!({}))))
        .await;
    assert_eq!(hosted.event().await, "began");
    let answer = hosted.ask(&within(&session, "DELETE", &Value::Null)).await;
    assert_eq!(answer.status, 204);
    assert_eq!(hosted.event().await, "dropped");
    assert_eq!(client.answer().await.json()["error"]["code"], -32800);
}

#[tokio::test]
async fn the_hooks_of_a_session_run_however_it_ends() {
    let mut hosted = Hosted::start(|host| host).await;
    let watched = call(2, "header", &json!({}));
    // The client ends it.
    let session = open(&hosted, "2025-11-25").await;
    assert_eq!(post(&hosted, &session, &watched).await.status, 200);
    hosted.ask(&within(&session, "DELETE", &Value::Null)).await;
    assert_eq!(hosted.event().await, "closed");
    // Nobody uses it, and nobody asks for it either.
    let session = open(&hosted, "2025-11-25").await;
    assert_eq!(post(&hosted, &session, &watched).await.status, 200);
    hosted.clock.advance(Duration::from_secs(300));
    assert_eq!(hosted.event().await, "closed");
    // It is but one POST long.
    let mut stateless = Hosted::start(|host| host.legacy(LegacyMode::Stateless)).await;
    let version = [("MCP-Protocol-Version", "2025-03-26")];
    for body in [
        watched.clone(),
        json!([watched, call(3, "header", &json!({}))]),
    ] {
        let hooks = body.as_array().map_or(1, Vec::len);
        let answer = stateless.ask(&http("POST", &version, &body)).await;
        assert_eq!(answer.status, 200);
        for _ in 0..hooks {
            assert_eq!(stateless.event().await, "closed");
        }
    }
    // The server comes down.
    let session = open(&hosted, "2025-11-25").await;
    assert_eq!(post(&hosted, &session, &watched).await.status, 200);
    hosted.stop.send(()).unwrap();
    assert_eq!(hosted.events.recv().await, Some("closed"));
}

#[tokio::test]
async fn c20_shutdown_ends_streams_and_sessions() {
    let hosted = Hosted::start(|host| host).await;
    let session = open(&hosted, "2025-11-25").await;
    let listen = within(&session, "GET", &Value::Null).replace("Content-Length: 0\r\n", "");
    let mut stream = hosted.send(&listen).await;
    stream.until(": keep-alive").await;
    hosted.stop.send(()).unwrap();
    stream.until("\r\n0\r\n\r\n").await;
    hosted.serving.await.unwrap().unwrap();
    drop(Arc::clone(&hosted.server));
}
