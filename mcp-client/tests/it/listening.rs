//! What a legacy server sends unasked.

use std::time::Duration;

use mcp_errors::FailureKind;
use serde_json::json;

use super::{Stage, legacy, modern};

const CHANGED: &str = "notifications/tools/list_changed";

#[test]
fn unasked_notifications_come_in_order_until_the_connection_ends() {
    let stage = Stage::new(
        legacy()
            .expects("subscriptions/listen")
            .notifies(CHANGED, json!({}))
            .notifies(
                "notifications/message",
                json!({ "level": "info", "data": 1 }),
            )
            .replies(json!({})),
    );
    let mut listener = stage.client.listen().unwrap();
    let minute = Duration::from_secs(60);
    assert_eq!(
        stage.run(listener.next(minute)).unwrap().unwrap().method,
        CHANGED
    );
    let second = stage.run(listener.next(minute)).unwrap().unwrap();
    assert_eq!(second.method, "notifications/message");
    assert_eq!(stage.run(listener.next(minute)).unwrap(), None);
    assert_eq!(stage.run(listener.next(minute)).unwrap(), None);
    stage.finish();
}

#[test]
fn silence_is_a_timeout_and_the_listener_still_listens() {
    let stage = Stage::new(legacy().expects("subscriptions/listen"));
    let mut listener = stage.client.listen().unwrap();
    for _ in 0..2 {
        let error = stage
            .run(listener.next(Duration::from_secs(1)))
            .unwrap_err();
        assert!(error.is_timeout(), "{error}");
    }
    assert_eq!(stage.server.cancelled(), 0);
    drop(listener);
    assert_eq!(stage.server.cancelled(), 1);
}

#[test]
fn why_the_connection_ended_is_told_once() {
    let stage = Stage::new(legacy().expects("subscriptions/listen").closes());
    let mut listener = stage.client.listen().unwrap();
    let minute = Duration::from_secs(60);
    let error = stage.run(listener.next(minute)).unwrap_err();
    assert_eq!(error.failure().unwrap().kind(), FailureKind::Lost);
    assert_eq!(stage.run(listener.next(minute)).unwrap(), None);
}

#[test]
fn a_modern_server_sends_nothing_unasked() {
    let stage = Stage::new(modern());
    let error = stage.client.listen().unwrap_err();
    assert!(error.to_string().contains("modern"), "{error}");
}
