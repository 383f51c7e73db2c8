//! Puts what references stand for in their place.

use std::collections::HashSet;

use super::{
    MAX_BYTES, MAX_DEPTH, MAX_SCHEMAS, SchemaError,
    keyword::{each_mut, is_annotation, is_of_document},
    node::{Members, Node},
    reference,
};

/// Inlines references of one document. Those that lead back to themselves stay.
pub(super) struct Inline<'a> {
    root: &'a Node,
    stuck: HashSet<String>,
    /// Whether only references beside which something stands are inlined.
    crowded_only: bool,
    schemas: usize,
    /// How many bytes were put in the place of references.
    bytes: usize,
}

impl<'a> Inline<'a> {
    pub(super) fn all(root: &'a Node) -> Result<Node, SchemaError> {
        Self::run(root, false)
    }

    /// Only where a `$ref` has siblings, which strict mode refuses.
    pub(super) fn with_siblings(root: &'a Node) -> Result<Node, SchemaError> {
        Self::run(root, true)
    }

    fn run(root: &'a Node, crowded_only: bool) -> Result<Node, SchemaError> {
        reference::count(root)?;
        let mut before = Vec::new();
        reference::all(root, &mut before);
        let mut inline = Self {
            root,
            stuck: reference::stuck(root),
            crowded_only,
            schemas: 0,
            bytes: 0,
        };
        let mut inlined = inline.schema(root.clone(), 0)?;
        if let Node::Object(members) = &mut inlined {
            reference::drop_unused(members, &before);
        }
        Ok(inlined)
    }

    fn schema(&mut self, node: Node, depth: usize) -> Result<Node, SchemaError> {
        if depth > MAX_DEPTH {
            return Err(SchemaError::TooDeep);
        }
        self.schemas += 1;
        if self.schemas > MAX_SCHEMAS {
            return Err(SchemaError::TooMany);
        }
        let Node::Object(mut members) = node else {
            return Ok(node);
        };
        let mut failed = None;
        each_mut(&mut members, |_, schema| {
            if failed.is_some() {
                return;
            }
            let taken = std::mem::replace(schema, Node::empty());
            match self.schema(taken, depth + 1) {
                Ok(inlined) => *schema = inlined,
                Err(error) => failed = Some(error),
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let reference = members.text("$ref").filter(|reference| {
            !self.stuck.contains(reference) && (!self.crowded_only || members.0.len() > 1)
        });
        let Some(target) = reference.and_then(|it| reference::resolve(self.root, &it)) else {
            return Ok(Node::Object(members));
        };
        self.bytes += target.weight();
        if self.bytes > MAX_BYTES {
            return Err(SchemaError::TooLong);
        }
        let Node::Object(target) = self.schema(target.clone(), depth + 1)? else {
            return Ok(Node::Object(members));
        };
        members.remove("$ref");
        Ok(Node::Object(merged(members, target)))
    }
}

/// A schema that takes what both take. What `outer` says about itself, such as a description, stands.
pub(super) fn merged(mut outer: Members, target: Members) -> Members {
    if let Some(both) = union(&outer, &target) {
        return both;
    }
    let target = Node::Object(target);
    match outer.get_mut("allOf") {
        Some(Node::Array(all)) => all.push(target),
        _ => outer.set("allOf", Node::Array(vec![target])),
    }
    outer
}

/// Both in one object, where that says the same as both beside each other.
fn union(outer: &Members, target: &Members) -> Option<Members> {
    let speaks = |name: &str| !is_annotation(name) && !is_of_document(name);
    let in_target = target.index();
    let adds_nothing = outer.0.iter().all(|(name, value)| {
        let told = || in_target.get(&**name).map(|at| &target.0[*at].1);
        !speaks(name) || told() == Some(value)
    });
    let is_plain_object = |members: &Members| {
        let mut names = members.names().filter(|name| speaks(name));
        names.all(|name| matches!(name, "type" | "properties" | "required"))
    };
    let mergeable = adds_nothing || (is_plain_object(outer) && is_plain_object(target));
    if !mergeable {
        return None;
    }
    let in_outer = outer.index();
    let mut both = outer.clone();
    for (name, value) in &target.0 {
        let Some(at) = in_outer.get(&**name) else {
            both.0.push((name.clone(), value.clone()));
            continue;
        };
        match (&**name, &mut both.0[*at].1, value) {
            (name, _, _) if is_annotation(name) => {}
            (_, own, value) if own == value => {}
            ("properties", Node::Object(own), Node::Object(more)) => add_members(own, more)?,
            ("required", Node::Array(own), Node::Array(more)) => add_names(own, more),
            _ => return None,
        }
    }
    Some(both)
}

/// Properties of both; nothing, if they disagree about one.
fn add_members(own: &mut Members, more: &Members) -> Option<()> {
    let known = own.index();
    let (mut fresh, mut agreed) = (Vec::new(), true);
    for (name, schema) in &more.0 {
        match known.get(&**name) {
            Some(at) => agreed &= own.0[*at].1 == *schema,
            None => fresh.push((name.clone(), schema.clone())),
        }
    }
    own.0.extend(fresh);
    agreed.then_some(())
}

/// Names that are not there yet.
fn add_names(own: &mut Vec<Node>, more: &[Node]) {
    let spelled = |name: &Node| name.to_raw().as_str().to_owned();
    let mut known: HashSet<String> = own.iter().map(spelled).collect();
    own.extend(
        more.iter()
            .filter(|name| known.insert(spelled(name)))
            .cloned(),
    );
}
