//! What the strict mode of OpenAI asks for beyond the standard.

use std::collections::HashSet;

use super::{
    inline::merged,
    keyword::{NOT_STRICT, STRICT_FORMATS, every, is_annotation},
    node::{Members, Node},
};

pub(super) fn clean(root: &mut Node) {
    every(root, &mut schema);
}

fn schema(schema: &mut Members) {
    if !schema.has("anyOf")
        && let Some(choices) = schema.remove("oneOf")
    {
        schema.set("anyOf", choices);
    }
    if let Some(Node::Array(all)) = schema.get("allOf")
        && let [Node::Object(only)] = &**all
    {
        let only = only.clone();
        schema.remove("allOf");
        *schema = merged(std::mem::take(schema), only);
    }
    schema.0.retain(|(keyword, _)| !is_dropped(keyword));
    if schema
        .text("format")
        .is_some_and(|format| !STRICT_FORMATS.contains(&&*format))
    {
        schema.remove("format");
    }
    if schema.has("$ref") {
        schema.0.retain(|(keyword, _)| !is_annotation(keyword));
    }
    close(schema);
}

/// Keywords that another check repeats, or that only inform. Those that say what a value is must stay, and be
/// reported.
fn is_dropped(keyword: &str) -> bool {
    let shapes = [
        "allOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "patternProperties",
        "prefixItems",
        "dependentSchemas",
        "additionalItems",
        "contains",
        "unevaluatedProperties",
        "unevaluatedItems",
    ];
    NOT_STRICT.contains(&keyword) && !shapes.contains(&keyword)
}

/// No members but the known ones, and all of them.
fn close(schema: &mut Members) {
    let is_object = schema.kinds().iter().any(|kind| kind == "object");
    if !is_object && !schema.has("properties") {
        return;
    }
    // A map, or a choice of objects, cannot be closed.
    let is_open = [
        "additionalProperties",
        "patternProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
    ]
    .iter()
    .any(|keyword| schema.has(keyword));
    // An object that says nothing of its members takes any; closed, it would take none.
    if !is_open && schema.has("properties") {
        schema.set("additionalProperties", Node::bool(false));
    }
    let Some(Node::Object(properties)) = schema.get("properties") else {
        return;
    };
    let mut required = schema
        .get("required")
        .map(|it| it.items().to_vec())
        .unwrap_or_default();
    let listed: HashSet<String> = required.iter().filter_map(Node::as_text).collect();
    let missing = properties.names().filter(|name| !listed.contains(*name));
    let missing: Vec<Node> = missing.map(Node::text).collect();
    if !missing.is_empty() {
        required.extend(missing);
        schema.set("required", Node::Array(required));
    }
}
