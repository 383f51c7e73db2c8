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

use std::{fmt, ops::Deref};

use serde::{Deserialize, Deserializer, de::Visitor};

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

    (@read hint $map:ident $ty:ty) => {
        $map.next_value::<$crate::raw::RawJson>().map(|raw| raw.decode::<$ty>().unwrap_or_default())
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
