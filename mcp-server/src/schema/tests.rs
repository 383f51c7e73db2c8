//! What hosts get to see of Rust types.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::*;

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[track_caller]
fn arguments<T: JsonSchema>(expected: &str) {
    assert_eq!(*of_arguments::<T>().as_value(), parsed(expected));
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Numbers {
    /// How many.
    count: u32,
    ratio: Option<f64>,
    when: Free,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Free {
    any: Value,
    list: Vec<Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tree {
    kids: Vec<Self>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Chosen")]
enum Choice {
    Add { a: i64 },
    Done,
}

#[test]
fn rust_formats_go_and_boolean_schemas_become_empty_ones() {
    arguments::<Numbers>(
        r##"{"type":"object","properties":{"count":{"description":"How many.","type":"integer","minimum":0},"ratio":{"type":["number","null"]},"when":{"$ref":"#/$defs/Free"}},"required":["count","when"],"$defs":{"Free":{"type":"object","properties":{"any":{},"list":{"type":"array","items":{}}},"required":["any","list"]}}}"##,
    );
}

#[test]
fn the_root_is_an_object_whatever_the_type() {
    arguments::<Tree>(
        r##"{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}},"required":["kids"]}"##,
    );
    arguments::<Nothing>(r#"{"type":"object","properties":{}}"#);
    arguments::<BTreeMap<String, u8>>(
        r#"{"type":"object","additionalProperties":{"type":"integer","maximum":255,"minimum":0}}"#,
    );
    let optional = of_arguments::<Option<Tree>>();
    assert_eq!(optional.get("type"), Some(&json!("object")));
    let choice = of_arguments::<Choice>();
    assert_eq!(choice.get("type"), Some(&json!("object")));
    assert_eq!(choice.get("title"), Some(&json!("Chosen")));
    assert!(choice.get("$schema").is_none() && choice.get("$ref").is_none());
}

#[test]
fn an_output_that_is_an_object_whatever_its_variant_says_so() {
    #[derive(JsonSchema)]
    #[schemars(tag = "kind")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Shape {
        Circle { radius: f32 },
        Tree(Tree),
        Unknown,
    }
    #[derive(JsonSchema)]
    #[schemars(untagged)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Either {
        Tree(Tree),
        Free(Free),
    }
    for schema in [
        of_output::<Shape>(),
        of_output::<Either>(),
        of_output::<Tree>(),
    ] {
        assert_eq!(schema.get("type"), Some(&json!("object")), "{schema:?}");
    }
    for schema in [
        of_output::<Choice>(),
        of_output::<Option<Tree>>(),
        of_output::<Value>(),
    ] {
        assert_eq!(schema.get("type"), None, "{schema:?}");
    }
}

#[test]
fn formats_that_only_schemars_knows_go() {
    arguments::<BTreeMap<String, std::net::IpAddr>>(
        r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
    );
    arguments::<BTreeMap<String, std::net::Ipv4Addr>>(
        r#"{"type":"object","additionalProperties":{"type":"string","format":"ipv4"}}"#,
    );
}

#[test]
fn what_is_no_object_is_told_apart() {
    let check = |schema: Schema, expected| {
        assert_eq!(is_object_root(schema.as_object().unwrap()), expected);
    };
    check(of_arguments::<Vec<u8>>(), Some(false));
    check(of_arguments::<()>(), Some(false));
    check(of_arguments::<Numbers>(), Some(true));
    check(of_output::<Value>(), None);
}
