//! client.md 4.4: which marks are valid, and which headers a call gets by them.

use serde_json::json;

use super::{BadMirror, Mirror};
use crate::proto::mirror::RawJson;

fn mirror(schema: &serde_json::Value) -> Result<Mirror, BadMirror> {
    Mirror::of(&RawJson::parse(schema.to_string()).unwrap())
}

/// A schema with one property.
fn property(schema: &serde_json::Value) -> Result<Mirror, BadMirror> {
    mirror(&json!({ "type": "object", "properties": { "a": schema } }))
}

#[test]
fn marks_on_primitive_types_are_taken() {
    for kind in [
        json!("string"),
        json!("integer"),
        json!("boolean"),
        json!(["string", "null"]),
        json!(["null", "integer"]),
    ] {
        let found = property(&json!({ "type": kind, "x-mcp-header": "A" })).unwrap();
        assert!(!found.is_empty(), "{kind}");
    }
}

#[test]
fn a_mark_of_another_type_name_or_shape_rejects_the_tool() {
    let check = |mark: serde_json::Value, kind: serde_json::Value, expected| {
        let found = property(&json!({ "type": kind, "x-mcp-header": mark }));
        assert_eq!(found, Err(expected), "{mark} at {kind}");
    };
    for kind in [
        json!("number"),
        json!("object"),
        json!("array"),
        json!("null"),
        json!(null),
        json!(["string", "integer"]),
        json!([]),
    ] {
        check(json!("A"), kind, BadMirror::Type("A".into()));
    }
    for name in [
        "",
        "My Region",
        "Region:Primary",
        "Größe",
        "a\r\nb",
        "a\u{1}",
        "a/b",
    ] {
        let bad = BadMirror::Name(name.into());
        check(json!(name), json!("string"), bad);
    }
    check(json!(1), json!("string"), BadMirror::NotText);
    let untyped = property(&json!({ "x-mcp-header": "A" }));
    assert_eq!(untyped, Err(BadMirror::Type("A".into())));
}

#[test]
fn marks_are_unique_whatever_their_case() {
    for other in ["Region", "rEGION"] {
        let found = mirror(&json!({ "properties": {
            "a": { "type": "string", "x-mcp-header": "Region" },
            "b": { "properties": { "c": { "type": "string", "x-mcp-header": other } } },
        } }));
        assert!(matches!(found, Err(BadMirror::Twice(_))), "{found:?}");
    }
}

#[test]
fn a_mark_is_reached_by_properties_alone() {
    let marked = json!({ "type": "string", "x-mcp-header": "A" });
    let inner = json!({ "properties": { "b": marked } });
    for schema in [
        json!({ "type": "string", "x-mcp-header": "A" }),
        json!({ "properties": { "l": { "type": "array", "items": marked } } }),
        json!({ "properties": { "l": { "prefixItems": [marked] } } }),
        json!({ "oneOf": [inner] }),
        json!({ "anyOf": [inner] }),
        json!({ "allOf": [inner] }),
        json!({ "not": inner }),
        json!({ "if": inner }),
        json!({ "then": inner }),
        json!({ "else": inner }),
        json!({ "properties": { "a": { "$ref": "#/$defs/A" } }, "$defs": { "A": marked } }),
        json!({ "patternProperties": { "^a": marked } }),
        json!({ "additionalProperties": marked }),
        json!({ "dependentSchemas": { "a": inner } }),
    ] {
        let found = mirror(&schema);
        assert_eq!(found, Err(BadMirror::Unreachable("A".into())), "{schema}");
    }
}

#[test]
fn what_only_looks_like_a_mark_is_none() {
    for schema in [
        json!(true),
        json!({ "properties": { "x-mcp-header": { "type": "string" } } }),
        json!({ "properties": { "a": { "default": { "x-mcp-header": 1 } } } }),
        json!({ "properties": { "a": { "enum": [{ "x-mcp-header": 1 }] } } }),
        json!({ "properties": { "a": { "description": "no x-mcp-header" } } }),
    ] {
        assert_eq!(mirror(&schema), Ok(Mirror::default()), "{schema}");
    }
    let escaped = r#"{"properties":{"a":{"type":"string","x-mcp-heade\u0072":"A"}}}"#;
    assert!(
        !Mirror::of(&RawJson::parse(escaped).unwrap())
            .unwrap()
            .is_empty()
    );
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let plain = RawJson::parse(format!(r#"{{"a":"\u0041","b":{deep}}}"#)).unwrap();
    assert_eq!(Mirror::of(&plain), Ok(Mirror::default()));
    let marked = RawJson::parse(format!(r#"{{"x-mcp-header":"A","b":{deep}}}"#)).unwrap();
    assert_eq!(Mirror::of(&marked), Err(BadMirror::Unreadable));
}

#[track_caller]
fn check(arguments: Option<&str>, expected: &[(&str, &str)]) {
    let mirror = mirror(&json!({ "properties": {
        "text": { "type": "string", "x-mcp-header": "Text" },
        "o": { "properties": { "q": { "type": "integer", "x-mcp-header": "Q" } } },
        "flag": { "type": ["boolean", "null"], "x-mcp-header": "Method" },
        "plain": { "type": "string" },
    } }));
    let headers = mirror.unwrap().headers(arguments).unwrap();
    let mut found: Vec<_> = headers
        .as_map()
        .iter()
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
        .collect();
    found.sort_unstable();
    assert_eq!(found, expected, "{arguments:?}");
}

#[test]
fn present_arguments_have_headers_and_null_or_absent_ones_none() {
    check(None, &[]);
    check(Some("{}"), &[]);
    check(
        Some(r#"{"text":null,"o":null,"flag":null,"plain":"x"}"#),
        &[],
    );
    check(Some(r#"{"o":{}}"#), &[]);
    check(Some(r#"{"o":5}"#), &[]);
    check(
        Some(r#"{"text":"a\u00e9","o":{"q":-5,"r":[1e999]},"flag":true}"#),
        &[
            ("mcp-param-method", "true"),
            ("mcp-param-q", "-5"),
            ("mcp-param-text", "=?base64?YcOp?="),
        ],
    );
    check(Some(r#"{"o":{"q":42.0}}"#), &[("mcp-param-q", "42")]);
}

#[test]
fn a12_a_call_that_no_header_can_repeat_is_not_sent() {
    let mirror = property(&json!({ "type": "integer", "x-mcp-header": "A" })).unwrap();
    for arguments in [
        r#"{"a":1.5}"#,
        r#"{"a":9007199254740992}"#,
        r#"{"a":-9007199254740992}"#,
        r#"{"a":1e300}"#,
        r#"{"a":[1]}"#,
        r#"{"a":{}}"#,
        r#"{"a":1,"a":2}"#,
        "[]",
    ] {
        let found = mirror.headers(Some(arguments));
        assert!(found.is_err(), "{arguments}: {found:?}");
    }
}

#[test]
fn arguments_are_not_shown() {
    let mirror = property(&json!({ "type": "string", "x-mcp-header": "A" })).unwrap();
    let headers = mirror.headers(Some(r#"{"a":"secret"}"#)).unwrap();
    assert_eq!(format!("{headers:?}"), r#"["mcp-param-a"]"#);
}
