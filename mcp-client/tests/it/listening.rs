//! What a server tells beside its answers, in both eras.

use std::time::Duration;

use mcp_errors::FailureKind;
use mcp_types::subscription::SubscriptionFilter;
use serde_json::{Value, json};

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

/// What tags a message as that of a subscription.
fn tagged(mut params: Value) -> Value {
    params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": 2});
    params
}

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

#[test]
fn a_modern_server_is_asked_for_the_changes_of_all_lists() {
    let wanted = json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
    });
    let honoured = json!({"notifications": {"toolsListChanged": true}});
    let stage = Stage::new(
        modern()
            .expects_with("subscriptions/listen", json!({"notifications": wanted}))
            .notifies(ACKNOWLEDGED, tagged(honoured))
            .notifies(CHANGED, tagged(json!({})))
            .replies(json!({"resultType": "complete"})),
    );
    let mut listener = stage.client.listen().unwrap();
    assert_eq!(listener.acknowledged(), None);
    let minute = Duration::from_secs(60);
    let told = stage.run(listener.next(minute)).unwrap().unwrap();
    assert_eq!(told.method, CHANGED);
    let acknowledged = listener.acknowledged().unwrap();
    assert_eq!(acknowledged.tools_list_changed, Some(true));
    assert_eq!(acknowledged.prompts_list_changed, None);
    assert_eq!(stage.run(listener.next(minute)).unwrap(), None);
    stage.finish();
}

#[test]
fn a_subscription_says_what_it_wants_and_who_asks() {
    let filter = SubscriptionFilter {
        resource_subscriptions: Some(vec!["a:b".to_owned()]),
        ..SubscriptionFilter::default()
    };
    let expected = json!({
        "notifications": {"resourceSubscriptions": ["a:b"]},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
    });
    let updated = "notifications/resources/updated";
    let stage = Stage::new(
        modern()
            .expects_with("subscriptions/listen", expected)
            .notifies(ACKNOWLEDGED, tagged(json!({"notifications": {}})))
            .notifies(updated, tagged(json!({"uri": "a:b"})))
            .notifies("notifications/cancelled", json!({"requestId": 2})),
    );
    let mut listener = stage.client.listen_to(filter).unwrap();
    let minute = Duration::from_secs(60);
    let told = stage.run(listener.next(minute)).unwrap().unwrap();
    assert_eq!(told.method, updated);
    // The server has ended it, and says nothing more.
    assert_eq!(stage.run(listener.next(minute)).unwrap(), None);
    stage.finish();
}

#[test]
fn a_modern_server_without_subscriptions_says_so() {
    let stage = Stage::new(
        modern()
            .expects("subscriptions/listen")
            .fails(-32601, "Method not found"),
    );
    let mut listener = stage.client.listen().unwrap();
    let minute = Duration::from_secs(60);
    let error = stage.run(listener.next(minute)).unwrap_err();
    assert!(error.is_method_not_found(), "{error}");
    assert_eq!(stage.run(listener.next(minute)).unwrap(), None);
}

#[test]
fn of_what_a_legacy_server_sends_only_what_is_wanted_is_told() {
    let filter = SubscriptionFilter {
        tools_list_changed: Some(true),
        resource_subscriptions: Some(vec!["a:b".to_owned()]),
        ..SubscriptionFilter::default()
    };
    let updated = "notifications/resources/updated";
    let stage = Stage::new(
        legacy()
            .expects("subscriptions/listen")
            .notifies("notifications/prompts/list_changed", json!({}))
            .notifies(updated, json!({"uri": "a:c"}))
            .notifies(updated, json!({"uri": "a:b"}))
            .notifies("notifications/message", json!({"level": "info", "data": 1}))
            .notifies(CHANGED, json!({}))
            .replies(json!({})),
    );
    let mut listener = stage.client.listen_to(filter).unwrap();
    let minute = Duration::from_secs(60);
    for method in [updated, CHANGED] {
        let told = stage.run(listener.next(minute)).unwrap().unwrap();
        assert_eq!(told.method, method);
    }
    assert_eq!(stage.run(listener.next(minute)).unwrap(), None);
}
