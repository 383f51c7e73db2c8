//! Paths of decoding errors.

use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Inner {
    #[expect(dead_code, reason = "only decoding matters")]
    b: Vec<i64>,
}

#[derive(Debug, Deserialize)]
struct Outer {
    #[expect(dead_code, reason = "only decoding matters")]
    a: u32,
    #[serde(rename = "odd name")]
    #[expect(dead_code, reason = "only decoding matters")]
    odd: Option<bool>,
    #[expect(dead_code, reason = "only decoding matters")]
    i: Inner,
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let error = serde_json::from_str::<Outer>(text).unwrap_err();
    assert_eq!(describe(text, &error), expected, "{text}");
}

#[test]
fn the_place_and_the_expectation_are_named() {
    check(
        r#"{"a":"x"}"#,
        r#"arguments.a: invalid type: string "x", expected u32"#,
    );
    check(
        "{\n \"i\": {\"b\": []},\n \"a\": \"é\"\n}",
        r#"arguments.a: invalid type: string "é", expected u32"#,
    );
    check(
        r#"{"a":{"q":1}}"#,
        "arguments.a: invalid type: map, expected u32",
    );
    check(
        r#"{"a":1,"i":{"b":[1,[], "]}"]}}"#,
        "arguments.i.b[1]: invalid type: sequence, expected i64",
    );
    check(
        r#"{"a":1,"odd name":5}"#,
        r#"arguments["odd name"]: invalid type: integer `5`, expected a boolean"#,
    );
}

#[test]
fn a_missing_member_is_sought_in_its_object() {
    check(r#"{"a":1}"#, "arguments: missing field `i`");
    check(r#"{"a":1,"i":{}}"#, "arguments.i: missing field `b`");
    check("{}", "arguments: missing field `a`");
}

#[test]
fn an_unknown_member_is_its_own_place() {
    check(
        r#"{"a":1,"i":{"b\"]":1}}"#,
        "arguments.i[\"b\\\"]\"]: unknown field `b\"]`, expected `b`",
    );
}

#[test]
fn long_values_are_cut() {
    let text = format!(r#"{{"a":"{}"}}"#, "é".repeat(100_000));
    let error = serde_json::from_str::<Outer>(&text).unwrap_err();
    assert!(describe(&text, &error).len() < 1_500);
}
