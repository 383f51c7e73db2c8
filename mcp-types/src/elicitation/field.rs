//! The fields of a form: text, number, yes or no, and the five shapes of a choice.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Number;

use crate::raw::{RawJson, RawObject};

/// A field of a form.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Field {
    /// Text.
    String(StringSchema),
    /// A number, or an integer.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// A choice.
    Enum(EnumSchema),
    /// Something that this library does not know, kept as it came.
    Other(RawJson),
}

/// A choice, in one of its five shapes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EnumSchema {
    /// One of several values: `enum`.
    Single(SingleSelectSchema),
    /// One of several values with titles: `oneOf` of `const` and `title` (since 2025-11-25).
    TitledSingle(TitledSingleSelectSchema),
    /// Some of several values: an array whose items have an `enum` (since 2025-11-25).
    Multi(MultiSelectSchema),
    /// Some of several values with titles: an array whose items have an `anyOf` (since 2025-11-25).
    TitledMulti(TitledMultiSelectSchema),
    /// One of several values, with titles in `enumNames`: the way of 2025-06-18.
    Legacy(LegacyEnumSchema),
}

/// A field with the members that all have, and its own.
macro_rules! field {
    ($(#[$meta:meta])* $Name:ident { @ $tag:literal = $value:literal; $($members:tt)* }) => {
        object! {
            $(#[$meta])*
            #[derive(Default)]
            pub struct $Name {
                @ $tag = $value;
                /// A name for people.
                title: Option<String> = "title", hint;
                /// What belongs there.
                description: Option<String> = "description", hint;
                $($members)*
            }
        }
    };
}

field! {
    /// Text.
    StringSchema {
        @ "type" = "string";
        /// How many characters it has at least.
        min_length: Option<u64> = "minLength", hint;
        /// How many characters it has at most.
        max_length: Option<u64> = "maxLength", hint;
        /// `email`, `uri`, `date` or `date-time`.
        format: Option<String> = "format", hint;
        /// What is there before the user writes.
        default: Option<String> = "default", hint;
    }
}

object! {
    /// A number.
    pub struct NumberSchema {
        /// `number` or `integer`.
        kind: String = "type", required;
        /// A name for people.
        title: Option<String> = "title", hint;
        /// What belongs there.
        description: Option<String> = "description", hint;
        /// The least it may be.
        minimum: Option<Number> = "minimum", hint;
        /// The most it may be.
        maximum: Option<Number> = "maximum", hint;
        /// What is there before the user writes.
        default: Option<Number> = "default", hint;
    }
}

impl NumberSchema {
    /// Any number.
    pub fn number() -> Self {
        Self::of("number")
    }

    /// An integer.
    pub fn integer() -> Self {
        Self::of("integer")
    }

    fn of(kind: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            title: None,
            description: None,
            minimum: None,
            maximum: None,
            default: None,
            extra: RawObject::new(),
        }
    }
}

field! {
    /// Yes or no.
    BooleanSchema {
        @ "type" = "boolean";
        /// What is there before the user chooses.
        default: Option<bool> = "default", hint;
    }
}

field! {
    /// One of several values.
    SingleSelectSchema {
        @ "type" = "string";
        /// The values.
        values: Vec<String> = "enum", required;
        /// What is chosen before the user does.
        default: Option<String> = "default", hint;
    }
}

field! {
    /// One of several values with titles.
    TitledSingleSelectSchema {
        @ "type" = "string";
        /// The values.
        choices: Vec<Choice> = "oneOf", required;
        /// What is chosen before the user does.
        default: Option<String> = "default", hint;
    }
}

field! {
    /// Some of several values.
    MultiSelectSchema {
        @ "type" = "array";
        /// `{"type": "string", "enum": [values]}`.
        items: RawObject = "items", required;
        /// How many there are at least.
        min_items: Option<u64> = "minItems", hint;
        /// How many there are at most.
        max_items: Option<u64> = "maxItems", hint;
        /// What is chosen before the user does.
        default: Option<Vec<String>> = "default", hint;
    }
}

field! {
    /// Some of several values with titles.
    TitledMultiSelectSchema {
        @ "type" = "array";
        /// `{"anyOf": [choices]}`.
        items: RawObject = "items", required;
        /// How many there are at least.
        min_items: Option<u64> = "minItems", hint;
        /// How many there are at most.
        max_items: Option<u64> = "maxItems", hint;
        /// What is chosen before the user does.
        default: Option<Vec<String>> = "default", hint;
    }
}

field! {
    /// One of several values, with titles beside them.
    LegacyEnumSchema {
        @ "type" = "string";
        /// The values.
        values: Vec<String> = "enum", required;
        /// Their titles, in the same order.
        names: Option<Vec<String>> = "enumNames", hint;
        /// What is chosen before the user does.
        default: Option<String> = "default", hint;
    }
}

object! {
    /// A value with its title.
    pub struct Choice {
        /// The value.
        value: String = "const", required;
        /// Its title.
        title: String = "title", list;
    }
}

impl Choice {
    /// `value`, shown as `title`.
    pub fn new(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            title: title.into(),
            extra: RawObject::new(),
        }
    }
}

impl SingleSelectSchema {
    /// One of `values`.
    pub fn new<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Self {
        Self {
            values: values.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }
}

impl TitledSingleSelectSchema {
    /// One of `choices`.
    pub fn new(choices: impl IntoIterator<Item = Choice>) -> Self {
        Self {
            choices: choices.into_iter().collect(),
            ..Self::default()
        }
    }
}

impl MultiSelectSchema {
    /// Some of `values`.
    pub fn new<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Self {
        let values: Vec<String> = values.into_iter().map(Into::into).collect();
        let mut schema = Self::default();
        put(&mut schema.items, "type", "string");
        put(&mut schema.items, "enum", &values);
        schema
    }

    /// The values.
    pub fn values(&self) -> Vec<String> {
        self.items.decode("enum").unwrap_or_default()
    }
}

impl TitledMultiSelectSchema {
    /// Some of `choices`.
    pub fn new(choices: impl IntoIterator<Item = Choice>) -> Self {
        let choices: Vec<Choice> = choices.into_iter().collect();
        let mut schema = Self::default();
        put(&mut schema.items, "anyOf", &choices);
        schema
    }

    /// The values with their titles.
    pub fn choices(&self) -> Vec<Choice> {
        self.items.decode("anyOf").unwrap_or_default()
    }
}

fn put<T: Serialize + ?Sized>(object: &mut RawObject, name: &str, value: &T) {
    // Vocabulary always becomes JSON.
    if let Ok(value) = RawJson::from_serialize(value) {
        object.set(name, value);
    }
}

impl From<TitledSingleSelectSchema> for LegacyEnumSchema {
    fn from(schema: TitledSingleSelectSchema) -> Self {
        let (values, names) = schema
            .choices
            .into_iter()
            .map(|choice| (choice.value, choice.title))
            .unzip();
        Self {
            title: schema.title,
            description: schema.description,
            values,
            names: Some(names),
            default: schema.default,
            extra: schema.extra,
        }
    }
}

impl Field {
    /// Reads a property of a form. What is none of the known shapes is [`Field::Other`].
    pub fn read(raw: &RawJson) -> Self {
        let members: RawObject = raw.decode().unwrap_or_default();
        let kind: Box<str> = members.decode("type").unwrap_or_default();
        let items = || members.decode::<RawObject>("items").unwrap_or_default();
        let read = match &*kind {
            "string" if members.contains("oneOf") => {
                raw.decode().map(EnumSchema::TitledSingle).map(Self::Enum)
            }
            "string" if members.contains("enumNames") => {
                raw.decode().map(EnumSchema::Legacy).map(Self::Enum)
            }
            "string" if members.contains("enum") => {
                raw.decode().map(EnumSchema::Single).map(Self::Enum)
            }
            "string" => raw.decode().map(Self::String),
            "number" | "integer" => raw.decode().map(Self::Number),
            "boolean" => raw.decode().map(Self::Boolean),
            "array" if items().contains("anyOf") => {
                raw.decode().map(EnumSchema::TitledMulti).map(Self::Enum)
            }
            "array" if items().contains("enum") => {
                raw.decode().map(EnumSchema::Multi).map(Self::Enum)
            }
            _ => return Self::Other(raw.clone()),
        };
        read.unwrap_or_else(|_| Self::Other(raw.clone()))
    }
}

impl Serialize for Field {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::String(schema) => schema.serialize(serializer),
            Self::Number(schema) => schema.serialize(serializer),
            Self::Boolean(schema) => schema.serialize(serializer),
            Self::Enum(EnumSchema::Single(schema)) => schema.serialize(serializer),
            Self::Enum(EnumSchema::TitledSingle(schema)) => schema.serialize(serializer),
            Self::Enum(EnumSchema::Multi(schema)) => schema.serialize(serializer),
            Self::Enum(EnumSchema::TitledMulti(schema)) => schema.serialize(serializer),
            Self::Enum(EnumSchema::Legacy(schema)) => schema.serialize(serializer),
            Self::Other(schema) => schema.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawJson::deserialize(deserializer).map(|raw| Self::read(&raw))
    }
}
