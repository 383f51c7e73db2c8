//! References within one document: where they lead, and which of them lead back.

use std::collections::{HashMap, HashSet};

use super::{
    MAX_REFERENCES, MAX_SCHEMAS, SchemaError,
    keyword::each,
    node::{Members, Node},
};

/// What the reference stands for, if it is a JSON pointer into this document that leads to a schema.
pub(super) fn resolve<'a>(root: &'a Node, reference: &str) -> Option<&'a Node> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    let mut node = root;
    for part in pointer.strip_prefix('/')?.split('/') {
        let part = percent_decoded(part)?.replace("~1", "/").replace("~0", "~");
        node = match node {
            Node::Object(members) => members.get(&part)?,
            Node::Array(items) => items.get(part.parse::<usize>().ok()?)?,
            Node::Scalar(_) => return None,
        };
    }
    Some(node)
}

/// Whether a document has an `$anchor` of that name, or an embedded schema of that `$id`.
pub(super) fn names(node: &Node, keyword: &str, name: &str) -> bool {
    let Node::Object(members) = node else {
        return false;
    };
    let mut found = members.text(keyword).is_some_and(|known| known == name);
    each(members, |_, _, schema| {
        found = found || names(schema, keyword, name)
    });
    found
}

/// Whether any schema of a document says `keyword`.
pub(super) fn names_any(node: &Node, keyword: &str) -> bool {
    let Node::Object(members) = node else {
        return false;
    };
    let mut found = members.has(keyword);
    each(members, |_, _, schema| {
        found = found || names_any(schema, keyword)
    });
    found
}

/// The `$ref` of every schema in `node`, itself included.
pub(super) fn all(node: &Node, found: &mut Vec<String>) {
    let Node::Object(members) = node else { return };
    found.extend(members.text("$ref"));
    each(members, |_, _, schema| all(schema, found));
}

/// Counts schemas and references against the limits.
pub(super) fn count(root: &Node) -> Result<(), SchemaError> {
    fn schemas(node: &Node) -> usize {
        let mut sum = 1;
        if let Node::Object(members) = node {
            each(members, |_, _, schema| sum += schemas(schema));
        }
        sum
    }
    let mut references = Vec::new();
    all(root, &mut references);
    if schemas(root) > MAX_SCHEMAS || references.len() > MAX_REFERENCES {
        return Err(SchemaError::TooMany);
    }
    Ok(())
}

/// The references that cannot be replaced by what they stand for: they lead back to themselves, nowhere, out of the
/// document, or to something with a name of its own, of which there can be one only.
pub(super) fn stuck(root: &Node) -> HashSet<String> {
    let mut found = Vec::new();
    all(root, &mut found);
    // References by number, so that following them is cheap.
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut edges: Vec<Vec<usize>> = Vec::new();
    let mut stuck = HashSet::new();
    let mut queue: Vec<usize> = Vec::new();
    let mut order: Vec<String> = Vec::new();
    let mut number = |reference: String, order: &mut Vec<String>, queue: &mut Vec<usize>| {
        *numbers.entry(reference).or_insert_with_key(|reference| {
            order.push(reference.clone());
            queue.push(order.len() - 1);
            order.len() - 1
        })
    };
    for reference in found {
        number(reference, &mut order, &mut queue);
    }
    while let Some(at) = queue.pop() {
        let mut next = Vec::new();
        match resolve(root, &order[at]) {
            Some(target @ Node::Object(_)) if !is_named(target, order[at] == "#") => {
                all(target, &mut next);
            }
            _ => {
                stuck.insert(order[at].clone());
            }
        }
        let next: Vec<usize> = next
            .into_iter()
            .map(|reference| number(reference, &mut order, &mut queue))
            .collect();
        edges.resize(order.len(), Vec::new());
        edges[at] = next;
    }
    edges.resize(order.len(), Vec::new());
    for (start, reference) in order.iter().enumerate() {
        if comes_back(&edges, start) {
            stuck.insert(reference.clone());
        }
    }
    stuck
}

fn comes_back(edges: &[Vec<usize>], start: usize) -> bool {
    let mut seen = vec![false; edges.len()];
    let mut ahead = edges[start].clone();
    while let Some(at) = ahead.pop() {
        if at == start {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            ahead.extend(&edges[at]);
        }
    }
    false
}

fn is_named(node: &Node, is_root: bool) -> bool {
    let Node::Object(members) = node else {
        return false;
    };
    let own = ["$id", "$anchor", "$dynamicAnchor"]
        .iter()
        .any(|name| members.has(name));
    let mut named = own && !is_root;
    each(members, |_, _, schema| {
        named = named || is_named(schema, false)
    });
    named
}

/// Drops definitions that nothing refers to any more, of those that were referred to `before`.
pub(super) fn drop_unused(root: &mut Members, before: &[String]) {
    let before: HashSet<Place> = before.iter().filter_map(|it| definition(it)).collect();
    let mut definitions: HashMap<Place, Vec<String>> = HashMap::new();
    let mut ahead = Vec::new();
    for (keyword, value) in &root.0 {
        match (&**keyword, value) {
            ("$defs" | "definitions", Node::Object(members)) => {
                for (name, schema) in &members.0 {
                    let mut inside = Vec::new();
                    all(schema, &mut inside);
                    let place = (keyword.to_string(), name.to_string());
                    if before.contains(&place) {
                        definitions.insert(place, inside);
                    } else {
                        ahead.extend(inside);
                    }
                }
            }
            _ => {
                let alone = Members(vec![(keyword.clone(), value.clone())]);
                all(&Node::Object(alone), &mut ahead);
            }
        }
    }
    // What is taken out of `definitions` is used.
    while let Some(reference) = ahead.pop() {
        if let Some(inside) = definition(&reference).and_then(|place| definitions.remove(&place)) {
            ahead.extend(inside);
        }
    }
    for keyword in ["$defs", "definitions"] {
        let Some(Node::Object(members)) = root.get_mut(keyword) else {
            continue;
        };
        let unused = |name: &str| definitions.contains_key(&(keyword.to_owned(), name.to_owned()));
        members.0.retain(|(name, _)| !unused(name));
        if members.0.is_empty() && !definitions.is_empty() {
            root.remove(keyword);
        }
    }
}

/// Keyword and name of a definition.
type Place = (String, String);

/// The definition of the root that a reference leads to or into.
fn definition(reference: &str) -> Option<Place> {
    let mut parts = reference.strip_prefix("#/")?.split('/');
    let mut part = || {
        Some(
            percent_decoded(parts.next()?)?
                .replace("~1", "/")
                .replace("~0", "~"),
        )
    };
    Some((part()?, part()?))
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).ok()
}
