//! Modern clients: each request alone.

use serde_json::{Value, json};

use super::{Hosted, http, meta, modern_call};

#[tokio::test]
async fn a_call_is_answered_at_both_paths() {
    let hosted = Hosted::start(|host| host).await;
    for path in ["/mcp", "/"] {
        let request = modern_call(1, "echo", &json!({"text": "hi"}));
        let answer = hosted.ask(&request.replacen("/mcp", path, 1)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let result = &answer.json()["result"];
        assert_eq!(result["structuredContent"], json!({"text": "hi"}));
        assert_eq!(result["resultType"], "complete");
        assert_eq!(answer.header("mcp-session-id"), None);
    }
    let elsewhere = modern_call(1, "echo", &json!({"text": "hi"})).replacen("/mcp", "/x", 1);
    let answer = hosted.ask(&elsewhere).await;
    assert_eq!(
        (answer.status, &answer.json()["error"]["code"]),
        (404, &json!(-32600))
    );
}

#[tokio::test]
async fn a_handler_sees_the_headers() {
    let hosted = Hosted::start(|host| host).await;
    let request = modern_call(1, "header", &json!({})).replacen("Host", "X-Test: seen\r\nHost", 1);
    let answer = hosted.ask(&request).await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "seen");
}

#[tokio::test]
async fn a_dropped_post_cancels_the_handler() {
    let mut hosted = Hosted::start(|host| host).await;
    let client = hosted.send(&modern_call(1, "hang", &json!({}))).await;
    assert_eq!(hosted.event().await, "began");
    drop(client);
    assert_eq!(hosted.event().await, "dropped");
}

#[tokio::test]
async fn errors_have_their_status_and_the_id() {
    let hosted = Hosted::start(|host| host).await;
    let send = |method: &str, header: &str, params: Value| {
        let body = json!({"jsonrpc": "2.0", "id": "x", "method": method, "params": params});
        http(
            "POST",
            &[
                ("MCP-Protocol-Version", "2026-07-28"),
                ("Mcp-Method", header),
            ],
            &body,
        )
    };
    let table = [
        (send("ping", "ping", json!({"_meta": meta()})), 404, -32601),
        (
            send("nope/nope", "nope/nope", json!({"_meta": meta()})),
            404,
            -32601,
        ),
        (
            send("initialize", "initialize", json!({"_meta": meta()})),
            404,
            -32601,
        ),
        (
            send("tools/list", "tools/call", json!({"_meta": meta()})),
            400,
            -32020,
        ),
        (send("tools/list", "tools/list", json!({})), 400, -32602),
    ];
    for (request, status, code) in table {
        let answer = hosted.ask(&request).await;
        let body = answer.json();
        assert_eq!(
            (answer.status, &body["error"]["code"]),
            (status, &json!(code)),
            "{request}"
        );
        assert_eq!(body["id"], "x");
    }
    // A tool that is not there is the handler's answer, not HTTP's.
    let answer = hosted.ask(&modern_call(1, "nope", &json!({}))).await;
    assert_eq!(
        (answer.status, &answer.json()["error"]["code"]),
        (200, &json!(-32602))
    );
}

#[tokio::test]
async fn c20_shutdown_waits_for_calls() {
    let mut hosted = Hosted::start(|host| host).await;
    let mut client = hosted.send(&modern_call(1, "hang", &json!({}))).await;
    assert_eq!(hosted.event().await, "began");
    hosted.stop.send(()).unwrap();
    hosted.go.notify_one();
    client.until("done").await;
    hosted.serving.await.unwrap().unwrap();
}
