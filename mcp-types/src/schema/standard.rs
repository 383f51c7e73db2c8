//! What every profile cleans, within all schemas of a document.

use std::collections::HashSet;

use super::{
    keyword::{RUST_FORMATS, Slot, each_mut, every},
    node::{Members, Node},
    openapi,
};

pub(super) fn clean(root: &mut Node) {
    boolean(Slot::Schema, root);
    every(root, &mut |schema| {
        openapi::clean(schema);
        if schema
            .text("format")
            .is_some_and(|format| RUST_FORMATS.contains(&&*format))
        {
            schema.remove("format");
        }
        each_mut(schema, boolean);
    });
}

/// Some hosts drop every tool of a list for a `true` in place of an object.
fn boolean(slot: Slot, schema: &mut Node) {
    if slot != Slot::OrBool && schema.is("true") {
        *schema = Node::empty();
    }
}

/// Takes `null` from members that may as well be absent, so that their `type` is one.
pub(super) fn without_null(root: &mut Node) {
    every(root, &mut |schema| {
        let required: HashSet<String> = schema
            .get("required")
            .map(|names| names.items().iter().filter_map(Node::as_text).collect())
            .unwrap_or_default();
        let Some(Node::Object(properties)) = schema.get_mut("properties") else {
            return;
        };
        for (name, property) in &mut properties.0 {
            if let Node::Object(property) = property
                && !required.contains(&**name)
            {
                drop_null(property);
            }
        }
    });
}

fn drop_null(schema: &mut Members) {
    if let Some(Node::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind.as_text().as_deref() != Some("null"));
        if let [kind] = &**kinds {
            let kind = kind.clone();
            schema.set("type", kind);
        }
        if let Some(Node::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| !value.is("null"));
        }
        if schema.get("default").is_some_and(|value| value.is("null")) {
            schema.remove("default");
        }
    }
    let is_null = |choice: &Node| choice.as_members().is_some_and(|it| it.is_kind("null"));
    if let Some(Node::Array(choices)) = schema.get_mut("anyOf")
        && choices.iter().filter(|choice| !is_null(choice)).count() == 1
        && choices.len() == 2
    {
        choices.retain(|choice| !is_null(choice));
        let Some(Node::Object(only)) = choices.pop() else {
            return;
        };
        // What the member itself says, such as a description, stands before what its type says.
        if only
            .names()
            .any(|name| schema.has(name) && !super::keyword::is_annotation(name))
        {
            schema.set("anyOf", Node::Array(vec![Node::Object(only)]));
            return;
        }
        schema.remove("anyOf");
        if schema.get("default").is_some_and(|value| value.is("null")) {
            schema.remove("default");
        }
        for (name, value) in only.0 {
            if !schema.has(&name) {
                schema.set(&name, value);
            }
        }
    }
}
