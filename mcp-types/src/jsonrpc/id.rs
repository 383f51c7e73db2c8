//! Request ids and progress tokens: a string or an integer, and which of both is kept.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, MapAccess, Unexpected, Visitor, value::MapAccessDeserializer},
};
use serde_json::Number;

macro_rules! string_or_integer {
    ($(#[$meta:meta])* $Name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(clippy::exhaustive_enums, reason = "the specification knows these two kinds")]
        pub enum $Name {
            /// An integer.
            Number(i64),
            /// A string.
            String(Box<str>),
        }

        impl From<i64> for $Name {
            fn from(number: i64) -> Self {
                Self::Number(number)
            }
        }

        impl From<&str> for $Name {
            fn from(text: &str) -> Self {
                Self::String(text.into())
            }
        }

        impl From<String> for $Name {
            fn from(text: String) -> Self {
                Self::String(text.into())
            }
        }

        impl fmt::Display for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Self::Number(number) => write!(f, "{number}"),
                    Self::String(text) => f.write_str(text),
                }
            }
        }

        impl Serialize for $Name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    Self::Number(number) => serializer.serialize_i64(*number),
                    Self::String(text) => serializer.serialize_str(text),
                }
            }
        }

        impl<'de> Deserialize<'de> for $Name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Either;
                impl<'de> Visitor<'de> for Either {
                    type Value = $Name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("a string or an integer")
                    }

                    fn visit_i64<E>(self, number: i64) -> Result<$Name, E> {
                        Ok($Name::Number(number))
                    }

                    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<$Name, E> {
                        i64::try_from(number).map($Name::Number).map_err(E::custom)
                    }

                    fn visit_str<E>(self, text: &str) -> Result<$Name, E> {
                        Ok($Name::String(text.into()))
                    }

                    /// What an integer poses as under serde_json's `arbitrary_precision`.
                    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<$Name, A::Error> {
                        let number = Number::deserialize(MapAccessDeserializer::new(map))?;
                        let integer = number.as_i64().map($Name::Number);
                        integer.ok_or_else(|| A::Error::invalid_type(Unexpected::Float(0.0), &self))
                    }
                }
                deserializer.deserialize_any(Either)
            }
        }
    };
}

string_or_integer! {
    /// The id of a request: echoed with the same JSON type, so `1` and `"1"` are two ids.
    RequestId
}

string_or_integer! {
    /// The token that ties `notifications/progress` to the request that asked for it.
    ProgressToken
}
