//! The rows of the table of transport differences that a server shows, and that of the version header: each test has the
//! number of its row (`r3_8_N`). What a client does is tested in `mcp-transport`: the endpoint and the stream of the
//! oldest revisions in `http/client/sse`, resumption in `http/client/tests`.

use serde_json::{Value, json};

use super::{Hosted, http, modern_call};

/// Revisions whose transport is one endpoint, with a session.
const WITH_SESSION: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn initialize(version: &str) -> String {
    let client = json!({"name": "t", "version": "0"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    http("POST", &[], &request(1, "initialize", &params))
}

async fn open(hosted: &Hosted, version: &str) -> String {
    let opened = hosted.ask(&initialize(version)).await;
    opened.header("mcp-session-id").unwrap().to_owned()
}

/// The status of `method` with a body, in a session of `version`.
async fn status(hosted: &Hosted, session: &str, version: &str, method: &str, body: &Value) -> u16 {
    let headers = [
        ("Mcp-Session-Id", session),
        ("MCP-Protocol-Version", version),
    ];
    hosted.ask(&http(method, &headers, body)).await.status
}

#[tokio::test]
async fn r3_2_14_version_header() {
    let hosted = Hosted::start(|host| host).await;
    let ping = request(2, "ping", &json!({}));
    for version in WITH_SESSION {
        let session = open(&hosted, version).await;
        // The session says it where the header does not; one that nobody serves is refused.
        let without = http("POST", &[("Mcp-Session-Id", &session)], &ping);
        assert_eq!(hosted.ask(&without).await.status, 200, "{version}");
        let known = status(&hosted, &session, version, "POST", &ping).await;
        assert_eq!(known, 200, "{version}");
        let unknown = status(&hosted, &session, "1999-01-01", "POST", &ping).await;
        assert_eq!(unknown, 400, "{version}");
    }
    // A modern request says it twice, and the same each time.
    let call = modern_call(1, "echo", &json!({"text": "x"}));
    assert_eq!(hosted.ask(&call).await.status, 200);
    let without = call.replacen("MCP-Protocol-Version: 2026-07-28\r\n", "", 1);
    let refused = hosted.ask(&without).await;
    assert_eq!(
        (refused.status, &refused.json()["error"]["code"]),
        (400, &json!(-32020))
    );
}

#[tokio::test]
async fn r3_2_15_mcp_method_and_mcp_name_are_required_of_modern_requests_alone() {
    let hosted = Hosted::start(|host| host).await;
    let call = modern_call(1, "echo", &json!({"text": "x"}));
    for (header, other) in [
        ("Mcp-Method: tools/call\r\n", ""),
        ("Mcp-Name: echo\r\n", ""),
        ("Mcp-Method: tools/call\r\n", "Mcp-Method: tools/list\r\n"),
        ("Mcp-Name: echo\r\n", "Mcp-Name: header\r\n"),
    ] {
        let refused = hosted.ask(&call.replacen(header, other, 1)).await;
        let code = &refused.json()["error"]["code"];
        assert_eq!((refused.status, code), (400, &json!(-32020)), "{header}");
    }
    let session = open(&hosted, "2025-11-25").await;
    let headers = [
        ("Mcp-Session-Id", &*session),
        ("Mcp-Method", "tools/list"),
        ("Mcp-Name", "x"),
    ];
    let ping = http("POST", &headers, &request(2, "ping", &json!({})));
    assert_eq!(hosted.ask(&ping).await.status, 200);
}

/// One address for all: POST, GET and DELETE with a session, POST alone without.
#[tokio::test]
async fn r3_8_1_endpoint() {
    let hosted = Hosted::start(|host| host).await;
    for version in WITH_SESSION {
        let session = open(&hosted, version).await;
        let ping = request(2, "ping", &json!({}));
        assert_eq!(status(&hosted, &session, version, "POST", &ping).await, 200);
        let end = status(&hosted, &session, version, "DELETE", &Value::Null).await;
        assert_eq!(end, 204, "{version}");
    }
    for method in ["GET", "DELETE"] {
        let modern = http(
            method,
            &[("MCP-Protocol-Version", "2026-07-28")],
            &Value::Null,
        );
        let refused = hosted.ask(&modern).await;
        assert!(
            (400..500).contains(&refused.status),
            "{method}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn r3_8_2_session() {
    let hosted = Hosted::start(|host| host).await;
    for version in WITH_SESSION {
        let opened = hosted.ask(&initialize(version)).await;
        assert!(opened.header("mcp-session-id").is_some(), "{version}");
    }
    let call = modern_call(1, "echo", &json!({"text": "x"}));
    assert_eq!(hosted.ask(&call).await.header("mcp-session-id"), None);
}

#[tokio::test]
async fn r3_8_3_server_stream() {
    let hosted = Hosted::start(|host| host).await;
    for version in WITH_SESSION {
        let session = open(&hosted, version).await;
        let listen = http("GET", &[("Mcp-Session-Id", &session)], &Value::Null)
            .replace("Content-Length: 0\r\n", "");
        let head = hosted.send(&listen).await.until("\r\n\r\n").await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{version}: {head}");
        assert!(head.contains("content-type: text/event-stream"), "{head}");
    }
}

#[tokio::test]
async fn r3_8_5_stream_closed_by_client() {
    let mut hosted = Hosted::start(|host| host).await;
    for version in WITH_SESSION {
        let session = open(&hosted, version).await;
        let hang = request(2, "tools/call", &json!({"name": "hang", "arguments": {}}));
        let client = hosted
            .send(&http("POST", &[("Mcp-Session-Id", &session)], &hang))
            .await;
        assert_eq!(hosted.event().await, "began");
        drop(client);
        // It goes on: no cancellation.
        let ping = request(3, "ping", &json!({}));
        assert_eq!(status(&hosted, &session, version, "POST", &ping).await, 200);
        hosted.go.notify_one();
        assert_eq!(hosted.event().await, "went on", "{version}");
        assert_eq!(hosted.event().await, "dropped");
    }
    let client = hosted.send(&modern_call(1, "hang", &json!({}))).await;
    assert_eq!(hosted.event().await, "began");
    drop(client);
    assert_eq!(hosted.event().await, "dropped");
}

#[tokio::test]
async fn r3_8_6_body() {
    let hosted = Hosted::start(|host| host).await;
    let batch = json!([request(2, "ping", &json!({}))]);
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for version in WITH_SESSION {
        let session = open(&hosted, version).await;
        let many = status(&hosted, &session, version, "POST", &batch).await;
        let expected = if version == "2025-03-26" { 200 } else { 400 };
        assert_eq!(many, expected, "{version}");
        assert_eq!(status(&hosted, &session, version, "POST", &note).await, 202);
    }
    let modern = http("POST", &[("MCP-Protocol-Version", "2026-07-28")], &batch);
    assert_eq!(hosted.ask(&modern).await.status, 400);
}

#[tokio::test]
async fn r3_8_7_origin_check() {
    let hosted = Hosted::start(|host| host).await;
    let foreign = |request: &str| {
        request.replacen(
            "Host: localhost\r\n",
            "Host: localhost\r\nOrigin: https://evil.example\r\n",
            1,
        )
    };
    for version in WITH_SESSION {
        let refused = hosted.ask(&foreign(&initialize(version))).await;
        assert_eq!(refused.status, 403, "{version}");
    }
    let call = modern_call(1, "echo", &json!({"text": "x"}));
    assert_eq!(hosted.ask(&foreign(&call)).await.status, 403);
}
