//! What a modern result carries and a legacy one never does.

use serde_json::{Value, json};

use super::golden::{outcome, read};
use crate::{
    capability::Implementation,
    lifecycle::{EmptyResult, InitializeResult},
    outcome::{Outcome, Payload},
    raw::RawObject,
    revision::{Era, Revision},
    tool::{CallToolResult, ListToolsResult},
    wire::{Stamp, encode_outcome},
};

const MODERN: Revision = Revision::V2026_07_28;

fn raw(value: &Value) -> Payload {
    Payload::Raw(read::<RawObject>(value))
}

fn legacy() -> impl Iterator<Item = Revision> {
    let all = Revision::ALL.into_iter();
    all.filter(|revision| revision.era() == Era::Legacy)
}

#[test]
fn a_modern_result_says_that_it_is_complete_and_whose() {
    let server = Implementation::new("ops", "1.0");
    let stamp = Stamp::new(MODERN).by(&server);
    let meta = json!({"io.modelcontextprotocol/serverInfo": {"name": "ops", "version": "1.0"}});
    assert_eq!(
        outcome(EmptyResult::default(), &stamp),
        json!({"resultType": "complete", "_meta": meta})
    );
    assert_eq!(
        outcome(CallToolResult::text("a"), &stamp),
        json!({"resultType": "complete", "content": [{"type": "text", "text": "a"}], "_meta": meta})
    );
    let stamp = stamp.cacheable(true);
    assert_eq!(
        outcome(ListToolsResult::default(), &stamp),
        json!({"resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private", "_meta": meta})
    );
}

#[test]
fn what_a_handler_says_stands() {
    let server = Implementation::new("ops", "1.0");
    let stamp = Stamp::new(MODERN).cacheable(true).by(&server);
    let result = json!({
        "resultType": "complete", "tools": [], "ttlMs": 9, "cacheScope": "public",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "other", "version": "2"}, "k": 1},
    });
    assert_eq!(outcome(read::<ListToolsResult>(&result), &stamp), result);
    assert_eq!(outcome(raw(&result), &stamp), result);
}

#[test]
fn a_legacy_result_has_no_trace_of_it() {
    let server = Implementation::new("ops", "1.0");
    let stamped = json!({
        "resultType": "complete", "tools": [], "ttlMs": 9, "cacheScope": "public",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "other", "version": "2"}, "k": 1},
    });
    let bare = json!({"tools": [], "_meta": {"k": 1}});
    for revision in legacy() {
        let stamp = Stamp::new(revision).cacheable(true).by(&server);
        assert_eq!(
            outcome(EmptyResult::default(), &stamp),
            json!({}),
            "{revision}"
        );
        assert_eq!(
            outcome(read::<ListToolsResult>(&stamped), &stamp),
            bare,
            "{revision}"
        );
        assert_eq!(outcome(raw(&stamped), &stamp), bare, "{revision}");
        let result = InitializeResult::new(revision, <_>::default(), server.clone());
        assert_eq!(
            outcome(result, &stamp),
            json!({
                "protocolVersion": revision.as_str(), "capabilities": {},
                "serverInfo": {"name": "ops", "version": "1.0"},
            })
        );
    }
}

#[test]
fn a_raw_result_is_stamped_and_otherwise_left_alone() {
    let stamp = Stamp::new(MODERN);
    let check = |stamp: &Stamp<'_>, result: Value, expected: Value| {
        assert_eq!(outcome(raw(&result), stamp), expected, "{result}");
    };
    check(
        &stamp,
        json!({"prompts": [1.5, {"a": null}]}),
        json!({"prompts": [1.5, {"a": null}], "resultType": "complete"}),
    );
    check(
        &stamp,
        json!({"resultType": null}),
        json!({"resultType": "complete"}),
    );
    let cached = stamp.cacheable(true);
    for bad in [json!(-1), json!("0"), json!(1.5), json!(null)] {
        check(
            &cached,
            json!({"ttlMs": bad, "cacheScope": ""}),
            json!({"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}),
        );
    }
    check(
        &cached,
        json!({"ttlMs": 7, "cacheScope": "public"}),
        json!({"ttlMs": 7, "cacheScope": "public", "resultType": "complete"}),
    );
    for revision in legacy() {
        check(
            &Stamp::new(revision).cacheable(true),
            json!({"ttlMs": 7, "cacheScope": "public", "resultType": "complete", "prompts": []}),
            json!({"prompts": []}),
        );
    }
}

#[test]
fn a_raw_result_keeps_its_text() {
    let text = r#"{"n":1.50,"big":12345678901234567890,"s":"\u00e9"}"#;
    let object: RawObject = serde_json::from_str(text).unwrap();
    let raw = encode_outcome(object.into(), &Stamp::new(Revision::V2025_11_25)).unwrap();
    assert_eq!(raw.as_str(), text);
}

#[test]
fn what_is_not_complete_never_reaches_a_legacy_peer() {
    let body = json!({"resultType": "input_required", "inputRequests": {}});
    let outcomes = [
        Outcome::Other {
            result_type: "input_required".into(),
            body: read(&body),
        },
        // Whatever it is wrapped in.
        Outcome::Complete(raw(&body)),
    ];
    for outcome in outcomes {
        for revision in legacy() {
            let error = encode_outcome(outcome.clone(), &Stamp::new(revision)).unwrap_err();
            assert_eq!(&*error.result_type, "input_required");
            assert_eq!(error.revision, revision);
        }
        let got = encode_outcome(outcome, &Stamp::new(MODERN).cacheable(false)).unwrap();
        assert_eq!(got.decode::<Value>().unwrap(), body);
    }
}

#[test]
fn an_incomplete_result_is_not_cached() {
    let body = json!({"resultType": "task", "taskId": "t"});
    let outcome = Outcome::Other {
        result_type: "task".into(),
        body: read(&body),
    };
    let got = encode_outcome(outcome, &Stamp::new(MODERN).cacheable(true)).unwrap();
    assert_eq!(got.decode::<Value>().unwrap(), body);
}
