//! Values against schemas: where they do not fit, and which schemas are refused.

use serde_json::{Value, json};

use super::*;

fn compile(schema: &Value) -> Result<Arc<dyn ValueCheck>, InvalidSchema> {
    JsonSchema::new().compile(&RawJson::from_serialize(schema).unwrap())
}

#[track_caller]
fn fits(schema: &Value, value: &Value) {
    let checked = compile(schema).unwrap().check(&value.to_string());
    assert_eq!(checked, Ok(()), "{schema} {value}");
}

#[track_caller]
fn misses(schema: &Value, value: &Value, expected: &str) {
    let checked = compile(schema).unwrap().check(&value.to_string());
    assert_eq!(checked.unwrap_err().described("arguments"), expected);
}

#[track_caller]
fn refused(schema: &Value, expected: &str) {
    let error = compile(schema).err().expect("it is refused");
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn a_mismatch_names_the_place_and_what_is_expected_there() {
    let schema = json!({"type": "object", "required": ["a"], "additionalProperties": false, "properties": {
        "a": {"type": "integer", "minimum": 1, "maximum": 9},
        "list": {"type": "array", "items": {"properties": {"odd name": {"enum": ["x", "y"]}}}},
        "either": {"type": ["string", "null"]}}});
    fits(
        &schema,
        &json!({"a": 1, "list": [{"odd name": "x"}], "either": null}),
    );
    misses(&schema, &json!({}), "arguments: member \"a\" is missing");
    misses(
        &schema,
        &json!({"a": "1"}),
        "arguments.a: expected integer, got string",
    );
    misses(
        &schema,
        &json!({"a": 1.5}),
        "arguments.a: expected integer, got number",
    );
    misses(
        &schema,
        &json!({"a": 0}),
        "arguments.a: the value is less than the minimum of 1",
    );
    misses(
        &schema,
        &json!({"a": 10}),
        "arguments.a: the value is greater than the maximum of 9",
    );
    misses(
        &schema,
        &json!({"a": 1, "b": 2}),
        "arguments: no member \"b\" is expected",
    );
    misses(
        &schema,
        &json!({"a": 1, "either": 2}),
        "arguments.either: expected null or string, got integer",
    );
    misses(
        &schema,
        &json!({"a": 1, "list": [{}, {"odd name": "z"}]}),
        "arguments.list[1][\"odd name\"]: the value is not one of \"x\" or \"y\"",
    );
}

#[test]
fn of_several_choices_the_closest_is_told() {
    let schema = json!({"properties": {"shape": {"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]},
        {"type": "string"}]}}});
    fits(&schema, &json!({"shape": {"kind": "circle", "r": 1}}));
    misses(
        &schema,
        &json!({"shape": {"kind": "circle", "r": "1"}}),
        "arguments.shape.r: expected number, got string",
    );
    misses(
        &schema,
        &json!({"shape": 7}),
        "arguments.shape: fits none of the choices: expected object, got integer; or expected string, got integer",
    );
}

#[test]
fn what_a_peer_sent_is_not_repeated_and_nothing_is_long() {
    let schema = json!({"properties": {"a": {"maxLength": 3}}, "additionalProperties": false});
    let secret = "s".repeat(1_000);
    misses(
        &schema,
        &json!({"a": secret}),
        "arguments.a: the value is longer than 3 characters",
    );
    let checked = compile(&schema)
        .unwrap()
        .check(&json!({&secret: 1}).to_string());
    assert!(checked.unwrap_err().described("arguments").len() < 500);
}

#[test]
fn both_dialects_are_read_as_their_own() {
    let tuple =
        |dialect: &str, keyword: &str| json!({"$schema": dialect, keyword: [{"type": "integer"}]});
    let newest = tuple(
        "https://json-schema.org/draft/2020-12/schema",
        "prefixItems",
    );
    misses(
        &newest,
        &json!(["a"]),
        "arguments[0]: expected integer, got string",
    );
    let seven = tuple("http://json-schema.org/draft-07/schema#", "items");
    misses(
        &seven,
        &json!(["a"]),
        "arguments[0]: expected integer, got string",
    );
    fits(
        &tuple("http://json-schema.org/draft-07/schema#", "prefixItems"),
        &json!(["a"]),
    );
    fits(&json!({"format": "email"}), &json!("no address"));
}

#[test]
fn bl_249_no_reference_is_fetched() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let here = format!("http://{}/schema", listener.local_addr().unwrap());
    for uri in [&*here, "file:///etc/passwd", "//evil.example/s.json"] {
        refused(
            &json!({"type": "object", "properties": {"x": {"$ref": uri}}}),
            "nothing is fetched",
        );
    }
    refused(&json!({"$schema": here, "type": "object"}), "is not known");
    refused(
        &json!({"$id": "http://evil.example/root.json", "$ref": "other.json"}),
        "nothing is fetched",
    );
    let asked = listener.accept().map_err(|error| error.kind());
    assert_eq!(asked.err(), Some(std::io::ErrorKind::WouldBlock));
}

#[test]
fn bl_252_bombs_are_refused_or_cost_little() {
    let nested = (0..12).fold(
        json!({}),
        |inner, _| json!({"anyOf": [inner, inner, inner]}),
    );
    refused(&nested, "bytes: split the tool");
    let flat = (0..8).fold(
        json!({}),
        |inner, _| json!({"anyOf": [inner, inner, inner]}),
    );
    fits(&flat, &json!(1));
    refused(&json!({"$ref": "#"}), "which has no end");
    refused(
        &json!({"allOf": vec![json!({}); 10_000]}),
        "more than 10000 schemas",
    );
    let deep = (0..2_000).fold("{}".to_owned(), |inner, _| {
        format!("{{\"properties\":{{\"a\":{inner}}}}}")
    });
    let deep =
        JsonSchema::new().compile(&RawJson::parse(&*deep).unwrap_or_else(|_| RawJson::null()));
    assert!(deep.is_err());
    refused(
        &json!({"enum": (0..100_000).collect::<Vec<_>>()}),
        "bytes: split the tool",
    );
    refused(
        &json!({"pattern": "a".repeat(1 << 17)}),
        "longer than 4096 bytes",
    );
}

/// The deepest way through schemas that is taken, compiled and run on the stack of a test.
#[test]
fn what_is_taken_fits_the_stack() {
    let defs: serde_json::Map<_, _> = (0..199)
        .map(|at| {
            (
                format!("d{at}"),
                json!({"properties": {"x": {"$ref": format!("#/$defs/d{}", at + 1)}}}),
            )
        })
        .chain([("d199".to_owned(), json!({"type": "object"}))])
        .collect();
    let chain = json!({"$ref": "#/$defs/d0", "$defs": defs});
    let value = (0..120).fold(json!({}), |inner, _| json!({"x": inner}));
    fits(&chain, &value);
    let tree = json!({"$defs": {"t": {"type": "object", "allOf": [{"anyOf": [{"additionalProperties": {"$ref": "#/$defs/t"}}]}]}}, "$ref": "#/$defs/t"});
    fits(&tree, &value);
    let wrong = (0..120).fold(json!(1), |inner, _| json!({"x": inner}));
    let checked = compile(&tree).unwrap().check(&wrong.to_string());
    assert!(checked.is_err());
}

#[test]
fn a_value_that_would_cost_too_much_is_refused() {
    let schema = json!({"$defs": {"t": {"anyOf": [
        {"properties": {"l": {"$ref": "#/$defs/t"}, "z": {"type": "integer"}}},
        {"properties": {"l": {"$ref": "#/$defs/t"}, "z": {"type": "string"}}}]}}, "$ref": "#/$defs/t"});
    let nest = |depth| (0..depth).fold(json!({"z": null}), |inner, _| json!({"l": inner}));
    misses(
        &schema,
        &nest(100),
        "arguments: too much to be checked, 101 levels deep: send fewer parts, nested less",
    );
    fits(
        &schema,
        &(0..15).fold(json!({"z": 1}), |inner, _| json!({"l": inner})),
    );
}

#[test]
fn bl_251_patterns_take_linear_time_and_those_that_cannot_are_told() {
    let text = format!("{}!", "a".repeat(50_000));
    for pattern in ["^(a+)+$", "^(a|a)*$", "^(.*a){20}$"] {
        misses(
            &json!({"pattern": pattern}),
            &json!(text),
            &format!("arguments: the value does not match \"{pattern}\""),
        );
    }
    for pattern in ["(?=a)b", "(a)\\1", "["] {
        let schema = json!({"properties": {"a": {"type": "string", "pattern": pattern}}});
        fits(&schema, &json!({"a": "anything"}));
        misses(
            &schema,
            &json!({"a": 1}),
            "arguments.a: expected string, got integer",
        );
        let strict = JsonSchema::new()
            .strict()
            .compile(&RawJson::from_serialize(&schema).unwrap());
        assert!(
            strict
                .err()
                .unwrap()
                .to_string()
                .contains("cannot be checked")
        );
        refused(&json!({"not": {"pattern": pattern}}), "cannot be checked");
        refused(
            &json!({"patternProperties": {pattern: {}}}),
            "cannot be checked",
        );
    }
}

#[test]
fn what_is_no_schema_is_refused_with_the_place() {
    refused(
        &json!({"properties": {"a": {"type": "int"}}}),
        "it is no JSON Schema, at `#/properties/a/type`",
    );
    refused(
        &json!({"required": "a"}),
        "it is no JSON Schema, at `#/required`",
    );
    refused(&json!([]), "it is no JSON Schema");
}
