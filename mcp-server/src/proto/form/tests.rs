//! Forms of types, and what fits them.

use mcp_types::elicitation::{
    BooleanSchema, MultiSelectSchema, SingleSelectSchema, TitledSingleSelectSchema,
};
use serde_json::json;

use super::*;

fn object(value: &Value) -> RawObject {
    raw(value).decode().unwrap()
}

/// What a property of a type becomes; `Err` holds a part of why not.
fn check(property: &Value, expected: Result<Value, &str>) {
    let schema = json!({"type": "object", "properties": {"f": property}, "required": ["f"]});
    match (of_schema(&raw(&schema)), expected) {
        (Ok(form), Ok(expected)) => {
            let got: Value = raw(form.as_object()).decode().unwrap();
            let whole = json!({"type": "object", "properties": {"f": expected}, "required": ["f"]});
            assert_eq!(got, whole);
        }
        (Err(error), Err(why)) => assert!(error.to_string().contains(why), "{error}"),
        (got, expected) => panic!("{property}: {got:?}, not {expected:?}"),
    }
}

#[test]
fn plain_fields_keep_what_a_form_has_words_for() {
    check(
        &json!({"type": "string", "title": "T", "description": "D", "minLength": 1, "maxLength": 9, "pattern": "x", "default": "a", "format": "email"}),
        Ok(
            json!({"type": "string", "title": "T", "description": "D", "default": "a", "minLength": 1, "maxLength": 9, "format": "email"}),
        ),
    );
    check(
        &json!({"type": "string", "format": "uuid"}),
        Ok(json!({"type": "string"})),
    );
    check(
        &json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255}),
        Ok(json!({"type": "integer", "minimum": 0, "maximum": 255})),
    );
    check(
        &json!({"type": ["number", "null"], "default": null}),
        Ok(json!({"type": "number"})),
    );
    check(
        &json!({"type": "boolean", "default": true}),
        Ok(json!({"type": "boolean", "default": true})),
    );
}

#[test]
fn choices_are_of_five_shapes() {
    let values = json!({"type": "string", "enum": ["a", "b"], "default": "a"});
    check(&values, Ok(values.clone()));
    let named = json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]});
    check(&named, Ok(named.clone()));
    check(
        &json!({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}], "description": "D"}),
        Ok(json!({"type": "string", "enum": ["a"], "description": "D"})),
    );
    check(
        &json!({"oneOf": [{"type": "string", "const": "a", "description": "An A"}, {"const": "b"}]}),
        Ok(
            json!({"type": "string", "oneOf": [{"const": "a", "title": "An A"}, {"const": "b", "title": "b"}]}),
        ),
    );
    check(
        &json!({"type": "string", "const": "only"}),
        Ok(json!({"type": "string", "enum": ["only"]})),
    );
    check(
        &json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "uniqueItems": true, "minItems": 1}),
        Ok(json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 1})),
    );
    check(
        &json!({"type": "array", "items": {"oneOf": [{"const": "a", "title": "A"}]}, "maxItems": 2}),
        Ok(
            json!({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}, "maxItems": 2}),
        ),
    );
}

#[test]
fn what_is_not_flat_is_named() {
    check(
        &json!({"type": "object"}),
        Err("field `f` is of type `object`"),
    );
    check(
        &json!({"type": "array", "items": {"type": "string"}}),
        Err("field `f` is a list of something else than choices"),
    );
    check(
        &json!({"type": ["string", "integer"]}),
        Err("field `f` is of no single type"),
    );
    check(&json!({}), Err("field `f` is of no single type"));
    let list = of_schema(&raw(&json!({"type": "array"})));
    assert!(
        list.unwrap_err()
            .to_string()
            .contains("the type is no object")
    );
}

fn sample() -> FormSchema {
    let number = |kind: NumberSchema| {
        Field::Number(NumberSchema {
            minimum: Some(1.into()),
            maximum: Some(9.into()),
            ..kind
        })
    };
    FormSchema::new()
        .with_required(
            "text",
            &Field::String(StringSchema {
                min_length: Some(2),
                max_length: Some(3),
                ..StringSchema::default()
            }),
        )
        .with("int", &number(NumberSchema::integer()))
        .with("num", &number(NumberSchema::number()))
        .with("yes", &Field::Boolean(BooleanSchema::default()))
        .with(
            "one",
            &Field::Enum(EnumSchema::Single(SingleSelectSchema::new(["a", "b"]))),
        )
        .with(
            "titled",
            &Field::Enum(EnumSchema::TitledSingle(TitledSingleSelectSchema::new([
                Choice::new("a", "A"),
            ]))),
        )
        .with(
            "some",
            &Field::Enum(EnumSchema::Multi(MultiSelectSchema {
                min_items: Some(1),
                max_items: Some(2),
                ..MultiSelectSchema::new(["a", "b"])
            })),
        )
}

/// What `content` becomes with `text` in it; `Err` is the sentence.
fn fill(content: &Value, expected: Result<Value, &str>) {
    let mut whole = json!({"text": "ok"});
    whole
        .as_object_mut()
        .unwrap()
        .extend(content.as_object().unwrap().clone());
    let got = read(&sample(), Some(&object(&whole)));
    let got = got.map(Value::Object).map_err(|misfit| misfit.to_string());
    let expected = expected.map(|value| {
        let mut whole = json!({"text": "ok"});
        whole
            .as_object_mut()
            .unwrap()
            .extend(value.as_object().unwrap().clone());
        whole
    });
    assert_eq!(got, expected.map_err(str::to_owned));
}

#[test]
fn what_fits_is_taken_and_what_is_unknown_left_out() {
    fill(&json!({}), Ok(json!({})));
    fill(&json!({"other": 1, "yes": null}), Ok(json!({})));
    let all =
        json!({"int": 3, "num": 2.5, "yes": false, "one": "b", "titled": "a", "some": ["b", "a"]});
    fill(&all.clone(), Ok(all));
    fill(
        &json!({"text": "äöü", "int": 4.0}),
        Ok(json!({"text": "äöü", "int": 4})),
    );
}

#[test]
fn what_does_not_fit_is_named() {
    for (content, why) in [
        (json!({"text": null}), "field `text` is required"),
        (
            json!({"text": "x"}),
            "field `text` has fewer than 2 characters",
        ),
        (
            json!({"text": "xxxx"}),
            "field `text` has more than 3 characters",
        ),
        (json!({"text": 1}), "field `text` is no text"),
        (json!({"int": 2.5}), "field `int` is no integer"),
        (json!({"int": 0}), "field `int` is less than 1"),
        (json!({"num": 9.5}), "field `num` is more than 9"),
        (json!({"num": "1"}), "field `num` is no number"),
        (json!({"yes": "true"}), "field `yes` is no truth value"),
        (json!({"one": "c"}), "field `one` is none of a, b"),
        (json!({"titled": "A"}), "field `titled` is none of a"),
        (json!({"some": []}), "field `some` has fewer than 1 choices"),
        (
            json!({"some": ["a", "b", "a"]}),
            "field `some` has more than 2 choices",
        ),
        (json!({"some": ["c"]}), "field `some` is none of a, b"),
        (json!({"some": "a"}), "field `some` is no list"),
    ] {
        fill(&content, Err(why));
    }
    assert!(read(&sample(), None).is_err());
}

#[test]
fn sep1034_defaults_stand_for_what_is_left_out() {
    let form = of_schema(&raw(&json!({"type": "object", "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    }, "required": ["name", "age"]})))
    .unwrap();
    let defaults =
        json!({"name": "John Doe", "age": 30, "score": 95.5, "status": "active", "verified": true});
    for content in [None, Some(RawObject::new())] {
        let got = read(&form, content.as_ref()).unwrap();
        assert_eq!(Value::Object(got), defaults);
    }
    let own = read(&form, Some(&object(&json!({"age": 31, "verified": false})))).unwrap();
    assert_eq!(
        (&own["age"], &own["verified"], &own["score"]),
        (&json!(31), &json!(false), &json!(95.5))
    );
}
