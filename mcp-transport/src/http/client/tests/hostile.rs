//! Servers that stall, cut, flood or confuse: each call ends at once or by the deadline of its kind.

use std::{future::poll_fn, time::Duration};

use ::http::{HeaderMap, HeaderValue};
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::RawParams;

use super::{
    INITIALIZED, call, failure, legacy, modern, outcome, result,
    server::{Server, json},
};
use crate::{
    exchange::{Endpoint, Notification},
    http::client::{HttpAnswer, HttpClient, Unreachable},
    proto::limits::Limits,
};

const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
const OK: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#;
const ACCEPTED: &str = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
/// Far more than anything here takes: what waits so long waits for ever.
const EVER: Duration = Duration::from_secs(20);

/// The outcome, or a panic if there is none for a long time.
#[expect(clippy::disallowed_methods, reason = "it only ends a test that hangs")]
async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(EVER, what).await.expect("it hangs")
}

fn client(server: &Server, limits: Limits) -> HttpClient {
    HttpClient::builder(&server.url)
        .limits(limits)
        .build()
        .unwrap()
}

fn with(headers: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_static(value));
    }
    map
}

fn session() -> String {
    json(200, INITIALIZED).replace("\r\n\r\n", "\r\nMcp-Session-Id: s1\r\n\r\n")
}

#[tokio::test]
async fn a_refusal_whose_body_never_comes_is_still_a_refusal() {
    let limits = Limits::default().with_farewell_time(Duration::from_millis(20));
    for (head, kind) in [
        (
            "401 No\r\ncontent-type: text/html",
            FailureKind::Unauthorized,
        ),
        (
            "401 No\r\ncontent-type: application/json",
            FailureKind::Unauthorized,
        ),
        ("503 No\r\ncontent-type: text/html", FailureKind::Http),
        ("200 OK\r\ncontent-type: text/html", FailureKind::Malformed),
    ] {
        for end in ["!hang", "some!hang", "some!close"] {
            let answer = format!("HTTP/1.1 {head}\r\ncontent-length: 99\r\n\r\n{end}");
            let server = Server::start([answer]).await;
            let client = client(&server, limits.clone());
            let failure = soon(call(&client, modern("tools/list", "{}")))
                .await
                .1
                .unwrap_err();
            assert_eq!(
                (failure.kind(), failure.http_status()),
                (kind, head[..3].parse().ok()),
                "{head} {end}"
            );
            assert_eq!(
                failure.to_string().contains("some"),
                end.starts_with("some")
            );
        }
    }
}

#[tokio::test]
async fn u3_an_accepted_request_fails_before_its_body() {
    for status in [
        "202 Accepted",
        "202 Accepted\r\ncontent-type: text/event-stream",
    ] {
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 9\r\n\r\n!hang");
        let failure = soon(failure(answer)).await;
        assert_eq!(
            (failure.kind(), failure.http_status(), failure.executed()),
            (FailureKind::Malformed, Some(202), Executed::Unknown)
        );
    }
}

#[tokio::test]
async fn a_refusal_in_json_that_is_cut_or_too_large_is_still_a_refusal() {
    let limits = Limits::default().with_response_body(100);
    let cut =
        "HTTP/1.1 503 No\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{!close";
    let large = json(503, &format!("{{\"a\":\"{}\"}}", "x".repeat(200)));
    for answer in [cut.to_owned(), large] {
        let server = Server::start([answer]).await;
        let failure = call(&client(&server, limits.clone()), modern("tools/list", "{}"))
            .await
            .1
            .unwrap_err();
        assert_eq!(
            (failure.kind(), failure.http_status(), failure.executed()),
            (FailureKind::Http, Some(503), Executed::Unknown)
        );
    }
}

#[tokio::test]
async fn the_beginning_of_a_long_error_page_is_kept() {
    let page = "<p>why it failed</p>".repeat(500);
    let answer = format!(
        "HTTP/1.1 500 No\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n{page}",
        page.len()
    );
    let failure = failure(answer).await;
    let answer = std::error::Error::source(&failure)
        .unwrap()
        .downcast_ref::<HttpAnswer>()
        .unwrap();
    assert_eq!(answer.body, page[..Limits::default().error_body]);
    assert!(failure.to_string().contains("why it failed"));
}

#[tokio::test]
async fn a_coded_refusal_is_a_refusal() {
    let failure = failure("HTTP/1.1 503 No\r\ncontent-type: text/html\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd").await;
    assert_eq!(
        (failure.kind(), failure.http_status()),
        (FailureKind::Http, Some(503))
    );
}

#[tokio::test]
async fn an_answer_on_a_stream_that_breaks_the_rules_ends_the_call() {
    for broken in [
        r#"{"jsonrpc":"1.0","id":$ID,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":$ID,"result":{},"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":"NotFound","message":"m"}}"#,
    ] {
        let failure = soon(failure(format!("{EVENTS}data: {broken}\n\n!hang"))).await;
        assert_eq!(
            (failure.kind(), failure.executed()),
            (FailureKind::Malformed, Executed::Unknown),
            "{broken}"
        );
    }
}

#[tokio::test]
async fn the_first_of_two_answers_counts_and_foreign_ones_do_not() {
    let other = r#"{"jsonrpc":"2.0","id":"$ID","result":{"no":1}}"#;
    let answer = r#"{"jsonrpc":"2.0","id":$ID,"result":{"a":1}}"#;
    let second = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"m"}}"#;
    let stream = format!("{EVENTS}data: {other}\n\ndata: {answer}\n\ndata: {second}\n\n!hang");
    assert_eq!(result(soon(outcome(stream)).await), r#"{"a":1}"#);
    let nameless = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}"#;
    let failure = soon(failure(format!("{EVENTS}data: {nameless}\n\n!hang"))).await;
    assert_eq!(failure.peer_error().unwrap().code.0, -32600);
}

#[tokio::test]
async fn comments_without_end_do_not_outrun_a_deadline() {
    let server = Server::start([format!("{EVENTS}!flood")]).await;
    let client = client(&server, Limits::default());
    let mut exchange = client.open(modern("tools/list", "{}"));
    #[expect(clippy::disallowed_methods, reason = "the caller's deadline")]
    let deadline = tokio::time::sleep(Duration::from_millis(50));
    tokio::select! {
        _ = poll_fn(|cx| exchange.as_mut().poll_event(cx)) => panic!("no answer came"),
        () = deadline => {}
    }
    drop(exchange);
    soon(server.hung_connection_closed()).await;
}

#[tokio::test]
async fn what_follows_an_answer_without_end_is_cut_off() {
    let limits = Limits::default().with_farewell_time(Duration::from_millis(20));
    let server = Server::start([format!("{EVENTS}data: {OK}\n\n!flood")]).await;
    let client = client(&server, limits);
    result(soon(call(&client, modern("tools/list", "{}"))).await.1);
    soon(server.hung_connection_closed()).await;
}

#[tokio::test]
async fn a_stream_over_the_limit_is_closed_and_not_read_on() {
    let limits = Limits::default()
        .with_event(100)
        .with_farewell_time(EVER + EVER);
    let big = "x".repeat(200);
    let server = Server::start([format!("{EVENTS}data: {big}\n\n!flood")]).await;
    let client = client(&server, limits);
    let failure = call(&client, modern("tools/list", "{}"))
        .await
        .1
        .unwrap_err();
    assert_eq!(failure.kind(), FailureKind::TooLarge);
    soon(server.hung_connection_closed()).await;
}

#[tokio::test]
async fn dropping_a_modern_exchange_in_the_middle_of_its_answer_closes_its_connection() {
    for answer in [
        format!("{EVENTS}data: {{\"jsonrpc\":\"2.0\",\"method\":\"n\"}}\n\n!hang"),
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{!hang"
            .into(),
        "HTTP/1.1 401 No\r\ncontent-length: 99\r\n\r\n{!hang".into(),
    ] {
        let server = Server::start([answer]).await;
        let client = client(&server, Limits::default());
        let mut exchange = client.open(modern("tools/call", r#"{"name":"a"}"#));
        let reading = async {
            loop {
                poll_fn(|cx| exchange.as_mut().poll_event(cx)).await;
            }
        };
        tokio::select! {
            () = reading => {}
            () = server.answered(1) => {}
        }
        // The answer may not have arrived: one more look.
        poll_fn(|cx| {
            let _ = exchange.as_mut().poll_event(cx);
            std::task::Poll::Ready(())
        })
        .await;
        drop(exchange);
        soon(server.hung_connection_closed()).await;
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_modern_server_cannot_ask() {
    let asks = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let server = Server::start([
        format!("{EVENTS}data: {asks}\n\ndata: {OK}\n\n!close"),
        json(200, OK),
    ])
    .await;
    let client = client(&server, Limits::default());
    result(call(&client, modern("tools/list", "{}")).await.1);
    // A POST that was queued would be posted before this one.
    client
        .notify(Notification::new("n", RawParams::empty()))
        .unwrap();
    soon(server.requests_seen(2)).await;
    assert_eq!(server.requests()[1].summary().split(' ').nth(1), Some("n"));
}

#[tokio::test]
async fn a_legacy_request_that_was_never_sent_is_not_cancelled() {
    let server = Server::start([json(200, INITIALIZED), "!hang".into(), ACCEPTED.into()]).await;
    let limits = Limits::default().with_connect_time(Duration::from_millis(100));
    let client = client(&server, limits);
    result(call(&client, legacy("initialize")).await.1);
    drop(client.open(legacy("tools/list")));
    // The next one waits for a notification that the server does not take.
    client
        .notify(Notification::new(
            "notifications/initialized",
            RawParams::empty(),
        ))
        .unwrap();
    let mut waiting = client.open(legacy("tools/call"));
    tokio::select! {
        _ = poll_fn(|cx| waiting.as_mut().poll_event(cx)) => panic!("no answer came"),
        () = server.requests_seen(2) => {}
    }
    drop(waiting);
    client
        .notify(Notification::new("last", RawParams::empty()))
        .unwrap();
    soon(server.requests_seen(3)).await;
    let seen = server.requests();
    let methods = seen.iter().map(|seen| seen.summary());
    let methods: Vec<_> = methods
        .filter_map(|told| told.split(' ').nth(1).map(str::to_owned))
        .collect();
    assert_eq!(methods, ["initialize", "notifications/initialized", "last"]);
}

#[tokio::test]
async fn a_cancellation_goes_out_once_with_the_headers_of_its_call() {
    let server = Server::start([session(), "!hang".into(), ACCEPTED.into(), json(200, OK)]).await;
    let client = client(&server, Limits::default());
    result(call(&client, legacy("initialize")).await.1);
    let mut request = legacy("tools/call");
    request
        .ext
        .insert(with(&[("authorization", "Bearer call")]));
    let mut exchange = client.open(request);
    tokio::select! {
        _ = poll_fn(|cx| exchange.as_mut().poll_event(cx)) => panic!("no answer came"),
        () = server.requests_seen(2) => {}
    }
    drop(exchange);
    soon(server.requests_seen(3)).await;
    result(soon(call(&client, legacy("ping"))).await.1);
    let seen = server.requests();
    assert_eq!(seen.len(), 4);
    assert_eq!(
        seen[2].summary(),
        "POST notifications/cancelled version=2025-06-18 session=s1"
    );
    assert_eq!(seen[2].header("authorization"), Some("Bearer call"));
    assert_eq!(seen[3].header("authorization"), None);
}

#[test]
fn a_cancellation_needs_no_runtime_where_it_is_dropped() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (server, exchange) = runtime.block_on(async {
        let server = Server::start(["!hang".into(), ACCEPTED.into()]).await;
        let client = client(&server, Limits::default());
        let mut exchange = client.open(legacy("tools/call"));
        tokio::select! {
            _ = poll_fn(|cx| exchange.as_mut().poll_event(cx)) => panic!("no answer came"),
            () = server.request_seen() => {}
        }
        (server, exchange)
    });
    drop(exchange);
    runtime.block_on(soon(server.requests_seen(2)));
    assert!(
        server.requests()[1]
            .body
            .contains("notifications/cancelled")
    );
}

#[test]
fn a_client_outlives_the_runtime_it_was_first_used_on() {
    let run = |client: Option<HttpClient>| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let server = Server::start([ACCEPTED.into(), json(200, OK)]).await;
            let client = client.unwrap_or_else(|| HttpClient::new(&server.url).unwrap());
            let sent = client.notify(Notification::new("n", RawParams::empty()));
            let called = soon(call(&client, legacy("ping"))).await.1;
            (client, sent, called.map(drop))
        })
    };
    let (client, sent, called) = run(None);
    assert!(sent.is_ok() && called.is_ok());
    // Its server is gone, which is found out by asking.
    let (_, sent, called) = run(Some(client));
    assert!(sent.is_ok());
    assert_eq!(called.unwrap_err().kind(), FailureKind::Unreachable);
}

#[tokio::test]
async fn n1_a_server_that_never_answers_the_handshake_was_not_reached() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/mcp", listener.local_addr().unwrap());
    let client = HttpClient::builder(&url)
        .limits(Limits::default().with_connect_time(Duration::from_millis(50)))
        .build()
        .unwrap();
    let failure: Failure = soon(call(&client, modern("ping", "{}")))
        .await
        .1
        .unwrap_err();
    assert_eq!(
        (failure.kind(), failure.executed()),
        (FailureKind::Unreachable, Executed::No)
    );
    let cause = std::error::Error::source(&failure)
        .unwrap()
        .downcast_ref::<Unreachable>()
        .unwrap();
    assert!(matches!(cause, Unreachable::Timeout(_)), "{cause:?}");
}

#[tokio::test]
async fn a_refused_call_is_told_by_its_code_and_not_by_a_word_in_its_data() {
    let check = async |code: i64, data: &str, expected| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":$ID,"error":{{"code":{code},"message":"m","data":{data}}}}}"#
        );
        let failure = failure(json(200, &body)).await;
        assert_eq!(failure.executed(), expected, "{code} {data}");
    };
    check(
        -32603,
        r#"{"code":"at_capacity","retryAfter":1}"#,
        Executed::No,
    )
    .await;
    check(-32603, r#"{"upstream":"at_capacity"}"#, Executed::Unknown).await;
    check(-32000, r#"["at_capacity"]"#, Executed::Unknown).await;
}

#[tokio::test]
async fn the_session_comes_from_the_answer_to_initialize_alone() {
    let other = |answer: String| answer.replace("\r\n\r\n", "\r\nMcp-Session-Id: stolen\r\n\r\n");
    let error = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"m"}}"#;
    let server = Server::start([
        other(json(200, error)),
        other(json(200, OK)),
        session(),
        other(ACCEPTED.into()),
        other(json(400, error)),
        other(json(200, OK)),
        json(200, OK),
    ])
    .await;
    let client = client(&server, Limits::default());
    assert!(call(&client, legacy("initialize")).await.1.is_err());
    result(call(&client, modern("tools/list", "{}")).await.1);
    result(call(&client, legacy("initialize")).await.1);
    client
        .notify(Notification::new("n", RawParams::empty()))
        .unwrap();
    assert!(call(&client, legacy("ping")).await.1.is_err());
    result(call(&client, modern("tools/list", "{}")).await.1);
    result(call(&client, legacy("ping")).await.1);
    let sessions: Vec<_> = server
        .requests()
        .iter()
        .map(|seen| seen.header("mcp-session-id").unwrap_or("-").to_owned())
        .collect();
    assert_eq!(sessions, ["-", "-", "-", "s1", "s1", "-", "s1"]);
}

#[tokio::test]
async fn n2_a_request_is_never_sent_twice() {
    let server = Server::start(["!close".to_owned(), json(200, OK), "!close".to_owned()]).await;
    let client = client(&server, Limits::default());
    for lost in [true, false, true] {
        let outcome = call(&client, modern("tools/call", r#"{"name":"a"}"#))
            .await
            .1;
        assert_eq!(outcome.is_err(), lost, "{outcome:?}");
    }
    // The last went over the connection of the one before it.
    assert_eq!((server.requests().len(), server.connections()), (3, 2));
}

#[tokio::test]
async fn any_limit_may_be_as_large_as_can_be() {
    let limits = Limits::default()
        .with_outbound_messages(usize::MAX)
        .with_outbound_bytes(usize::MAX)
        .with_response_body(usize::MAX)
        .with_event(usize::MAX)
        .with_error_body(usize::MAX)
        .with_connect_time(Duration::MAX)
        .with_farewell_time(Duration::MAX)
        .with_idle_time(Duration::MAX);
    let server = Server::start([session(), ACCEPTED.into(), json(200, OK), ACCEPTED.into()]).await;
    let client = client(&server, limits);
    result(call(&client, legacy("initialize")).await.1);
    client
        .notify(Notification::new("n", RawParams::empty()))
        .unwrap();
    result(soon(call(&client, legacy("ping"))).await.1);
    soon(client.close()).await;
    assert_eq!(server.requests().len(), 4);
    assert_eq!(
        server.requests()[0].header("accept-encoding"),
        Some("identity")
    );
}

#[test]
fn a_machine_without_tls_roots_still_has_plain_http() {
    const HERE: &str =
        "http::client::tests::hostile::a_machine_without_tls_roots_still_has_plain_http";
    if std::env::var_os("SSL_CERT_FILE").is_some_and(|path| path == "/nonexistent") {
        for url in [
            "http://127.0.0.1:1/mcp",
            "http://localhost/mcp",
            "http://a.example/mcp",
        ] {
            HttpClient::new(url).unwrap();
        }
        let failure = HttpClient::new("https://a.example/mcp").unwrap_err();
        assert!(failure.to_string().contains("TLS roots"), "{failure}");
        return;
    }
    // The environment can only be another one in another process.
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", HERE])
        .env("SSL_CERT_FILE", "/nonexistent")
        .env("SSL_CERT_DIR", "/nonexistent")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains("1 passed"),
        "{told}"
    );
}
