//! What every [`EventStore`] must do, as tests that any implementation can run.
//!
//! ```
//! # use mcp_server::http::{MemoryEventStore, events::contract};
//! # async fn run() {
//! contract::run(|| async { MemoryEventStore::new() }).await;
//! # }
//! ```

use std::future::Future;

use bytes::Bytes;

use super::{EventKey, EventStore};

/// Runs every test of the contract, each on a store that `make` gives and that no other uses.
///
/// # Panics
/// When the store breaks the contract; the message says how.
pub async fn run<S, F>(make: impl Fn() -> F)
where
    S: EventStore,
    F: Future<Output = S>,
{
    comes_back_in_order(&make().await).await;
    begins_after_the_number(&make().await).await;
    keeps_streams_and_sessions_apart(&make().await).await;
    forgets_a_session_whole(&make().await).await;
    keeps_bytes_as_they_are(&make().await).await;
}

fn key(session: &str, stream: u64, number: u64) -> EventKey {
    EventKey::new(session, stream, number)
}

async fn put(store: &impl EventStore, key: EventKey, text: &'static str) {
    let put = store.append(key.clone(), Bytes::from_static(text.as_bytes()));
    assert!(put.await.is_ok(), "{key:?} is not kept");
}

/// Everything after `key`, however the store portions it.
async fn all(store: &impl EventStore, mut key: EventKey) -> Vec<(u64, Bytes)> {
    let mut all = Vec::new();
    loop {
        let Ok(more) = store.after(key.clone()).await else {
            panic!("it cannot tell what comes after {key:?}");
        };
        let Some((last, _)) = more.last() else {
            return all;
        };
        assert!(
            *last > key.number,
            "what comes after {key:?} is not behind it"
        );
        key.number = *last;
        all.extend(more);
    }
}

async fn check(store: &impl EventStore, key: EventKey, expected: &[(u64, &str)]) {
    let found = all(store, key.clone()).await;
    let found: Vec<_> = found
        .iter()
        .map(|(number, text)| (*number, String::from_utf8_lossy(text)))
        .collect();
    let found: Vec<_> = found
        .iter()
        .map(|(number, text)| (*number, &**text))
        .collect();
    assert_eq!(found, expected, "after {key:?}");
}

async fn comes_back_in_order(store: &impl EventStore) {
    check(store, key("a", 1, 0), &[]).await;
    let texts = ["one", "two", "three"];
    for (number, text) in (1..).zip(texts) {
        put(store, key("a", 1, number), text).await;
    }
    check(
        store,
        key("a", 1, 0),
        &[(1, "one"), (2, "two"), (3, "three")],
    )
    .await;
}

async fn begins_after_the_number(store: &impl EventStore) {
    // More than ten: their order is that of numbers, not of text.
    for number in 1..=12 {
        put(store, key("a", 0, number), "x").await;
    }
    check(store, key("a", 0, 9), &[(10, "x"), (11, "x"), (12, "x")]).await;
    check(store, key("a", 0, 12), &[]).await;
    check(store, key("a", 0, 99), &[]).await;
}

async fn keeps_streams_and_sessions_apart(store: &impl EventStore) {
    put(store, key("a", 1, 1), "a1").await;
    put(store, key("a", 11, 1), "a11").await;
    put(store, key("b", 1, 1), "b1").await;
    check(store, key("a", 1, 0), &[(1, "a1")]).await;
    check(store, key("a", 11, 0), &[(1, "a11")]).await;
    check(store, key("b", 1, 0), &[(1, "b1")]).await;
    check(store, key("a", 2, 0), &[]).await;
    check(store, key("c", 1, 0), &[]).await;
}

async fn forgets_a_session_whole(store: &impl EventStore) {
    for (session, stream) in [("a", 0), ("a", 1), ("b", 0)] {
        put(store, key(session, stream, 1), "x").await;
    }
    for session in ["a", "a", "never there"] {
        assert!(store.forget(session).await.is_ok(), "{session}");
    }
    check(store, key("a", 0, 0), &[]).await;
    check(store, key("a", 1, 0), &[]).await;
    check(store, key("b", 0, 0), &[(1, "x")]).await;
}

async fn keeps_bytes_as_they_are(store: &impl EventStore) {
    let odd = "{\"text\":\"ä\u{2028}\\u0000 \"}";
    put(store, key("a", u64::MAX, 1), odd).await;
    put(store, key("a", u64::MAX, 2), "").await;
    check(store, key("a", u64::MAX, 0), &[(1, odd), (2, "")]).await;
}
