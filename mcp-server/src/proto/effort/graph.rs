//! The schemas in a schema, and which lead to which.

use std::collections::{BTreeMap, HashMap};

use mcp_types::schema::{MAX_REFERENCES, MAX_SCHEMAS};
use serde_json::{Map, Value};

use super::{MAX_CHAIN, MAX_PATTERN, Refused};

/// A schema in a [`Graph`].
pub(super) type Id = usize;

/// The schemas in a schema; the first is the root.
#[derive(Debug, Default)]
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) patterns: Vec<&'a str>,
    pub(super) negates: bool,
    places: HashMap<String, Id>,
    anchors: HashMap<&'a str, Id>,
    dynamic: Vec<Id>,
    references: Vec<(Id, &'a str, bool)>,
}

/// One schema, and those it applies.
#[derive(Debug, Default)]
pub(super) struct Node<'a> {
    /// To the same value.
    pub(super) here: Vec<Id>,
    /// To the member of this name.
    pub(super) named: BTreeMap<&'a str, Id>,
    /// To members that have no schema by their name.
    pub(super) other: Option<Id>,
    /// To any member, or its name.
    pub(super) member: Vec<Id>,
    /// To the items at the beginning, each its own.
    pub(super) first: Vec<Id>,
    /// To the items after those.
    pub(super) rest: Option<Id>,
    /// To any item.
    pub(super) item: Vec<Id>,
    /// Whether it looks once more at what it has looked at: `unevaluatedProperties`, `unevaluatedItems`.
    pub(super) again: bool,
}

impl Node<'_> {
    /// All that it applies, to whatever.
    fn next(&self) -> impl Iterator<Item = Id> {
        let lists = [&self.here, &self.member, &self.first, &self.item];
        let lists = lists.into_iter().flatten().copied();
        let named = self.named.values().copied();
        lists.chain(named).chain(self.other).chain(self.rest)
    }
}

impl<'a> Graph<'a> {
    pub(super) fn of(schema: &'a Value) -> Result<Self, Refused> {
        let mut graph = Self::default();
        if let Some(dialect) = schema.get("$schema") {
            check_dialect(dialect)?;
        }
        graph.add(schema, String::new())?;
        // What is referred to may lie where no keyword leads, and refer on.
        while let Some((from, uri, is_dynamic)) = graph.references.pop() {
            let to = graph.target(schema, uri)?;
            graph.nodes[from].here.push(to);
            if is_dynamic {
                let dynamic = graph.dynamic.clone();
                graph.nodes[from].here.extend(dynamic);
            }
        }
        Ok(graph)
    }

    /// The place of a schema, as a JSON pointer.
    pub(super) fn place(&self, id: Id) -> String {
        let mut places = self.places.iter();
        let found = places.find_map(|(place, &at)| (at == id).then_some(place));
        format!("#{}", found.map_or("", |place| place))
    }

    fn add(&mut self, schema: &'a Value, place: String) -> Result<Id, Refused> {
        let id = self.nodes.len();
        if id == MAX_SCHEMAS {
            return Err(Refused::TooMany);
        }
        self.nodes.push(Node::default());
        let is_root = place.is_empty();
        if let Value::Object(members) = schema {
            self.names(id, members, is_root)?;
            for (keyword, value) in members {
                self.keyword(id, keyword, value, &place)?;
            }
        }
        self.places.insert(place, id);
        Ok(id)
    }

    /// What a schema is called, and what it calls.
    fn names(
        &mut self,
        id: Id,
        members: &'a Map<String, Value>,
        root: bool,
    ) -> Result<(), Refused> {
        if let (false, Some(Value::String(uri))) = (root, members.get("$id")) {
            return Err(Refused::Nested(short(uri)));
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(Value::String(anchor)) = members.get(keyword) {
                self.anchors.insert(anchor, id);
                if keyword == "$dynamicAnchor" {
                    self.dynamic.push(id);
                }
            }
        }
        for keyword in ["$ref", "$dynamicRef"] {
            if let Some(Value::String(uri)) = members.get(keyword) {
                if self.references.len() == MAX_REFERENCES {
                    return Err(Refused::TooMany);
                }
                self.references.push((id, uri, keyword == "$dynamicRef"));
            }
        }
        Ok(())
    }

    fn keyword(
        &mut self,
        id: Id,
        keyword: &'a str,
        value: &'a Value,
        place: &str,
    ) -> Result<(), Refused> {
        let at = |part: &str| format!("{place}/{keyword}{part}");
        match (keyword, value) {
            ("pattern", Value::String(pattern)) => self.pattern(pattern)?,
            ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => {
                for (index, schema) in list.iter().enumerate() {
                    let to = self.add(schema, at(&format!("/{index}")))?;
                    self.nodes[id].here.push(to);
                }
            }
            ("not" | "if" | "then" | "else", schema) => {
                let to = self.add(schema, at(""))?;
                self.nodes[id].here.push(to);
            }
            ("$defs" | "definitions", Value::Object(named)) => {
                for (name, schema) in named {
                    self.add(schema, at(&step(name)))?;
                }
            }
            ("dependentSchemas" | "dependencies", Value::Object(named)) => {
                for (name, schema) in named.iter().filter(|(_, schema)| !schema.is_array()) {
                    let to = self.add(schema, at(&step(name)))?;
                    self.nodes[id].here.push(to);
                }
            }
            ("properties", Value::Object(named)) => {
                for (name, schema) in named {
                    let to = self.add(schema, at(&step(name)))?;
                    self.nodes[id].named.insert(name, to);
                }
            }
            ("patternProperties", Value::Object(named)) => {
                for (name, schema) in named {
                    self.pattern(name)?;
                    // What it leaves out may be what is refused.
                    self.negates = true;
                    let to = self.add(schema, at(&step(name)))?;
                    self.nodes[id].member.push(to);
                }
            }
            ("items" | "prefixItems", Value::Array(list)) => {
                for (index, schema) in list.iter().enumerate() {
                    let to = self.add(schema, at(&format!("/{index}")))?;
                    self.nodes[id].first.push(to);
                }
            }
            (
                "additionalProperties"
                | "propertyNames"
                | "unevaluatedProperties"
                | "items"
                | "additionalItems"
                | "contains"
                | "unevaluatedItems",
                Value::Object(_),
            ) => {
                let to = self.add(value, at(""))?;
                let node = &mut self.nodes[id];
                match keyword {
                    "additionalProperties" => node.other = Some(to),
                    "items" | "additionalItems" => node.rest = Some(to),
                    "propertyNames" | "unevaluatedProperties" => node.member.push(to),
                    _ => node.item.push(to),
                }
            }
            // `true` and `false` cost nothing.
            _ => {}
        }
        self.nodes[id].again |= keyword.starts_with("unevaluated");
        self.negates |= matches!(keyword, "not" | "if" | "oneOf" | "maxContains");
        Ok(())
    }

    fn pattern(&mut self, pattern: &'a str) -> Result<(), Refused> {
        if pattern.len() > MAX_PATTERN {
            return Err(Refused::Pattern);
        }
        self.patterns.push(pattern);
        Ok(())
    }

    fn target(&mut self, root: &'a Value, uri: &'a str) -> Result<Id, Refused> {
        let Some(fragment) = uri.strip_prefix('#') else {
            return Err(Refused::Elsewhere(short(uri)));
        };
        let nowhere = || Refused::Nowhere(short(uri));
        let fragment = percent_decoded(fragment).ok_or_else(nowhere)?;
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return self.anchors.get(&*fragment).copied().ok_or_else(nowhere);
        }
        if let Some(&id) = self.places.get(&fragment) {
            return Ok(id);
        }
        let schema = root.pointer(&fragment).ok_or_else(nowhere)?;
        self.add(schema, fragment)
    }

    /// Whether no way through the schemas, each visited once, is longer than [`MAX_CHAIN`]: whoever follows them needs a
    /// stack as deep.
    pub(super) fn check_chain(&self) -> Result<(), Refused> {
        let groups = self.groups();
        let mut size = vec![0_usize; self.nodes.len()];
        groups.iter().for_each(|&group| size[group] += 1);
        // A group comes after those that it leads to.
        let mut members: Vec<Vec<Id>> = vec![Vec::new(); self.nodes.len()];
        for (id, &group) in groups.iter().enumerate() {
            members[group].push(id);
        }
        let mut longest = vec![0_usize; self.nodes.len()];
        for (group, members) in members.iter().enumerate() {
            let leads = members.iter().flat_map(|&id| self.nodes[id].next());
            let next = leads.map(|to| groups[to]).filter(|&to| to != group);
            let after = next.map(|to| longest[to]).max().unwrap_or(0);
            longest[group] = size[group] + after;
            if longest[group] > MAX_CHAIN {
                return Err(Refused::TooDeep);
            }
        }
        Ok(())
    }

    /// The group of each schema: those that lead to each other. A group's number is above those that it leads to.
    fn groups(&self) -> Vec<usize> {
        const NEW: usize = usize::MAX;
        let count = self.nodes.len();
        let next: Vec<Vec<Id>> = self
            .nodes
            .iter()
            .map(|node| node.next().collect())
            .collect();
        let (mut order, mut low) = (vec![NEW; count], vec![NEW; count]);
        let (mut group, mut groups, mut visited) = (vec![NEW; count], 0, 0);
        let mut open = Vec::new();
        for start in 0..count {
            let mut path = vec![(start, 0)];
            while let Some(&mut (id, ref mut tried)) = path.last_mut() {
                if *tried == 0 && order[id] == NEW {
                    (order[id], low[id]) = (visited, visited);
                    visited += 1;
                    open.push(id);
                } else if *tried == 0 {
                    path.pop();
                    continue;
                }
                let step = next[id].get(*tried).copied();
                *tried += 1;
                match step {
                    Some(to) if order[to] == NEW => path.push((to, 0)),
                    Some(to) if group[to] == NEW => low[id] = low[id].min(order[to]),
                    Some(_) => {}
                    None => {
                        path.pop();
                        if let Some(&(from, _)) = path.last() {
                            low[from] = low[from].min(low[id]);
                        }
                        if low[id] == order[id] {
                            while let Some(member) = open.pop() {
                                group[member] = groups;
                                if member == id {
                                    break;
                                }
                            }
                            groups += 1;
                        }
                    }
                }
            }
        }
        group
    }
}

fn check_dialect(dialect: &Value) -> Result<(), Refused> {
    let uri = dialect.as_str().unwrap_or_default();
    let bare = uri.trim_end_matches('#');
    let bare = bare
        .strip_prefix("https://")
        .or_else(|| bare.strip_prefix("http://"));
    match bare {
        Some("json-schema.org/draft/2020-12/schema" | "json-schema.org/draft-07/schema") => Ok(()),
        _ => Err(Refused::Dialect(short(uri))),
    }
}

fn step(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn short(text: &str) -> String {
    crate::path::clipped(&text.escape_debug().to_string(), 200)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let digits = rest.get(..2)?;
        let digits = std::str::from_utf8(digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}
