//! The scripted peer: that it answers as written, and tells when the other side does not.

use std::{future::poll_fn, task::Poll};

use mcp_errors::{Failure, FailureKind};
use mcp_types::{RawJson, RawParams};
use serde_json::json;

use super::{Script, machine::contains};
use crate::exchange::{Endpoint, Event, Notification, Reply, Request};

async fn call(server: &impl Endpoint, method: &str) -> (Vec<Notification>, Result<Reply, Failure>) {
    let mut exchange = server.open(Request::new(
        method,
        RawParams::parse(r#"{"a":1,"b":2}"#).unwrap(),
    ));
    let mut notifications = Vec::new();
    loop {
        match poll_fn(|cx| exchange.as_mut().poll_event(cx)).await {
            Event::Notification(notification) => notifications.push(notification),
            Event::Ask(ask, _) => panic!("{ask:?}"),
            Event::Outcome(outcome) => return (notifications, outcome),
        }
    }
}

#[tokio::test]
async fn an_endpoint_answers_as_written() {
    let server = Script::new()
        .expects_with("one", json!({ "a": 1 }))
        .notifies("notifications/progress", json!({ "progress": 1 }))
        .replies(json!({ "ok": true }))
        .expects_notification("notifications/initialized")
        .expects("two")
        .fails(-32602, "no")
        .expects("three")
        .closes()
        .into_endpoint();
    let (notifications, outcome) = call(&server, "one").await;
    assert_eq!(
        (notifications.len(), outcome.unwrap().result.as_str()),
        (1, r#"{"ok":true}"#)
    );
    server
        .notify(Notification::new(
            "notifications/initialized",
            RawParams::empty(),
        ))
        .unwrap();
    assert_eq!(
        call(&server, "two")
            .await
            .1
            .unwrap_err()
            .peer_error()
            .unwrap()
            .code
            .0,
        -32602
    );
    assert!(server.finish().is_err());
    for _ in 0..2 {
        assert_eq!(
            call(&server, "three").await.1.unwrap_err().kind(),
            FailureKind::Lost
        );
    }
    assert_eq!(server.finish(), Ok(()));
}

#[tokio::test]
async fn leaving_the_script_is_told() {
    let server = Script::new().expects("one").into_endpoint();
    assert_eq!(
        call(&server, "two").await.1.unwrap_err().kind(),
        FailureKind::Invalid
    );
    assert!(
        server
            .finish()
            .unwrap_err()
            .to_string()
            .contains("request one")
    );
    let server = Script::new()
        .expects_with("one", json!({ "a": 2 }))
        .into_endpoint();
    assert!(call(&server, "one").await.1.is_err());
}

#[test]
fn silence_lasts_and_a_dropped_exchange_is_counted() {
    let server = Script::new().expects("one").into_endpoint();
    let mut exchange = server.open(Request::new("one", RawParams::empty()));
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(exchange.as_mut().poll_event(&mut cx).is_pending());
    drop(exchange);
    assert_eq!((server.cancelled(), server.finish()), (1, Ok(())));
}

#[test]
fn an_expectation_names_what_must_be_there() {
    let check = |actual, expected, fits| assert_eq!(contains(&actual, &expected), fits);
    check(
        json!({ "a": { "b": 1, "c": 2 }, "d": 3 }),
        json!({ "a": { "b": 1 } }),
        true,
    );
    check(json!({ "a": 1 }), json!({ "a": 2 }), false);
    check(json!({}), json!({ "a": null }), false);
    check(json!([1, 2]), json!([1]), false);
}

#[cfg(any(feature = "client-stdio", feature = "server-stdio"))]
mod over_a_stream {
    use super::*;

    async fn check(server: Script, client: Script) -> (Result<(), String>, Result<(), String>) {
        let (near, far) = tokio::io::duplex(64);
        let (server_reads, server_writes) = tokio::io::split(near);
        let (client_reads, client_writes) = tokio::io::split(far);
        let (server, client) = tokio::join!(
            server.run(server_reads, server_writes),
            client.run(client_reads, client_writes)
        );
        (
            server.map_err(|problem| problem.to_string()),
            client.map_err(|problem| problem.to_string()),
        )
    }

    #[tokio::test]
    async fn a_client_and_a_server_play_together() {
        let server = Script::new()
            .expects("ping")
            .notifies("n", json!({}))
            .replies(json!({}))
            .expects_notification("bye");
        let client = Script::new()
            .sends(&json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" }))
            .expects_notification("n")
            .expects_response(json!({ "id": "p", "result": {} }))
            .sends(&json!({ "jsonrpc": "2.0", "method": "bye" }))
            .closes();
        assert_eq!(check(server, client).await, (Ok(()), Ok(())));
    }

    #[tokio::test]
    async fn what_is_no_message_is_told() {
        let (server, client) = check(
            Script::new().expects("ping").closes(),
            Script::new().sends_raw("noise\n"),
        )
        .await;
        assert!(server.unwrap_err().contains("noise"));
        assert_eq!(client, Ok(()));
    }
}

#[tokio::test]
async fn an_endpoint_asks_and_goes_on_after_the_answer() {
    let script = || {
        Script::new()
            .expects("work")
            .notifies("notifications/progress", json!({ "progress": 1 }))
            .asks("roots/list", json!({ "a": 1 }))
    };
    let answered = |answer: serde_json::Value| script().expects_response(answer).replies(json!({}));
    for (server, knows) in [
        (
            answered(json!({ "id": 1, "result": { "roots": [] } })),
            true,
        ),
        (answered(json!({ "error": { "code": -32601 } })), false),
        (script(), false),
    ] {
        let server = server.into_endpoint();
        let mut exchange = server.open(Request::new("work", RawParams::empty()));
        let mut asked = 0;
        let ended = poll_fn(|cx| {
            loop {
                match exchange.as_mut().poll_event(cx) {
                    Poll::Ready(Event::Ask(ask, reply)) => {
                        assert_eq!(ask.method, "roots/list");
                        asked += 1;
                        if knows {
                            reply.answer(Ok(RawJson::parse(r#"{"roots":[]}"#).unwrap()));
                        }
                    }
                    Poll::Ready(Event::Notification(_)) => {}
                    Poll::Ready(Event::Outcome(outcome)) => return Poll::Ready(outcome.is_ok()),
                    // The script has nothing to say any more.
                    Poll::Pending => return Poll::Ready(false),
                }
            }
        })
        .await;
        drop(exchange);
        assert_eq!((asked, server.finish()), (1, Ok(())));
        assert_eq!(server.cancelled(), usize::from(!ended));
    }
}
