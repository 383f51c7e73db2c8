//! Tools and their results: read leniently, kept whole.

use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::*;
use crate::{
    content::ContentBlock,
    method::Method,
    outcome::{COMPLETE, Outcome, TASK, call_type, result_type},
    raw::RawJson,
};

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_str(&value.to_string()).unwrap_or_else(|error| panic!("{value}: {error}"))
}

fn written<T: Serialize>(value: &T) -> Value {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn a_bad_hint_costs_nothing_but_itself() {
    let whole = json!({
        "resultType": "complete", "tools": [], "ttlMs": 5, "cacheScope": "public", "nextCursor": "c",
        "_meta": {},
    });
    for (name, bad) in [
        ("cacheScope", json!("")),
        ("cacheScope", json!("shared")),
        ("cacheScope", json!(1)),
        ("ttlMs", json!(-1)),
        ("ttlMs", json!(1.5)),
        ("ttlMs", json!("5")),
        ("ttlMs", json!(null)),
        ("nextCursor", json!(7)),
        ("_meta", json!([])),
    ] {
        let mut page = whole.clone();
        page[name] = bad;
        let mut expected = whole.clone();
        expected.as_object_mut().unwrap().remove(name);
        assert_eq!(written(&read::<ListToolsResult>(&page)), expected, "{page}");
    }
    let tool = json!({
        "name": "t", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": "yes", "x": 1},
        "title": 5, "outputSchema": null, "icons": [{"src": "data:,"}], "execution": "now",
    });
    assert_eq!(
        written(&read::<Tool>(&tool)),
        json!({
            "name": "t", "inputSchema": {"type": "object"}, "annotations": {"x": 1},
            "icons": [{"src": "data:,"}],
        })
    );
}

#[test]
fn what_a_result_must_have_is_named_where_it_is_missing() {
    let refused = |value: Value| {
        let error = serde_json::from_str::<ListToolsResult>(&value.to_string()).unwrap_err();
        error.to_string()
    };
    let error = refused(json!({"tools": [{"name": "a"}]}));
    assert!(error.contains("`inputSchema` is missing"), "{error}");
    let error = refused(json!({"tools": [{"inputSchema": {}}]}));
    assert!(error.contains("`name` is missing"), "{error}");
    let error = refused(json!({"tools": [{"name": 7, "inputSchema": {}}]}));
    assert!(error.contains("Tool.name"), "{error}");
    let error = refused(json!({"tools": 5}));
    assert!(error.contains("ListToolsResult.tools"), "{error}");
    let twice = r#"{"tools":[],"tools":[]}"#;
    assert!(serde_json::from_str::<ListToolsResult>(twice).is_err());
}

/// BL-247, BL-318.
#[test]
fn a_result_is_told_by_its_type_and_then_by_its_method() {
    let check = |result: Value, expected: &str| {
        let raw = RawJson::from_serialize(&result).unwrap();
        assert_eq!(&*result_type(&raw).unwrap(), expected, "{result}");
    };
    check(json!({"content": []}), COMPLETE);
    check(json!({"tools": []}), COMPLETE);
    check(json!({"resultType": null, "tools": []}), COMPLETE);
    check(json!({"resultType": "weird", "content": []}), "weird");
    check(
        json!({"resultType": "input_required", "inputRequests": {}}),
        "input_required",
    );
    check(
        json!({"resultType": "task", "taskId": "t", "status": "working", "ttlMs": null}),
        "task",
    );
    for bad in ["[]", "1", "null", r#"{"resultType":1}"#] {
        assert!(result_type(&RawJson::parse(bad).unwrap()).is_err(), "{bad}");
    }
    let result: CallToolResult = read(&json!({"content": [], "messages": [1], "tools": []}));
    assert!(result.content.is_empty() && result.extra.contains("messages"));
}

/// Report 36 of servers' users.
#[test]
fn report_36_a_task_in_the_place_of_a_result_is_told_in_both_dialects() {
    let task = json!({"taskId": "t", "status": "working", "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": null});
    let mut flat = task.clone();
    flat["resultType"] = json!(TASK);
    let with = |name: &str, value: Value| {
        let mut nested = json!({"task": task});
        nested[name] = value;
        nested
    };
    for (result, expected) in [
        (flat, TASK),
        (with("_meta", json!({})), TASK),
        (with("content", json!([])), COMPLETE),
        (with("structuredContent", json!({})), COMPLETE),
        (with("toolResult", json!("x")), COMPLETE),
        (with("resultType", json!(COMPLETE)), COMPLETE),
        (json!({"task": "t"}), COMPLETE),
        (
            json!({"content": [{"type": "text", "text": "\"task\""}]}),
            COMPLETE,
        ),
    ] {
        let raw = RawJson::from_serialize(&result).unwrap();
        assert_eq!(&*call_type(&raw).unwrap(), expected, "{result}");
        let outcome = Outcome::decode(&Method::from("tools/call"), &raw).unwrap();
        let is_task = matches!(outcome, Outcome::Task(_));
        assert_eq!(is_task, expected == TASK, "{result}");
    }
}

#[test]
fn structured_content_may_be_any_json() {
    for value in [
        json!(null),
        json!([1, 2]),
        json!("x"),
        json!(0.1),
        json!({"a": null}),
        json!(false),
    ] {
        let result = json!({"resultType": "complete", "content": [], "structuredContent": value});
        assert_eq!(written(&read::<CallToolResult>(&result)), result);
    }
    let absent: CallToolResult = read(&json!({"content": []}));
    assert_eq!(absent.structured_content, None);
}

#[test]
fn a_block_of_an_unknown_type_survives_among_the_others() {
    let result = json!({"resultType": "complete", "content": [
        {"type": "text", "text": "a", "annotations": {"audience": ["user"], "priority": 0.5, "x": 1}},
        {"type": "hologram", "beams": [1, {"deep": 1.5}]},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "b"}, "x": 1},
    ]});
    let read: CallToolResult = read(&result);
    assert!(matches!(read.content[1], ContentBlock::Other(_)));
    assert_eq!(read.content[0].as_text(), Some("a"));
    assert_eq!(written(&read), result);
    // A known type without what makes it one is no such block.
    for bad in [r#"[{"type":"text"}]"#, r#"[{"text":"a"}]"#, r#"["a"]"#] {
        assert!(
            serde_json::from_str::<Vec<ContentBlock>>(bad).is_err(),
            "{bad}"
        );
    }
}

#[test]
fn an_absent_list_is_empty() {
    let result: CallToolResult = read(&json!({"structuredContent": 1}));
    assert!(result.content.is_empty() && !result.failed());
    let result: CallToolResult = read(&json!({"content": null, "isError": true}));
    assert!(result.content.is_empty() && result.failed());
    let page: ListToolsResult = read(&json!({}));
    assert!(page.tools.is_empty() && page.next_cursor.is_none());
    // An empty cursor is one.
    let page: ListToolsResult = read(&json!({"nextCursor": ""}));
    assert_eq!(page.next_cursor.as_deref(), Some(""));
}

#[test]
fn numbers_and_escapes_of_unknown_members_stay_as_they_were_written() {
    let text = r#"{"name":"t","inputSchema":{"minimum":1.50,"x": 1e2},"a":12345678901234567890,"b":"\u00e9\/","c":{"d": [ ]}}"#;
    let tool: Tool = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&tool).unwrap(), text);
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(".{0,4}", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Members that no revision knows.
fn unknown() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("[a-zA-Z.é/ ]{0,6}x", json_value(), 0..5)
        .prop_map(|members| members.into_iter().collect())
}

proptest! {
    #[test]
    fn a_tool_keeps_what_it_does_not_know(
        name in ".*", title in ".*", extra in unknown(), hints in unknown(), meta in unknown(),
        schema in json_value(), idempotent: bool,
    ) {
        let mut annotations = Value::Object(hints);
        annotations["idempotentHint"] = idempotent.into();
        let mut tool = Value::Object(extra);
        for (member, value) in [
            ("name", name.into()), ("title", title.into()), ("inputSchema", schema),
            ("annotations", annotations), ("_meta", Value::Object(meta)),
        ] {
            tool[member] = value;
        }
        let typed: Tool = read(&tool);
        prop_assert_eq!(written(&typed), tool.clone());
        let page = json!({"resultType": "complete", "tools": [tool]});
        prop_assert_eq!(written(&read::<ListToolsResult>(&page)), page);
    }

    #[test]
    fn a_result_keeps_what_it_does_not_know(
        text in ".*", extra in unknown(), block in unknown(), value in json_value(), failed: bool,
    ) {
        let mut content = Value::Object(block);
        content["type"] = "text".into();
        content["text"] = text.into();
        let mut result = Value::Object(extra);
        result["resultType"] = COMPLETE.into();
        result["content"] = json!([content]);
        result["structuredContent"] = value;
        result["isError"] = failed.into();
        let typed: CallToolResult = read(&result);
        prop_assert_eq!(written(&typed), result);
    }

    #[test]
    fn any_json_is_a_tool_or_an_error(value in json_value()) {
        let text = value.to_string();
        let _ = serde_json::from_str::<Tool>(&text);
        let _ = serde_json::from_str::<CallToolResult>(&text);
        let _ = serde_json::from_str::<ContentBlock>(&text);
    }
}
