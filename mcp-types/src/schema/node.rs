//! A schema as a tree that keeps the order of members and the spelling of values.

use std::collections::HashMap;

use serde::{Serialize, Serializer};

use super::{MAX_BYTES, MAX_DEPTH, SchemaError};
use crate::{
    raw::{RawJson, twice},
    strict::{
        StrictFlaw,
        lexer::{Lexer, Stop},
    },
};

/// Takes note of work: of nodes that are read, copied or visited, and of names that are compared. Tests count it.
#[cfg(not(test))]
pub(super) const fn worked(_: usize) {}

#[cfg(test)]
pub(super) fn worked(steps: usize) {
    WORK.with(|work| work.set(work.get() + steps));
}

#[cfg(test)]
thread_local! {
    pub(super) static WORK: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A JSON value of a schema.
#[derive(Debug, PartialEq)]
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
        // Two objects or lists make one level of schemas.
        let mut lexer = Lexer::new(schema.as_str(), 2 * MAX_DEPTH);
        let node = Self::read(&mut lexer).map_err(|stop| match stop.flaw {
            StrictFlaw::TooDeep => SchemaError::TooDeep,
            _ => SchemaError::NotSchema,
        })?;
        match &node {
            Self::Object(_) => Ok(node),
            Self::Scalar(value) if value.as_str() == "true" => Ok(node),
            _ => Err(SchemaError::NotSchema),
        }
    }

    /// Reads a value in one pass, be it the innermost.
    fn read(lexer: &mut Lexer<'_>) -> Result<Self, Stop> {
        worked(1);
        let text = lexer.text();
        match lexer.next() {
            b'{' => {
                let mut members = Vec::new();
                lexer.members(|lexer, name| {
                    members.push((name.read(text)?.into(), Self::read(lexer)?));
                    Ok(())
                })?;
                match twice(members.iter().map(|(name, _): &(Box<str>, _)| &**name)) {
                    None => Ok(Self::Object(Members(members))),
                    Some(_) => Err(lexer.here()),
                }
            }
            b'[' => {
                let mut items = Vec::new();
                lexer.elements(|lexer| {
                    items.push(Self::read(lexer)?);
                    Ok(())
                })?;
                Ok(Self::Array(items))
            }
            _ => {
                let place = lexer.loose()?;
                let value = RawJson::found(&text[place]).map_err(|_| lexer.here())?;
                Ok(Self::Scalar(value))
            }
        }
    }

    /// How many bytes of text it is, about.
    pub(super) fn weight(&self) -> usize {
        worked(1);
        match self {
            Self::Object(members) => members.weight(),
            Self::Array(items) => 2 + items.iter().map(|item| 1 + item.weight()).sum::<usize>(),
            Self::Scalar(value) => value.as_str().len(),
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

impl Clone for Node {
    fn clone(&self) -> Self {
        worked(1);
        match self {
            Self::Object(members) => Self::Object(members.clone()),
            Self::Array(items) => Self::Array(items.clone()),
            Self::Scalar(value) => Self::Scalar(value.clone()),
        }
    }
}

impl Members {
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        let at = self.position(name)?;
        Some(&self.0[at].1)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        let at = self.position(name)?;
        Some(&mut self.0[at].1)
    }

    fn position(&self, name: &str) -> Option<usize> {
        let at = self.0.iter().position(|(known, _)| &**known == name);
        worked(at.unwrap_or(self.0.len()));
        at
    }

    /// Where each member stands, for whoever looks for many.
    pub(super) fn index(&self) -> HashMap<&str, usize> {
        worked(self.0.len());
        let members = self.0.iter().enumerate();
        members.map(|(at, (name, _))| (&**name, at)).collect()
    }

    pub(super) fn weight(&self) -> usize {
        let members = self.0.iter();
        2 + members
            .map(|(name, value)| name.len() + 4 + value.weight())
            .sum::<usize>()
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
        let at = self.position(name)?;
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
