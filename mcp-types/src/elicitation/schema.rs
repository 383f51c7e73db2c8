//! The form of an elicitation: a flat JSON Schema, kept as it came, and a typed view of it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{EnumSchema, Field};
use crate::{
    encode::Encode,
    raw::{RawJson, RawObject},
    revision::Revision,
    wire::Unsupported,
};

/// A JSON Schema with `type: "object"` whose properties are the fields of a form.
///
/// The schema is kept whole: keywords that no view shows (`$schema`, vendor keywords) survive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FormSchema(RawObject);

impl FormSchema {
    /// A form without fields.
    pub fn new() -> Self {
        let mut schema = RawObject::new();
        put(&mut schema, "type", "object");
        put(&mut schema, "properties", &RawObject::new());
        Self(schema)
    }

    /// With a field that may stay empty.
    #[must_use]
    pub fn with(mut self, name: impl Into<Box<str>>, field: &Field) -> Self {
        let mut properties = self.properties();
        if let Ok(field) = RawJson::from_serialize(field) {
            properties.set(name, field);
        }
        put(&mut self.0, "properties", &properties);
        self
    }

    /// With a field that must be filled in.
    #[must_use]
    pub fn with_required(self, name: &str, field: &Field) -> Self {
        let mut form = self.with(name, field);
        let mut required = form.required();
        if !required.iter().any(|known| known == name) {
            required.push(name.to_owned());
        }
        put(&mut form.0, "required", &required);
        form
    }

    /// The fields, in order, as far as they can be read: one that cannot is [`Field::Other`].
    pub fn fields(&self) -> Vec<(Box<str>, Field)> {
        let properties = self.properties();
        let fields = properties.iter();
        fields
            .map(|(name, raw)| (name.into(), Field::read(raw)))
            .collect()
    }

    /// The names of the fields that must be filled in.
    pub fn required(&self) -> Vec<String> {
        self.0.decode("required").unwrap_or_default()
    }

    /// The schema, as it came.
    pub const fn as_object(&self) -> &RawObject {
        &self.0
    }

    fn properties(&self) -> RawObject {
        self.0.decode("properties").unwrap_or_default()
    }

    /// The form in the words of 2025-06-18: choices with titles as `enumNames`, and no default but of a boolean.
    pub(crate) fn for_june_2025(&self) -> Result<Self, Unsupported> {
        let mut form = self.clone();
        let mut properties = RawObject::new();
        for (name, raw) in self.properties().iter() {
            let field = Field::read(raw);
            let field = match field {
                Field::Enum(EnumSchema::Multi(_) | EnumSchema::TitledMulti(_)) => {
                    return Err(Unsupported::new(
                        "a form with a field of several choices",
                        Revision::V2025_06_18,
                    ));
                }
                Field::Enum(EnumSchema::TitledSingle(choices)) => {
                    Field::Enum(EnumSchema::Legacy(choices.into()))
                }
                other => other,
            };
            let mut raw = RawJson::from_serialize(&field).unwrap_or_else(|_| raw.clone());
            if !matches!(field, Field::Boolean(_))
                && let Ok(mut members) = raw.decode::<RawObject>()
            {
                members.remove("default");
                raw = RawJson::from_serialize(&members).unwrap_or(raw);
            }
            properties.set(name, raw);
        }
        put(&mut form.0, "properties", &properties);
        Ok(form)
    }
}

impl From<RawObject> for FormSchema {
    fn from(schema: RawObject) -> Self {
        Self(schema)
    }
}

impl Encode for FormSchema {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.encode(at, serializer)
    }
}

impl Serialize for FormSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FormSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawObject::deserialize(deserializer).map(Self)
    }
}

fn put<T: Serialize + ?Sized>(object: &mut RawObject, name: &str, value: &T) {
    // Vocabulary always becomes JSON.
    if let Ok(value) = RawJson::from_serialize(value) {
        object.set(name, value);
    }
}
