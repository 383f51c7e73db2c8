//! What each profile shows of each state, to the byte.

use mcp_types::{
    Revision,
    task::GetTaskResult,
    wire::{Stamp, encode_outcome},
};
use serde_json::{Value, json};

use super::*;
use crate::proto::task::view::{self, GetPayload, Shown};

const METADATA: Shown = Shown {
    payload: GetPayload::MetadataOnly,
    mirror: mcp_types::wire::TextMirror::Auto,
};

fn shown(task: mcp_types::task::Task, revision: Revision) -> Value {
    let outcome = GetTaskResult::new(task).into();
    encode_outcome(outcome, &Stamp::new(revision))
        .unwrap()
        .decode()
        .unwrap()
}

/// `legacy`, `extension` and `inline` are what each shows beside the members that all tasks have.
fn check(record: &TaskRecord, legacy: Value, extension: Value, inline: &Value) {
    let times = json!({"taskId": "t", "createdAt": "1970-01-01T00:00:00.000Z", "lastUpdatedAt": "1970-01-01T00:00:00.000Z"});
    let with = |members: Value, more: Value| {
        let mut all = times.as_object().unwrap().clone();
        all.extend(members.as_object().unwrap().clone());
        all.extend(more.as_object().unwrap().clone());
        Value::Object(all)
    };
    let old = shown(view::legacy(record), Revision::V2025_11_25);
    assert_eq!(old, with(json!({"ttl": null}), legacy), "{record:?}");
    let modern = json!({"resultType": "complete", "ttlMs": null});
    let new = shown(view::extension(record, Shown::default()), Revision::LATEST);
    assert_eq!(new, with(modern.clone(), extension), "{record:?}");
    for metadata in [
        shown(view::inline(record), Revision::LATEST),
        without(
            &new,
            "inputRequests",
            shown(view::extension(record, METADATA), Revision::LATEST),
        ),
    ] {
        assert_eq!(metadata, with(modern.clone(), inline.clone()), "{record:?}");
    }
}

/// A policy that keeps results back still says what is asked.
fn without(full: &Value, member: &str, mut shown: Value) -> Value {
    assert_eq!(full.get(member), shown.get(member));
    shown.as_object_mut().unwrap().remove(member);
    shown
}

fn just(status: &str) -> Value {
    json!({"status": status})
}

#[test]
fn working() {
    let plain = just("working");
    check(&record(), plain.clone(), plain.clone(), &plain);
}

#[test]
fn input_required() {
    let asks =
        json!({"status": "input_required", "inputRequests": {"a": {"method": "roots/list"}}});
    let plain = just("input_required");
    check(&after([ask("a")]), plain.clone(), asks, &plain);
}

#[test]
fn done_with_a_result() {
    let result = json!({"resultType": "complete", "content": [{"type": "text", "text": "done"}]});
    let extension = json!({"status": "completed", "result": result});
    check(
        &after([finish(text())]),
        just("completed"),
        extension,
        &just("completed"),
    );
}

#[test]
fn r4_1_a_tool_that_failed_is_failed_then_and_completed_since() {
    let result = json!({"resultType": "complete", "content": [{"type": "text", "text": "broken"}], "isError": true});
    let extension = json!({"status": "completed", "result": result});
    check(
        &after([finish(failure())]),
        just("failed"),
        extension,
        &just("completed"),
    );
}

#[test]
fn done_with_an_error() {
    let said = json!({"status": "failed", "statusMessage": "Internal error"});
    let mut extension = said.clone();
    extension["error"] = json!({"code": -32603, "message": "Internal error"});
    check(&after([fail()]), said.clone(), extension, &said);
}

#[test]
fn cancelled() {
    let plain = just("cancelled");
    check(
        &after([Transition::Cancel]),
        plain.clone(),
        plain.clone(),
        &plain,
    );
}

#[test]
fn what_it_does_and_how_long_it_is_kept() {
    let record = after([Transition::Say(Some("half".into()))])
        .with_ttl_ms(Some(60_000))
        .with_poll_ms(Some(500));
    let old = shown(view::legacy(&record), Revision::V2025_11_25);
    assert_eq!(
        (&old["ttl"], &old["pollInterval"], &old["statusMessage"]),
        (&json!(60_000), &json!(500), &json!("half"))
    );
    let new = shown(view::extension(&record, Shown::default()), Revision::LATEST);
    assert_eq!(
        (&new["ttlMs"], &new["pollIntervalMs"], &new["statusMessage"]),
        (&json!(60_000), &json!(500), &json!("half"))
    );
    assert!(new.get("ttl").is_none() && new.get("pollInterval").is_none());
}

#[test]
fn output_that_is_no_object_is_whole_in_an_inlined_result() {
    let result = CallToolResult::structured(RawJson::parse("[1,2]").unwrap());
    let record = after([finish(result)]).with_wrapped_output(true);
    let task = view::extension(&record, Shown::default());
    let result: Value = task.result.unwrap().decode().unwrap();
    assert_eq!(result["structuredContent"], json!([1, 2]));
}
