//! Results of old servers, in the words of the newest revision.

use serde_json::{Value, json};

use super::golden::{outcome, read};
use crate::{
    method::{CallTool, ListTools},
    raw::RawJson,
    revision::Revision,
    tool::CallToolResult,
    wire::{Stamp, decode_result},
};

fn called(result: &Value, at: Revision) -> CallToolResult {
    decode_result::<CallTool>(&RawJson::from_serialize(result).unwrap(), at).unwrap()
}

#[test]
fn a_tool_result_of_2024_10_07_is_unfolded_for_every_legacy_revision() {
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let check = |result: Value, expected: Value| {
        for at in Revision::ALL {
            let expected = match at {
                Revision::V2026_07_28 => &result,
                _ => &expected,
            };
            let got = called(&result, at);
            assert_eq!(got, read::<CallToolResult>(expected), "{result} at {at}");
        }
    };
    check(
        json!({"toolResult": text("hi")}),
        json!({"content": text("hi")}),
    );
    check(
        json!({"toolResult": {"sum": 5}, "isError": true, "_meta": {"a": 1}, "x": 2}),
        json!({"content": text(r#"{"sum":5}"#), "structuredContent": {"sum": 5}, "isError": true,
            "_meta": {"a": 1}, "x": 2}),
    );
    check(
        json!({"toolResult": "hi"}),
        json!({"content": text("hi"), "structuredContent": "hi"}),
    );
    for value in [json!(5), json!([]), json!([1, 2]), json!(null)] {
        check(
            json!({"toolResult": value}),
            json!({"content": text(&value.to_string()), "structuredContent": value}),
        );
    }
    // Where there are newer words too, those stand.
    for whole in [
        json!({"toolResult": 5, "content": []}),
        json!({"toolResult": 5, "structuredContent": {}}),
        json!({"content": text("toolResult")}),
        json!({"content": [], "x": {"toolResult": 1}}),
        json!({"x": {"toolResult": 1}}),
    ] {
        check(whole.clone(), whole);
    }
}

#[test]
fn what_we_write_for_2024_10_07_comes_back() {
    let at = Revision::V2024_10_07;
    for result in [
        CallToolResult::text("hi"),
        CallToolResult::structured(RawJson::parse(r#"{"sum":5}"#).unwrap()),
    ] {
        let written = outcome(result.clone(), &Stamp::new(at));
        assert_eq!(called(&written, at), result);
    }
}

/// Even where it was read as if it were new, nothing of it is lost.
#[test]
fn a_tool_result_of_2024_10_07_is_written_as_it_came() {
    let check = |result: Value, expected: Value| {
        let read = read::<CallToolResult>(&result);
        assert_eq!(outcome(read, &Stamp::new(Revision::V2024_10_07)), expected);
    };
    let old = json!({"toolResult": {"a": 1}, "isError": true, "_meta": {"k": 1}, "x": 2});
    check(old.clone(), old);
    check(
        json!({"toolResult": 1, "structuredContent": 2, "x": 3}),
        json!({"toolResult": 2, "x": 3}),
    );
}

#[test]
fn results_of_other_methods_are_read_as_they_are() {
    let page = RawJson::parse(r#"{"toolResult":1,"tools":[]}"#).unwrap();
    let page = decode_result::<ListTools>(&page, Revision::V2024_10_07).unwrap();
    assert!(page.extra.contains("toolResult"));
    let bad = RawJson::parse(r#"{"toolResult":1,"toolResult":2}"#).unwrap();
    // Which one is meant nobody knows, so neither is.
    assert!(decode_result::<CallTool>(&bad, Revision::V2024_10_07).is_err());
}
