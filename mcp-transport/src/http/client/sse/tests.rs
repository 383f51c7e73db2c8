//! client.md 3 and 1.5 (S1 to S6), row by row, against scripted servers.

use std::{
    error::Error as _,
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use ::http::{HeaderMap, HeaderValue};
use mcp_types::{RawJson, RawParams};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::*;
use crate::{
    exchange::Event,
    http::client::{
        HttpAnswer, SessionLost,
        tests::{
            legacy, modern,
            server::{Seen, Server, json},
        },
    },
    proto::limits::Limits,
};

const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
const ENDPOINT: &str = "event: endpoint\ndata: /messages?s=1\n\n";
const ACCEPTED: &str = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";

fn id_of(request: &Seen) -> String {
    let at = request.body.find("\"id\":").unwrap() + 5;
    let rest = &request.body[at..];
    rest[..rest.find(',').unwrap()].to_owned()
}

fn answer(id: &str, result: &str) -> String {
    format!("event: message\ndata: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n\n")
}

type Push = Arc<Mutex<Option<UnboundedSender<String>>>>;

/// A server whose stream begins with `opening`; `post` answers messages, and pushes to the stream.
async fn server(
    opening: &str,
    mut post: impl FnMut(&Seen, &dyn Fn(String)) -> String + Send + 'static,
) -> (Server, Push) {
    let (sender, receiver) = unbounded_channel();
    let sender = Arc::new(Mutex::new(Some(sender)));
    let (opening, push) = (format!("{EVENTS}{opening}!stream"), Arc::clone(&sender));
    let server = Server::answering(move |request| {
        let push = |text: String| {
            if let Some(sender) = &*push.lock().unwrap() {
                sender.send(text).unwrap();
            }
        };
        Some(match request.kind() {
            ("GET", _) => opening.clone(),
            _ => post(request, &push),
        })
    })
    .await;
    (server.streams(receiver).await, sender)
}

/// Answers requests on the stream, as a server should.
fn proper(request: &Seen, push: &dyn Fn(String)) -> String {
    match request.kind() {
        (_, "initialize") => push(answer(
            &id_of(request),
            r#"{"protocolVersion":"2024-11-05"}"#,
        )),
        (_, method) if method.starts_with("notifications/") => {}
        (_, "") => {}
        (_, method) => push(answer(&id_of(request), &format!("{{\"m\":\"{method}\"}}"))),
    }
    ACCEPTED.to_owned()
}

fn settings(server: &Server) -> HttpClientBuilder {
    HttpClient::builder(&server.url)
}

async fn connect(server: &Server) -> SseClient {
    SseClient::connect(settings(server)).await.unwrap()
}

async fn refusal(opening: String) -> Failure {
    let server = Server::start([opening]).await;
    SseClient::connect(settings(&server)).await.unwrap_err()
}

async fn finish(mut exchange: Pin<Box<dyn Exchange>>) -> Result<String, Failure> {
    loop {
        if let Event::Outcome(outcome) = poll_fn(|cx| exchange.as_mut().poll_event(cx)).await {
            return outcome.map(|reply| reply.result.as_str().to_owned());
        }
    }
}

async fn call(client: &SseClient, method: &str) -> Result<String, Failure> {
    finish(client.open(legacy(method))).await
}

fn notification(method: &str) -> Notification {
    Notification::new(method, RawParams::empty())
}

#[tokio::test]
async fn s1_a_session_from_its_endpoint_to_its_close() {
    let (server, _push) = server(ENDPOINT, proper).await;
    let client = connect(&server).await;
    assert!(client.message_url().ends_with("/messages"), "{client:?}");
    call(&client, "initialize").await.unwrap();
    client
        .notify(notification("notifications/initialized"))
        .unwrap();
    assert_eq!(
        call(&client, "tools/list").await.unwrap(),
        r#"{"m":"tools/list"}"#
    );
    client.close();
    server.hung_connection_closed().await;
    let failure = call(&client, "ping").await.unwrap_err();
    assert_eq!(
        (failure.kind(), failure.executed()),
        (FailureKind::Closed, Executed::No)
    );
    assert!(client.notify(notification("n")).is_err());
    let seen = server.requests();
    let summaries: Vec<_> = seen.iter().map(Seen::summary).collect();
    // `initialized` is posted before the first request, and nothing is deleted.
    assert_eq!(
        summaries,
        [
            "GET  version=- session=-",
            "POST initialize version=- session=-",
            "POST notifications/initialized version=2024-11-05 session=-",
            "POST tools/list version=2024-11-05 session=-",
        ]
    );
    assert_eq!(seen[0].header("accept"), Some("text/event-stream"));
    assert!(
        seen[1..]
            .iter()
            .all(|post| post.line == "POST /messages?s=1 HTTP/1.1")
    );
}

#[tokio::test]
async fn s2_a_stream_that_announces_nothing_is_given_up_and_quoted() {
    for (opening, quoted) in [
        ("data: /messages?s=1\n\n!hang", "/messages?s=1"),
        ("event: ping\ndata: x\n\n!hang", "ping"),
        (": hi\n\n!hang", "no endpoint within"),
        ("!hang", "no endpoint within"),
    ] {
        let server = Server::start([format!("{EVENTS}{opening}")]).await;
        let limits = Limits::default().with_connect_time(Duration::from_millis(300));
        let connecting = SseClient::connect(settings(&server).limits(limits));
        let failure = connecting.await.unwrap_err();
        assert!(failure.is_timeout(), "{failure:?}");
        assert!(failure.to_string().contains(quoted), "{failure}");
    }
    let failure = refusal(format!("{EVENTS}: hi\n\n!close")).await;
    assert_eq!(failure.kind(), FailureKind::Lost);
    let server = Server::start(["!hang".to_owned()]).await;
    let limits = Limits::default().with_connect_time(Duration::from_millis(20));
    let connecting = SseClient::connect(settings(&server).limits(limits));
    assert!(connecting.await.unwrap_err().is_timeout());
}

#[tokio::test]
async fn s3_an_endpoint_elsewhere_gets_nothing() {
    let opening = format!("{EVENTS}event: endpoint\ndata: http://b.example/m\n\n!hang");
    let failure = refusal(opening).await;
    assert_eq!(failure.kind(), FailureKind::Malformed);
    assert!(
        failure.to_string().contains("http://b.example/m"),
        "{failure}"
    );
}

#[tokio::test]
async fn a10_only_the_first_endpoint_counts() {
    let other = "event: endpoint\ndata: http://b.example/m\n\nevent: endpoint\ndata: /other\n\n";
    let (server, _push) = server(&format!("{ENDPOINT}{other}"), proper).await;
    let client = connect(&server).await;
    for method in ["initialize", "tools/list"] {
        call(&client, method).await.unwrap();
    }
    let seen = server.requests();
    let posts = seen.iter().filter(|seen| seen.line.starts_with("POST"));
    let lines: Vec<_> = posts.map(|post| post.line.as_str()).collect();
    assert_eq!(lines, ["POST /messages?s=1 HTTP/1.1"; 2]);
}

#[tokio::test]
async fn s4_and_s5_what_is_no_stream_is_a_failure_with_its_answer() {
    let html = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>";
    for (answer, kind) in [
        (
            "HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n",
            FailureKind::Http,
        ),
        (
            "HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n",
            FailureKind::Http,
        ),
        (html, FailureKind::Malformed),
        (
            "HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n",
            FailureKind::Unauthorized,
        ),
    ] {
        let failure = refusal(answer.to_owned()).await;
        assert_eq!(failure.kind(), kind);
        assert!(failure.source().unwrap().is::<HttpAnswer>());
    }
}

#[tokio::test]
async fn s6_the_endpoint_is_resolved_where_the_stream_was_found() {
    for status in [301, 302, 307, 308] {
        let moved =
            format!("HTTP/1.1 {status} Moved\r\nlocation: /deep/sse\r\ncontent-length: 0\r\n\r\n");
        let opening = format!("{EVENTS}event: endpoint\ndata: m\n\n!hang");
        let server = Server::start([moved, opening]).await;
        let client = connect(&server).await;
        assert!(client.message_url().ends_with("/deep/m"), "{client:?}");
    }
    let see = "HTTP/1.1 303 Other\r\nlocation: /sse\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(refusal(see.into()).await.kind(), FailureKind::Redirected);
    let away = "HTTP/1.1 302 Found\r\nlocation: http://b.example/sse\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(refusal(away.into()).await.kind(), FailureKind::Redirected);
}

#[tokio::test]
async fn order_events_before_the_endpoint_are_kept_and_nothing_is_posted_before_it() {
    let early = "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n\n";
    let (server, _push) = server(&format!("{early}{ENDPOINT}"), proper).await;
    let _client = connect(&server).await;
    server.requests_seen(2).await;
    let seen = server.requests();
    assert_eq!(seen[0].kind().0, "GET");
    assert_eq!(seen[1].body, r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
}

#[tokio::test]
async fn events_before_the_endpoint_are_together_no_larger_than_one_may_be() {
    let ping = |id| format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n\n");
    let opening = [ping(7), ping(8), ENDPOINT.to_owned()].concat();
    let (server, _push) = server(&opening, proper).await;
    let limits = Limits::default().with_event(64);
    let client = SseClient::connect(settings(&server).limits(limits))
        .await
        .unwrap();
    let initialized = Notification::new("notifications/initialized", RawParams::empty());
    client.notify(initialized).unwrap();
    // What is posted beside the calls is posted in order.
    server.requests_seen(3).await;
    let seen = server.requests();
    assert_eq!(seen[1].body, r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    assert_eq!(seen[2].kind().1, "notifications/initialized");
}

#[tokio::test]
async fn message_url_stands_above_what_is_announced() {
    let opening = "event: endpoint\ndata: http://internal.example/m\n\n";
    let (server, _push) = server(opening, proper).await;
    let url = server.url.replace("/mcp", "/prefix/m?s=1");
    let client = SseClient::connect(settings(&server).message_url(&url))
        .await
        .unwrap();
    call(&client, "ping").await.unwrap();
    assert_eq!(server.requests()[1].line, "POST /prefix/m?s=1 HTTP/1.1");
}

#[tokio::test]
async fn post_status_any_2xx_is_taken() {
    let text = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 8\r\n\r\nAccepted";
    let none = "HTTP/1.1 204 No Content\r\n\r\n";
    for status in [ACCEPTED, text, none] {
        let (server, _push) = server(ENDPOINT, move |request, push| {
            proper(request, push);
            status.to_owned()
        })
        .await;
        let client = connect(&server).await;
        call(&client, "tools/list").await.unwrap();
    }
}

#[tokio::test]
async fn post_status_200_with_the_answer_in_its_body_counts_once() {
    let (server, _push) = server(ENDPOINT, |request, push| match request.kind() {
        (_, "tools/list") => json(200, r#"{"jsonrpc":"2.0","id":$ID,"result":{"body":true}}"#),
        _ => {
            // The late double of the first, then the answer.
            push(answer("1", r#"{"late":true}"#));
            proper(request, push)
        }
    })
    .await;
    let client = connect(&server).await;
    assert_eq!(
        call(&client, "tools/list").await.unwrap(),
        r#"{"body":true}"#
    );
    assert_eq!(call(&client, "ping").await.unwrap(), r#"{"m":"ping"}"#);
}

#[tokio::test]
async fn post_errors_404_and_410_end_the_whole_transport() {
    for status in [404, 410] {
        let (server, _push) = server(ENDPOINT, move |request, _| match request.kind() {
            (_, "tools/call") => ACCEPTED.to_owned(),
            _ => format!("HTTP/1.1 {status} No\r\ncontent-length: 0\r\n\r\n"),
        })
        .await;
        let client = connect(&server).await;
        let mut waiting = client.open(legacy("tools/call"));
        tokio::select! {
            _ = poll_fn(|cx| waiting.as_mut().poll_event(cx)) => panic!("no answer came"),
            () = server.answered(2) => {}
        }
        let failure = call(&client, "tools/list").await.unwrap_err();
        let lost = SessionLost::of(&failure).unwrap();
        assert_eq!(
            (lost.executed, failure.executed(), failure.http_status()),
            (Executed::No, Executed::No, Some(status))
        );
        let failure = finish(waiting).await.unwrap_err();
        assert_eq!(
            (failure.kind(), failure.executed()),
            (FailureKind::Lost, Executed::Unknown)
        );
        let failure = call(&client, "tools/list").await.unwrap_err();
        assert_eq!(
            (failure.kind(), failure.executed()),
            (FailureKind::Lost, Executed::No)
        );
        server.hung_connection_closed().await;
    }
}

#[tokio::test]
async fn post_errors_end_their_call_alone() {
    let error = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"m"}}"#;
    let (server, _push) = server(ENDPOINT, move |request, push| match request.kind() {
        (_, "a") => json(400, error),
        (_, "b") => "HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n".to_owned(),
        (_, "c") => json(401, error),
        (_, "d") => "!close".to_owned(),
        _ => proper(request, push),
    })
    .await;
    let client = connect(&server).await;
    for (method, kind) in [
        ("a", FailureKind::Peer),
        ("b", FailureKind::Http),
        ("c", FailureKind::Unauthorized),
        ("d", FailureKind::Lost),
    ] {
        assert_eq!(call(&client, method).await.unwrap_err().kind(), kind);
    }
    call(&client, "ping").await.unwrap();
}

#[tokio::test]
async fn redirect_on_post_keeps_its_headers() {
    let moved = "HTTP/1.1 307 Moved\r\nlocation: /new\r\ncontent-length: 0\r\n\r\n";
    let (server, _push) = server(ENDPOINT, |request, push| match request.line.as_str() {
        "POST /new HTTP/1.1" => proper(request, push),
        _ => moved.to_owned(),
    })
    .await;
    let mut headers = HeaderMap::new();
    headers.insert("authorization", HeaderValue::from_static("Bearer t"));
    let client = SseClient::connect(settings(&server).headers(headers))
        .await
        .unwrap();
    call(&client, "ping").await.unwrap();
    let seen = server.requests();
    assert_eq!(seen.len(), 3);
    // Auth: the same on the GET and on every POST.
    assert!(
        seen.iter()
            .all(|seen| seen.all("authorization") == ["Bearer t"])
    );
}

#[tokio::test]
async fn loss_of_the_stream_fails_what_is_in_flight_at_once() {
    let (server, push) = server(ENDPOINT, |_, _| ACCEPTED.to_owned()).await;
    let client = connect(&server).await;
    let mut waiting = client.open(legacy("tools/call"));
    let listening = client.open(legacy("subscriptions/listen"));
    tokio::select! {
        _ = poll_fn(|cx| waiting.as_mut().poll_event(cx)) => panic!("no answer came"),
        () = server.answered(2) => {}
    }
    push.lock().unwrap().take();
    let check = |failure: Failure, executed| {
        assert_eq!(
            (failure.kind(), failure.executed()),
            (FailureKind::Lost, executed)
        );
    };
    check(finish(waiting).await.unwrap_err(), Executed::Unknown);
    check(finish(listening).await.unwrap_err(), Executed::Unknown);
    for method in ["ping", "subscriptions/listen"] {
        check(call(&client, method).await.unwrap_err(), Executed::No);
    }
    // Neither resumed nor reconnected: a new stream is a new session.
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn keep_alive_comments_and_unknown_events_are_passed_over() {
    let noise = ": ping\n\nevent: ping\ndata: {}\n\ndata: noise\n\n";
    let (server, _push) = server(&format!("{ENDPOINT}{noise}"), move |request, push| {
        push(noise.to_owned());
        proper(request, push)
    })
    .await;
    let client = connect(&server).await;
    call(&client, "ping").await.unwrap();
}

#[tokio::test]
async fn keep_alive_a_silent_stream_is_given_up() {
    let (server, _push) = server(ENDPOINT, |_, _| ACCEPTED.to_owned()).await;
    let limits = Limits::default().with_stream_idle_time(Duration::from_millis(100));
    // On a slow machine it may be over before the endpoint is there, which is the same failure.
    let failure = match SseClient::connect(settings(&server).limits(limits)).await {
        Ok(client) => call(&client, "tools/call").await.unwrap_err(),
        Err(failure) => failure,
    };
    assert_eq!(failure.kind(), FailureKind::Lost);
    assert!(
        failure.to_string().contains("silent for 100ms"),
        "{failure}"
    );
}

#[tokio::test]
async fn concurrency_answers_are_matched_by_id() {
    let mut held = Vec::new();
    let (server, _push) = server(ENDPOINT, move |request, push| {
        held.push(answer(
            &id_of(request),
            &format!("{{\"m\":\"{}\"}}", request.kind().1),
        ));
        if held.len() == 3 {
            held.drain(..).rev().for_each(push);
        }
        ACCEPTED.to_owned()
    })
    .await;
    let client = connect(&server).await;
    let outcomes = tokio::join!(call(&client, "a"), call(&client, "b"), call(&client, "c"));
    assert_eq!(outcomes.0.unwrap(), r#"{"m":"a"}"#);
    assert_eq!(outcomes.1.unwrap(), r#"{"m":"b"}"#);
    assert_eq!(outcomes.2.unwrap(), r#"{"m":"c"}"#);
}

#[tokio::test]
async fn notifications_come_out_of_their_exchange_or_of_the_listener() {
    let changed = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";
    let progress = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\
        \"params\":{\"progressToken\":\"t\",\"progress\":1}}";
    let (server, _push) = server(ENDPOINT, move |request, push| {
        push(format!("data: {changed}\n\ndata: {progress}\n\n"));
        proper(request, push)
    })
    .await;
    let client = connect(&server).await;
    let mut listening = client.open(legacy("subscriptions/listen"));
    let mut meta = mcp_types::RequestMeta::new();
    meta.set("progressToken", RawJson::parse("\"t\"").unwrap());
    let mut calling = client.open(legacy("tools/call").with_meta(meta));
    let event = poll_fn(|cx| calling.as_mut().poll_event(cx)).await;
    let Event::Notification(found) = event else {
        panic!("{event:?}")
    };
    assert_eq!(found.method, "notifications/progress");
    finish(calling).await.unwrap();
    let event = poll_fn(|cx| listening.as_mut().poll_event(cx)).await;
    let Event::Notification(found) = event else {
        panic!("{event:?}")
    };
    assert_eq!(found.method, "notifications/tools/list_changed");
}

#[tokio::test]
async fn a_dropped_call_is_cancelled_and_the_last_handle_ends_the_stream() {
    let (server, _push) = server(ENDPOINT, |_, _| ACCEPTED.to_owned()).await;
    let client = connect(&server).await;
    let mut calling = client.open(legacy("tools/call"));
    tokio::select! {
        _ = poll_fn(|cx| calling.as_mut().poll_event(cx)) => panic!("no answer came"),
        () = server.answered(2) => {}
    }
    drop(calling);
    server.requests_seen(3).await;
    assert_eq!(server.requests()[2].kind().1, "notifications/cancelled");
    drop(client);
    server.hung_connection_closed().await;
}

#[tokio::test]
async fn a_modern_request_is_refused() {
    let (server, _push) = server(ENDPOINT, proper).await;
    let client = connect(&server).await;
    let failure = finish(client.open(modern("tools/list", "{}")))
        .await
        .unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Invalid);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn what_the_server_asks_goes_to_the_latest_call() {
    // The call ends once its question is answered.
    let asks = |request: &Seen, push: &dyn Fn(String)| {
        let ask = "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"roots/list\"}\n\n";
        match request.kind() {
            (_, "work") => push(ask.to_owned()),
            (_, "") => push(answer("1", &format!("{:?}", request.body))),
            _ => return proper(request, push),
        }
        ACCEPTED.to_owned()
    };
    let (server, _push) = server(ENDPOINT, asks).await;
    let client = connect(&server).await;
    let mut work = client.open(legacy("work"));
    let Event::Ask(ask, reply) = poll_fn(|cx| work.as_mut().poll_event(cx)).await else {
        panic!("nothing is asked");
    };
    assert_eq!(ask.method, "roots/list");
    reply.answer(Ok(mcp_types::RawJson::null()));
    let answered = finish(work).await.unwrap();
    assert!(
        answered.contains(r#"\"id\":7,\"result\":null"#),
        "{answered}"
    );
}
