//! The duplex client against scripted servers over an in-memory stream.

use std::{future::poll_fn, pin::Pin};

use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::{
    RawJson, RawParams, RequestId, RequestMeta, Revision,
    capability::{ClientCapabilities, Implementation},
};
use serde_json::json;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

use super::Duplex;
use crate::{
    exchange::{Endpoint, Event, Exchange, Notification, Reply, Request},
    proto::limits::Limits,
};

/// The server's side, by hand.
struct Peer {
    lines: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl Peer {
    async fn reads(&mut self) -> serde_json::Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    async fn sends(&mut self, message: serde_json::Value) {
        self.writes(&format!("{message}\n")).await;
    }

    async fn writes(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).await.unwrap();
    }
}

/// Runs `play` with a client and the server's side of its stream.
async fn with<F: Future>(limits: Limits, play: impl FnOnce(Duplex, Peer) -> F) -> F::Output {
    let (near, far) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(near);
    let (client, driver) = Duplex::new(reader, writer, &limits);
    let (lines, writer) = tokio::io::split(far);
    let peer = Peer {
        lines: BufReader::new(lines),
        writer,
    };
    let (played, driven) = tokio::join!(play(client, peer), driver.run());
    driven.unwrap();
    played
}

fn request(method: &str) -> Request {
    Request::new(method, RawParams::empty())
}

async fn next(exchange: &mut Pin<Box<dyn Exchange>>) -> Event {
    poll_fn(|cx| exchange.as_mut().poll_event(cx)).await
}

async fn outcome(exchange: &mut Pin<Box<dyn Exchange>>) -> Result<Reply, Failure> {
    match next(exchange).await {
        Event::Outcome(outcome) => outcome,
        other => panic!("{other:?}"),
    }
}

/// Polls once, so that the request is sent.
async fn start(exchange: &mut Pin<Box<dyn Exchange>>) {
    poll_fn(|cx| {
        assert!(exchange.as_mut().poll_event(cx).is_pending());
        std::task::Poll::Ready(())
    })
    .await;
}

#[tokio::test]
async fn answers_find_their_exchange_in_any_order() {
    with(Limits::default(), async |client, mut peer| {
        let (mut one, mut two) = (client.open(request("one")), client.open(request("two")));
        start(&mut one).await;
        start(&mut two).await;
        assert_eq!(
            peer.reads().await,
            json!({ "jsonrpc": "2.0", "id": 1, "method": "one" })
        );
        assert_eq!(peer.reads().await["id"], 2);
        peer.sends(json!({ "jsonrpc": "2.0", "id": 2, "result": { "two": 2 } }))
            .await;
        peer.sends(json!({ "jsonrpc": "2.0", "id": "1", "result": { "no": 1 } }))
            .await;
        peer.sends(
            json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32602, "message": "m" } }),
        )
        .await;
        assert_eq!(
            outcome(&mut two).await.unwrap().result.as_str(),
            r#"{"two":2}"#
        );
        assert_eq!(
            outcome(&mut one)
                .await
                .unwrap_err()
                .peer_error()
                .unwrap()
                .code
                .0,
            -32602
        );
        assert_eq!(client.stray(), 1);
    })
    .await;
}

/// What belongs to a subscription finds it by its id, also that the server ends it; on a wire that has a listener of the
/// legacy era as well, what is about no subscription is for that one.
#[tokio::test]
async fn what_is_tagged_goes_to_its_subscription() {
    with(Limits::default(), async |client, mut peer| {
        let claim = RequestMeta::modern(
            Revision::LATEST,
            &Implementation::new("c", "1"),
            &ClientCapabilities::default(),
        );
        let modern = |method| request(method).with_meta(claim.clone());
        let mut one = client.open(modern("subscriptions/listen"));
        let mut two = client.open(modern("subscriptions/listen"));
        let mut call = client.open(modern("tools/call"));
        let mut listener = client.open(request("subscriptions/listen"));
        for exchange in [&mut one, &mut two, &mut call] {
            start(exchange).await;
            peer.reads().await;
        }
        let tagged = |method: &str, id: i64| {
            let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
            json!({ "jsonrpc": "2.0", "method": method, "params": { "_meta": meta } })
        };
        let cancelled = |id: i64| {
            let params = json!({ "requestId": id });
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
        };
        // The call is no subscription, and the last id is nobody's.
        for message in [
            tagged("a", 2),
            tagged("b", 1),
            cancelled(1),
            tagged("c", 3),
            cancelled(3),
            tagged("d", 9),
        ] {
            peer.sends(message).await;
        }
        for (exchange, methods) in [
            (&mut one, &["b", "notifications/cancelled"][..]),
            (&mut two, &["a"]),
            (&mut listener, &["c", "notifications/cancelled", "d"]),
        ] {
            for method in methods {
                let Event::Notification(told) = next(exchange).await else {
                    panic!("{method}")
                };
                assert_eq!(told.method, *method);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn progress_goes_to_its_request_and_the_rest_to_the_listener() {
    with(Limits::default(), async |client, mut peer| {
        let mut meta = RequestMeta::new();
        meta.set("progressToken", RawJson::parse("\"p\"").unwrap());
        let mut call = client.open(request("tools/call").with_meta(meta));
        let mut listener = client.open(request("subscriptions/listen"));
        start(&mut call).await;
        assert_eq!(peer.reads().await["params"]["_meta"]["progressToken"], "p");
        peer.sends(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
            .await;
        let progress = json!({ "progressToken": "p", "progress": 1 });
        peer.sends(
            json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": progress }),
        )
        .await;
        let Event::Notification(notification) = next(&mut call).await else {
            panic!("progress")
        };
        assert_eq!(notification.params.get("progress"), Some("1"));
        let Event::Notification(notification) = next(&mut listener).await else {
            panic!("change")
        };
        assert_eq!(notification.method, "notifications/tools/list_changed");
        drop(peer);
        for exchange in [&mut call, &mut listener] {
            assert_eq!(
                outcome(exchange).await.unwrap_err().kind(),
                FailureKind::Lost
            );
        }
        let later = outcome(&mut client.open(request("later")))
            .await
            .unwrap_err();
        assert_eq!(
            (later.kind(), later.executed()),
            (FailureKind::Lost, Executed::No)
        );
    })
    .await;
}

#[tokio::test]
async fn a_dropped_exchange_is_cancelled_unless_it_initializes() {
    with(Limits::default(), async |client, mut peer| {
        for method in ["initialize", "tools/call"] {
            let mut exchange = client.open(request(method));
            start(&mut exchange).await;
            drop(exchange);
        }
        drop(client.open(request("never polled")));
        client
            .notify(Notification::new("last", RawParams::empty()))
            .unwrap();
        assert_eq!(peer.reads().await["method"], "initialize");
        assert_eq!(peer.reads().await["method"], "tools/call");
        let cancelled = peer.reads().await;
        assert_eq!(
            (&cancelled["method"], &cancelled["params"]["requestId"]),
            (&json!("notifications/cancelled"), &json!(2))
        );
        assert_eq!(peer.reads().await["method"], "last");
        peer.sends(json!({ "jsonrpc": "2.0", "id": 2, "result": {} }))
            .await;
    })
    .await;
}

#[tokio::test]
async fn requests_of_the_server_are_answered() {
    with(Limits::default(), async |_client, mut peer| {
        peer.sends(json!({ "jsonrpc": "2.0", "id": "a", "method": "ping" }))
            .await;
        peer.sends(json!({ "jsonrpc": "2.0", "id": 7, "method": "roots/list" }))
            .await;
        assert_eq!(
            peer.reads().await,
            json!({ "jsonrpc": "2.0", "id": "a", "result": {} })
        );
        let refused = peer.reads().await;
        assert_eq!(
            (&refused["id"], &refused["error"]["code"]),
            (&json!(7), &json!(-32601))
        );
    })
    .await;
}

#[tokio::test]
async fn what_the_server_asks_goes_to_the_latest_call() {
    with(Limits::default(), async |client, mut peer| {
        let (mut one, mut two) = (client.open(request("one")), client.open(request("two")));
        start(&mut one).await;
        start(&mut two).await;
        peer.reads().await;
        peer.reads().await;
        let asks = |id: i64| json!({ "jsonrpc": "2.0", "id": id, "method": "roots/list" });
        peer.sends(asks(7)).await;
        let Event::Ask(ask, reply) = next(&mut two).await else {
            panic!("nothing is asked");
        };
        assert_eq!(
            (&ask.id, ask.method.as_str()),
            (&RequestId::Number(7), "roots/list")
        );
        reply.answer(Ok(RawJson::parse(r#"{"roots":[]}"#).unwrap()));
        assert_eq!(
            peer.reads().await,
            json!({ "jsonrpc": "2.0", "id": 7, "result": { "roots": [] } })
        );
        // Who gives up, or does not know what that is, leaves nobody waiting.
        peer.sends(asks(8)).await;
        drop(next(&mut two).await);
        assert_eq!(peer.reads().await["error"]["code"], -32601);
        drop(two);
        assert_eq!(peer.reads().await["method"], "notifications/cancelled");
        peer.sends(asks(9)).await;
        assert!(matches!(next(&mut one).await, Event::Ask(..)));
        assert_eq!(peer.reads().await["id"], 9);
        peer.sends(asks(10)).await;
        drop(one);
        let mut last = [peer.reads().await, peer.reads().await];
        last.sort_by_key(|message| message.get("error").is_none());
        assert_eq!(
            (&last[0]["id"], &last[0]["error"]["code"]),
            (&json!(10), &json!(-32601))
        );
    })
    .await;
}

#[tokio::test]
async fn t3_an_error_with_a_null_id_answers_the_probe_at_once() {
    with(Limits::default(), async |client, mut peer| {
        let error =
            json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32600, "message": "m" } });
        let mut probe = client.open(request("server/discover"));
        start(&mut probe).await;
        peer.sends(error.clone()).await;
        assert_eq!(
            outcome(&mut probe)
                .await
                .unwrap_err()
                .peer_error()
                .unwrap()
                .code
                .0,
            -32600
        );
        let mut call = client.open(request("tools/call"));
        start(&mut call).await;
        peer.sends(error).await;
        peer.sends(json!({ "jsonrpc": "2.0", "id": 2, "result": {} }))
            .await;
        assert!(outcome(&mut call).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn peers_6_t9_noise_is_skipped_and_counted_and_never_answered() {
    with(Limits::default(), async |client, mut peer| {
        peer.writes("\u{feff}Starting server...\n\n  at line 1\r\n{\"a\":1}\n[]\n\"text\"\n")
            .await;
        let mut call = client.open(request("ping"));
        start(&mut call).await;
        assert_eq!(peer.reads().await["method"], "ping");
        peer.sends(json!({ "jsonrpc": "2.0", "id": 1, "result": {} }))
            .await;
        assert!(outcome(&mut call).await.is_ok());
        let noise = client.noise();
        assert_eq!(
            (noise.lines, noise.first.as_deref()),
            (5, Some("Starting server..."))
        );
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_breaks_the_rules_ends_its_call() {
    with(Limits::default(), async |client, mut peer| {
        let mut call = client.open(request("ping"));
        start(&mut call).await;
        peer.sends(json!({ "jsonrpc": "1.0", "id": 1, "result": {} }))
            .await;
        assert_eq!(
            outcome(&mut call).await.unwrap_err().kind(),
            FailureKind::Malformed
        );
    })
    .await;
}

#[tokio::test]
async fn a_batch_of_answers_is_taken_apart() {
    with(Limits::default(), async |client, mut peer| {
        let (mut one, mut two) = (client.open(request("one")), client.open(request("two")));
        start(&mut one).await;
        start(&mut two).await;
        let answer = |id| json!({ "jsonrpc": "2.0", "id": id, "result": {} });
        peer.sends(json!([answer(2), answer(1)])).await;
        assert!(outcome(&mut one).await.is_ok() && outcome(&mut two).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn an_answer_over_the_limit_ends_the_only_call_and_the_stream_goes_on() {
    with(
        Limits::default().with_client_line(100),
        async |client, mut peer| {
            let mut call = client.open(request("big"));
            start(&mut call).await;
            peer.sends(json!({ "jsonrpc": "2.0", "id": 1, "result": { "a": "x".repeat(200) } }))
                .await;
            let failure = outcome(&mut call).await.unwrap_err();
            assert_eq!(
                (failure.kind(), failure.executed()),
                (FailureKind::TooLarge, Executed::Yes)
            );
            let mut call = client.open(request("small"));
            start(&mut call).await;
            peer.sends(json!({ "jsonrpc": "2.0", "id": 2, "result": {} }))
                .await;
            assert!(outcome(&mut call).await.is_ok());
        },
    )
    .await;
}

#[tokio::test]
async fn calls_wait_for_room_and_the_table_is_bounded() {
    let limits = Limits::default()
        .with_outbound_messages(1)
        .with_in_flight(3);
    with(limits, async |client, mut peer| {
        let mut calls: Vec<_> = (0..4).map(|_| client.open(request("call"))).collect();
        for call in &mut calls[..3] {
            start(call).await;
        }
        let refused = outcome(&mut calls[3]).await.unwrap_err();
        assert_eq!(
            (refused.kind(), refused.executed()),
            (FailureKind::Full, Executed::No)
        );
        let serve = async {
            for id in 1..=3 {
                assert_eq!(peer.reads().await["method"], "call");
                peer.sends(json!({ "jsonrpc": "2.0", "id": id, "result": {} }))
                    .await;
            }
        };
        let [one, two, three, _] = &mut calls[..] else {
            panic!("four")
        };
        let (a, b, c, ()) = tokio::join!(outcome(one), outcome(two), outcome(three), serve);
        assert!(a.is_ok() && b.is_ok() && c.is_ok());
    })
    .await;
}

#[tokio::test]
async fn c3_late_and_doubled_answers_are_stray() {
    with(Limits::default(), async |client, mut peer| {
        let mut dropped = client.open(request("tools/call"));
        start(&mut dropped).await;
        drop(dropped);
        let mut call = client.open(request("ping"));
        start(&mut call).await;
        for (id, value) in [(1, 1), (2, 2), (2, 3)] {
            peer.sends(json!({ "jsonrpc": "2.0", "id": id, "result": { "value": value } }))
                .await;
        }
        assert_eq!(
            outcome(&mut call).await.unwrap().result.as_str(),
            r#"{"value":2}"#
        );
        start(&mut call).await;
        assert_eq!(client.stray(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_broken_request_of_the_server_ends_no_call_of_the_same_id() {
    with(Limits::default(), async |client, mut peer| {
        let mut call = client.open(request("ping"));
        start(&mut call).await;
        peer.sends(json!({ "jsonrpc": "1.0", "id": 1, "method": "ping" }))
            .await;
        peer.sends(json!([{ "jsonrpc": "2.0", "id": 1, "method": 7 }]))
            .await;
        peer.sends(json!({ "jsonrpc": "2.0", "id": 1, "result": {} }))
            .await;
        assert!(outcome(&mut call).await.is_ok());
        assert_eq!(client.noise().lines, 2);
    })
    .await;
}

#[tokio::test]
async fn a_batch_over_the_limit_is_noise() {
    with(Limits::default().with_batch(1), async |client, mut peer| {
        let answer = json!({ "jsonrpc": "2.0", "id": 9, "result": {} });
        peer.sends(json!([answer, answer])).await;
        peer.sends(json!({ "jsonrpc": "2.0", "id": "a", "method": "ping" }))
            .await;
        assert_eq!(peer.reads().await["id"], "a");
        assert_eq!(client.noise().lines, 1);
    })
    .await;
}

#[tokio::test]
async fn a_cancellation_waits_for_room() {
    let limits = Limits::default().with_outbound_messages(1);
    with(limits, async |client, mut peer| {
        let mut first = client.open(request("first"));
        start(&mut first).await;
        assert_eq!(peer.reads().await["method"], "first");
        // The queue takes this one, and nothing has moved it on when the cancellation comes.
        client
            .notify(Notification::new("between", RawParams::empty()))
            .unwrap();
        drop(first);
        assert_eq!(peer.reads().await["method"], "between");
        let cancelled = peer.reads().await;
        assert_eq!(
            (&cancelled["method"], &cancelled["params"]["requestId"]),
            (&json!("notifications/cancelled"), &json!(1))
        );
    })
    .await;
}

#[tokio::test]
async fn dropping_the_driver_ends_what_is_open_and_what_comes_later() {
    for run in [false, true] {
        let (near, _far) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(near);
        let (client, driver) = Duplex::new(reader, writer, &Limits::default());
        let mut call = client.open(request("ping"));
        let mut listener = client.open(request("subscriptions/listen"));
        start(&mut call).await;
        start(&mut listener).await;
        if run {
            let mut running = Box::pin(driver.run());
            let once = poll_fn(|cx| std::task::Poll::Ready(running.as_mut().poll(cx).is_pending()));
            assert!(once.await);
        } else {
            drop(driver);
        }
        for exchange in [&mut call, &mut listener] {
            let failure = outcome(exchange).await.unwrap_err();
            assert_eq!(
                (failure.kind(), failure.executed()),
                (FailureKind::Lost, Executed::Unknown)
            );
        }
        let failure = outcome(&mut client.open(request("later")))
            .await
            .unwrap_err();
        assert_eq!(
            (failure.kind(), failure.executed()),
            (FailureKind::Lost, Executed::No)
        );
    }
}

#[tokio::test]
async fn dropping_the_client_ends_the_stream_after_what_is_queued() {
    for messages in [1, 64] {
        let limits = Limits::default().with_outbound_messages(messages);
        with(limits, async |client, mut peer| {
            let mut call = client.open(request("ping"));
            start(&mut call).await;
            drop(client);
            assert_eq!(peer.reads().await["method"], "ping");
            peer.sends(json!({ "jsonrpc": "2.0", "id": 1, "result": {} }))
                .await;
            assert!(outcome(&mut call).await.is_ok());
            drop(call);
            let mut rest = String::new();
            peer.lines.read_line(&mut rest).await.unwrap();
            assert_eq!(rest, "");
        })
        .await;
    }
}

#[tokio::test]
async fn dropping_client_and_call_still_cancels() {
    for messages in [1, 64] {
        let limits = Limits::default().with_outbound_messages(messages);
        with(limits, async |client, mut peer| {
            let mut call = client.open(request("tools/call"));
            start(&mut call).await;
            drop(client);
            drop(call);
            assert_eq!(peer.reads().await["method"], "tools/call");
            assert_eq!(peer.reads().await["method"], "notifications/cancelled");
            let mut rest = String::new();
            peer.lines.read_line(&mut rest).await.unwrap();
            assert_eq!(rest, "");
        })
        .await;
    }
}

#[tokio::test]
async fn a_server_that_reads_no_more_is_sent_no_more() {
    let (reader, mut answers) = tokio::io::duplex(1 << 16);
    let (writer, requests) = tokio::io::duplex(64);
    drop(requests);
    let (client, driver) = Duplex::new(reader, writer, &Limits::default());
    let play = async {
        let mut call = client.open(request("one"));
        start(&mut call).await;
        // The writer finds out by writing.
        let later = loop {
            let mut later = client.open(request("two"));
            let polled = poll_fn(|cx| std::task::Poll::Ready(later.as_mut().poll_event(cx))).await;
            if let std::task::Poll::Ready(Event::Outcome(outcome)) = polled {
                break outcome.unwrap_err();
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(
            (later.kind(), later.executed()),
            (FailureKind::Lost, Executed::No)
        );
        // What it wrote before still counts.
        answers
            .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n")
            .await
            .unwrap();
        assert!(outcome(&mut call).await.is_ok());
        drop(answers);
    };
    let ((), driven) = tokio::join!(play, driver.run());
    driven.unwrap();
}
