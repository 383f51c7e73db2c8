//! The store in memory: the contract, and its caps.

use bytes::Bytes;

use super::{EventKey, EventStore as _, MemoryEventStore, contract};

#[tokio::test]
async fn memory_keeps_the_contract() {
    contract::run(|| async { MemoryEventStore::new() }).await;
}

#[tokio::test]
async fn over_a_cap_the_oldest_events_go() {
    let put = async |store: &MemoryEventStore, session: &str, stream: u64, number: u64| {
        let key = EventKey::new(session, stream, number);
        store
            .append(key, Bytes::from_static(b"0123456789"))
            .await
            .unwrap();
    };
    for store in [
        MemoryEventStore::new().with_events(3),
        MemoryEventStore::new().with_bytes(39),
    ] {
        for (session, stream, number) in [("a", 0, 1), ("b", 0, 1), ("a", 0, 2), ("a", 1, 1)] {
            put(&store, session, stream, number).await;
        }
        assert_eq!(store.len(), 3);
        let left = async |session: &str, stream| {
            let key = EventKey::new(session, stream, 0);
            let left = store.after(key).await.unwrap();
            left.iter().map(|(number, _)| *number).collect::<Vec<_>>()
        };
        assert_eq!(left("a", 0).await, [2]);
        assert_eq!(left("b", 0).await, [1]);
        assert_eq!(left("a", 1).await, [1]);
        put(&store, "c", 0, 1).await;
        assert!(left("b", 0).await.is_empty());
        for session in ["a", "b", "c"] {
            store.forget(session).await.unwrap();
        }
        assert!(store.is_empty());
    }
}
