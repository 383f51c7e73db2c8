//! What answers look like on the wire, and what becomes of them when the client goes away.

use mcp_errors::{Failure, FailureKind};
use mcp_types::{ErrorCode, ErrorObject, RawParams, RequestId};

use super::{Server, call, result, said};
use crate::{
    ask::{Ask, AskReply},
    exchange::{Event, Reply},
    proto::limits::Limits,
};

#[tokio::test]
async fn an_outcome_that_comes_first_is_json() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = server.post(&call(7, "call")).await;
    server.feed().await.send(result(r#"{"a":1}"#)).unwrap();
    let answer = client
        .until(r#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#)
        .await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(
        answer.contains("content-type: application/json\r\n"),
        "{answer}"
    );
    assert!(answer.contains("content-length: 41\r\n"), "{answer}");
    // The connection goes on.
    client.read.clear();
    client.send(&super::post(&call(8, "call"))).await;
    server.feed().await.send(result("{}")).unwrap();
    client.until(r#""id":8,"result":{}}"#).await;
}

#[tokio::test]
async fn b12_one_byte_order_mark_before_the_message_is_skipped() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = server.post(&format!("\u{feff}{}", call(7, "call"))).await;
    server.feed().await.send(result("{}")).unwrap();
    client.until(r#""id":7,"result":{}}"#).await;
    client.read.clear();
    let twice = format!("\u{feff}\u{feff}{}", call(8, "call"));
    client.send(&super::post(&twice)).await;
    client.until("-32700").await;
}

#[tokio::test]
async fn a_notification_that_comes_first_makes_it_a_stream() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = server.post(&call(1, "call")).await;
    let feed = server.feed().await;
    feed.send(said("notifications/message")).unwrap();
    let head = client.until("notifications/message").await;
    for header in [
        "content-type: text/event-stream\r\n",
        "cache-control: no-cache, no-transform\r\n",
        "x-accel-buffering: no\r\n",
    ] {
        assert!(head.contains(header), "{head}");
    }
    feed.send(said("notifications/progress")).unwrap();
    client.until("notifications/progress").await;
    feed.send(result("{}")).unwrap();
    let all = client.until("\r\n0\r\n\r\n").await;
    let events: Vec<_> = all
        .lines()
        .filter(|line| line.starts_with("data: "))
        .collect();
    assert_eq!(
        events,
        [
            r#"data: {"jsonrpc":"2.0","method":"notifications/message"}"#,
            r#"data: {"jsonrpc":"2.0","method":"notifications/progress"}"#,
            r#"data: {"jsonrpc":"2.0","id":1,"result":{}}"#,
        ]
    );
    assert_eq!(all.matches("event: message\n").count(), 3);
}

#[tokio::test]
async fn what_is_asked_goes_out_on_the_stream_and_its_answer_comes_elsewhere() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = server.post(&call(1, "call")).await;
    let feed = server.feed().await;
    let unheard = AskReply::new(|answer| panic!("{answer:?}"));
    let ask = Ask::new(RequestId::Number(4), "roots/list", RawParams::empty());
    feed.send(Event::Ask(ask, unheard)).unwrap();
    client
        .until("data: {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"roots/list\"}\n")
        .await;
    feed.send(result("{}")).unwrap();
    client.until(r#""id":1,"result":{}}"#).await;
}

#[tokio::test]
async fn errors_travel_on_the_status_of_their_era() {
    let mut server = Server::start(Limits::default()).await;
    let peer = |code| Failure::peer(ErrorObject::new(ErrorCode(code), "no"));
    let table = [
        ("call", peer(-32601), 404, "-32601"),
        ("call", peer(-32602), 200, "-32602"),
        ("call", peer(-32020), 400, "-32020"),
        ("call", peer(-32021), 400, "-32021"),
        ("call", peer(-32602).with_http_status(400), 400, "-32602"),
        ("kept", peer(-32601), 200, "-32601"),
        (
            "kept",
            Failure::new(FailureKind::Cancelled, "x"),
            200,
            r#"-32800,"message":"Request cancelled""#,
        ),
        (
            "call",
            Failure::new(FailureKind::Full, "secret"),
            200,
            r#"-32603,"message":"Internal error""#,
        ),
    ];
    for (method, failure, status, code) in table {
        let mut client = server.post(&call(1, method)).await;
        server
            .feed()
            .await
            .send(Event::Outcome(Err(failure)))
            .unwrap();
        let answer = client.until("}}").await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{answer}"
        );
        assert!(
            answer.contains(&format!(r#""error":{{"code":{code}"#)),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn a_reply_may_bring_headers_and_a_status() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = server.post(&call(1, "call")).await;
    let mut reply = Reply::new(mcp_types::RawJson::parse("{}").unwrap());
    let mut headers = http::HeaderMap::new();
    headers.insert("x-extra", http::HeaderValue::from_static("yes"));
    reply.ext.insert(headers);
    reply.ext.insert(http::StatusCode::CREATED);
    server.feed().await.send(Event::Outcome(Ok(reply))).unwrap();
    let answer = client.until("}}").await;
    assert!(
        answer.starts_with("HTTP/1.1 201 ") && answer.contains("x-extra: yes\r\n"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_client_that_goes_away_drops_the_exchange() {
    let mut server = Server::start(Limits::default()).await;
    // Before the answer has begun, and while it streams.
    for opening in [None, Some(said("notifications/message"))] {
        let mut client = server.post(&call(1, "call")).await;
        let feed = server.feed().await;
        if let Some(opening) = opening {
            feed.send(opening).unwrap();
            client.until("notifications/message").await;
        }
        assert!(!feed.is_closed());
        drop(client);
        feed.closed().await;
    }
}

#[tokio::test]
async fn a_kept_exchange_runs_on_to_its_outcome() {
    let mut server = Server::start(Limits::default()).await;
    for opening in [None, Some(said("notifications/message"))] {
        let mut client = server.post(&call(1, "kept")).await;
        let feed = server.feed().await;
        if let Some(opening) = opening {
            feed.send(opening).unwrap();
            client.until("notifications/message").await;
        }
        drop(client);
        // A second request on a new connection is answered meanwhile, so the first client is long gone.
        let mut other = server.post(&call(2, "call")).await;
        server.feed().await.send(result("{}")).unwrap();
        other.until("}}").await;
        assert!(!feed.is_closed());
        feed.send(said("notifications/message")).unwrap();
        feed.send(result("{}")).unwrap();
        feed.closed().await;
    }
}

#[tokio::test]
async fn the_answers_to_a_batch_are_one_array() {
    let mut server = Server::start(Limits::default()).await;
    let batch = format!("[{},{{}},{}]", call(1, "call"), call(2, "call"));
    let mut client = server.post(&batch).await;
    for _ in 0..2 {
        server.feed().await.send(result("{}")).unwrap();
    }
    let answer = client.until("]").await;
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    let items: Vec<serde_json::Value> = serde_json::from_str(body).unwrap();
    assert_eq!(items.len(), 3, "{body}");
    for id in [1.into(), 2.into(), serde_json::Value::Null] {
        assert!(items.iter().any(|item| item["id"] == id), "{body}");
    }
}

#[tokio::test]
async fn a_batch_in_which_something_is_said_is_a_stream_of_events() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = server
        .post(&format!("[{},{}]", call(1, "call"), call(2, "call")))
        .await;
    let (first, second) = (server.feed().await, server.feed().await);
    second.send(result("{}")).unwrap();
    first.send(said("notifications/message")).unwrap();
    first.send(result("{}")).unwrap();
    let all = client.until("\r\n0\r\n\r\n").await;
    assert_eq!(all.matches("event: message\n").count(), 3, "{all}");
    for id in ["\"id\":1", "\"id\":2"] {
        assert!(all.contains(id), "{all}");
    }
}

#[tokio::test]
async fn a_batch_of_notifications_has_no_answer() {
    let server = Server::start(Limits::default()).await;
    let mut client = server.post(r#"[{"jsonrpc":"2.0","method":"n"}]"#).await;
    let answer = client.until("\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 202 Accepted\r\n"), "{answer}");
}

#[tokio::test]
async fn get_streams_what_the_server_says_unasked() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = server.connect().await;
    client
        .send("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        .await;
    let feed = server.feed().await;
    // A comment comes at once, though there is nothing to say.
    let head = client.until(": keep-alive\n\n").await;
    assert!(
        head.contains("content-type: text/event-stream\r\n"),
        "{head}"
    );
    feed.send(said("notifications/tools/list_changed")).unwrap();
    client.until("list_changed").await;
    feed.send(result("{}")).unwrap();
    let all = client.until("\r\n0\r\n\r\n").await;
    assert!(!all.contains("result"), "{all}");
}
