//! The parameters of a request or notification: bytes, and where each member stands in them.

use std::{borrow::Cow, fmt, iter::Chain, ops::Range, slice, sync::Arc};

use bytes::Bytes;
use serde::{
    Serialize,
    de::{DeserializeOwned, IgnoredAny},
};

use super::{RawJson, twice};
use crate::{
    jsonrpc::MAX_DEPTH,
    strict::{
        NotStrict,
        lexer::{self, Lexer, Stop},
    },
};

/// The `params` of a message: an object, not yet decoded.
///
/// It shares the bytes of the message it came in, and knows where each top-level member stands, so
/// that routing (`name`, `uri`, `_meta`) and forwarding need no second look at the rest.
#[derive(Clone, Default)]
pub struct RawParams {
    bytes: Bytes,
    /// Where in `bytes` the object stands; nowhere, if there is none.
    span: Range<usize>,
    table: Option<Arc<Table>>,
    /// Whether this is the `_meta` of the parameters that the table is of.
    is_meta: bool,
}

/// Where the members of some parameters stand, and those of their `_meta`, which is always looked at.
struct Table {
    members: Vec<Member>,
    /// In `members`, without being members of the parameters.
    meta: Option<Meta>,
}

struct Meta {
    members: Range<usize>,
    span: Range<usize>,
    twice: Option<Box<str>>,
}

type MemberIter<'a> = Chain<slice::Iter<'a, Member>, slice::Iter<'a, Member>>;

impl Table {
    fn own(&self) -> MemberIter<'_> {
        let meta = self.meta.as_ref().map_or(0..0, |meta| meta.members.clone());
        let (before, after) = (&self.members[..meta.start], &self.members[meta.end..]);
        before.iter().chain(after)
    }

    fn meta(&self) -> MemberIter<'_> {
        let meta = self.meta.as_ref().map_or(0..0, |meta| meta.members.clone());
        self.members[meta].iter().chain(&[])
    }
}

#[derive(Clone)]
struct Member {
    name: Name,
    value: Range<usize>,
}

#[derive(Clone)]
enum Name {
    /// Where it stands.
    Plain(Range<usize>),
    /// What it is without its escapes.
    Escaped(Box<str>),
}

impl Name {
    fn new(name: lexer::Name, text: &str) -> Result<Self, Stop> {
        Ok(match name.read(text)? {
            Cow::Borrowed(_) => Self::Plain(name.start..name.end),
            Cow::Owned(name) => Self::Escaped(name.into()),
        })
    }

    fn read<'a>(&'a self, text: &'a str) -> &'a str {
        match self {
            Self::Plain(range) => &text[range.clone()],
            Self::Escaped(name) => name,
        }
    }

    fn bytes<'a>(&'a self, text: &'a [u8]) -> &'a [u8] {
        match self {
            Self::Plain(range) => &text[range.clone()],
            Self::Escaped(name) => name.as_bytes(),
        }
    }
}

/// How many members have room from the start: those of a modern call and of its `_meta`.
const MOST_MEMBERS: usize = 10;

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
        let text = std::str::from_utf8(&bytes).map_err(serde_json::Error::custom)?;
        let mut lexer = Lexer::new(text, MAX_DEPTH);
        if lexer.next() != b'{' {
            serde_json::from_str::<IgnoredAny>(text)?;
            return Err(serde_json::Error::custom("params must be an object"));
        }
        let located = Located::read(&mut lexer)
            .and_then(|located| lexer.end().map(|()| located))
            .map_err(|stop| serde_json::Error::custom(NotStrict::new(text, stop)))?;
        match &located.twice {
            Some(name) => Err(serde_json::Error::custom(format_args!(
                "member `{name}` of params stands twice"
            ))),
            None => Ok(Self::share(&bytes, located)),
        }
    }

    /// A member that is an object, found in the same bytes; `None` when it is absent.
    ///
    /// # Errors
    /// When the member is no object, or names a member twice.
    pub fn object(&self, name: &str) -> Result<Option<Self>, serde_json::Error> {
        use serde::de::Error as _;
        if let (
            Some(Table {
                meta: Some(meta), ..
            }),
            false,
            "_meta",
        ) = (self.table.as_deref(), self.is_meta, name)
        {
            if let Some(name) = &meta.twice {
                return Err(serde_json::Error::custom(format_args!(
                    "member `{name}` of _meta stands twice"
                )));
            }
            return Ok(Some(Self {
                bytes: self.bytes.clone(),
                span: meta.span.clone(),
                table: self.table.clone(),
                is_meta: true,
            }));
        }
        let Some(member) = self.member(name) else {
            return Ok(None);
        };
        let bytes = self.bytes.slice(member.value.clone());
        if !bytes.starts_with(b"{") {
            return Err(serde_json::Error::custom(format_args!(
                "member `{name}` must be an object"
            )));
        }
        Self::parse(bytes).map(Some)
    }

    /// The text of a member.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.member(name).map(|member| self.text(member))
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
        if self.span.is_empty() {
            return serde_json::from_str("{}");
        }
        serde_json::from_slice(&self.bytes[self.span.clone()])
    }

    /// The names and texts of all members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members()
            .map(|member| (self.name(member), self.text(member)))
    }

    /// The parameters as one value, for readers that take nothing else.
    pub fn to_raw(&self) -> RawJson {
        let mut text = Vec::new();
        self.write(None, &mut text);
        // An object of members that were read as JSON.
        let text = String::from_utf8(text).unwrap_or_default();
        RawJson::found(&text).unwrap_or_else(|_| RawJson::null())
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.members().next().is_none()
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
        let mut members = Vec::with_capacity(self.members().count() + 1);
        let mut put = |name: &str, value: &str| {
            if out.len() > 1 {
                out.push(b',');
            }
            write_name(name, &mut out);
            let start = out.len();
            out.extend_from_slice(value.as_bytes());
            members.push(Member {
                name: Name::Escaped(name.into()),
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
            span: 0..out.len(),
            bytes: out.into(),
            table: Some(Arc::new(Table {
                members,
                meta: None,
            })),
            is_meta: false,
        }
    }

    /// The object at `located`, which was read from `bytes` and has no name twice.
    pub(crate) fn share(bytes: &Bytes, located: Located) -> Self {
        Self {
            bytes: bytes.clone(),
            span: located.span,
            table: Some(Arc::new(located.table)),
            is_meta: false,
        }
    }

    fn member(&self, name: &str) -> Option<&Member> {
        let is = |member: &&Member| member.name.bytes(&self.bytes) == name.as_bytes();
        self.members().find(is)
    }

    fn members(&self) -> MemberIter<'_> {
        match &self.table {
            None => [].iter().chain(&[]),
            Some(table) if self.is_meta => table.meta(),
            Some(table) => table.own(),
        }
    }

    fn name<'a>(&'a self, member: &'a Member) -> &'a str {
        // As below.
        std::str::from_utf8(member.name.bytes(&self.bytes)).unwrap_or_default()
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

/// An object that was found in a text: where it and its members stand.
pub(crate) struct Located {
    span: Range<usize>,
    table: Table,
    /// The name that stands twice, if one does.
    pub(crate) twice: Option<Box<str>>,
}

impl Located {
    /// Reads the object before which `lexer` stands.
    pub(crate) fn read(lexer: &mut Lexer<'_>) -> Result<Self, Stop> {
        let (start, text) = (lexer.start(), lexer.text());
        let mut table = Table {
            members: Vec::with_capacity(MOST_MEMBERS),
            meta: None,
        };
        lexer.members(|lexer, name| {
            let name = Name::new(name, text)?;
            let is_meta = name.bytes(text.as_bytes()) == b"_meta" && table.meta.is_none();
            let value = if is_meta && lexer.next() == b'{' {
                table.read_meta(lexer)?
            } else {
                lexer.loose()?
            };
            table.members.push(Member { name, value });
            Ok(())
        })?;
        let twice = twice(table.own().map(|member| member.name.read(text))).map(Box::from);
        Ok(Self {
            span: start..lexer.at(),
            table,
            twice,
        })
    }
}

impl Table {
    fn read_meta(&mut self, lexer: &mut Lexer<'_>) -> Result<Range<usize>, Stop> {
        let (start, text) = (lexer.start(), lexer.text());
        let first = self.members.len();
        lexer.members(|lexer, name| {
            let name = Name::new(name, text)?;
            let value = lexer.loose()?;
            self.members.push(Member { name, value });
            Ok(())
        })?;
        let names = self.members[first..].iter();
        let twice = twice(names.map(|member| member.name.read(text))).map(Box::from);
        let span = start..lexer.at();
        self.meta = Some(Meta {
            members: first..self.members.len(),
            span: span.clone(),
            twice,
        });
        Ok(span)
    }
}
