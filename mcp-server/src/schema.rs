//! JSON Schemas of Rust types, in the form that hosts take.
//!
//! JSON Schema 2020-12 without `$schema`; the root is an object, not a reference; what only Rust
//! knows (`uint32`) is dropped; a schema `true` is written `{}`, since some hosts drop every tool
//! of a list that has one.

#[cfg(test)]
mod tests;

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The schema of the arguments that a `T` is read from.
pub(crate) fn of_arguments<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = generate::<T>(settings);
    let root = schema.ensure_object();
    if is_object_root(root) != Some(false) {
        root.insert("type".into(), "object".into());
        // Some hosts refuse an object schema that says nothing about its properties.
        if root.len() == 1 {
            root.insert("properties".into(), json!({}));
        }
    }
    schema
}

/// The schema of what a `T` is written as.
pub(crate) fn of_output<T: JsonSchema>() -> Schema {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_serialize());
    let root = schema.ensure_object();
    // An enum of structs is an object whatever its variant; some hosts only believe a root that says so.
    if is_object_root(root).is_none() && is_choice_of_objects(root) {
        root.insert("type".into(), "object".into());
    }
    schema
}

/// What a tool without arguments takes.
pub(crate) fn of_nothing() -> Schema {
    schemars::json_schema!({"type": "object", "properties": {}})
}

/// Whether a root schema admits objects: `None` if it says nothing about its type.
pub(crate) fn is_object_root(root: &Map<String, Value>) -> Option<bool> {
    match root.get("type")? {
        Value::String(kind) => Some(kind == "object"),
        Value::Array(kinds) => Some(kinds.iter().any(|kind| kind == "object")),
        _ => Some(false),
    }
}

/// Whether every alternative of a root is an object.
fn is_choice_of_objects(root: &Map<String, Value>) -> bool {
    let choices = ["oneOf", "anyOf"].into_iter().find_map(|key| root.get(key));
    let is_object = |choice: &Value| {
        let target = match choice.get("$ref") {
            Some(Value::String(target)) => target.strip_prefix("#/$defs/"),
            _ => None,
        };
        let named = target.and_then(|name| root.get("$defs")?.get(name));
        let says = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "object");
        says(choice) || named.is_some_and(says)
    };
    choices
        .and_then(Value::as_array)
        .is_some_and(|choices| !choices.is_empty() && choices.iter().all(is_object))
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Schema {
    let mut schema = settings
        .with(|settings| settings.meta_schema = None)
        .into_generator()
        .into_root_schema_for::<T>();
    let root = schema.ensure_object();
    // The name of a Rust type tells a model nothing; a title that the author chose stays.
    if root.get("title") == Some(&Value::from(&*T::schema_name())) {
        root.remove("title");
    }
    inline_root(root);
    clean(root);
    schema
}

/// Puts the definition that a root refers to in its place.
fn inline_root(root: &mut Map<String, Value>) {
    let name = match root.get("$ref") {
        Some(Value::String(target)) => target.strip_prefix("#/$defs/").map(str::to_owned),
        _ => None,
    };
    let defs = root.get("$defs").and_then(Value::as_object);
    let Some(Value::Object(target)) = name.and_then(|name| defs?.get(&name)).cloned() else {
        return;
    };
    root.remove("$ref");
    for (key, value) in target {
        root.entry(key).or_insert(value);
    }
}

fn clean(schema: &mut Map<String, Value>) {
    if let Some(Value::String(format)) = schema.get("format")
        && RUST_FORMATS.contains(&format.as_str())
    {
        schema.remove("format");
    }
    for (key, value) in schema.iter_mut() {
        match key.as_str() {
            "properties" | "patternProperties" | "$defs" | "dependentSchemas" => {
                let members = value.as_object_mut().into_iter().flat_map(Map::values_mut);
                members.for_each(clean_schema);
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                let items = value.as_array_mut().into_iter().flatten();
                items.for_each(clean_schema);
            }
            "items" | "contains" | "not" | "if" | "then" | "else" | "propertyNames" => {
                clean_schema(value);
            }
            // Hosts know these two as booleans.
            "additionalProperties" | "unevaluatedProperties" if value.is_object() => {
                clean_schema(value);
            }
            _ => {}
        }
    }
}

fn clean_schema(schema: &mut Value) {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Object(schema) => clean(schema),
        _ => {}
    }
}

/// Formats that schemars knows and JSON Schema does not; validators warn of them, or refuse the schema.
const RUST_FORMATS: [&str; 18] = [
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
