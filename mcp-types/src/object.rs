//! The one macro of the vocabulary: an object with known members that keeps the rest.
//!
//! `serde(flatten)` would buffer and lose raw values, so the visitors are written here. A member is
//!
//! | word | absent | malformed |
//! |---|---|---|
//! | `required` | an error | an error |
//! | `optional` | `None` | an error |
//! | `hint` | `None` | `None`: a bad hint never costs the message |
//! | `list` | empty | an error |
//! | `any` | `None` | – (any JSON, `null` too, is a value) |
//! | `nullable` | `None` | `None`; written as `null` |
//!
//! and is written only within `since`/`until`, and if the method after `when` agrees. `@` marks a constant member;
//! `was` is the name that a member had before 2026-07-28.

use std::{fmt, marker::PhantomData, ops::Deref};

use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeOwned, IgnoredAny, MapAccess, Visitor},
};

use crate::raw::{RAW_VALUE, RawJson};

/// A member name, borrowed from the text where it has no escapes.
pub(crate) enum Key<'a> {
    Borrowed(&'a str),
    Owned(Box<str>),
}

impl Deref for Key<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Owned(text) => text,
        }
    }
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key::Borrowed(text))
            }

            fn visit_str<E>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key::Owned(text.into()))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// A value as its text, borrowed from the message where that is at hand.
///
/// What is wrong within it, such as a lone surrogate or a number out of range, is not looked for.
pub(crate) struct Text<'a>(Key<'a>);

impl Text<'_> {
    /// Reads a hint; one that is malformed is none.
    ///
    /// An integer that is spelled as a fraction or with an exponent (`1000.0`, `1e3`), as writers without
    /// integers do, is still that integer.
    pub(crate) fn hint<T: DeserializeOwned + Default>(&self) -> T {
        let text = &*self.0;
        // Most are plain texts and flags, which need no second look for their end.
        let plain = Plain::of(text).and_then(|plain| T::deserialize(plain).ok());
        plain
            .or_else(|| serde_json::from_str(text).ok())
            .or_else(|| serde_json::from_str(&integral(text)?.to_string()).ok())
            .unwrap_or_default()
    }
}

/// A text without escapes, or a flag.
#[derive(Clone, Copy)]
enum Plain<'a> {
    Text(&'a str),
    Flag(bool),
}

impl<'a> Plain<'a> {
    fn of(text: &'a str) -> Option<Self> {
        match text {
            "true" => Some(Self::Flag(true)),
            "false" => Some(Self::Flag(false)),
            _ => {
                let inner = text.strip_prefix('"')?.strip_suffix('"')?;
                (!inner.contains('\\')).then_some(Self::Text(inner))
            }
        }
    }
}

impl<'de> Deserializer<'de> for Plain<'_> {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self {
            Self::Text(text) => visitor.visit_str(text),
            Self::Flag(flag) => visitor.visit_bool(flag),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// How an object of the kind `T` is read.
pub(crate) struct Members<T, H>(PhantomData<(T, H)>);

impl<T, H> Members<T, H> {
    /// Reads the object.
    pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error>
    where
        Self: Visitor<'de, Value = T>,
    {
        deserializer.deserialize_map(Self(PhantomData))
    }
}

/// What becomes of a bad hint.
pub(crate) trait Hints {
    /// Reads a hint.
    fn hint<'de, T, A>(map: &mut A) -> Result<T, A::Error>
    where
        T: DeserializeOwned + Default,
        A: MapAccess<'de>;
}

/// It is none.
pub(crate) struct Lenient;

/// It is an error, for whoever then reads again with [`Lenient`]: so a hint is looked at once.
pub(crate) struct Eager;

impl Hints for Lenient {
    fn hint<'de, T, A>(map: &mut A) -> Result<T, A::Error>
    where
        T: DeserializeOwned + Default,
        A: MapAccess<'de>,
    {
        map.next_value::<Text<'de>>().map(|text| text.hint())
    }
}

impl Hints for Eager {
    fn hint<'de, T, A>(map: &mut A) -> Result<T, A::Error>
    where
        T: DeserializeOwned + Default,
        A: MapAccess<'de>,
    {
        map.next_value()
    }
}

fn integral(text: &str) -> Option<i64> {
    // Beyond this a float does not tell one integer from the next.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number: f64 = text.parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "integral, and within the range"
    )]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Raw;
        impl<'de> Visitor<'de> for Raw {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any JSON")
            }

            /// serde_json hands a raw value over as the only member of an object.
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text<'de>, A::Error> {
                map.next_key::<IgnoredAny>()?;
                map.next_value().map(Text)
            }

            /// It does not know the name any more: the public way is a copy longer.
            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<Text<'de>, D::Error> {
                let raw = RawJson::deserialize(deserializer)?;
                Ok(Text(Key::Owned(raw.as_str().into())))
            }
        }
        deserializer.deserialize_newtype_struct(RAW_VALUE, Raw)
    }
}

macro_rules! object {
    (
        $(#[$meta:meta])*
        pub struct $Name:ident {
            $( @ $tag:literal = $value:literal $(, since $tag_since:ident)? ; )*
            $(
                $(#[$field_meta:meta])*
                $field:ident : $ty:ty = $key:literal, $mode:ident
                $(, was $old:literal)? $(, since $since:ident)? $(, until $until:ident)? $(, when $when:ident)? ;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[expect(clippy::exhaustive_structs, reason = "wire structs are open; what a revision adds goes to `extra`")]
        pub struct $Name {
            $( $(#[$field_meta])* pub $field: $ty, )*
            /// Every other member, kept as it came and written back.
            pub extra: $crate::raw::RawObject,
        }

        impl $crate::encode::Encode for $Name {
            #[allow(unused_variables, reason = "not every object has members that came or went with a revision")]
            fn encode<S: serde::Serializer>(
                &self,
                at: $crate::Revision,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                let mut map = serializer.serialize_map(None)?;
                $( if true $( && at >= $crate::Revision::$tag_since )? {
                    map.serialize_entry($tag, $value)?;
                } )*
                $( if true $( && at >= $crate::Revision::$since )? $( && at <= $crate::Revision::$until )?
                    $( && self.$when(at) )? {
                    object!(@write $mode map at (object!(@name at $key $($old)?)) &self.$field);
                } )*
                self.extra.write_into(&mut map)?;
                map.end()
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::encode::Encode::encode(self, $crate::Revision::LATEST, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::object::Members::<$Name, $crate::object::Lenient>::read(deserializer)
            }
        }

        impl<'de, H: $crate::object::Hints> serde::de::Visitor<'de> for $crate::object::Members<$Name, H> {
            type Value = $Name;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!("an object: ", stringify!($Name)))
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<$Name, A::Error> {
                #[allow(unused_imports, reason = "an object without required members reports no error of its own")]
                use serde::de::Error as _;
                $( let mut $field: Option<$ty> = None; )*
                let mut extra = $crate::raw::RawObject::new();
                while let Some(name) = map.next_key::<$crate::object::Key<'de>>()? {
                    match &*name {
                        $( $tag => { map.next_value::<serde::de::IgnoredAny>()?; } )*
                        $( $key $(| $old)? => {
                            if $field.is_some() {
                                return Err(A::Error::duplicate_field($key));
                            }
                            $field = Some(object!(@read $mode map $ty).map_err(|error: A::Error| {
                                A::Error::custom(format_args!(concat!(stringify!($Name), ".", $key, ": {}"), error))
                            })?);
                        } )*
                        other => {
                            let value = map.next_value()?;
                            extra.push(other, value);
                        }
                    }
                }
                extra.check::<A::Error>()?;
                Ok($Name {
                    $( $field: object!(@take $mode $field $key $Name), )*
                    extra,
                })
            }
        }
    };

    (@name $at:ident $key:literal) => { $key };
    (@name $at:ident $key:literal $old:literal) => {
        if $at < $crate::Revision::V2026_07_28 { $old } else { $key }
    };

    (@write required $map:ident $at:ident ($key:expr) $value:expr) => {
        $map.serialize_entry($key, &$crate::encode::At($value, $at))?
    };
    (@write list $map:ident $at:ident ($key:expr) $value:expr) => {
        $map.serialize_entry($key, &$crate::encode::At($value, $at))?
    };
    (@write nullable $map:ident $at:ident ($key:expr) $value:expr) => {
        $map.serialize_entry($key, $value)?
    };
    (@write $optional:ident $map:ident $at:ident ($key:expr) $value:expr) => {
        if let Some(value) = $value {
            $map.serialize_entry($key, &$crate::encode::At(value, $at))?;
        }
    };

    (@read hint $map:ident $ty:ty) => {
        H::hint::<$ty, A>(&mut $map)
    };
    (@read nullable $map:ident $ty:ty) => {
        object!(@read hint $map $ty)
    };
    (@read any $map:ident $ty:ty) => {
        $map.next_value::<$crate::raw::RawJson>().map(Some)
    };
    (@read list $map:ident $ty:ty) => {
        $map.next_value::<Option<$ty>>().map(Option::unwrap_or_default)
    };
    (@read $mode:ident $map:ident $ty:ty) => {
        $map.next_value::<$ty>()
    };

    (@take required $field:ident $key:literal $Name:ident) => {
        $field.ok_or_else(|| A::Error::custom(concat!(stringify!($Name), ": member `", $key, "` is missing")))?
    };
    (@take $mode:ident $field:ident $key:literal $Name:ident) => {
        $field.unwrap_or_default()
    };
}

/// One page of a list: what all of them say beside their items.
macro_rules! page {
    (
        $(#[$meta:meta])*
        pub struct $Name:ident {
            $(#[$items_meta:meta])*
            $items:ident : $Item:ty = $key:literal;
        }
    ) => {
        object! {
            $(#[$meta])*
            #[derive(Default)]
            pub struct $Name {
                @ "resultType" = "complete", since V2026_07_28;
                $(#[$items_meta])*
                $items: Vec<$Item> = $key, list;
                /// Where the next page starts; none on the last.
                next_cursor: Option<String> = "nextCursor", hint;
                /// For how many milliseconds the page may be reused.
                ttl_ms: Option<u64> = "ttlMs", hint, since V2026_07_28;
                /// Who may reuse it.
                cache_scope: Option<$crate::cache::CacheScope> = "cacheScope", hint, since V2026_07_28;
                /// Free members about the result.
                meta: Option<$crate::raw::RawObject> = "_meta", hint;
            }
        }
    };
}

#[cfg(test)]
mod tests;
