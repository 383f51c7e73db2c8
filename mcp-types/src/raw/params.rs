//! The parameters of a request or notification: bytes, and where each member stands in them.

use std::{fmt, ops::Range};

use bytes::Bytes;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{RawJson, twice};
use crate::object::Key;

/// The `params` of a message: an object, not yet decoded.
///
/// It shares the bytes of the message it came in, and knows where each top-level member stands, so
/// that routing (`name`, `uri`, `_meta`) and forwarding need no second look at the rest.
#[derive(Clone, Default)]
pub struct RawParams {
    bytes: Bytes,
    members: Box<[Member]>,
}

#[derive(Clone)]
struct Member {
    name: Box<str>,
    value: Range<usize>,
}

impl RawParams {
    /// No parameters; written as an empty object, or left out.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Writes `params`, which must become a JSON object.
    ///
    /// # Errors
    /// When `params` cannot be written as JSON, or is no object.
    pub fn from_serialize<T: Serialize + ?Sized>(params: &T) -> Result<Self, serde_json::Error> {
        Self::parse(serde_json::to_vec(params)?)
    }

    /// Takes the text of a JSON object.
    ///
    /// # Errors
    /// When `bytes` is not one JSON object, or names a member twice.
    pub fn parse(bytes: impl Into<Bytes>) -> Result<Self, serde_json::Error> {
        use serde::de::Error as _;
        let bytes = bytes.into();
        match serde_json::from_slice::<Members<'_>>(&bytes)? {
            Members::Object(members) => Self::locate(&bytes, &members).map_err(|Twice(name)| {
                serde_json::Error::custom(format_args!("member `{name}` of params stands twice"))
            }),
            Members::Other => Err(serde_json::Error::custom("params must be an object")),
        }
    }

    /// The text of a member.
    pub fn get(&self, name: &str) -> Option<&str> {
        let member = self.members.iter().find(|member| &*member.name == name)?;
        Some(self.text(member))
    }

    /// A member, read as a `T`; `None` when it is absent.
    ///
    /// # Errors
    /// When the member has another shape.
    pub fn decode_member<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, serde_json::Error> {
        self.get(name).map(serde_json::from_str).transpose()
    }

    /// All parameters, read as a `T`.
    ///
    /// # Errors
    /// When they have another shape.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        let mut text = Vec::new();
        self.write(None, &mut text);
        serde_json::from_slice(&text)
    }

    /// The names and texts of all members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members
            .iter()
            .map(|member| (&*member.name, self.text(member)))
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The same parameters with one member set, in its place or at the end.
    #[must_use]
    pub fn with(&self, name: &str, value: &RawJson) -> Self {
        self.rewrite(name, Some(value))
    }

    /// The same parameters without one member.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        self.rewrite(name, None)
    }

    /// Appends the object to `out`, with `meta`, if any, in the place of its `_meta`.
    pub fn write(&self, meta: Option<&str>, out: &mut Vec<u8>) {
        out.push(b'{');
        let mut first = true;
        let mut member = |name: &str, value: &str, out: &mut Vec<u8>| {
            if !std::mem::take(&mut first) {
                out.push(b',');
            }
            write_name(name, out);
            out.extend_from_slice(value.as_bytes());
        };
        for (name, value) in self.iter() {
            match meta {
                Some(_) if name == "_meta" => {}
                _ => member(name, value, out),
            }
        }
        if let Some(meta) = meta {
            member("_meta", meta, out);
        }
        out.push(b'}');
    }

    fn rewrite(&self, name: &str, value: Option<&RawJson>) -> Self {
        let mut out = Vec::from(*b"{");
        let mut members = Vec::with_capacity(self.members.len() + 1);
        let mut put = |name: &str, value: &str| {
            if out.len() > 1 {
                out.push(b',');
            }
            write_name(name, &mut out);
            let start = out.len();
            out.extend_from_slice(value.as_bytes());
            members.push(Member {
                name: name.into(),
                value: start..out.len(),
            });
        };
        let mut placed = false;
        for (known, text) in self.iter() {
            match value {
                _ if known != name => put(known, text),
                Some(value) => {
                    put(known, value.as_str());
                    placed = true;
                }
                None => {}
            }
        }
        if let (Some(value), false) = (value, placed) {
            put(name, value.as_str());
        }
        out.push(b'}');
        Self {
            bytes: out.into(),
            members: members.into(),
        }
    }

    /// Finds the members, which were read from `bytes`, in `bytes`.
    pub(crate) fn locate(bytes: &Bytes, members: &[(Key<'_>, &RawValue)]) -> Result<Self, Twice> {
        if let Some(name) = twice(members.iter().map(|(name, _)| &**name)) {
            return Err(Twice(name.into()));
        }
        let base = bytes.as_ptr() as usize;
        let found = members.iter().map(|(name, value)| {
            let start = value.get().as_ptr() as usize - base;
            Member {
                name: (**name).into(),
                value: start..start + value.get().len(),
            }
        });
        Ok(Self {
            bytes: bytes.clone(),
            members: found.collect(),
        })
    }

    fn text(&self, member: &Member) -> &str {
        // Each range was a `&str` when it was found, so this never falls back.
        std::str::from_utf8(&self.bytes[member.value.clone()]).unwrap_or_default()
    }
}

fn write_name(name: &str, out: &mut Vec<u8>) {
    // Writing a string into memory cannot fail.
    let written = serde_json::to_writer(&mut *out, name);
    debug_assert!(written.is_ok());
    out.push(b':');
}

impl fmt::Debug for RawParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl PartialEq for RawParams {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

/// A member that stands twice, by its name.
pub(crate) struct Twice(pub(crate) Box<str>);

/// How serde_json names the one member of what a number poses as, where some crate of the program turns on
/// its feature `arbitrary_precision`.
const NUMBER: &str = "$serde_json::private::Number";

/// What stood where an object was expected: its members, or something else.
///
/// Reading it takes one pass over the text and copies nothing.
pub(crate) enum Members<'a> {
    /// The members of an object, in order.
    Object(Vec<(Key<'a>, &'a RawValue)>),
    /// Something that is no object.
    Other,
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any JSON")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(4);
                while let Some(name) = map.next_key::<Key<'de>>()? {
                    if &*name == NUMBER {
                        map.next_value::<IgnoredAny>()?;
                        return Ok(Members::Other);
                    }
                    members.push((name, map.next_value()?));
                }
                Ok(Members::Object(members))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Members::Other)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(Members::Other)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
                Ok(Members::Other)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
                Ok(Members::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(Members::Other)
            }

            fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
                Ok(Members::Other)
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Members::Other)
            }
        }
        deserializer.deserialize_any(Any)
    }
}
