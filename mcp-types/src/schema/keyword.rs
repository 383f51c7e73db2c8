//! Where schemas stand within a schema, and what other keywords are.

use std::fmt;

use super::node::{Members, Node, worked};

/// What a schema within a schema may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// An object; `true` and `false` are legal, and hosts stumble over them.
    Schema,
    /// That, and hosts know `false`.
    OrFalse,
    /// That, and hosts know both booleans.
    OrBool,
}

enum Shape {
    One(Slot),
    List,
    Map,
}

fn shape(keyword: &str) -> Option<Shape> {
    Some(match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            Shape::Map
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Shape::List,
        "contains" | "not" | "if" | "then" | "else" | "propertyNames" | "contentSchema" => {
            Shape::One(Slot::Schema)
        }
        "items" | "additionalItems" | "unevaluatedItems" => Shape::One(Slot::OrFalse),
        "additionalProperties" | "unevaluatedProperties" => Shape::One(Slot::OrBool),
        _ => return None,
    })
}

/// Where a schema stands in the one around it; as text, a JSON pointer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'a> {
    At(&'a str),
    Named(&'a str, &'a str),
    Numbered(&'a str, usize),
}

impl Step<'_> {
    /// Whether it is a definition, which counts where it is used.
    pub(super) fn is_definition(self) -> bool {
        matches!(self, Self::Named("$defs" | "definitions", _))
    }
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(keyword) => write!(f, "/{keyword}"),
            Self::Named(keyword, name) => write!(f, "/{keyword}/{}", escaped(name)),
            Self::Numbered(keyword, at) => write!(f, "/{keyword}/{at}"),
        }
    }
}

/// Hands out each schema that stands directly in `schema`, and where.
pub(super) fn each<'a>(schema: &'a Members, mut visit: impl FnMut(Step<'a>, Slot, &'a Node)) {
    worked(schema.0.len());
    for (keyword, value) in &schema.0 {
        match (shape(keyword), value) {
            (Some(Shape::Map), Node::Object(members)) => {
                for (name, schema) in &members.0 {
                    visit(Step::Named(keyword, name), Slot::Schema, schema);
                }
            }
            // Before 2020-12 `items` was also a list.
            (Some(Shape::List | Shape::One(Slot::OrFalse)), Node::Array(items)) => {
                for (at, schema) in items.iter().enumerate() {
                    visit(Step::Numbered(keyword, at), Slot::Schema, schema);
                }
            }
            (Some(Shape::One(slot)), schema) => visit(Step::At(keyword), slot, schema),
            _ => {}
        }
    }
}

/// Hands out each schema that stands directly in `schema`, to be changed.
pub(super) fn each_mut(schema: &mut Members, mut visit: impl FnMut(Slot, &mut Node)) {
    worked(schema.0.len());
    for (keyword, value) in &mut schema.0 {
        match (shape(keyword), value) {
            (Some(Shape::Map), Node::Object(members)) => {
                members
                    .0
                    .iter_mut()
                    .for_each(|(_, schema)| visit(Slot::Schema, schema));
            }
            (Some(Shape::List | Shape::One(Slot::OrFalse)), Node::Array(items)) => {
                items
                    .iter_mut()
                    .for_each(|schema| visit(Slot::Schema, schema));
            }
            (Some(Shape::One(slot)), schema) => visit(slot, schema),
            _ => {}
        }
    }
}

/// Calls `change` on every object schema, those within first.
pub(super) fn every(node: &mut Node, change: &mut impl FnMut(&mut Members)) {
    if let Node::Object(members) = node {
        each_mut(members, |_, schema| every(schema, change));
        change(members);
    }
}

/// Keywords that say nothing about which values fit.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "title"
            | "description"
            | "default"
            | "examples"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "$comment"
    ) || keyword.starts_with("x-")
}

/// Keywords about the document and not about values.
pub(super) fn is_of_document(keyword: &str) -> bool {
    matches!(keyword, "$schema" | "$id" | "$defs" | "definitions")
}

/// A member's name as a part of a JSON pointer.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Formats that schemars knows and JSON Schema does not; validators warn of them, or refuse the schema.
pub(super) const RUST_FORMATS: [&str; 18] = [
    "int8",
    "int16",
    "int32",
    "int64",
    "int128",
    "int",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uint128",
    "uint",
    "float",
    "double",
    "ip",
    "partial-date-time",
    "partial-time",
    "zoned-date-time",
];

/// Keywords of OpenAPI that JSON Schema does not have.
pub(super) const OPENAPI: [&str; 5] = [
    "nullable",
    "discriminator",
    "xml",
    "externalDocs",
    "example",
];

/// Keywords that strict mode refuses.
pub(super) const NOT_STRICT: [&str; 25] = [
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "unevaluatedProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "unevaluatedItems",
    "additionalItems",
    "prefixItems",
    "contains",
    "minContains",
    "maxContains",
    "uniqueItems",
    "minLength",
    "maxLength",
    "default",
    "examples",
    "contentSchema",
];

/// The formats that strict mode takes.
pub(super) const STRICT_FORMATS: [&str; 9] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];
