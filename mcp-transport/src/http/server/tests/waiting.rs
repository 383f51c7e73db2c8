//! Deadlines, keep-alive comments, caps and the way down, by a clock that the test moves.

use std::time::Duration;

use super::{Server, call, post, result};
use crate::proto::limits::Limits;

#[tokio::test]
async fn a_quiet_answer_becomes_a_stream_that_says_something() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = server.post(&call(1, "call")).await;
    let feed = server.feed().await;
    for round in 1..4 {
        server.until_waiting(15).await;
        server.clock.advance(Duration::from_secs(15));
        client.until_count(": keep-alive\n\n", round).await;
    }
    feed.send(result("{}")).unwrap();
    client.until(r#""id":1,"result":{}}"#).await;
}

/// Sends all but the last byte of a body of `size` bytes, and then nothing.
async fn all_but_one(server: &Server, size: usize) -> super::Client {
    let mut client = server.connect().await;
    let body = call(1, "call");
    let request = post(&format!("{body}{}", " ".repeat(size - body.len())));
    client.send(&request[..request.len() - 1]).await;
    client
}

#[tokio::test]
async fn a14_a_slow_body_is_408_after_60_seconds() {
    let server = Server::start(Limits::default()).await;
    let mut client = all_but_one(&server, 100_000).await;
    server.until_waiting(60).await;
    server.clock.advance(Duration::from_secs(60));
    let answer = client.rest().await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("within 60.0 s"), "{answer}");
}

#[tokio::test]
async fn a14_a_body_that_drips_is_cut_after_10_seconds_and_a_kib_buys_one_more() {
    let server = Server::start(Limits::default()).await;
    let mut client = all_but_one(&server, 1024 + 1).await;
    server.until_waiting(11).await;
    server.clock.advance(Duration::from_secs(11));
    let answer = client.rest().await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("within 11.0 s"), "{answer}");
}

#[tokio::test]
async fn a14_a_slow_head_is_408_after_30_seconds() {
    let server = Server::start(Limits::default()).await;
    let mut client = server.connect().await;
    client.send("POST /mcp HTTP/1.1\r\nHost: loc").await;
    server.until_waiting(30).await;
    server.clock.advance(Duration::from_secs(30));
    let answer = client.rest().await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains(r#""code":-32600"#), "{answer}");
}

#[tokio::test]
async fn a14_an_idle_connection_is_closed_after_75_seconds() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = server.post(&call(1, "call")).await;
    server.feed().await.send(result("{}")).unwrap();
    client.until("}}").await;
    client.read.clear();
    server.until_waiting(75).await;
    server.clock.advance(Duration::from_secs(75));
    assert_eq!(client.rest().await, "");
}

#[tokio::test]
async fn a14_a_connection_over_the_cap_is_closed_at_accept() {
    let mut server = Server::start(Limits::default().with_connections(1)).await;
    let mut first = server.post(&call(1, "call")).await;
    let feed = server.feed().await;
    assert_eq!(server.connect().await.rest().await, "");
    feed.send(result("{}")).unwrap();
    first.until("}}").await;
}

#[tokio::test]
async fn c20_shutdown_lets_calls_end_and_closes_idle_connections() {
    let mut server = Server::start(Limits::default()).await;
    let mut idle = server.post(&call(1, "call")).await;
    server.feed().await.send(result("{}")).unwrap();
    idle.until("}}").await;
    idle.read.clear();
    let mut busy = server.post(&call(2, "call")).await;
    let feed = server.feed().await;
    server.stop.send(()).unwrap();
    assert_eq!(idle.rest().await, "");
    feed.send(result("{}")).unwrap();
    assert!(busy.rest().await.contains(r#""id":2,"result":{}}"#));
    assert_eq!(server.serving.await.unwrap().cut, 0);
}

#[tokio::test]
async fn c20_shutdown_cuts_what_has_not_ended_after_10_seconds() {
    let mut server = Server::start(Limits::default()).await;
    let _busy = server.post(&call(1, "call")).await;
    let feed = server.feed().await;
    server.until_waiting(15).await;
    server.stop.send(()).unwrap();
    let at = crate::clock::Clock::now(&server.clock) + Duration::from_secs(10);
    while server.clock.next_deadline() != Some(at) {
        tokio::task::yield_now().await;
    }
    server.clock.advance(Duration::from_secs(10));
    assert_eq!(server.serving.await.unwrap().cut, 1);
    feed.closed().await;
}
