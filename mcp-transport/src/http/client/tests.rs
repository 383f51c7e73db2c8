//! The HTTP client against scripted servers on loopback, row by row of what an answer can be.

#[cfg(feature = "compression")]
mod compression;
mod hasty;
mod hostile;
mod resuming;
mod rows;
mod secrets;
pub(super) mod server;
mod session;
mod settings;
mod tls;
mod undecodable;

use std::{error::Error, future::poll_fn, sync::Arc, time::Duration};

use ::http::{HeaderMap, HeaderValue, StatusCode};
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::{RawJson, RawParams, RequestMeta};

use self::{
    hasty::Hasty,
    server::{Server, json},
};
use super::{HttpAnswer, HttpClient, Unreachable};
use crate::{
    exchange::{Endpoint, Event, Notification, Reply, Request},
    proto::limits::Limits,
};

const MODERN: &str = "2026-07-28";
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-06-18"}}"#;

pub(super) fn modern(method: &str, params: &'static str) -> Request {
    let mut meta = RequestMeta::new();
    meta.set(
        mcp_types::meta::PROTOCOL_VERSION,
        RawJson::parse(format!("{MODERN:?}")).unwrap(),
    );
    meta.set(
        mcp_types::meta::CLIENT_CAPABILITIES,
        RawJson::parse("{}").unwrap(),
    );
    Request::new(method, RawParams::parse(params).unwrap()).with_meta(meta)
}

pub(super) fn legacy(method: &str) -> Request {
    Request::new(method, RawParams::empty())
}

pub(super) async fn call(
    client: &HttpClient,
    request: Request,
) -> (Vec<Notification>, Result<Reply, Failure>) {
    let mut exchange = client.open(request);
    let mut notifications = Vec::new();
    loop {
        match poll_fn(|cx| exchange.as_mut().poll_event(cx)).await {
            Event::Notification(notification) => notifications.push(notification),
            // Nobody answers, and the server is told so.
            Event::Ask(..) => {}
            Event::Outcome(outcome) => return (notifications, outcome),
        }
    }
}

/// The outcome of a modern `tools/list` that is answered with `answer`.
async fn outcome(answer: impl Into<String>) -> Result<Reply, Failure> {
    let server = Server::start([answer.into()]).await;
    call(
        &HttpClient::new(&server.url).unwrap(),
        modern("tools/list", "{}"),
    )
    .await
    .1
}

async fn failure(answer: impl Into<String>) -> Failure {
    outcome(answer).await.unwrap_err()
}

pub(super) fn result(reply: Result<Reply, Failure>) -> String {
    reply.unwrap().result.as_str().to_owned()
}

#[tokio::test]
async fn a_modern_request_mirrors_its_body_in_headers() {
    let server = Server::start([json(200, r#"{"jsonrpc":"2.0","id":$ID,"result":{"a":1}}"#)]).await;
    let client = HttpClient::new(&server.url).unwrap();
    let mut request = modern("tools/call", r#"{"name":"größe","arguments":{}}"#);
    let mut headers = HeaderMap::new();
    headers.insert("x-trace", HeaderValue::from_static("t1"));
    headers.insert("mcp-param-city", HeaderValue::from_static("Bern"));
    headers.insert("mcp-method", HeaderValue::from_static("forged"));
    headers.insert("host", HeaderValue::from_static("evil.example"));
    request.ext.insert(headers);
    let reply = call(&client, request).await.1.unwrap();
    assert_eq!(reply.result.as_str(), r#"{"a":1}"#);
    assert_eq!(reply.ext.get::<StatusCode>(), Some(&StatusCode::OK));
    assert_eq!(
        reply.ext.get::<HeaderMap>().unwrap()["content-type"],
        "application/json"
    );
    let seen = server.requests();
    assert_eq!(seen[0].line, "POST /mcp HTTP/1.1");
    for (name, value) in [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-name", "=?base64?Z3LDtsOfZQ==?="),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("x-trace", "t1"),
        ("mcp-param-city", "Bern"),
    ] {
        assert_eq!(seen[0].header(name), Some(value), "{name}");
    }
    assert_eq!(
        seen[0].header("content-length"),
        Some(seen[0].body.len().to_string().as_str())
    );
    assert_eq!(seen[0].header("transfer-encoding"), None);
    assert!(seen[0].header("host").unwrap().starts_with("127.0.0.1"));
    assert!(seen[0].body.contains(r#""method":"tools/call""#) && seen[0].body.contains(MODERN));
}

#[tokio::test]
async fn a_legacy_session_lasts_from_initialize_to_close() {
    let ok = r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#;
    let server = Server::start([
        json(200, INITIALIZED).replace("\r\n\r\n", "\r\nMcp-Session-Id: s1\r\n\r\n"),
        "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".into(),
        json(200, ok).replace("\r\n\r\n", "\r\nMcp-Session-Id: other\r\n\r\n"),
        json(200, ok),
        "HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n".into(),
    ])
    .await;
    let client = HttpClient::new(&server.url).unwrap();
    result(call(&client, legacy("initialize")).await.1);
    client
        .notify(Notification::new(
            "notifications/initialized",
            RawParams::empty(),
        ))
        .unwrap();
    result(call(&client, legacy("tools/list")).await.1);
    result(call(&client, legacy("tools/list")).await.1);
    client.close().await;
    client.close().await;
    let seen = server.requests();
    let lines: Vec<_> = seen.iter().map(|request| request.summary()).collect();
    assert_eq!(
        lines,
        [
            "POST initialize version=- session=-",
            "POST notifications/initialized version=2025-06-18 session=s1",
            "POST tools/list version=2025-06-18 session=s1",
            "POST tools/list version=2025-06-18 session=s1",
            "DELETE  version=2025-06-18 session=s1",
        ]
    );
    assert!(
        seen.iter()
            .all(|request| request.header("mcp-method").is_none())
    );
}

#[tokio::test]
async fn an_event_stream_gives_notifications_and_then_the_answer() {
    let pieces = [
        ": comment\n\nevent: other\ndata: x\n\ndata: noise\n\nda",
        "ta: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{\"no\":true}}\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"a\":1}}\n\n",
        "",
    ];
    let chunks: String = pieces
        .map(|piece| format!("{:x}\r\n{piece}\r\n", piece.replace("$ID", "1").len()))
        .concat();
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let server = Server::start(std::iter::repeat_n(format!("{head}{chunks}"), 6)).await;
    let client = HttpClient::new(&server.url).unwrap();
    for _ in 0..6 {
        let (notifications, outcome) = call(&client, modern("tools/list", "{}")).await;
        assert_eq!(notifications.len(), 1);
        assert_eq!(notifications[0].method, "notifications/message");
        assert_eq!(result(outcome), r#"{"a":1}"#);
    }
    // While the rest of one answer is read the next call may need a second connection, and no more.
    assert!(server.connections() <= 2, "{}", server.connections());
}

#[tokio::test]
async fn c14_a_stream_that_ends_without_an_answer_fails_at_once() {
    let failure =
        failure("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: noise\n\n!close")
            .await;
    assert_eq!(
        (failure.kind(), failure.executed()),
        (FailureKind::Lost, Executed::Unknown)
    );
    assert!(
        failure.to_string().contains("1 event was no message"),
        "{failure}"
    );
}

#[tokio::test]
async fn row_37_an_answer_without_its_blank_line_is_delivered() {
    let body = "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"a\":1}}";
    for end in ["", "\n"] {
        let answer =
            format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{body}{end}!close");
        assert_eq!(result(outcome(answer).await), r#"{"a":1}"#);
    }
}

#[tokio::test]
async fn a_request_answered_by_nothing_fails_at_once() {
    for answer in ["202 Accepted", "204 No Content", "200 OK"] {
        let length = if answer.starts_with("204") {
            ""
        } else {
            "content-length: 0\r\n"
        };
        let failure = failure(format!("HTTP/1.1 {answer}\r\n{length}\r\n")).await;
        assert_eq!(failure.kind(), FailureKind::Malformed, "{failure}");
        assert!(failure.http_status().is_some());
    }
}

#[tokio::test]
async fn the_peers_error_is_delivered_with_its_status() {
    for (status, code, executed) in [
        (404, -32601, Executed::No),
        (400, -32022, Executed::No),
        (500, -32603, Executed::Unknown),
    ] {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{{"code":{code},"message":"m"}}}}"#);
        let failure = failure(json(status, &body)).await;
        assert_eq!(failure.peer_error().unwrap().code.0, code);
        assert_eq!(
            (failure.http_status(), failure.executed()),
            (Some(status), executed)
        );
    }
    let body = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"m"}}"#;
    assert_eq!(failure(json(200, body)).await.http_status(), None);
}

#[tokio::test]
async fn bare_statuses_keep_what_was_answered() {
    let failure = failure("HTTP/1.1 503 No\r\ncontent-type: text/html\r\nretry-after: 7\r\ncontent-length: 4\r\n\r\n<p>x").await;
    assert_eq!(
        (failure.kind(), failure.http_status()),
        (FailureKind::Http, Some(503))
    );
    assert_eq!(failure.retry_after(), Some(Duration::from_secs(7)));
    let answer = failure
        .source()
        .unwrap()
        .downcast_ref::<HttpAnswer>()
        .unwrap();
    assert_eq!(
        (answer.content_type(), &answer.body[..]),
        (Some("text/html"), &b"<p>x"[..])
    );
}

#[tokio::test]
async fn l1_a_429_was_not_run_and_its_wait_is_clamped() {
    let failure =
        failure("HTTP/1.1 429 Slow\r\nretry-after: 99999\r\ncontent-length: 0\r\n\r\n").await;
    assert_eq!(failure.executed(), Executed::No);
    assert_eq!(failure.retry_after(), Some(Duration::from_secs(3600)));
}

#[tokio::test]
async fn a1_and_a7_401_and_403_are_authorization_whatever_the_body() {
    let body = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"m"}}"#;
    for status in [401, 403] {
        let answer = json(status, body).replace("\r\n\r\n", "\r\nwww-authenticate: Bearer\r\n\r\n");
        let failure = failure(answer).await;
        assert!(failure.is_unauthorized() && failure.peer_error().is_none());
        let answer = failure
            .source()
            .unwrap()
            .downcast_ref::<HttpAnswer>()
            .unwrap();
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
    }
}

#[tokio::test]
async fn u2_a_success_that_is_no_mcp_says_so() {
    let failure =
        failure("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>")
            .await;
    assert_eq!(failure.kind(), FailureKind::Malformed);
    assert!(failure.to_string().contains("text/html") && failure.to_string().contains("<html>"));
}

#[tokio::test]
async fn n6_an_answer_over_the_limit_fails_the_call_alone() {
    let big = format!(
        r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"a":"{}"}}}}"#,
        "x".repeat(300)
    );
    let events =
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {big}\n\n!close");
    let small = r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#;
    let server = Server::start([json(200, &big), events, json(200, small)]).await;
    let limits = Limits::default().with_response_body(200).with_event(200);
    let client = HttpClient::builder(&server.url)
        .limits(limits)
        .build()
        .unwrap();
    for _ in 0..2 {
        let failure = call(&client, modern("tools/list", "{}"))
            .await
            .1
            .unwrap_err();
        assert_eq!(
            (failure.kind(), failure.executed()),
            (FailureKind::TooLarge, Executed::Yes)
        );
    }
    result(call(&client, modern("tools/list", "{}")).await.1);
}

#[tokio::test]
async fn n1_a_refused_connection_was_never_run() {
    let port = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let client = HttpClient::new(&format!(
        "http://u:secret@127.0.0.1:{port}/mcp?token=secret"
    ))
    .unwrap();
    let failure = call(&client, modern("ping", "{}")).await.1.unwrap_err();
    assert_eq!(
        (failure.kind(), failure.executed()),
        (FailureKind::Unreachable, Executed::No)
    );
    let cause = failure
        .source()
        .unwrap()
        .downcast_ref::<Unreachable>()
        .unwrap();
    assert!(matches!(cause, Unreachable::Refused(_)), "{cause:?}");
    assert!(
        !format!("{failure} {failure:?} {client:?}").contains("secret"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn n1_tls_with_a_server_that_speaks_none() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/mcp", listener.local_addr().unwrap());
    let serve = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 Bad\r\n\r\n")
            .await
            .unwrap();
    };
    let client = HttpClient::new(&url).unwrap();
    let ((_, outcome), ()) = tokio::join!(call(&client, modern("ping", "{}")), serve);
    let failure = outcome.unwrap_err();
    let cause = failure
        .source()
        .unwrap()
        .downcast_ref::<Unreachable>()
        .unwrap();
    assert!(matches!(cause, Unreachable::Tls(_)), "{cause:?}");
    assert!(!failure.is_transient());
}

#[tokio::test]
async fn n2_a_connection_that_closes_before_the_head_is_lost() {
    let failure = failure("!close").await;
    assert_eq!(
        (failure.kind(), failure.executed()),
        (FailureKind::Lost, Executed::Unknown)
    );
}

#[tokio::test]
async fn n5_a_body_cut_short_is_lost() {
    let failure = failure(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{\"!close",
    )
    .await;
    assert_eq!(failure.kind(), FailureKind::Lost);
}

#[tokio::test]
async fn r1_to_r4_redirects() {
    let moved = |status: u16, to: &str| {
        format!("HTTP/1.1 {status} Moved\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n")
    };
    for status in [307, 308] {
        let ok = json(200, r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#);
        let server = Server::start([moved(status, "/other"), ok]).await;
        result(
            call(
                &HttpClient::new(&server.url).unwrap(),
                modern("tools/list", "{}"),
            )
            .await
            .1,
        );
        let seen = server.requests();
        assert_eq!(
            (seen[1].line.as_str(), &seen[0].body),
            ("POST /other HTTP/1.1", &seen[1].body)
        );
        assert_eq!(seen[1].header("mcp-method"), Some("tools/list"));
    }
    for (status, to) in [
        (301, "/other"),
        (302, "/other"),
        (303, "/other"),
        (307, "http://other.example/mcp"),
        (308, "https://127.0.0.1/mcp"),
        (307, "http://u:p@127.0.0.1/mcp"),
    ] {
        let failure = failure(moved(status, to)).await;
        assert_eq!(
            (failure.kind(), failure.http_status()),
            (FailureKind::Redirected, Some(status))
        );
        let named = to.replace("u:p@", "");
        assert!(failure.to_string().contains(&named), "{failure}");
    }
    let answer = "HTTP/1.1 307 Moved\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(failure(answer).await.kind(), FailureKind::Redirected);
    let server = Server::start(std::iter::repeat_n(moved(307, "/mcp"), 9)).await;
    let client = HttpClient::new(&server.url).unwrap();
    let failure = call(&client, modern("ping", "{}")).await.1.unwrap_err();
    assert_eq!(
        (failure.kind(), server.requests().len()),
        (FailureKind::Redirected, 6)
    );
}

#[tokio::test]
async fn dropping_a_modern_exchange_closes_its_connection() {
    let server = Server::start(["!hang".to_owned()]).await;
    let client = HttpClient::new(&server.url).unwrap();
    let mut exchange = client.open(modern("tools/call", r#"{"name":"sleep"}"#));
    tokio::select! {
        _ = poll_fn(|cx| exchange.as_mut().poll_event(cx)) => panic!("no answer came"),
        () = server.request_seen() => {}
    }
    drop(exchange);
    server.hung_connection_closed().await;
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn dropping_a_legacy_exchange_sends_a_cancellation() {
    let server = Server::start([
        json(200, INITIALIZED),
        "!hang".to_owned(),
        "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned(),
    ])
    .await;
    let client = HttpClient::new(&server.url).unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let mut exchange = client.open(legacy("tools/call"));
    tokio::select! {
        _ = poll_fn(|cx| exchange.as_mut().poll_event(cx)) => panic!("no answer came"),
        () = server.requests_seen(2) => {}
    }
    drop(exchange);
    server.requests_seen(3).await;
    let seen = server.requests();
    assert_eq!(
        seen[2].summary(),
        "POST notifications/cancelled version=2025-06-18 session=-"
    );
    assert!(
        seen[2].body.contains(r#""requestId":2"#),
        "{}",
        seen[2].body
    );
}

#[tokio::test]
async fn a_dropped_initialize_is_not_cancelled() {
    let server = Server::start(["!hang".to_owned()]).await;
    let client = HttpClient::new(&server.url).unwrap();
    let mut exchange = client.open(legacy("initialize"));
    tokio::select! {
        _ = poll_fn(|cx| exchange.as_mut().poll_event(cx)) => panic!("no answer came"),
        () = server.request_seen() => {}
    }
    drop(exchange);
    server.hung_connection_closed().await;
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn the_legacy_stream_is_a_get_and_answers_a_ping() {
    let events = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
        id: 1\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n\
        data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n\
        data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"roots/list\"}\n\n!close";
    let mut gets = 0;
    let server = Server::answering(move |request| {
        Some(match request.kind() {
            ("GET", _) if gets == 0 => {
                gets += 1;
                events.to_owned()
            }
            ("GET", _) => "HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n".to_owned(),
            (_, "initialize") => json(200, INITIALIZED),
            _ => "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned(),
        })
    })
    .await;
    let client = HttpClient::builder(&server.url)
        .clock(Arc::new(Hasty::default()))
        .limits(hasty::patient())
        .build()
        .unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let (notifications, outcome) = call(&client, legacy("subscriptions/listen")).await;
    assert_eq!(notifications[0].method, "notifications/tools/list_changed");
    assert_eq!(outcome.unwrap_err().http_status(), Some(405));
    server.requests_seen(5).await;
    let seen = server.requests();
    let (gets, posts): (Vec<_>, Vec<_>) =
        seen.iter().partition(|request| request.kind().0 == "GET");
    assert_eq!(
        (gets[0].line.as_str(), gets[0].header("accept")),
        ("GET /mcp HTTP/1.1", Some("text/event-stream"))
    );
    assert_eq!(gets[0].header("mcp-protocol-version"), Some("2025-06-18"));
    assert_eq!(posts[1].body, r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
    let refusal = &posts[2].body;
    assert!(
        refusal.contains(r#""id":7,"error":{"code":-32601"#),
        "{refusal}"
    );
}

#[tokio::test]
async fn row_22_a_refused_legacy_stream_is_one_failure() {
    for answer in ["405 No", "404 No", "406 No", "400 No", "501 No"] {
        let refused = format!("HTTP/1.1 {answer}\r\ncontent-length: 0\r\n\r\n");
        let ok = json(200, r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#);
        let server = Server::start([refused, ok]).await;
        let client = HttpClient::new(&server.url).unwrap();
        let failure = call(&client, legacy("subscriptions/listen"))
            .await
            .1
            .unwrap_err();
        assert_eq!(
            failure
                .http_status()
                .map(|status| status.to_string())
                .as_deref(),
            answer.get(..3)
        );
        result(call(&client, legacy("tools/list")).await.1);
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn i10_any_answer_to_a_notification_is_tolerated() {
    for answer in [
        "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnull".to_owned(),
        "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>".to_owned(),
        "HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n".to_owned(),
        "!close".to_owned(),
    ] {
        let server = Server::start([
            answer,
            json(200, r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#),
        ])
        .await;
        let client = HttpClient::new(&server.url).unwrap();
        client
            .notify(Notification::new(
                "notifications/initialized",
                RawParams::empty(),
            ))
            .unwrap();
        result(call(&client, legacy("tools/list")).await.1);
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_notification_that_is_never_answered_holds_up_nothing() {
    let server = Server::start([
        "!hang".to_owned(),
        json(200, r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#),
    ])
    .await;
    // Of the two times only the first may pass.
    let limits = Limits::default()
        .with_farewell_time(Duration::from_millis(1))
        .with_connect_time(Duration::from_secs(3_600));
    let client = HttpClient::builder(&server.url)
        .limits(limits)
        .build()
        .unwrap();
    let initialized = Notification::new("notifications/initialized", RawParams::empty());
    client.notify(initialized).unwrap();
    server.request_seen().await;
    result(call(&client, legacy("tools/list")).await.1);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn urls_that_are_no_endpoint_are_refused_by_name() {
    for url in [
        "",
        "example.com/mcp",
        "ftp://example.com",
        "file:///etc/passwd",
    ] {
        let failure = HttpClient::new(url).unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Invalid, "{failure}");
        assert!(failure.to_string().contains("https://example.com/mcp"));
    }
}
