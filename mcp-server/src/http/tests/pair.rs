//! Clients of the deprecated HTTP+SSE transport: a stream, and messages beside it.

use std::{collections::HashSet, time::Duration};

use serde_json::{Value, json};

use super::{
    Client, Hosted, Received,
    hosting::serve_router,
    http,
    legacy::{call, initialize_params, request},
};
use crate::{Server, Tool, http::SessionLimits};

/// A stream, and where it says to post.
struct Stream {
    client: Client,
    messages: String,
}

async fn open(hosted: &Hosted, path: &str) -> Stream {
    let mut client = hosted
        .send(&format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
        ))
        .await;
    let head = client.until("\n\n").await;
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    // The first thing on the stream, before any comment.
    let (_, body) = head.split_once("\r\n\r\n").unwrap();
    let (_, event) = body.split_once("event: ").unwrap();
    let event = event.split_once("\n\n").unwrap().0;
    let messages = event.strip_prefix("endpoint\ndata: ").unwrap().to_owned();
    Stream { client, messages }
}

async fn post(hosted: &Hosted, to: &str, body: &Value) -> Received {
    let post = http("POST", &[], body).replacen("/mcp", to, 1);
    hosted.ask(&post).await
}

impl Stream {
    async fn post(&self, hosted: &Hosted, body: &Value) {
        let answer = post(hosted, &self.messages, body).await;
        assert_eq!((answer.status, &*answer.body), (202, ""), "{answer:?}");
    }

    async fn initialize(&self, hosted: &Hosted, version: &str) {
        let params = initialize_params(version);
        self.post(hosted, &request(1, "initialize", &params)).await;
    }
}

async fn start() -> Hosted {
    Hosted::start(|host| host.legacy_sse(true)).await
}

#[tokio::test]
async fn a_conversation_from_its_endpoint_to_its_end() {
    let mut hosted = start().await;
    let mut stream = open(&hosted, "/sse").await;
    assert!(stream.messages.starts_with("/messages?sessionId="));
    stream.initialize(&hosted, "2024-11-05").await;
    stream
        .client
        .until(r#""protocolVersion":"2024-11-05""#)
        .await;
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    stream.post(&hosted, &told).await;
    stream
        .post(&hosted, &call(2, "echo", &json!({"text": "hi"})))
        .await;
    let all = stream.client.until(r#""id":2,"result""#).await;
    assert!(all.contains("event: message\ndata: {"), "{all}");
    // The session ends with its stream, and so does what runs in it.
    stream.post(&hosted, &call(3, "header", &json!({}))).await;
    stream.client.until(r#""id":3,"#).await;
    stream.post(&hosted, &call(4, "hang", &json!({}))).await;
    assert_eq!(hosted.event().await, "began");
    let Stream { client, messages } = stream;
    drop(client);
    assert_eq!(hosted.event().await, "dropped");
    assert_eq!(hosted.event().await, "closed");
    let answer = post(&hosted, &messages, &request(5, "ping", &json!({}))).await;
    assert_eq!(
        (answer.status, &answer.json()["error"]["message"]),
        (404, &json!("Session not found"))
    );
}

#[tokio::test]
async fn it_is_not_there_unless_it_is_asked_for() {
    let hosted = Hosted::start(|host| host).await;
    for path in ["/sse", "/mcp/sse", "/messages?sessionId=0"] {
        let answer = hosted
            .ask(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            .await;
        assert_eq!(answer.status, 404, "{path}");
    }
}

#[tokio::test]
async fn the_endpoint_event_carries_the_path_that_clients_see() {
    let hosted = start().await;
    let stream = open(&hosted, "/mcp/sse").await;
    assert!(stream.messages.starts_with("/mcp/messages?sessionId="));
    stream.initialize(&hosted, "2024-11-05").await;
    let service = |host: crate::http::HttpHost| host.legacy_sse(true).service().unwrap();
    let server = Server::new("test", "1.0");
    let app = axum::Router::new()
        .nest(
            "/v1",
            axum::Router::new().nest_service("/tools", service(server.http())),
        )
        .nest_service(
            "/behind",
            service(server.http().legacy_sse_messages("/gateway/messages")),
        );
    let nested = Hosted {
        address: serve_router(app).await,
        ..Hosted::start(|host| host).await
    };
    let mut stream = open(&nested, "/v1/tools/sse?k=1").await;
    assert!(
        stream.messages.starts_with("/v1/tools/messages?sessionId="),
        "{}",
        stream.messages
    );
    stream.initialize(&nested, "2024-11-05").await;
    stream.client.until(r#""id":1,"result""#).await;
    let stream = open(&nested, "/behind/sse").await;
    assert!(stream.messages.starts_with("/gateway/messages?sessionId="));
}

#[tokio::test]
async fn messages_that_are_refused() {
    let hosted = start().await;
    let stream = open(&hosted, "/sse").await;
    let ping = request(1, "ping", &json!({}));
    let good = http("POST", &[], &ping).replacen("/mcp", &stream.messages, 1);
    let long = " ".repeat(5 << 20);
    let with = |from: &str, to: &str| good.replacen(from, to, 1);
    let table = [
        (with("sessionId=", "sessionId=0"), 404, "Session not found"),
        (with("sessionId=", "session="), 400, "Missing sessionId"),
        (
            with("Host: localhost", "Host: evil.example"),
            403,
            "Host evil.example",
        ),
        (with("Host", "Origin: null\r\nHost"), 403, "Origin null"),
        (with("application/json", "text/plain"), 415, "text/plain"),
        (with("jsonrpc", "jsonrpk"), 400, "jsonrpc"),
        (with("\r\n\r\n{", "\r\n\r\n["), 400, "Parse error"),
        (
            with(
                &format!("Content-Length: {}", ping.to_string().len()),
                &format!("Content-Length: {}", long.len()),
            ),
            413,
            "4194304 bytes",
        ),
        (
            "GET /sse HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(),
            403,
            "Host evil.example",
        ),
        (
            "GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n".to_owned(),
            406,
            "text/event-stream",
        ),
    ];
    for (request, status, said) in table {
        let answer = hosted.ask(&request).await;
        assert_eq!(answer.status, status, "{request}");
        let message = answer.json()["error"]["message"].clone();
        assert!(message.as_str().unwrap().contains(said), "{message}");
    }
    // What only takes JSON is served nevertheless: nothing but a status is answered here.
    let picky = with("Host", "Accept: application/json\r\nHost");
    assert_eq!(hosted.ask(&picky).await.status, 202);
}

#[tokio::test]
async fn i5_a_method_that_an_address_does_not_take_is_a_bare_405() {
    let hosted = start().await;
    let stream = open(&hosted, "/sse").await;
    let post = super::legacy::initialize("2025-11-25");
    for (method, path, allow) in [
        ("POST", "/sse", "GET"),
        ("DELETE", "/sse", "GET"),
        ("GET", &*stream.messages, "POST"),
        ("DELETE", &*stream.messages, "POST"),
    ] {
        let request = post.replacen("POST /mcp", &format!("{method} {path}"), 1);
        let answer = hosted.ask(&request).await;
        assert_eq!(
            (answer.status, answer.header("allow"), &*answer.body),
            (405, Some(allow), ""),
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn a6_ids_of_streams_cannot_be_guessed_and_open_nothing_else() {
    let hosted = start().await;
    let mut ids = HashSet::new();
    let stream = open(&hosted, "/sse").await;
    for _ in 0..20 {
        let stream = open(&hosted, "/sse").await;
        let id = stream.messages.split_once('=').unwrap().1.to_owned();
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(ids.insert(id));
    }
    // The id of a stream is none of a session, nor the other way round.
    let id = stream.messages.split_once('=').unwrap().1;
    let ping = request(1, "ping", &json!({}));
    let answer = hosted
        .ask(&http("POST", &[("Mcp-Session-Id", id)], &ping))
        .await;
    assert_eq!(answer.status, 404);
    let opened = hosted.ask(&super::legacy::initialize("2025-11-25")).await;
    let session = opened.header("mcp-session-id").unwrap();
    let answer = post(&hosted, &format!("/messages?sessionId={session}"), &ping).await;
    assert_eq!(answer.status, 404);
}

#[tokio::test]
async fn streams_count_as_sessions() {
    let limits = SessionLimits::default().with_total(1).with_in_flight(1);
    let mut hosted = Hosted::start(|host| host.legacy_sse(true).sessions(limits)).await;
    let mut stream = open(&hosted, "/sse").await;
    let second = hosted
        .ask("GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await;
    assert_eq!(
        (second.status, second.header("retry-after")),
        (503, Some("5"))
    );
    stream.initialize(&hosted, "2024-11-05").await;
    stream.client.until(r#""id":1,"result""#).await;
    stream.post(&hosted, &call(2, "hang", &json!({}))).await;
    assert_eq!(hosted.event().await, "began");
    let ping = |id| request(id, "ping", &json!({}));
    let answer = post(&hosted, &stream.messages, &ping(2)).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    let answer = post(&hosted, &stream.messages, &ping(3)).await;
    assert_eq!(answer.status, 503, "{answer:?}");
    hosted.go.notify_one();
    stream.client.until(r#""id":2,"result""#).await;
    stream.post(&hosted, &ping(4)).await;
    stream.client.until(r#""id":4,"result":{}"#).await;
}

#[tokio::test]
async fn a_stream_is_of_the_legacy_era_and_its_calls_are_cancelled_in_silence() {
    let mut hosted = start().await;
    let mut stream = open(&hosted, "/sse").await;
    // Before initialize, whatever is claimed.
    let mut early = call(7, "echo", &json!({"text": "x"}));
    early["params"]["_meta"] = super::meta();
    stream.post(&hosted, &early).await;
    stream
        .client
        .until(r#""id":7,"error":{"code":-32600"#)
        .await;
    stream.initialize(&hosted, "2024-11-05").await;
    stream.client.until(r#""id":1,"result""#).await;
    stream.post(&hosted, &call(2, "hang", &json!({}))).await;
    assert_eq!(hosted.event().await, "began");
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}});
    stream.post(&hosted, &cancel).await;
    assert_eq!(hosted.event().await, "dropped");
    stream.post(&hosted, &request(3, "ping", &json!({}))).await;
    let all = stream.client.until(r#""id":3,"result""#).await;
    assert!(!all.contains(r#""id":2"#), "{all}");
}

#[tokio::test]
async fn a_quiet_stream_carries_comments_and_news() {
    let hosted = start().await;
    let mut stream = open(&hosted, "/sse").await;
    stream.initialize(&hosted, "2024-11-05").await;
    stream.client.until(r#""id":1,"result""#).await;
    hosted
        .server
        .tools()
        .add(Tool::new("more", || async { "x".to_owned() }))
        .unwrap();
    stream
        .client
        .until("notifications/tools/list_changed")
        .await;
    let before = hosted.clock.next_deadline();
    assert!(before.is_some());
    hosted.clock.advance(Duration::from_secs(15));
    stream.client.until(": keep-alive\n\n").await;
}

#[tokio::test]
async fn shutdown_lets_calls_of_a_stream_end() {
    let mut hosted = start().await;
    let mut stream = open(&hosted, "/sse").await;
    stream.initialize(&hosted, "2024-11-05").await;
    stream.post(&hosted, &call(2, "hang", &json!({}))).await;
    assert_eq!(hosted.event().await, "began");
    hosted.stop.send(()).unwrap();
    hosted.go.notify_one();
    let all = stream.client.until("\r\n0\r\n\r\n").await;
    assert!(all.contains(r#""id":2,"result""#), "{all}");
    hosted.serving.await.unwrap().unwrap();
}
