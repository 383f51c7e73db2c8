//! JSON Schemas of Rust types, in the form that hosts take: made by schemars, cleaned and judged by
//! [`mcp_types::schema`].

#[cfg(test)]
mod tests;

use mcp_types::{
    RawJson,
    schema::{Place, Profile, Rule, SchemaError, clean, lint},
    wire::wraps_output,
};
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::Value;

use crate::proto::mirror::settle;

/// The schema of the arguments that a `T` is read from, as schemars has it.
pub(crate) fn of_arguments<T: JsonSchema>() -> Schema {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_deserialize());
    if let Some(root) = schema.as_object_mut() {
        settle(root);
    }
    schema
}

/// The schema of what a `T` is written as, as schemars has it.
pub(crate) fn of_output<T: JsonSchema>() -> Schema {
    generate::<T>(SchemaSettings::draft2020_12().for_serialize())
}

/// What a tool without arguments takes.
pub(crate) fn of_nothing() -> Schema {
    schemars::json_schema!({"type": "object", "properties": {}})
}

/// What is listed.
pub(crate) fn cleaned(
    schema: &Schema,
    place: Place,
    profile: &Profile,
) -> Result<RawJson, SchemaError> {
    // A schema is a JSON value already.
    let schema = RawJson::from_serialize(schema).map_err(|_| SchemaError::NotSchema)?;
    clean(&schema, place, profile)
}

/// Tells the log which rules of hosts a tool's schema breaks.
pub(crate) fn warn(tool: &str, schema: &RawJson, place: Place, profile: &Profile) {
    let member = match place {
        Place::Input => "inputSchema",
        Place::Output => "outputSchema",
    };
    // Where only objects are known the output is wrapped, so its root is no host's concern.
    let wraps = place == Place::Output && wraps_output(schema);
    for finding in lint(schema, place, profile) {
        if wraps && matches!(finding.rule, Rule::ObjectRoot | Rule::NoRootChoice) {
            continue;
        }
        tracing::warn!(tool, member, rule = finding.rule.as_str(), "{finding}");
    }
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Schema {
    let mut schema = settings
        .with(|settings| settings.meta_schema = None)
        .into_generator()
        .into_root_schema_for::<T>();
    // The name of a Rust type tells a model nothing; a title that the author chose stays.
    if let Some(root) = schema.as_object_mut()
        && root.get("title") == Some(&Value::from(&*T::schema_name()))
    {
        root.remove("title");
    }
    schema
}
