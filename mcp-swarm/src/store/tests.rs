//! What every store promises, held by the one in memory.

use std::sync::Arc;

use mcp_transport::clock::ManualClock;

use super::*;

const TTL: Duration = Duration::from_secs(120);

/// A store and its clock.
fn store() -> (Arc<dyn HandoffStateStore>, ManualClock) {
    let clock = ManualClock::new();
    (Arc::new(MemoryStates::new(Arc::new(clock.clone()))), clock)
}

#[tokio::test]
async fn put_then_take_once() {
    let (store, _) = store();
    store
        .put("a", Bytes::from_static(b"{}"), TTL)
        .await
        .unwrap();
    assert_eq!(
        store.take("a").await.unwrap(),
        Some(Bytes::from_static(b"{}"))
    );
    assert_eq!(store.take("a").await.unwrap(), None);
    assert!(store.is_process_local());
}

#[tokio::test]
async fn expiry_goes_by_the_given_clock() {
    for (after, lives) in [(120, true), (121, false)] {
        let (store, clock) = store();
        store
            .put("a", Bytes::from_static(b"{}"), TTL)
            .await
            .unwrap();
        clock.advance(Duration::from_secs(after));
        assert_eq!(store.take("a").await.unwrap().is_some(), lives, "{after}");
    }
}

#[tokio::test]
async fn a_state_over_64_kib_is_refused() {
    let (store, _) = store();
    store
        .put("a", Bytes::from(vec![b'x'; 65_536]), TTL)
        .await
        .unwrap();
    let error = store
        .put("b", Bytes::from(vec![b'x'; 65_537]), TTL)
        .await
        .unwrap_err();
    assert!(error.is_too_large() && !error.is_full());
    assert_eq!(
        error.to_string(),
        "the state has 65537 bytes and may have 65536: carry a reference to it instead"
    );
}

#[tokio::test]
async fn more_than_64_mib_in_all_are_refused() {
    let (store, _) = store();
    for id in 0..1024 {
        store
            .put(&id.to_string(), Bytes::from_static(&[b'x'; 65_536]), TTL)
            .await
            .unwrap();
    }
    assert!(
        store
            .put("one more", Bytes::from_static(b"{}"), TTL)
            .await
            .unwrap_err()
            .is_full()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_hundred_concurrent_takes_exactly_one_has_it() {
    let (store, _) = store();
    for round in 0..20 {
        let id = round.to_string();
        store
            .put(&id, Bytes::from_static(b"{}"), TTL)
            .await
            .unwrap();
        let barrier = Arc::new(tokio::sync::Barrier::new(100));
        let mut takers = tokio::task::JoinSet::new();
        for _ in 0..100 {
            let (store, barrier, id) = (store.clone(), barrier.clone(), id.clone());
            #[expect(clippy::disallowed_methods, reason = "the set is joined below")]
            takers.spawn(async move {
                barrier.wait().await;
                store.take(&id).await.unwrap().is_some()
            });
        }
        let had = takers.join_all().await;
        assert_eq!(had.into_iter().filter(|had| *had).count(), 1);
    }
}

#[test]
fn a_backends_failure_is_told_without_its_cause() {
    let error = StoreError::backend("redis://user:pw@host refused");
    assert!(!error.to_string().contains("pw"));
    assert!(!error.is_full() && !error.is_too_large());
    assert_eq!(
        error.source().unwrap().to_string(),
        "redis://user:pw@host refused"
    );
}
