//! Notifications, progress, logging, cancellation.

use serde_json::json;

use super::*;
use crate::{
    logging::{LogLevel, LoggingMessageParams},
    method::Method,
    notification::{CancelledParams, ProgressParams},
    subscription::SubscriptionFilter,
};

/// The revisions in which a client, and a server, sends `name`.
fn sent(
    name: &str,
    by_client: Option<(Revision, Revision)>,
    by_server: Option<(Revision, Revision)>,
) {
    let within = |span: Option<(Revision, Revision)>, at: Revision| {
        span.is_some_and(|(since, until)| (since..=until).contains(&at))
    };
    let method = Method::from(name);
    for at in Revision::ALL {
        assert_eq!(
            method.is_for_server(at),
            within(by_client, at),
            "{name} at {at}"
        );
        assert_eq!(
            method.is_for_client(at),
            within(by_server, at),
            "{name} at {at}"
        );
    }
}

#[test]
fn r3_6_1_notifications_progress() {
    sent(
        "notifications/progress",
        Some((OCT24, NOV25)),
        Some((OCT24, JUL26)),
    );
    let params = json!({"progressToken": 1, "progress": 0.5, "total": 1, "message": "m"});
    spans::<ProgressParams>(&params, "/message", MAR25, JUL26);
    spans::<ProgressParams>(&params, "/total", OCT24, JUL26);
}

#[test]
fn r3_6_2_notifications_cancelled() {
    sent(
        "notifications/cancelled",
        Some((NOV24, JUL26)),
        Some((NOV24, JUL26)),
    );
    let nameless: CancelledParams = read(&json!({"reason": "r"}));
    assert_eq!(nameless.request_id, None);
}

#[test]
fn r3_6_3_logging_set_level() {
    sent("logging/setLevel", Some((OCT24, NOV25)), None);
    let words = [
        "debug",
        "info",
        "notice",
        "warning",
        "error",
        "critical",
        "alert",
        "emergency",
    ];
    for (severity, word) in words.into_iter().enumerate() {
        assert_eq!(
            LogLevel::from(word).severity().map(usize::from),
            Some(severity),
            "{word}"
        );
    }
    assert!(
        LogLevel::Error.reaches(&LogLevel::Warning) && !LogLevel::Info.reaches(&LogLevel::Warning)
    );
    let odd = LogLevel::from("fatal");
    assert!(odd.reaches(&LogLevel::Emergency) && !LogLevel::Emergency.reaches(&odd));
    assert_eq!(odd.as_str(), "fatal");
}

#[test]
fn log_level_per_request() {
    let mut meta = crate::RequestMeta::new();
    assert_eq!(meta.log_level(), None);
    meta.set_log_level(&LogLevel::Notice);
    assert_eq!(meta.log_level(), Some(LogLevel::Notice));
}

#[test]
fn r3_6_4_notifications_message() {
    sent("notifications/message", None, Some((OCT24, JUL26)));
    for data in [json!(null), json!("a"), json!([1]), json!({"a": 1})] {
        let params = json!({"level": "info", "logger": "l", "data": data});
        for at in Revision::ALL {
            assert_eq!(seen::<LoggingMessageParams>(&params, at), params, "{at}");
        }
    }
}

#[test]
fn r3_6_5_list_changed() {
    for what in ["tools", "prompts", "resources"] {
        let name = format!("notifications/{what}/list_changed");
        sent(&name, None, Some((OCT24, JUL26)));
        let filter: SubscriptionFilter = read(&json!({format!("{what}ListChanged"): true}));
        assert!(filter.wants(&name, None) && !filter.is_empty(), "{what}");
        assert!(!SubscriptionFilter::default().wants(&name, None), "{what}");
    }
    let filter: SubscriptionFilter =
        read(&json!({"resourceSubscriptions": ["a:b"], "taskIds": ["t"]}));
    let updated = "notifications/resources/updated";
    assert!(filter.wants(updated, Some("a:b")) && !filter.wants(updated, Some("a:c")));
    assert!(filter.wants("notifications/tasks", Some("t")) && !filter.wants(updated, None));
    let nothing = json!({"toolsListChanged": false, "resourceSubscriptions": []});
    assert!(read::<SubscriptionFilter>(&nothing).is_empty());
}

#[test]
fn r3_6_6_notifications_roots_list_changed() {
    sent(
        "notifications/roots/list_changed",
        Some((OCT24, NOV25)),
        None,
    );
}

#[test]
fn r3_6_7_notifications_elicitation_complete() {
    sent(
        "notifications/elicitation/complete",
        None,
        Some((NOV25, NOV25)),
    );
}

#[test]
fn r3_6_8_notifications_subscriptions_acknowledged() {
    sent(
        "notifications/subscriptions/acknowledged",
        None,
        Some((JUL26, JUL26)),
    );
}

#[test]
fn r3_6_9_notifications_tasks_status_and_notifications_tasks() {
    let core = Some((NOV25, NOV25));
    sent("notifications/tasks/status", core, core);
    sent("notifications/tasks", None, Some((JUL26, JUL26)));
}
