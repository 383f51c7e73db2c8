//! The root of a schema: an object that says so, in place of a reference, a boolean or nothing.

use super::{
    DIALECT, Place, Profile, SchemaError,
    inline::merged,
    node::{Members, Node},
    reference,
};

pub(super) fn clean(root: &mut Node, place: Place, profile: Profile) -> Result<(), SchemaError> {
    reference::count(root)?;
    for _ in 0..16 {
        if !inline_once(root) {
            break;
        }
    }
    let copy = root.clone();
    let Node::Object(members) = root else {
        return Ok(());
    };
    if !profile.dialect {
        members.remove("$schema");
    }
    let is_object = match members.kinds() {
        kinds if kinds.is_empty() => place == Place::Input || is_choice_of_objects(members, &copy),
        kinds => place == Place::Input && kinds.iter().any(|kind| kind == "object"),
    };
    if is_object && !members.is_kind("object") {
        members.lead("type", Node::text("object"));
    }
    Ok(())
}

/// What is true of a whole, cleaned schema.
pub(super) fn finish(root: &mut Node, place: Place, profile: Profile) {
    let Node::Object(members) = root else { return };
    // Some hosts refuse an object schema that says nothing about its properties.
    let speaks = [
        "properties",
        "additionalProperties",
        "patternProperties",
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
    ];
    if place == Place::Input
        && members.is_kind("object")
        && !speaks.iter().any(|keyword| members.has(keyword))
    {
        members.set("properties", Node::empty());
    }
    if profile.dialect && !members.has("$schema") {
        members.lead("$schema", Node::text(DIALECT));
    }
}

/// Puts the definition that the root refers to in its place; hosts refuse a root that is only `$ref`.
fn inline_once(root: &mut Node) -> bool {
    let copy = root.clone();
    let Node::Object(members) = root else {
        return false;
    };
    let Some(reference) = members.text("$ref").filter(|reference| reference != "#") else {
        return false;
    };
    let Some(Node::Object(target)) = reference::resolve(&copy, &reference) else {
        return false;
    };
    if ["$id", "$anchor", "$dynamicAnchor"]
        .iter()
        .any(|name| target.has(name))
    {
        return false;
    }
    members.remove("$ref");
    let inlined = merged(std::mem::take(members), target.clone());
    *members = inlined;
    reference::drop_unused(members, &[reference]);
    true
}

/// Whether every alternative of a root is an object.
fn is_choice_of_objects(root: &Members, document: &Node) -> bool {
    let choices = ["oneOf", "anyOf"]
        .iter()
        .find_map(|keyword| root.get(keyword));
    let is_object = |choice: &Node| {
        let says = |node: &Node| node.as_members().is_some_and(|it| it.is_kind("object"));
        let reference = choice.as_members().and_then(|it| it.text("$ref"));
        says(choice)
            || reference
                .and_then(|it| reference::resolve(document, &it))
                .is_some_and(says)
    };
    choices
        .is_some_and(|choices| !choices.items().is_empty() && choices.items().iter().all(is_object))
}
