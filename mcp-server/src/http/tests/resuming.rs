//! Streams that are taken up again.

use std::{future::pending, sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    Client, Hosted,
    legacy::{call, open, post, request, within},
};
use crate::{
    Tool,
    http::{EventKey, EventStore, EventStoreError, MemoryEventStore},
};

/// A store that the test looks into after.
#[derive(Debug, Clone, Default)]
struct Shared(Arc<MemoryEventStore>);

#[async_trait]
impl EventStore for Shared {
    async fn append(&self, key: EventKey, event: Bytes) -> Result<(), EventStoreError> {
        self.0.append(key, event).await
    }

    async fn after(&self, key: EventKey) -> Result<Vec<(u64, Bytes)>, EventStoreError> {
        self.0.after(key).await
    }

    async fn forget(&self, session: &str) -> Result<(), EventStoreError> {
        self.0.forget(session).await
    }
}

async fn start() -> Hosted {
    Hosted::start(|host| host.event_store(MemoryEventStore::new())).await
}

fn listen(session: &str, last: Option<&str>) -> String {
    let get = within(session, "GET", &Value::Null).replace("Content-Length: 0\r\n", "");
    match last {
        Some(last) => get.replacen("Host", &format!("Last-Event-ID: {last}\r\nHost"), 1),
        None => get,
    }
}

/// The events of what a client has read: each its id and data.
fn events(read: &str) -> Vec<(String, String)> {
    let body = read.split_once("\r\n\r\n").unwrap().1;
    let field = |event: &str, name: &str| {
        let found = event.lines().find_map(|line| line.strip_prefix(name));
        found.unwrap_or("-").to_owned()
    };
    let blocks = body.split("\n\n").filter(|block| block.contains("id: "));
    blocks
        .map(|block| (field(block, "id: "), field(block, "data: ")))
        .collect()
}

/// Opens a stream of `hang` that has begun.
async fn hang(hosted: &mut Hosted, session: &str, id: u64) -> Client {
    let client = hosted
        .send(&within(session, "POST", &call(id, "hang", &json!({}))))
        .await;
    assert_eq!(hosted.event().await, "began");
    client
}

#[tokio::test]
async fn a_stream_begins_with_an_empty_event_that_carries_an_id_since_2025_11_25() {
    let hosted = start().await;
    for (version, first) in [
        (
            "2025-11-25",
            "id: 1_0\nretry: 1000\ndata: \n\nevent: message\nid: 1_1\ndata: {",
        ),
        ("2025-06-18", "event: message\nid: 1_1\ndata: {"),
    ] {
        let session = open(&hosted, version).await;
        let mut client = hosted
            .send(&within(
                &session,
                "POST",
                &call(2, "echo", &json!({"text": "x"})),
            ))
            .await;
        let all = client.until("\r\n0\r\n\r\n").await;
        assert!(all.contains("content-type: text/event-stream\r\n"), "{all}");
        let plain: String = all.split("\r\n").filter(|line| line.len() > 4).collect();
        assert!(plain.contains(first), "{version} {all}");
        assert!(all.contains(r#""id":2,"result""#), "{all}");
    }
}

#[tokio::test]
async fn who_lost_the_connection_gets_the_answer() {
    let mut hosted = start().await;
    let session = open(&hosted, "2025-11-25").await;
    let mut client = hang(&mut hosted, &session, 2).await;
    client.until("id: 1_0").await;
    drop(client);
    // Before the call is done, and after.
    let mut again = hosted.send(&listen(&session, Some("1_0"))).await;
    again.until(": keep-alive").await;
    hosted.go.notify_one();
    let live = again.until("\r\n0\r\n\r\n").await;
    let late = hosted.send(&listen(&session, Some("1_0"))).await;
    let late = { late }.until("\r\n0\r\n\r\n").await;
    for all in [live, late] {
        let events = events(&all);
        assert_eq!(events.len(), 1, "{all}");
        assert_eq!(events[0].0, "1_1");
        assert!(events[0].1.contains(r#""id":2,"result""#), "{all}");
    }
}

#[tokio::test]
async fn only_that_stream_of_that_session_is_replayed() {
    let mut hosted = start().await;
    let session = open(&hosted, "2025-11-25").await;
    let other = open(&hosted, "2025-11-25").await;
    let first = hang(&mut hosted, &session, 2).await;
    drop(first);
    for id in 3..6 {
        post(
            &hosted,
            &session,
            &call(id, "echo", &json!({"text": "secret"})),
        )
        .await;
    }
    hosted.go.notify_one();
    let mut again = hosted.send(&listen(&session, Some("1_0"))).await;
    let all = again.until("\r\n0\r\n\r\n").await;
    assert!(
        !all.contains("secret") && all.contains(r#""id":2,"#),
        "{all}"
    );
    // To another session these streams do not exist, nor do places that never were.
    for (session, last) in [
        (&other, "1_0"),
        (&other, "2_0"),
        (&session, "9_0"),
        (&session, "1_9"),
        (&session, "1_1"),
        (&session, "0_1"),
        (&session, "x"),
        (&session, ""),
        (&session, "1_0\r\nLast-Event-ID: 1_0"),
    ] {
        let answer = hosted.ask(&listen(session, Some(last))).await;
        assert_eq!(answer.status, 400, "{last}");
        let message = answer.json()["error"]["message"].clone();
        assert!(
            message.as_str().unwrap().contains("Last-Event-ID"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn what_a_session_is_told_unasked_is_replayed_and_goes_on() {
    let hosted = start().await;
    let session = open(&hosted, "2025-11-25").await;
    let tools = hosted.server.tools();
    let add = |name: &'static str| {
        tools
            .add(Tool::new(name, || async { "x".to_owned() }))
            .unwrap();
    };
    let mut stream = hosted.send(&listen(&session, None)).await;
    let all = stream.until("id: 0_0").await;
    assert!(all.contains("text/event-stream"), "{all}");
    add("one");
    stream.until("id: 0_1").await;
    add("two");
    stream.until("id: 0_2").await;
    drop(stream);
    // From the first on: the second again, then what comes.
    let mut again = hosted.send(&listen(&session, Some("0_1"))).await;
    again.until("id: 0_2").await;
    add("three");
    let all = again.until("id: 0_3").await;
    assert_eq!(all.matches("list_changed").count(), 2, "{all}");
    assert!(!all.contains("id: 0_0"), "{all}");
    // Another stream takes over.
    let mut third = hosted.send(&listen(&session, None)).await;
    third.until("id: 0_3").await;
    again.until("\r\n0\r\n\r\n").await;
    add("four");
    third.until("id: 0_4").await;
    // The end of the session ends it.
    hosted.ask(&within(&session, "DELETE", &Value::Null)).await;
    third.until("\r\n0\r\n\r\n").await;
}

#[tokio::test]
async fn a_handler_closes_its_stream_and_the_client_polls() {
    let mut hosted = Hosted::start(|host| {
        host.event_store(MemoryEventStore::new())
            .sse_retry(Duration::from_millis(200))
    })
    .await;
    let session = open(&hosted, "2025-11-25").await;
    let mut client = hosted
        .send(&within(&session, "POST", &call(2, "poll", &json!({}))))
        .await;
    let all = client.until("\r\n0\r\n\r\n").await;
    assert_eq!(hosted.event().await, "closed the stream");
    assert!(all.contains("id: 1_0\nretry: 200\ndata: \n"), "{all}");
    assert!(!all.contains("result"), "{all}");
    hosted.go.notify_one();
    let mut again = hosted.send(&listen(&session, Some("1_0"))).await;
    let all = again.until("\r\n0\r\n\r\n").await;
    assert!(all.contains(r#""id":2,"result""#), "{all}");
    // Clients that know nothing of it keep their stream.
    let session = open(&hosted, "2025-06-18").await;
    let mut client = hosted
        .send(&within(&session, "POST", &call(2, "poll", &json!({}))))
        .await;
    assert_eq!(hosted.event().await, "no stream");
    hosted.go.notify_one();
    client.until(r#""id":2,"result""#).await;
}

#[tokio::test]
async fn the_end_of_a_session_is_the_end_of_its_events() {
    let store = Shared::default();
    let mut hosted = Hosted::start(|host| host.event_store(store.clone())).await;
    let session = open(&hosted, "2025-11-25").await;
    post(&hosted, &session, &call(2, "echo", &json!({"text": "x"}))).await;
    let mut client = hang(&mut hosted, &session, 3).await;
    assert!(!store.0.is_empty());
    hosted.ask(&within(&session, "DELETE", &Value::Null)).await;
    assert_eq!(hosted.event().await, "dropped");
    let all = client.until("\r\n0\r\n\r\n").await;
    assert!(all.contains("-32800"), "{all}");
    while !store.0.is_empty() {
        tokio::task::yield_now().await;
    }
    let answer = hosted.ask(&listen(&session, Some("1_0"))).await;
    assert_eq!(answer.status, 404);
}

/// A store that fails, or never answers.
#[derive(Debug, Clone, Copy)]
enum Broken {
    Fails,
    Hangs,
}

impl Broken {
    async fn work<T>(self) -> Result<T, EventStoreError> {
        match self {
            Self::Fails => Err(EventStoreError::new("no connection")),
            Self::Hangs => pending().await,
        }
    }
}

#[async_trait]
impl EventStore for Broken {
    async fn append(&self, _: EventKey, _: Bytes) -> Result<(), EventStoreError> {
        self.work().await
    }

    async fn after(&self, _: EventKey) -> Result<Vec<(u64, Bytes)>, EventStoreError> {
        self.work().await
    }

    async fn forget(&self, _: &str) -> Result<(), EventStoreError> {
        self.work().await
    }
}

#[tokio::test]
async fn a_store_that_fails_or_hangs_costs_nobody_who_is_there_an_answer() {
    for broken in [Broken::Fails, Broken::Hangs] {
        let hosted = Hosted::start(|host| host.event_store(broken)).await;
        let session = open(&hosted, "2025-11-25").await;
        let mut client = hosted
            .send(&within(
                &session,
                "POST",
                &call(2, "echo", &json!({"text": "x"})),
            ))
            .await;
        let all = client.until("\r\n0\r\n\r\n").await;
        assert!(all.contains(r#""id":2,"result""#), "{broken:?} {all}");
    }
}

#[tokio::test]
async fn an_answer_that_was_not_kept_is_an_error_and_no_silence() {
    let mut hosted = Hosted::start(|host| host.event_store(Broken::Fails)).await;
    let session = open(&hosted, "2025-11-25").await;
    let mut client = hang(&mut hosted, &session, 2).await;
    client.until("id: 1_0").await;
    drop(client);
    // The server has noticed once another request is answered and the call has gone on.
    post(&hosted, &session, &request(3, "ping", &json!({}))).await;
    hosted.go.notify_one();
    assert_eq!(hosted.event().await, "went on");
    assert_eq!(hosted.event().await, "dropped");
    let mut again = hosted.send(&listen(&session, Some("1_0"))).await;
    let all = again.until("\r\n0\r\n\r\n").await;
    assert!(all.contains(r#""id":2,"#), "{all}");
}

#[tokio::test]
async fn without_a_store_nothing_has_an_id() {
    let hosted = Hosted::start(|host| host).await;
    let session = open(&hosted, "2025-11-25").await;
    let answer = post(&hosted, &session, &call(2, "echo", &json!({"text": "x"}))).await;
    assert_eq!(
        answer.header("content-type"),
        Some("application/json"),
        "{answer:?}"
    );
    let mut stream = hosted.send(&listen(&session, Some("1_0"))).await;
    let all = stream.until(": keep-alive").await;
    assert!(!all.contains("id: "), "{all}");
}
