//! Marks, and requests against them.

use http::HeaderValue;
use serde_json::json;

use super::*;

fn of(schema: &Value) -> Mirrors {
    Mirrors::of(schema).unwrap()
}

#[test]
fn marks_are_found_where_properties_lead() {
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "deep": {"type": "object", "properties": {"flag": {"type": "boolean", "x-mcp-header": "Flag"}}},
        "x-mcp-header": {"type": "string"},
        "free": {"default": {"x-mcp-header": "no mark"}, "enum": [{"x-mcp-header": 1}]},
    }});
    let found = of(&schema);
    let paths: Vec<_> = found
        .0
        .iter()
        .map(|mirror| (mirror.path.join("."), mirror.shown.as_str()))
        .collect();
    let expected = [
        ("count", "Mcp-Param-Count"),
        ("deep.flag", "Mcp-Param-Flag"),
        ("region", "Mcp-Param-Region"),
    ];
    let mut sorted = paths.clone();
    sorted.sort();
    assert_eq!(
        sorted,
        expected.map(|(path, shown)| (path.to_owned(), shown))
    );
    assert!(of(&json!({"type": "object"})).is_empty() && of(&json!(true)).is_empty());
}

#[test]
fn marks_that_clients_refuse_are_refused() {
    #[track_caller]
    fn check(schema: &Value, expected: &str) {
        let error = Mirrors::of(schema).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    let property = |property: Value| json!({"type": "object", "properties": {"p": property}});
    let marked = |mark: Value| property(json!({"type": "string", "x-mcp-header": mark}));
    let typed = |kind: Value| property(json!({"type": kind, "x-mcp-header": "P"}));
    check(
        &marked(json!("")),
        "is \"\", which is no part of a header's name",
    );
    for odd in ["a b", "a:b", "é", "a\n", "a\u{0}", "(a)"] {
        check(&marked(json!(odd)), "which is no part of a header's name");
    }
    for odd in [json!(1), json!(null), json!({"a": 1}), json!(["a"])] {
        check(&marked(odd), "must be a string");
    }
    for kind in [
        json!("number"),
        json!("object"),
        json!("array"),
        json!("null"),
        json!(["string", "null"]),
    ] {
        check(
            &typed(kind.clone()),
            &format!("has `x-mcp-header` and the type {kind}"),
        );
    }
    check(&property(json!({"x-mcp-header": "P"})), "and no type");
    let twice = |other: &str| {
        json!({"properties": {
            "a": {"type": "string", "x-mcp-header": "Region"},
            "b": {"type": "object", "properties": {"c": {"type": "string", "x-mcp-header": other}}},
        }})
    };
    check(&twice("Region"), "properties `a` and `b.c` have the same");
    check(&twice("rEGION"), "properties `a` and `b.c` have the same");
    let mark = json!({"type": "string", "x-mcp-header": "P"});
    for (schema, place) in [
        (json!({"x-mcp-header": "P"}), "at the root"),
        (
            property(json!({"type": "array", "items": mark})),
            "within `items`",
        ),
        (
            property(json!({"type": "array", "prefixItems": [mark]})),
            "within `prefixItems`",
        ),
        (property(json!({"anyOf": [mark]})), "within `anyOf`"),
        (
            property(json!({"allOf": [{"properties": {"q": mark}}]})),
            "within `q`",
        ),
        (json!({"if": {"properties": {"q": mark}}}), "within `q`"),
        (json!({"not": mark}), "within `not`"),
        (
            json!({"additionalProperties": mark}),
            "within `additionalProperties`",
        ),
        (json!({"$defs": {"d": mark}}), "within `$defs.d`"),
        (
            json!({"patternProperties": {"d": mark}}),
            "within `patternProperties.d`",
        ),
    ] {
        check(&schema, place);
    }
}

#[test]
fn an_option_that_is_marked_is_of_its_one_type() {
    let mut schema = json!({
        "properties": {
            "a": {"type": ["string", "null"], "x-mcp-header": "A"},
            "b": {"type": ["string", "null"]},
            "c": {"type": ["string", "integer", "null"], "x-mcp-header": "C"},
        },
        "$defs": {"d": {"properties": {"e": {"type": ["null", "boolean"], "x-mcp-header": "E"}}}},
    });
    settle(schema.as_object_mut().unwrap());
    let expected = json!({
        "properties": {
            "a": {"type": "string", "x-mcp-header": "A"},
            "b": {"type": ["string", "null"]},
            "c": {"type": ["string", "integer"], "x-mcp-header": "C"},
        },
        "$defs": {"d": {"properties": {"e": {"type": "boolean", "x-mcp-header": "E"}}}},
    });
    assert_eq!(schema, expected);
}

/// A tool that marks one of each type; what `headers` and `arguments` come to.
fn ask(headers: &[(&str, &str)], arguments: &str) -> String {
    let schema = json!({"properties": {
        "s": {"type": "string", "x-mcp-header": "S"},
        "i": {"type": "integer", "x-mcp-header": "I"},
        "b": {"type": "boolean", "x-mcp-header": "B"},
        "o": {"properties": {"s": {"type": "string", "x-mcp-header": "Deep"}}},
    }});
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        map.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    match of(&schema).check(&map, Some(arguments)) {
        Ok(()) => "ok".into(),
        Err(error) => error.message().replacen("Header mismatch: ", "", 1),
    }
}

#[test]
fn headers_that_say_what_the_body_says_pass() {
    let check = |headers: &[(&str, &str)], arguments: &str| {
        assert_eq!(ask(headers, arguments), "ok", "{headers:?} {arguments}");
    };
    check(&[], "{}");
    check(&[], "null");
    check(&[], r#"{"s":null,"i":null,"o":{}}"#);
    check(&[("mcp-param-s", "us-west1")], r#"{"s":"us-west1"}"#);
    check(&[("Mcp-Param-S", "  us west1 ")], r#"{"s":"us west1"}"#);
    check(
        &[("mcp-param-s", "=?base64?SGVsbG8=?=")],
        r#"{"s":"Hello"}"#,
    );
    check(
        &[("mcp-param-s", "=?base64?SGVsbG8=")],
        r#"{"s":"=?base64?SGVsbG8="}"#,
    );
    check(&[("mcp-param-s", "SGVsbG8=?=")], r#"{"s":"SGVsbG8=?="}"#);
    check(&[("mcp-param-s", "")], r#"{"s":""}"#);
    check(&[("mcp-param-i", "42")], r#"{"i":42}"#);
    check(&[("mcp-param-i", "42.0")], r#"{"i":42}"#);
    check(&[("mcp-param-i", "42")], r#"{"i":42.0}"#);
    check(
        &[("mcp-param-i", "9007199254740991")],
        r#"{"i":9007199254740991}"#,
    );
    check(&[("mcp-param-b", "true")], r#"{"b":true}"#);
    check(&[("mcp-param-deep", "x")], r#"{"o":{"s":"x"}}"#);
    check(&[("mcp-param-unknown", "\u{80}")], "{}");
}

#[test]
fn what_else_the_arguments_hold_hides_no_argument() {
    let missing = "missing Mcp-Param-S header, the body says 'x'";
    // None of these is a JSON value to serde_json, and a handler that knows `s` alone passes over it.
    for odd in ["1e999", r#""\ud800""#, r#"{"a":[1e999]}"#] {
        let arguments = format!(r#"{{"s":"x","odd":{odd}}}"#);
        assert_eq!(ask(&[], &arguments), missing, "{arguments}");
        assert_eq!(ask(&[("mcp-param-s", "x")], &arguments), "ok");
    }
    assert_eq!(
        ask(&[], r#"{"i":1e999}"#),
        "missing Mcp-Param-I header, the body says '1e999'"
    );
    for twice in [
        r#"{"s":"x","s":"y"}"#,
        r#"{"s":"x","a":1,"a":2}"#,
        r#"{"o":{"s":"x","a":1,"a":2}}"#,
    ] {
        let said = ask(&[], twice);
        assert!(said.contains("stands twice"), "{twice}: {said}");
    }
}

#[test]
fn headers_that_do_not_are_named() {
    let check = |headers: &[(&str, &str)], arguments: &str, expected: &str| {
        assert_eq!(ask(headers, arguments), expected, "{headers:?} {arguments}");
    };
    check(
        &[],
        r#"{"s":"x"}"#,
        "missing Mcp-Param-S header, the body says 'x'",
    );
    check(
        &[("mcp-param-s", "y")],
        r#"{"s":"x"}"#,
        "Mcp-Param-S header value 'y' does not match body value 'x'",
    );
    check(
        &[("mcp-param-s", "X")],
        r#"{"s":"x"}"#,
        "Mcp-Param-S header value 'X' does not match body value 'x'",
    );
    check(
        &[("mcp-param-s", "x")],
        r#"{"s":null}"#,
        "Mcp-Param-S header value 'x' does not match body value 'nothing'",
    );
    check(
        &[("mcp-param-s", "x"), ("mcp-param-s", "x")],
        r#"{"s":"x"}"#,
        "Mcp-Param-S header is repeated; send it once",
    );
    for undecodable in [
        "=?base64?SGVsbG8?=",
        "=?base64?!!?=",
        "=?base64?/w==?=",
        "é",
    ] {
        check(
            &[("mcp-param-s", undecodable)],
            r#"{"s":"Hello"}"#,
            "Mcp-Param-S header value cannot be decoded",
        );
    }
    check(
        &[("mcp-param-i", "42.5")],
        r#"{"i":42}"#,
        "Mcp-Param-I header value '42.5' does not match body value '42'",
    );
    check(
        &[("mcp-param-i", "9007199254740992")],
        r#"{"i":9007199254740993}"#,
        "Mcp-Param-I header value '9007199254740992' does not match body value '9007199254740993'",
    );
    check(
        &[("mcp-param-b", "True")],
        r#"{"b":true}"#,
        "Mcp-Param-B header value 'True' does not match body value 'true'",
    );
    check(
        &[],
        r#"{"o":{"s":"x"}}"#,
        "missing Mcp-Param-Deep header, the body says 'x'",
    );
}
