//! What the builder can set: redirects, and who gives headers.

use std::sync::atomic::{AtomicUsize, Ordering};

use ::http::{HeaderMap, HeaderValue};
use mcp_errors::{Executed, FailureKind};
use mcp_types::RawParams;

use super::{
    INITIALIZED, call, legacy, modern, result,
    server::{Server, json},
};
use crate::{
    exchange::{Endpoint, Notification},
    http::client::{HttpClient, Redirects},
    proto::headers,
};

const OK: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#;

#[tokio::test]
async fn redirects_none_names_the_target_of_each() {
    for status in [301, 302, 303, 307, 308] {
        let answer =
            format!("HTTP/1.1 {status} Moved\r\nlocation: /other?k=1\r\ncontent-length: 0\r\n\r\n");
        let server = Server::start([answer]).await;
        let client = HttpClient::builder(&server.url)
            .redirects(Redirects::None)
            .build()
            .unwrap();
        let failure = call(&client, modern("tools/list", "{}"))
            .await
            .1
            .unwrap_err();
        assert_eq!(
            (failure.kind(), failure.executed(), failure.http_status()),
            (FailureKind::Redirected, Executed::No, Some(status))
        );
        assert!(failure.to_string().contains("/other;"), "{failure}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_header_provider_is_asked_for_every_request() {
    let accepted = || "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned();
    let begin = json(200, INITIALIZED).replace("\r\n\r\n", "\r\nMcp-Session-Id: s1\r\n\r\n");
    let server = Server::start([begin, accepted(), json(200, OK), accepted()]).await;
    let asked = AtomicUsize::new(0);
    let provider = move || {
        let turn = asked.fetch_add(1, Ordering::Relaxed);
        let mut headers = HeaderMap::new();
        let token = HeaderValue::from_str(&format!("Bearer t{turn}")).unwrap();
        headers.insert("authorization", token);
        headers.insert("x-call", HeaderValue::from_static("provider"));
        headers.insert("mcp-session-id", HeaderValue::from_static("forged"));
        headers.insert("host", HeaderValue::from_static("evil.example"));
        headers
    };
    let mut fixed = HeaderMap::new();
    fixed.insert("authorization", HeaderValue::from_static("Bearer fixed"));
    fixed.insert("x-fixed", HeaderValue::from_static("f"));
    let client = HttpClient::builder(&server.url)
        .headers(fixed)
        .header_provider(provider)
        .build()
        .unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let initialized = Notification::new("notifications/initialized", RawParams::empty());
    client.notify(initialized).unwrap();
    let mut request = legacy("tools/list");
    let mut headers = HeaderMap::new();
    headers.insert("x-call", HeaderValue::from_static("call"));
    request.ext.insert(headers);
    result(call(&client, request).await.1);
    client.close().await;
    let seen = server.requests();
    for (turn, request) in seen.iter().enumerate() {
        assert_eq!(request.all("authorization"), [format!("Bearer t{turn}")]);
        assert_eq!(request.header("x-fixed"), Some("f"));
        let expected = if turn == 2 { "call" } else { "provider" };
        assert_eq!(request.all("x-call"), [expected]);
        let session = (turn > 0).then_some("s1");
        assert_eq!(request.header("mcp-session-id"), session);
        assert!(request.header("host").unwrap().starts_with("127.0.0.1"));
    }
    assert_eq!(seen.len(), 4);
}

#[tokio::test]
async fn mcp_param_values_go_out_as_the_encoder_writes_them() {
    let server = Server::start([json(200, OK)]).await;
    let client = HttpClient::new(&server.url).unwrap();
    let mut request = modern(
        "tools/call",
        r#"{"name":"a","arguments":{"city":"Zürich "}}"#,
    );
    let city = serde_json::json!("Zürich ");
    let (name, value) = headers::param("City", &city).unwrap().unwrap();
    request.ext.insert(HeaderMap::from_iter([(name, value)]));
    result(call(&client, request).await.1);
    assert_eq!(
        server.requests()[0].header("mcp-param-city"),
        Some("=?base64?WsO8cmljaCA=?=")
    );
}
