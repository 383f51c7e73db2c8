//! Forms: every shape of a field, read and kept.

use serde_json::{Value, json};

use super::*;

fn field(value: &Value) -> Field {
    serde_json::from_str(&value.to_string()).unwrap()
}

/// Every field of 2025-11-25 and later, by the name of its shape.
pub(crate) fn shapes() -> [(&'static str, Value); 10] {
    [
        (
            "string",
            json!({"type": "string", "title": "T", "description": "D", "minLength": 1, "maxLength": 9,
            "format": "email", "default": "a@b.c"}),
        ),
        (
            "number",
            json!({"type": "number", "title": "T", "minimum": 0.5, "maximum": 9, "default": 1.5}),
        ),
        ("integer", json!({"type": "integer", "default": 1})),
        (
            "boolean",
            json!({"type": "boolean", "description": "D", "default": true}),
        ),
        (
            "single",
            json!({"type": "string", "enum": ["a", "b"], "default": "a", "title": "T"}),
        ),
        (
            "titled single",
            json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}],
            "default": "b"}),
        ),
        (
            "multi",
            json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1,
            "maxItems": 2, "default": ["a"]}),
        ),
        (
            "titled multi",
            json!({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}, "default": ["a"]}),
        ),
        (
            "legacy",
            json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"], "default": "a"}),
        ),
        ("other", json!({"type": "color", "x": 1})),
    ]
}

fn shape(field: &Field) -> &'static str {
    match field {
        Field::String(_) => "string",
        Field::Number(number) if number.kind == "integer" => "integer",
        Field::Number(_) => "number",
        Field::Boolean(_) => "boolean",
        Field::Enum(EnumSchema::Single(_)) => "single",
        Field::Enum(EnumSchema::TitledSingle(_)) => "titled single",
        Field::Enum(EnumSchema::Multi(_)) => "multi",
        Field::Enum(EnumSchema::TitledMulti(_)) => "titled multi",
        Field::Enum(EnumSchema::Legacy(_)) => "legacy",
        Field::Other(_) => "other",
    }
}

#[test]
fn every_shape_is_told_and_kept() {
    for (expected, mut value) in shapes() {
        assert_eq!(shape(&field(&value)), expected, "{value}");
        value["x-vendor"] = json!({"k": [1]});
        assert_eq!(serde_json::to_value(field(&value)).unwrap(), value);
    }
    for odd in [
        json!(7),
        json!({}),
        json!({"type": "string", "enum": 7}),
        json!({"type": "array"}),
    ] {
        assert_eq!(shape(&field(&odd)), "other", "{odd}");
        assert_eq!(serde_json::to_value(field(&odd)).unwrap(), odd);
    }
}

#[test]
fn a_form_is_made_and_seen() {
    let color = Field::Enum(EnumSchema::Multi(MultiSelectSchema::new(["red", "blue"])));
    let size = TitledSingleSelectSchema::new([Choice::new("s", "Small")]);
    let form = FormSchema::new()
        .with_required("color", &color)
        .with("size", &Field::Enum(EnumSchema::TitledSingle(size)));
    assert_eq!(
        serde_json::to_value(&form).unwrap(),
        json!({
            "type": "object",
            "properties": {
                "color": {"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}},
                "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}]},
            },
            "required": ["color"],
        })
    );
    assert_eq!(form.required(), ["color"]);
    assert_eq!(form.fields()[0], ("color".into(), color));
}

/// rust-sdk #1168.
#[test]
fn a_form_keeps_every_keyword() {
    let text = r#"{"$schema":"s","type":"object","properties":{"a":{"minimum":1.50,"type":"number"}},"x":{"y": 1}}"#;
    let form: FormSchema = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&form).unwrap(), text);
}
