//! A JSON object whose values are kept as text.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _, MapAccess, Visitor},
    ser::SerializeMap,
};

use super::{RawJson, twice};

/// A JSON object: names in the order they came, values kept as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawObject(Vec<(Box<str>, RawJson)>);

impl RawObject {
    /// An object without members.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The value of a member.
    pub fn get(&self, name: &str) -> Option<&RawJson> {
        self.0
            .iter()
            .find(|(known, _)| &**known == name)
            .map(|(_, value)| value)
    }

    /// The value of a member, read as a `T`; `None` when it is absent or has another shape.
    pub fn decode<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        self.get(name).and_then(|value| value.decode().ok())
    }

    /// Whether there is such a member.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets a member: in its place if it exists, else at the end.
    pub fn set(&mut self, name: impl Into<Box<str>>, value: RawJson) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// Removes a member and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<RawJson> {
        let at = self.0.iter().position(|(known, _)| &**known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Keeps the members that `keep` says yes to.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.0.retain(|(name, _)| keep(name));
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends a member. Once all are there, [`Self::check`] must follow.
    pub(crate) fn push(&mut self, name: &str, value: RawJson) {
        self.0.push((name.into(), value));
    }

    /// Checks that no member stands twice.
    pub(crate) fn check<E: serde::de::Error>(&self) -> Result<(), E> {
        match twice(self.0.iter().map(|(name, _)| &**name)) {
            None => Ok(()),
            Some(name) => Err(E::custom(format_args!("member `{name}` stands twice"))),
        }
    }

    /// Writes the members into a map that is being serialised.
    pub(crate) fn write_into<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.iter()
            .try_for_each(|(name, value)| map.serialize_entry(name, value))
    }
}

impl Serialize for RawObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        self.write_into(&mut map)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = RawObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObject, A::Error> {
                let mut object = RawObject::new();
                while let Some(name) = map.next_key::<crate::object::Key<'de>>()? {
                    let value = map
                        .next_value()
                        .map_err(|error| A::Error::custom(format_args!("{name}: {error}")))?;
                    object.push(&name, value);
                }
                object.check::<A::Error>()?;
                Ok(object)
            }
        }
        deserializer.deserialize_map(Members)
    }
}
