//! Output that is no object, where structured content must be one.

use serde_json::{Value, json};

use super::golden::{outcome, read};
use crate::{
    raw::RawJson,
    revision::Revision,
    tool::{CallToolResult, ListToolsResult},
    wire::{Stamp, wraps_output},
};

const WRAPPING: [Revision; 2] = [Revision::V2025_06_18, Revision::V2025_11_25];

/// What the `outputSchema` of a listed tool becomes at `revision`.
fn listed(schema: &Value, revision: Revision) -> Value {
    let page = json!({"tools": [{"name": "t", "inputSchema": {}, "outputSchema": schema}]});
    let page = outcome(read::<ListToolsResult>(&page), &Stamp::new(revision));
    page["tools"][0]["outputSchema"].clone()
}

fn wraps(schema: &Value) -> bool {
    wraps_output(&RawJson::from_serialize(schema).unwrap())
}

#[test]
fn the_root_of_the_schema_decides() {
    for (schema, expected) in [
        (json!({"type": "object"}), false),
        (json!({"type": "object", "anyOf": [{}]}), false),
        (json!({"type": "array"}), true),
        (json!({"type": "string"}), true),
        (json!({"type": ["object", "null"]}), true),
        (
            json!({"anyOf": [{"type": "object"}, {"type": "string"}]}),
            true,
        ),
        (
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}),
            true,
        ),
        (json!({}), true),
        (json!(true), true),
    ] {
        assert_eq!(wraps(&schema), expected, "{schema}");
        for revision in WRAPPING {
            let got = listed(&schema, revision);
            assert_eq!(got["type"], "object", "{schema} at {revision}");
            assert_eq!(got != schema, expected, "{schema} at {revision}");
        }
        assert_eq!(listed(&schema, Revision::V2026_07_28), schema);
        assert_eq!(listed(&schema, Revision::V2025_03_26), Value::Null);
    }
}

#[test]
fn local_references_follow_the_schema_to_its_new_place() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "array",
        "items": {"$ref": "#/$defs/node"},
        "default": [{"$ref": "#/no/schema"}],
        "enum": [{"$ref": "#"}],
        "$defs": {
            "node": {
                "properties": {
                    "self": {"$ref": "#"},
                    "next": {"anyOf": [{"$dynamicRef": "#/$defs/node"}, {"type": "null"}]},
                    "far": {"$ref": "https://example.com/#/x"},
                    "anchor": {"$ref": "#name"},
                    "$ref": {"type": "string"},
                    "const": {"$ref": "#/$defs/node"},
                    "own": {"$id": "https://example.com/own", "$ref": "#/$defs/x"},
                },
            },
        },
    });
    let expected = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"result": {
            "type": "array",
            "items": {"$ref": "#/properties/result/$defs/node"},
            "default": [{"$ref": "#/no/schema"}],
            "enum": [{"$ref": "#"}],
            "$defs": {
                "node": {
                    "properties": {
                        "self": {"$ref": "#/properties/result"},
                        "next": {"anyOf": [{"$dynamicRef": "#/properties/result/$defs/node"}, {"type": "null"}]},
                        "far": {"$ref": "https://example.com/#/x"},
                        "anchor": {"$ref": "#name"},
                        "$ref": {"type": "string"},
                        "const": {"$ref": "#/properties/result/$defs/node"},
                        "own": {"$id": "https://example.com/own", "$ref": "#/$defs/x"},
                    },
                },
            },
        }},
        "required": ["result"],
    });
    assert_eq!(listed(&schema, Revision::V2025_11_25), expected);
}

#[test]
fn a_schema_with_an_id_is_moved_as_it_is() {
    let schema = json!({"$id": "https://example.com/s", "$schema": "x", "type": "array", "items": {"$ref": "#"}});
    let got = listed(&schema, Revision::V2025_06_18);
    assert_eq!(got["properties"]["result"], schema);
    assert_eq!(got.get("$schema"), None);
}

#[test]
fn schema_and_value_agree() {
    let check = |value: Value, wrapped: bool, failed: bool, expected: Value| {
        let result = json!({"content": [{"type": "text", "text": "t"}], "structuredContent": value, "isError": failed});
        for revision in WRAPPING {
            let stamp = Stamp::new(revision).wrapped_output(wrapped);
            let got = outcome(read::<CallToolResult>(&result), &stamp);
            assert_eq!(got["structuredContent"], expected, "{value} at {revision}");
        }
        let stamp = Stamp::new(Revision::V2026_07_28).wrapped_output(wrapped);
        let got = outcome(read::<CallToolResult>(&result), &stamp);
        assert_eq!(got["structuredContent"], value);
    };
    check(json!({"a": 1}), false, false, json!({"a": 1}));
    // A union with objects in it: the schema is wrapped, and so is the value.
    check(json!({"a": 1}), true, false, json!({"result": {"a": 1}}));
    check(json!([1, 2]), true, false, json!({"result": [1, 2]}));
    check(json!(null), true, false, json!({"result": null}));
    // No schema was given; the revision still wants an object.
    check(json!("x"), false, false, json!({"result": "x"}));
    // A failure has a shape of its own.
    check(json!({"code": "x"}), true, true, json!({"code": "x"}));
}

#[test]
fn structure_without_content_is_told_in_text() {
    for revision in Revision::ALL {
        if revision == Revision::V2024_10_07 {
            continue;
        }
        let result = json!({"content": [], "structuredContent": [1, {"a": 2}]});
        let got = outcome(read::<CallToolResult>(&result), &Stamp::new(revision));
        assert_eq!(
            got["content"],
            json!([{"type": "text", "text": "[1,{\"a\":2}]"}]),
            "{revision}"
        );
        // Content that is there is the handler's choice.
        let result = json!({"content": [{"type": "text", "text": "t"}], "structuredContent": 1});
        let got = outcome(read::<CallToolResult>(&result), &Stamp::new(revision));
        assert_eq!(got["content"].as_array().unwrap().len(), 1, "{revision}");
    }
}
