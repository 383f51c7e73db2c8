//! A schema as a tree that keeps the order of members and the spelling of values.

use serde::{Serialize, Serializer};

use super::{MAX_BYTES, MAX_DEPTH, SchemaError};
use crate::raw::{RawJson, RawObject};

/// A JSON value of a schema.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Object(Members),
    Array(Vec<Self>),
    /// Anything else, as it is spelled.
    Scalar(RawJson),
}

/// The members of an object, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Members(pub(super) Vec<(Box<str>, Node)>);

impl Node {
    pub(super) fn parse(schema: &RawJson) -> Result<Self, SchemaError> {
        if schema.as_str().len() > MAX_BYTES {
            return Err(SchemaError::TooLong);
        }
        let node = Self::read(schema, 0)?;
        match &node {
            Self::Object(_) => Ok(node),
            Self::Scalar(value) if value.as_str() == "true" => Ok(node),
            _ => Err(SchemaError::NotSchema),
        }
    }

    // Each level is scanned anew, so the two limits bound the work.
    fn read(raw: &RawJson, depth: usize) -> Result<Self, SchemaError> {
        // Limits count objects and lists below the root; two of them make one level of schemas.
        if depth > 2 * MAX_DEPTH {
            return Err(SchemaError::TooDeep);
        }
        match raw.as_str().as_bytes().first() {
            Some(b'{') => {
                let object: RawObject = raw.decode().map_err(|_| SchemaError::NotSchema)?;
                let members = object
                    .iter()
                    .map(|(name, value)| Ok((Box::from(name), Self::read(value, depth + 1)?)));
                members
                    .collect::<Result<_, _>>()
                    .map(|all| Self::Object(Members(all)))
            }
            Some(b'[') => {
                let items: Vec<RawJson> = raw.decode().map_err(|_| SchemaError::NotSchema)?;
                let items = items.iter().map(|item| Self::read(item, depth + 1));
                items.collect::<Result<_, _>>().map(Self::Array)
            }
            _ => Ok(Self::Scalar(raw.clone())),
        }
    }

    pub(super) fn to_raw(&self) -> RawJson {
        RawJson::from_serialize(self).unwrap_or_else(|_| RawJson::null())
    }

    /// An object without members: the schema that everything fits.
    pub(super) const fn empty() -> Self {
        Self::Object(Members(Vec::new()))
    }

    pub(super) fn text(text: &str) -> Self {
        Self::Scalar(RawJson::from_serialize(text).unwrap_or_else(|_| RawJson::null()))
    }

    pub(super) fn bool(value: bool) -> Self {
        Self::Scalar(RawJson::from_serialize(&value).unwrap_or_else(|_| RawJson::null()))
    }

    /// `{"name":value}`.
    pub(super) fn object(name: &str, value: Self) -> Self {
        Self::Object(Members(vec![(name.into(), value)]))
    }

    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self, Self::Scalar(value) if value.as_str() == text)
    }

    pub(super) fn is_bool(&self) -> bool {
        self.is("true") || self.is("false")
    }

    /// The string that it is.
    pub(super) fn as_text(&self) -> Option<String> {
        match self {
            Self::Scalar(value) if value.as_str().starts_with('"') => value.decode().ok(),
            _ => None,
        }
    }

    pub(super) fn as_members(&self) -> Option<&Members> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(super) fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }
}

impl Members {
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        self.0
            .iter()
            .find(|(known, _)| &**known == name)
            .map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        self.0
            .iter_mut()
            .find(|(known, _)| &**known == name)
            .map(|(_, value)| value)
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name)?.as_text()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets a member: in its place if it exists, else at the end.
    pub(super) fn set(&mut self, name: &str, value: Node) {
        match self.get_mut(name) {
            Some(old) => *old = value,
            None => self.0.push((name.into(), value)),
        }
    }

    /// Sets a member that is not there yet at the beginning.
    pub(super) fn lead(&mut self, name: &str, value: Node) {
        match self.get_mut(name) {
            Some(old) => *old = value,
            None => self.0.insert(0, (name.into(), value)),
        }
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Node> {
        let at = self.0.iter().position(|(known, _)| &**known == name)?;
        Some(self.0.remove(at).1)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    /// The types of `type`, one or several.
    pub(super) fn kinds(&self) -> Vec<String> {
        match self.get("type") {
            Some(Node::Array(kinds)) => kinds.iter().filter_map(Node::as_text).collect(),
            Some(kind) => kind.as_text().into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// Whether `type` is `kind` alone.
    pub(super) fn is_kind(&self, kind: &str) -> bool {
        self.text("type").is_some_and(|text| text == kind)
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Object(members) => {
                serializer.collect_map(members.0.iter().map(|(name, value)| (name, value)))
            }
            Self::Array(items) => serializer.collect_seq(items),
            Self::Scalar(value) => value.serialize(serializer),
        }
    }
}
