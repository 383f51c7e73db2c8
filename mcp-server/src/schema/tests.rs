//! What hosts get to see of Rust types.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;
use crate::{Args, Tool, tools::Entry};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn input<T: JsonSchema>(profile: &Profile) -> Value {
    let schema = cleaned(&of_arguments::<T>(), Place::Input, profile).unwrap();
    schema.decode().unwrap()
}

fn output<T: JsonSchema>() -> Value {
    let schema = cleaned(&of_output::<T>(), Place::Output, &Profile::standard()).unwrap();
    schema.decode().unwrap()
}

#[track_caller]
fn arguments<T: JsonSchema>(expected: &str) {
    assert_eq!(input::<T>(&Profile::standard()), parsed(expected));
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
    let optional = input::<Option<Tree>>(&Profile::standard());
    assert_eq!(optional.get("type"), Some(&json!("object")));
    let choice = input::<Choice>(&Profile::standard());
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
    for schema in [output::<Shape>(), output::<Either>(), output::<Tree>()] {
        assert_eq!(schema.get("type"), Some(&json!("object")), "{schema:?}");
    }
    for schema in [
        output::<Choice>(),
        output::<Option<Tree>>(),
        output::<Value>(),
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

#[derive(Deserialize, JsonSchema)]
#[schemars(tag = "kind")]
#[expect(dead_code, reason = "only its schema is looked at")]
enum Step {
    Move { by: u8 },
    Free(Free),
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Plan {
    /// Where it starts.
    start: Option<Free>,
    steps: Vec<Step>,
    limits: BTreeMap<String, f32>,
    pair: (u8, String),
}

/// Every profile on what schemars makes of all kinds of types: only rules that no rewriting mends stay broken.
#[test]
fn what_schemars_makes_breaks_only_what_cannot_be_mended() {
    #[track_caller]
    fn check<T: JsonSchema>(profile: Profile, expected: &[(Rule, &str)]) {
        let schema = cleaned(&of_arguments::<T>(), Place::Input, &profile).unwrap();
        let findings = lint(&schema, Place::Input, &profile);
        let found: Vec<_> = findings
            .iter()
            .map(|it| (it.rule, it.path.as_str()))
            .collect();
        assert_eq!(found, expected, "{} {schema}", profile.as_str());
        assert_eq!(clean(&schema, Place::Input, &profile).unwrap(), schema);
    }
    for profile in [Profile::standard(), Profile::inlined()] {
        check::<Numbers>(profile, &[]);
        check::<Plan>(profile, &[]);
        check::<Nothing>(profile, &[]);
        check::<Choice>(profile, &[(Rule::NoRootChoice, "")]);
    }
    check::<Tree>(Profile::standard(), &[]);
    check::<Tree>(
        Profile::inlined(),
        &[(Rule::NoReference, "/properties/kids/items")],
    );
    check::<Numbers>(Profile::plain(), &[]);
    check::<Plan>(Profile::plain(), &[]);
    check::<Tree>(Profile::strict(), &[]);
    check::<Nothing>(Profile::strict(), &[]);
    check::<Numbers>(
        Profile::strict(),
        &[
            (Rule::Typed, "/$defs/Free/properties/any"),
            (Rule::Typed, "/$defs/Free/properties/list/items"),
        ],
    );
}

#[test]
fn strict_plan() {
    let schema = input::<Plan>(&Profile::strict());
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(schema["required"].as_array().unwrap().len(), 4);
    let step = &schema["properties"]["steps"]["items"];
    let step = match step["$ref"].as_str() {
        Some(_) => &schema["$defs"]["Step"],
        None => step,
    };
    for choice in step["anyOf"].as_array().unwrap() {
        assert_eq!(choice["additionalProperties"], json!(false), "{choice}");
        assert!(
            choice["required"].as_array().unwrap().len() >= 2,
            "{choice}"
        );
    }
}

async fn plan(_: Args<Plan>) -> String {
    String::new()
}

fn entry(tool: Tool) -> Entry {
    tool.into_entry().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_profile_is_for_the_schemas_that_are_made_and_where_it_is_named_for_given_ones() {
    let listed = |tool: Tool| entry(tool).definition.input_schema.to_string();
    let standard = listed(Tool::new("plan", plan));
    let inlined = listed(Tool::new("plan", plan).schema_profile(Profile::inlined()));
    assert!(
        standard.contains("$ref") && !inlined.contains("$ref"),
        "{inlined}"
    );
    let given = r#"{"type":"object", "properties":{"p":true}}"#;
    let tool = || Tool::new("plan", plan).input_schema(RawJson::parse(given).unwrap());
    assert_eq!(listed(tool()), given);
    assert_eq!(
        listed(tool().schema_profile(Profile::standard())),
        r#"{"type":"object","properties":{"p":{}}}"#
    );
}

#[test]
fn a_schema_that_cannot_be_listed_is_refused_with_the_reason() {
    let nested = r#"{"type":"object","properties":{"p":"#.repeat(100);
    let schema = format!("{nested}{{}}{}", "}}".repeat(100));
    let tool = Tool::new("plan", plan).input_schema(RawJson::parse(schema).unwrap());
    let error = tool
        .schema_profile(Profile::inlined())
        .into_entry()
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "a schema of tool `plan` cannot be listed: it nests deeper than 64 levels: flatten the types"
    );
}

/// Counts what is logged.
struct Counting(std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl tracing::Subscriber for Counting {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::WARN
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        assert!(event.metadata().fields().field("rule").is_some());
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn what_hosts_will_not_like_is_said_when_a_tool_is_registered() {
    let warnings = |tool: Tool| {
        let count = std::sync::Arc::default();
        let subscriber = Counting(std::sync::Arc::clone(&count));
        tracing::subscriber::with_default(subscriber, || entry(tool));
        count.load(std::sync::atomic::Ordering::Relaxed)
    };
    async fn choose(_: Args<Choice>) -> String {
        String::new()
    }
    let given = r#"{"type":"object","properties":{"a":true,"b":{"$ref":"https://example.com/s"}}}"#;
    let tool = Tool::new("plan", plan).input_schema(RawJson::parse(given).unwrap());
    assert_eq!(warnings(Tool::new("plan", plan)), 0);
    assert_eq!(warnings(Tool::new("choose", choose)), 1);
    assert_eq!(warnings(tool), 2);
}
