//! Tasks: two dialects of one model.

use serde_json::{Value, json};

use super::*;
use crate::{
    encode::{At, Encode},
    revision::Revision,
};

const LEGACY: Revision = Revision::V2025_11_25;
const MODERN: Revision = Revision::V2026_07_28;

fn at<T: Encode>(value: &T, revision: Revision) -> Value {
    serde_json::to_value(At(value, revision)).unwrap()
}

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_str(&value.to_string()).unwrap()
}

#[test]
fn what_a_task_may_become() {
    use TaskStatus::{Cancelled, Completed, Failed, InputRequired, Working};
    for from in TaskStatus::ALL {
        for to in TaskStatus::ALL {
            let expected = matches!(
                (&from, &to),
                (Working, InputRequired | Completed | Failed | Cancelled)
                    | (InputRequired, Working | Completed | Failed | Cancelled)
            );
            assert_eq!(from.can_become(&to), expected, "{from} → {to}");
        }
        assert!(!from.can_become(&TaskStatus::Other("paused".into())));
        assert!(!TaskStatus::Other("paused".into()).can_become(&from));
        assert_eq!(TaskStatus::from(from.as_str()), from);
    }
}

fn legacy_task() -> Value {
    json!({
        "taskId": "t", "status": "working", "statusMessage": "Half.", "createdAt": "2026-01-01T00:00:00Z",
        "lastUpdatedAt": "2026-01-01T00:00:01Z", "ttl": 60000, "pollInterval": 500, "x": 1.50,
    })
}

fn modern_task() -> Value {
    json!({
        "taskId": "t", "status": "working", "statusMessage": "Half.", "createdAt": "2026-01-01T00:00:00Z",
        "lastUpdatedAt": "2026-01-01T00:00:01Z", "ttlMs": 60000, "pollIntervalMs": 500, "x": 1.50,
    })
}

#[test]
fn durations_have_two_names() {
    for task in [legacy_task(), modern_task()] {
        let task: Task = read(&task);
        assert_eq!(
            (task.ttl_ms, task.poll_interval_ms),
            (Some(60000), Some(500))
        );
        assert_eq!(at(&task, LEGACY), legacy_task());
        assert_eq!(at(&task, MODERN), modern_task());
    }
}

#[test]
fn a_task_without_end_says_so() {
    let task = Task::new("t", "2026-01-01T00:00:00Z");
    assert_eq!(at(&task, LEGACY)["ttl"], Value::Null);
    assert!(at(&task, LEGACY).as_object().unwrap().contains_key("ttl"));
    assert!(at(&task, MODERN).as_object().unwrap().contains_key("ttlMs"));
    for bad in [json!(null), json!(-1), json!("x")] {
        let mut task = modern_task();
        task["ttlMs"] = bad;
        assert_eq!(read::<Task>(&task).ttl_ms, None, "{task}");
    }
}

#[test]
fn a_created_task_is_nested_or_flat() {
    let nested = json!({"task": legacy_task(), "_meta": {"k": 1}, "y": [1]});
    let created: CreateTaskResult = read(&nested);
    assert_eq!(at(&created, LEGACY), nested);
    let mut flat = modern_task();
    flat["resultType"] = "task".into();
    flat["_meta"] = json!({"k": 1});
    let created: CreateTaskResult = read(&flat);
    assert_eq!(at(&created, MODERN), flat);
    let nested = json!({"task": legacy_task(), "_meta": {"k": 1}});
    assert_eq!(at(&created, LEGACY), nested);
}

#[test]
fn a_created_task_has_no_payload() {
    let mut task: Task = read(&modern_task());
    task.result = Some(RawJson::parse("{}").unwrap());
    let created = CreateTaskResult {
        task: task.clone(),
        ..CreateTaskResult::new(task)
    };
    assert_eq!(at(&created, MODERN).get("result"), None);
}

#[test]
fn only_the_extension_says_what_came_of_a_task() {
    let mut got = modern_task();
    got["resultType"] = "complete".into();
    got["status"] = "completed".into();
    got["result"] = json!({"resultType": "complete", "content": [], "z": 1.50});
    got["error"] = json!({"code": -1, "message": "no", "data": null});
    got["inputRequests"] = json!({"k": {"method": "roots/list", "w": 1}});
    let typed: GetTaskResult = read(&got);
    assert_eq!(at(&typed, MODERN), got);
    let mut legacy = legacy_task();
    legacy["status"] = "completed".into();
    assert_eq!(at(&typed, LEGACY), legacy);
}

#[test]
fn a_cancelled_task_is_told_of_or_only_heard() {
    let typed: CancelTaskResult = read(&legacy_task());
    assert_eq!(at(&typed, LEGACY), legacy_task());
    assert_eq!(at(&typed, MODERN), json!({"resultType": "complete"}));
    let heard = json!({"resultType": "complete", "_meta": {"k": 1}, "x": 1});
    let typed: CancelTaskResult = read(&heard);
    assert_eq!((&typed.task, at(&typed, MODERN)), (&None, heard));
}
