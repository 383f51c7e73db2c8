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
//! and is written only within `since`/`until`. `@` marks a constant member; `was` is the name that a member
//! had before 2026-07-28.

use std::{fmt, marker::PhantomData, ops::Deref};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use crate::raw::RawJson;

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

/// Reads a hint; one that is malformed is none.
///
/// An integer that is spelled as a fraction or with an exponent (`1000.0`, `1e3`), as writers without
/// integers do, is still that integer.
fn hint<T: DeserializeOwned + Default>(raw: &RawJson) -> T {
    raw.decode()
        .ok()
        .or_else(|| serde_json::from_str(&integral(raw.as_str())?.to_string()).ok())
        .unwrap_or_default()
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

/// A hint of type `T` that is about to be read.
pub(crate) struct Hint<T>(PhantomData<T>);

impl<T> Hint<T> {
    pub(crate) const HERE: Self = Self(PhantomData);
}

/// Any hint: taken as text, so that another shape costs nothing but itself.
pub(crate) trait SlowHint<T> {
    fn read<'de, A: MapAccess<'de>>(&self, map: &mut A) -> Result<T, A::Error>;
}

impl<T: DeserializeOwned + Default> SlowHint<T> for &Hint<T> {
    fn read<'de, A: MapAccess<'de>>(&self, map: &mut A) -> Result<T, A::Error> {
        let raw = map.next_value::<RawJson>()?;
        Ok(hint(&raw))
    }
}

/// The hints there are most of: read at once, if they have the shape.
pub(crate) trait FastHint<T> {
    fn read<'de, A: MapAccess<'de>>(&self, map: &mut A) -> Result<T, A::Error>;
}

macro_rules! fast_hint {
    ($ty:ty, $visit:ident: $from:ty) => {
        impl FastHint<Option<$ty>> for Hint<Option<$ty>> {
            fn read<'de, A: MapAccess<'de>>(&self, map: &mut A) -> Result<Option<$ty>, A::Error> {
                map.next_value_seed(Self::HERE)
            }
        }

        impl<'de> DeserializeSeed<'de> for Hint<Option<$ty>> {
            type Value = Option<$ty>;

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<$ty>, D::Error> {
                deserializer.deserialize_any(self)
            }
        }

        impl<'de> Visitor<'de> for Hint<Option<$ty>> {
            type Value = Option<$ty>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any JSON")
            }

            fn $visit<E>(self, value: $from) -> Result<Option<$ty>, E> {
                Ok(Some(value.into()))
            }

            fast_hint!(@other $ty, $visit: visit_bool(bool), visit_str(&str), visit_i64(i64), visit_u64(u64), visit_f64(f64));

            fn visit_unit<E>(self) -> Result<Option<$ty>, E> {
                Ok(None)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<$ty>, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(None)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<$ty>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(None)
            }
        }
    };
    (@other $ty:ty, visit_bool: visit_bool(bool), $($rest:tt)*) => {
        fast_hint!(@none $ty, $($rest)*);
    };
    (@other $ty:ty, visit_str: visit_bool(bool), visit_str(&str), $($rest:tt)*) => {
        fast_hint!(@none $ty, visit_bool(bool), $($rest)*);
    };
    (@none $ty:ty, $($visit:ident($from:ty)),*) => { $(
        fn $visit<E>(self, _: $from) -> Result<Option<$ty>, E> {
            Ok(None)
        }
    )* };
}

fast_hint!(bool, visit_bool: bool);
fast_hint!(String, visit_str: &str);

macro_rules! object {
    (
        $(#[$meta:meta])*
        pub struct $Name:ident {
            $( @ $tag:literal = $value:literal $(, since $tag_since:ident)? ; )*
            $(
                $(#[$field_meta:meta])*
                $field:ident : $ty:ty = $key:literal, $mode:ident
                $(, was $old:literal)? $(, since $since:ident)? $(, until $until:ident)? ;
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
                $( if true $( && at >= $crate::Revision::$since )? $( && at <= $crate::Revision::$until )? {
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
                struct Members;
                impl<'de> serde::de::Visitor<'de> for Members {
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
                deserializer.deserialize_map(Members)
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

    (@read hint $map:ident $ty:ty) => {{
        // A reference is found before a reference to it, so the slow way is only taken without a fast one.
        #[allow(unused_imports, reason = "one of the two is found")]
        use $crate::object::{FastHint as _, SlowHint as _};
        (&$crate::object::Hint::<$ty>::HERE).read(&mut $map)
    }};
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_hint_is_read_however_it_is_spelled() {
        let check = |text: &str, expected: Option<u64>| {
            let raw = RawJson::parse(text).unwrap();
            assert_eq!(hint::<Option<u64>>(&raw), expected, "{text}");
        };
        check("1000", Some(1000));
        check("1e3", Some(1000));
        check("1000.0", Some(1000));
        check("0.0", Some(0));
        check("18446744073709551615", Some(u64::MAX));
        for malformed in [
            "-1", "-1.0", "1.5", "1e300", "\"1000\"", "true", "[1]", "null",
        ] {
            check(malformed, None);
        }
    }
}
