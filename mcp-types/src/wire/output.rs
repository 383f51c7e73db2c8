//! Output that is no object, for the two revisions that know structured content only as objects.
//!
//! 2025-06-18 and 2025-11-25 want an `outputSchema` whose root says `type: "object"`, and structured
//! content that is one. Other output travels there as `{"result": …}`, schema and value alike.

use crate::{
    raw::{RawJson, RawObject},
    revision::Revision,
};

/// How deep a schema is rewritten; what lies deeper stays as it is.
const MAX_DEPTH: usize = 128;

/// Whether the output that `schema` describes is wrapped as `{"result": …}` for 2025-06-18 and
/// 2025-11-25: when its root does not say `type: "object"`.
///
/// The schema decides and not the value, so that both always agree.
pub fn wraps_output(schema: &RawJson) -> bool {
    let root = schema.decode::<RawObject>().unwrap_or_default();
    root.decode::<Box<str>>("type").as_deref() != Some("object")
}

pub(super) fn must_be_object(at: Revision) -> bool {
    matches!(at, Revision::V2025_06_18 | Revision::V2025_11_25)
}

pub(crate) fn wrap_value(value: &RawJson) -> RawJson {
    let mut object = RawObject::new();
    object.set("result", value.clone());
    raw(&object)
}

/// `{"type":"object","properties":{"result":…},"required":["result"]}`, with the schema's own `$schema`.
pub(super) fn wrap_schema(schema: &RawJson) -> RawJson {
    let mut outer = RawObject::new();
    let mut inner = schema.clone();
    // A dialect is said at a root; a schema with an `$id` stays one.
    if let Ok(mut members) = schema.decode::<RawObject>()
        && !members.contains("$id")
        && let Some(dialect) = members.remove("$schema")
    {
        outer.set("$schema", dialect);
        inner = raw(&members);
    }
    let mut properties = RawObject::new();
    properties.set("result", moved(&inner, 0));
    outer.set("type", raw("object"));
    outer.set("properties", raw(&properties));
    outer.set("required", raw(&["result"]));
    raw(&outer)
}

/// A schema with its local references pointing to where it now stands.
fn moved(schema: &RawJson, depth: usize) -> RawJson {
    if depth > MAX_DEPTH {
        return schema.clone();
    }
    if let Ok(items) = schema.decode::<Vec<RawJson>>() {
        let items: Vec<_> = items.iter().map(|item| moved(item, depth + 1)).collect();
        return raw(&items);
    }
    let Ok(object) = schema.decode::<RawObject>() else {
        return schema.clone();
    };
    // References below an `$id` start there.
    if object.contains("$id") {
        return schema.clone();
    }
    let mut result = RawObject::new();
    for (name, value) in object.iter() {
        let value = match name {
            "$ref" | "$dynamicRef" => moved_reference(value),
            "const" | "default" | "enum" | "examples" => value.clone(),
            "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties" => {
                moved_each(value, depth + 1)
            }
            _ => moved(value, depth + 1),
        };
        result.set(name, value);
    }
    raw(&result)
}

/// The schemas of a map whose names are no keywords.
fn moved_each(schemas: &RawJson, depth: usize) -> RawJson {
    let Ok(object) = schemas.decode::<RawObject>() else {
        return schemas.clone();
    };
    let mut result = RawObject::new();
    for (name, schema) in object.iter() {
        result.set(name, moved(schema, depth + 1));
    }
    raw(&result)
}

/// Pointers are from the root; anchors and addresses stay.
fn moved_reference(value: &RawJson) -> RawJson {
    match value.decode::<String>() {
        Ok(pointer) if pointer == "#" || pointer.starts_with("#/") => {
            raw(&format!("#/properties/result{}", &pointer[1..]))
        }
        _ => value.clone(),
    }
}

fn raw<T: serde::Serialize + ?Sized>(value: &T) -> RawJson {
    // JSON that was read, or text: it can always be written.
    RawJson::from_serialize(value).unwrap_or_else(|_| RawJson::null())
}
