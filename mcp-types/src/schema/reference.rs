//! References within one document: where they lead, and which of them lead back.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    MAX_REFERENCES, MAX_SCHEMAS, SchemaError,
    cycle::circular,
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

/// The names that schemas of a document have: `$id`, `$anchor` and `$dynamicAnchor`.
#[derive(Default)]
pub(super) struct Names {
    pub(super) ids: HashSet<String>,
    pub(super) anchors: HashSet<String>,
}

impl Names {
    pub(super) fn of(node: &Node) -> Self {
        let mut names = Self::default();
        names.collect(node);
        names
    }

    fn collect(&mut self, node: &Node) {
        let Node::Object(members) = node else { return };
        self.ids.extend(members.text("$id"));
        self.anchors.extend(members.text("$anchor"));
        self.anchors.extend(members.text("$dynamicAnchor"));
        each(members, |_, _, schema| self.collect(schema));
    }
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
    let mut ahead = Vec::new();
    all(root, &mut ahead);
    let mut stuck = HashSet::new();
    // What references lead to, each once however it is spelled, and what leads there.
    let mut numbers: HashMap<*const Node, usize> = HashMap::new();
    let mut targets: Vec<Vec<String>> = Vec::new();
    let mut leads: HashMap<String, usize> = HashMap::new();
    while let Some(reference) = ahead.pop() {
        if leads.contains_key(&reference) || stuck.contains(&reference) {
            continue;
        }
        let target = match resolve(root, &reference) {
            Some(target @ Node::Object(_)) if !is_named(target, std::ptr::eq(target, root)) => {
                target
            }
            _ => {
                stuck.insert(reference);
                continue;
            }
        };
        let number = *numbers.entry(target).or_insert_with(|| {
            let mut inside = Vec::new();
            all(target, &mut inside);
            ahead.extend_from_slice(&inside);
            targets.push(inside);
            targets.len() - 1
        });
        leads.insert(reference, number);
    }
    let edges = targets.iter().map(|inside| {
        let next = inside.iter().filter_map(|it| leads.get(it).copied());
        next.collect::<BTreeSet<_>>().into_iter().collect()
    });
    let circular = circular(&edges.collect::<Vec<Vec<usize>>>());
    let back = leads.into_iter().filter(|(_, number)| circular[*number]);
    stuck.extend(back.map(|(reference, _)| reference));
    stuck
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
