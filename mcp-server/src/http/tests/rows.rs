//! Rows of the threat table that a server on HTTP decides: each test has the number of its row. Others stand where what
//! they test is: hosts and origins (A1, A2), media types (A3), framing (A11) and deadlines (A14) in `mcp-transport`,
//! CORS (A4) in `hosting`, ids of streams (A6) in `pair`.

use std::sync::Arc;

use axum::{Extension, Router};
use http::{Request, StatusCode};
use mcp_transport::clock::ManualClock;
use serde_json::{Value, json};
use tower_service::Service as _;

use super::{
    Hosted,
    hosting::serve_router,
    http,
    legacy::{call, initialize, open, post, request, within},
    meta,
};
use crate::{Server, http::Principal};

#[tokio::test]
async fn a6_ids_are_drawn_and_never_twice() {
    let hosted = Hosted::start(|host| host).await;
    let mut ids: Vec<String> = Vec::new();
    for _ in 0..200 {
        let id = open(&hosted, "2025-11-25").await;
        // A counter or a clock in them would make most digits the same.
        let same = |other: &String| {
            id.bytes()
                .zip(other.bytes())
                .filter(|(a, b)| a == b)
                .count()
        };
        let most = ids.iter().map(same).max().unwrap_or_default();
        assert!(
            id.len() == 32 && most <= 16,
            "{most} of 32 digits of an id were there before"
        );
        ids.push(id);
    }
}

#[tokio::test]
async fn a7_a_session_does_not_exist_for_another_principal() {
    let server = Server::new("test", "1.0");
    let clock = Arc::new(ManualClock::new());
    let service = server.http().clock(clock).service().unwrap();
    let of = |path: &str, name: &str| {
        let router = Router::new().nest_service(path, service.clone());
        router.layer(Extension(Principal(name.into())))
    };
    let app = of("/ada", "ada").merge(of("/bob", "bob"));
    let app = app.nest_service("/nobody", service.clone());
    let hosted = Hosted {
        address: serve_router(app).await,
        ..Hosted::start(|host| host).await
    };
    let opened = initialize("2025-11-25").replacen("/mcp", "/ada", 1);
    let opened = hosted.ask(&opened).await;
    let session = opened.header("mcp-session-id").unwrap();
    let ping = within(session, "POST", &request(2, "ping", &json!({})));
    for (path, status) in [("/ada", 200), ("/bob", 404), ("/nobody", 404)] {
        let answer = hosted.ask(&ping.replacen("/mcp", path, 1)).await;
        assert_eq!(answer.status, status, "{path}");
    }
    let end = within(session, "DELETE", &Value::Null).replacen("/mcp", "/bob", 1);
    assert_eq!(hosted.ask(&end).await.status, 404);
    let answer = hosted.ask(&ping.replacen("/mcp", "/ada", 1)).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a8_an_id_that_comes_with_initialize_is_never_taken_over() {
    let hosted = Hosted::start(|host| host).await;
    let wanted = "0123456789abcdef0123456789abcdef";
    let opened = initialize("2025-11-25");
    let opened = opened.replacen("Host", &format!("Mcp-Session-Id: {wanted}\r\nHost"), 1);
    let opened = hosted.ask(&opened).await;
    assert_eq!(opened.status, 200);
    assert_ne!(opened.header("mcp-session-id").unwrap(), wanted);
    let ping = request(2, "ping", &json!({}));
    assert_eq!(post(&hosted, wanted, &ping).await.status, 404);
    // An initialize that fails opens nothing.
    let failed = http("POST", &[], &request(1, "initialize", &json!({"x": 1})));
    let failed = hosted.ask(&failed).await;
    assert_eq!(failed.header("mcp-session-id"), None, "{failed:?}");
    assert!(failed.json()["error"].is_object());
}

#[tokio::test]
async fn a18_streams_tell_proxies_not_to_hold_them_back() {
    let hosted = Hosted::start(|host| host.legacy_sse(true)).await;
    let session = open(&hosted, "2025-11-25").await;
    let listen = within(&session, "GET", &Value::Null).replace("Content-Length: 0\r\n", "");
    let old = listen.replacen("/mcp", "/sse", 1);
    for request in [listen, old] {
        let head = hosted.send(&request).await.until("\n\n").await;
        for header in [
            "content-type: text/event-stream\r\n",
            "cache-control: no-cache, no-transform\r\n",
            "x-accel-buffering: no\r\n",
        ] {
            assert!(head.contains(header), "{head}");
        }
    }
}

/// The status and code of the answer to a POST of this text, which has no id.
async fn refused(hosted: &Hosted, body: &str) -> (u16, i64) {
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = hosted.ask(&request).await;
    let json = answer.json();
    assert!(json["id"].is_null(), "{body}");
    (answer.status, json["error"]["code"].as_i64().unwrap())
}

#[tokio::test]
async fn b6_nesting_over_128_is_no_json() {
    let hosted = Hosted::start(|host| host).await;
    for deep in [200, 100_000] {
        let body = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
        let body = format!(r#"{{"jsonrpc":"2.0","method":"ping","params":{{"x":{body}}}}}"#);
        assert_eq!(refused(&hosted, &body).await, (400, -32700), "{deep}");
    }
}

#[tokio::test]
async fn b17_json_that_is_no_message() {
    let hosted = Hosted::start(|host| host).await;
    for body in ["null", "1", "\"x\"", "{}", "true"] {
        assert_eq!(refused(&hosted, body).await, (400, -32600), "{body}");
    }
    for body in ["", " ", "{", "nul"] {
        assert_eq!(refused(&hosted, body).await, (400, -32700), "{body:?}");
    }
}

#[tokio::test]
async fn b19_ids_that_are_none() {
    let hosted = Hosted::start(|host| host).await;
    for id in ["null", "true", "1.5", "{}", "[]"] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        assert_eq!(refused(&hosted, &body).await, (400, -32600), "{id}");
    }
}

#[tokio::test]
async fn c1_two_requests_with_one_id_never_run_at_once() {
    let mut hosted = Hosted::start(|host| host).await;
    let session = open(&hosted, "2025-11-25").await;
    let hang = within(&session, "POST", &call(2, "hang", &json!({})));
    let mut first = hosted.send(&hang).await;
    assert_eq!(hosted.event().await, "began");
    let second = post(&hosted, &session, &call(2, "echo", &json!({"text": "x"}))).await;
    assert_eq!((second.status, &second.json()["id"]), (400, &json!(2)));
    // Another type, or another session, is another id.
    let mut text = call(2, "echo", &json!({"text": "x"}));
    text["id"] = json!("2");
    assert_eq!(post(&hosted, &session, &text).await.status, 200);
    let other = open(&hosted, "2025-11-25").await;
    let ping = request(2, "ping", &json!({}));
    assert_eq!(post(&hosted, &other, &ping).await.status, 200);
    hosted.go.notify_one();
    first.until(r#""id":2,"result""#).await;
    // After its answer the id may come again.
    assert_eq!(post(&hosted, &session, &ping).await.status, 200);
}

#[tokio::test]
async fn the_service_is_a_tower_service_and_needs_no_host() {
    let server = Server::new("test", "1.0");
    let mut service = server.http_service();
    let params = json!({"_meta": meta()});
    let body = request(1, "server/discover", &params).to_string();
    let post = Request::post("http://localhost/")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "server/discover")
        .body(body)
        .unwrap();
    let response = service.call(post).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
}
