//! Texts by name, read as a type: what fills the blanks of a template, and the arguments of a prompt.
//!
//! The wire knows them as texts only. A field that wants a number, a truth value or one of an enum reads it from its
//! text; an `Option` that has none is `None`.

#[cfg(test)]
mod tests;

use std::fmt::Display;

use serde::{
    Deserializer,
    de::{
        DeserializeOwned, Error as _, IntoDeserializer, Visitor,
        value::{Error, MapDeserializer, StrDeserializer},
    },
    forward_to_deserialize_any,
};

/// Reads `texts` as a `T`.
///
/// # Errors
/// That names the text and what was expected in its place.
pub(crate) fn read<'a, T, I>(texts: I) -> Result<T, Error>
where
    T: DeserializeOwned,
    I: Iterator<Item = (&'a str, &'a str)>,
{
    T::deserialize(MapDeserializer::new(
        texts.map(|(name, text)| (name, Text { name, text })),
    ))
}

#[derive(Clone, Copy)]
struct Text<'a> {
    name: &'a str,
    text: &'a str,
}

impl<'de> IntoDeserializer<'de, Error> for Text<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl Text<'_> {
    fn unread(self, expected: impl Display) -> Error {
        let text: String = self.text.chars().take(100).collect();
        Error::custom(format_args!(
            "`{}` is `{text}`, expected {expected}",
            self.name
        ))
    }
}

macro_rules! parsed {
    ($($method:ident $visit:ident $kind:literal;)*) => { $(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.text.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(self.unread($kind)),
            }
        }
    )* };
}

impl<'de> Deserializer<'de> for Text<'_> {
    type Error = Error;

    parsed! {
        deserialize_bool visit_bool "`true` or `false`";
        deserialize_i8 visit_i8 "an integer of 8 bits";
        deserialize_i16 visit_i16 "an integer of 16 bits";
        deserialize_i32 visit_i32 "an integer of 32 bits";
        deserialize_i64 visit_i64 "an integer of 64 bits";
        deserialize_u8 visit_u8 "an integer from 0 of 8 bits";
        deserialize_u16 visit_u16 "an integer from 0 of 16 bits";
        deserialize_u32 visit_u32 "an integer from 0 of 32 bits";
        deserialize_u64 visit_u64 "an integer from 0 of 64 bits";
        deserialize_f32 visit_f32 "a number";
        deserialize_f64 visit_f64 "a number";
        deserialize_char visit_char "one character";
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str(self.text)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let word: StrDeserializer<'_, Error> = self.text.into_deserializer();
        let read = visitor.visit_enum(word);
        read.map_err(|_| self.unread(format_args!("one of `{}`", words.join("`, `"))))
    }

    forward_to_deserialize_any! {
        i128 u128 str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
