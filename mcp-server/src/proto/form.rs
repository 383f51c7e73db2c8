//! Forms: a flat schema out of the schema of a Rust type, and what a user filled in.
//!
//! Source: *Elicitation* (2026-07-28): the fields of a form are text, numbers, truth values and choices.

#[cfg(test)]
mod tests;

use mcp_types::{
    RawJson, RawObject,
    elicitation::{Choice, EnumSchema, Field, FormSchema, NumberSchema, StringSchema},
};
use serde_json::{Map, Number, Value};

/// A type whose schema is no form, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {what}; a form has text, numbers, truth values and choices, one level deep")]
pub(crate) struct NotFlat {
    pub(crate) field: String,
    pub(crate) what: String,
}

/// What was filled in, and does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field `{field}` {why}")]
pub(crate) struct Misfit {
    pub(crate) field: Box<str>,
    pub(crate) why: String,
}

/// The form of a type whose schema, without references, is `schema`.
///
/// # Errors
/// When it is no flat object.
pub(crate) fn of_schema(schema: &RawJson) -> Result<FormSchema, NotFlat> {
    let root: RawObject = schema.decode().unwrap_or_default();
    let not_flat = |what: &str| NotFlat {
        field: "the type".to_owned(),
        what: what.to_owned(),
    };
    if root.decode::<String>("type").as_deref() != Some("object") {
        return Err(not_flat("no object"));
    }
    let properties: RawObject = root.decode("properties").unwrap_or_default();
    let mut fields = RawObject::new();
    for (name, schema) in properties.iter() {
        let field = field(schema).map_err(|what| NotFlat {
            field: format!("field `{name}`"),
            what,
        })?;
        fields.set(name, raw(&field));
    }
    let mut form = RawObject::new();
    form.set("type", raw("object"));
    form.set("properties", raw(&fields));
    if let Some(required) = root.get("required") {
        form.set("required", required.clone());
    }
    Ok(FormSchema::from(form))
}

/// One property in the words of a form; what a form has no word for is left out, since the value is checked by
/// the type in any case.
fn field(schema: &RawJson) -> Result<RawObject, String> {
    let members = unwrapped(schema.decode().map_err(|_| "anything".to_owned())?);
    if let Some(choices) = choices(&members) {
        return Ok(titled(&members, "oneOf", &choices));
    }
    let kind = kind(&members);
    let keep: &[&str] = match kind.as_deref() {
        Some("string") if members.contains("const") => {
            let only: String = members.decode("const").unwrap_or_default();
            let mut single = kept(&members, &[]);
            single.set("enum", raw(&[only]));
            return Ok(single);
        }
        Some("string") if members.contains("enum") => &["enum", "enumNames"],
        Some("string") => &["minLength", "maxLength", "format"],
        Some("integer" | "number") => &["minimum", "maximum"],
        Some("boolean") => &[],
        Some("array") => return several(&members),
        Some(other) => return Err(format!("of type `{other}`")),
        None => return Err("of no single type".to_owned()),
    };
    let mut field = kept(&members, keep);
    let format = field.decode::<String>("format");
    let known = ["email", "uri", "date", "date-time"];
    if format.is_none_or(|format| !known.contains(&&*format)) {
        field.remove("format");
    }
    Ok(field)
}

/// Several choices of a list.
fn several(members: &RawObject) -> Result<RawObject, String> {
    let items: RawObject = members.decode("items").unwrap_or_default();
    let items = unwrapped(items);
    let mut field = kept(members, &["minItems", "maxItems"]);
    let mut of = RawObject::new();
    if let Some(choices) = choices(&items) {
        of.set("anyOf", raw(&choices));
    } else if let Some(values) = items.get("enum") {
        of.set("type", raw("string"));
        of.set("enum", values.clone());
    } else {
        return Err("a list of something else than choices".to_owned());
    }
    field.set("items", raw(&of));
    Ok(field)
}

/// A schema that stands alone in an `anyOf` or `allOf`, `null` apart, is the schema.
fn unwrapped(mut members: RawObject) -> RawObject {
    for wrap in ["anyOf", "allOf", "oneOf"] {
        let Some(parts) = members.decode::<Vec<RawObject>>(wrap) else {
            continue;
        };
        let is_null = |part: &RawObject| part.decode::<String>("type").as_deref() == Some("null");
        let mut parts: Vec<_> = parts.into_iter().filter(|part| !is_null(part)).collect();
        if parts.len() == 1 && !(wrap == "oneOf" && parts[0].contains("const")) {
            let inner = unwrapped(parts.remove(0));
            members.remove(wrap);
            for (name, value) in inner.iter() {
                if !members.contains(name) {
                    members.set(name, value.clone());
                }
            }
        }
    }
    members
}

/// The choices of a `oneOf` or `anyOf` of constants; what describes one is its title.
fn choices(members: &RawObject) -> Option<Vec<Choice>> {
    let parts = members
        .decode::<Vec<RawObject>>("oneOf")
        .or_else(|| members.decode("anyOf"))?;
    let choices = parts.iter().map(|part| {
        let value: String = part.decode("const")?;
        let title: Option<String> = part.decode("title").or_else(|| part.decode("description"));
        let title = title.unwrap_or_else(|| value.clone());
        Some(Choice::new(value, title))
    });
    choices.collect()
}

fn titled(members: &RawObject, name: &str, choices: &[Choice]) -> RawObject {
    let mut field = kept(members, &[]);
    field.set("type", raw("string"));
    field.set(name, raw(choices));
    field
}

/// The one type of a schema, `null` apart.
fn kind(members: &RawObject) -> Option<String> {
    if let Some(kind) = members.decode("type") {
        return Some(kind);
    }
    let kinds: Vec<String> = members.decode("type")?;
    let mut kinds = kinds.into_iter().filter(|kind| kind != "null");
    kinds.next().filter(|_| kinds.next().is_none())
}

fn kept(members: &RawObject, names: &[&str]) -> RawObject {
    let mut kept = RawObject::new();
    if let Some(kind) = kind(members) {
        kept.set("type", raw(&kind));
    }
    for name in ["title", "description", "default"].iter().chain(names) {
        if let Some(value) = members.get(name)
            && value.as_str() != "null"
        {
            kept.set(*name, value.clone());
        }
    }
    kept
}

/// What was filled in, with the defaults of what was not: the fields of the form alone.
///
/// # Errors
/// The first field that does not fit.
pub(crate) fn read(
    form: &FormSchema,
    content: Option<&RawObject>,
) -> Result<Map<String, Value>, Misfit> {
    let required = form.required();
    let mut filled = Map::new();
    for (name, field) in form.fields() {
        let given = content.and_then(|content| content.get(&name));
        let misfit = |why: String| Misfit {
            field: name.clone(),
            why,
        };
        let given = match given {
            Some(given) => given
                .decode::<Value>()
                .map_err(|_| misfit("is no JSON value".to_owned()))?,
            None => Value::Null,
        };
        let value = match given {
            Value::Null => default(&field),
            given => Some(check(&field, given).map_err(misfit)?),
        };
        match value {
            Some(value) => drop(filled.insert(name.into(), value)),
            None if required.iter().any(|required| **required == *name) => {
                return Err(misfit("is required".to_owned()));
            }
            None => {}
        }
    }
    Ok(filled)
}

fn default(field: &Field) -> Option<Value> {
    match field {
        Field::String(field) => field.default.clone().map(Value::from),
        Field::Number(field) => field.default.clone().map(Value::from),
        Field::Boolean(field) => field.default.map(Value::from),
        Field::Enum(EnumSchema::Single(field)) => field.default.clone().map(Value::from),
        Field::Enum(EnumSchema::TitledSingle(field)) => field.default.clone().map(Value::from),
        Field::Enum(EnumSchema::Legacy(field)) => field.default.clone().map(Value::from),
        Field::Enum(EnumSchema::Multi(field)) => field.default.clone().map(Value::from),
        Field::Enum(EnumSchema::TitledMulti(field)) => field.default.clone().map(Value::from),
        Field::Other(raw) => raw.decode::<RawObject>().ok()?.decode("default"),
        _ => None,
    }
}

/// The value, as the field has it.
fn check(field: &Field, value: Value) -> Result<Value, String> {
    match field {
        Field::String(field) => text(field, value),
        Field::Number(field) => number(field, value),
        Field::Boolean(_) => match value {
            Value::Bool(_) => Ok(value),
            _ => Err("is no truth value".to_owned()),
        },
        Field::Enum(EnumSchema::Single(field)) => one_of(&field.values, value),
        Field::Enum(EnumSchema::Legacy(field)) => one_of(&field.values, value),
        Field::Enum(EnumSchema::TitledSingle(field)) => one_of(&values(&field.choices), value),
        Field::Enum(EnumSchema::Multi(field)) => {
            some_of(&field.values(), field.min_items, field.max_items, value)
        }
        Field::Enum(EnumSchema::TitledMulti(field)) => {
            let values = values(&field.choices());
            some_of(&values, field.min_items, field.max_items, value)
        }
        // Only who wrote the form knows.
        _ => Ok(value),
    }
}

fn text(field: &StringSchema, value: Value) -> Result<Value, String> {
    let Some(text) = value.as_str() else {
        return Err("is no text".to_owned());
    };
    let length = text.chars().count() as u64;
    if let Some(least) = field.min_length.filter(|least| length < *least) {
        return Err(format!("has fewer than {least} characters"));
    }
    if let Some(most) = field.max_length.filter(|most| length > *most) {
        return Err(format!("has more than {most} characters"));
    }
    Ok(value)
}

fn number(field: &NumberSchema, value: Value) -> Result<Value, String> {
    let Value::Number(number) = value else {
        return Err("is no number".to_owned());
    };
    let number = match field.kind.as_str() {
        "integer" => integer(&number).ok_or("is no integer")?,
        _ => number,
    };
    let size = |number: &Number| number.as_f64().unwrap_or(f64::NAN);
    if let Some(least) = &field.minimum
        && size(&number) < size(least)
    {
        return Err(format!("is less than {least}"));
    }
    if let Some(most) = &field.maximum
        && size(&number) > size(most)
    {
        return Err(format!("is more than {most}"));
    }
    Ok(number.into())
}

/// `3.0` is an integer, too.
fn integer(number: &Number) -> Option<Number> {
    /// Up to here a float is every integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.is_i64() || number.is_u64() {
        return Some(number.clone());
    }
    let float = number.as_f64()?;
    let whole = float.fract() == 0.0 && float.abs() < EXACT;
    whole.then(|| format!("{float:.0}").parse::<i64>().ok().map(Number::from))?
}

fn values(choices: &[Choice]) -> Vec<String> {
    choices.iter().map(|choice| choice.value.clone()).collect()
}

fn one_of(values: &[String], value: Value) -> Result<Value, String> {
    match value.as_str() {
        Some(text) if values.iter().any(|known| known == text) => Ok(value),
        _ => Err(format!("is none of {}", values.join(", "))),
    }
}

fn some_of(
    values: &[String],
    least: Option<u64>,
    most: Option<u64>,
    value: Value,
) -> Result<Value, String> {
    let Value::Array(chosen) = value else {
        return Err("is no list".to_owned());
    };
    let count = chosen.len() as u64;
    if let Some(least) = least.filter(|least| count < *least) {
        return Err(format!("has fewer than {least} choices"));
    }
    if let Some(most) = most.filter(|most| count > *most) {
        return Err(format!("has more than {most} choices"));
    }
    let chosen: Result<Vec<_>, _> = chosen
        .into_iter()
        .map(|value| one_of(values, value))
        .collect();
    chosen.map(Value::Array)
}

fn raw<T: serde::Serialize + ?Sized>(value: &T) -> RawJson {
    // Vocabulary always becomes JSON.
    RawJson::from_serialize(value).unwrap_or_else(|_| RawJson::null())
}
