//! The form of a Rust type.

use mcp_types::{
    elicitation::FormSchema,
    schema::{Place, Profile},
};
use schemars::JsonSchema;

use super::AskError;
use crate::{proto::form, schema};

/// The form whose content is a `T`.
///
/// # Errors
/// When the type is no flat struct of text, numbers, truth values and choices.
pub(crate) fn form_of<T: JsonSchema>() -> Result<FormSchema, AskError> {
    let of = |error: String| {
        let kind = std::any::type_name::<T>();
        AskError::Question(format!("`{kind}` makes no form: {error}"))
    };
    let schema = schema::of_arguments::<T>();
    let schema = schema::cleaned(&schema, Place::Input, &Profile::plain())
        .map_err(|error| of(error.to_string()))?;
    form::of_schema(&schema).map_err(|error| of(error.to_string()))
}
