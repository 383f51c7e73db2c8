//! Puts what references stand for in their place.

use std::collections::HashSet;

use super::{
    MAX_DEPTH, MAX_SCHEMAS, SchemaError,
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
    let adds_nothing = outer
        .0
        .iter()
        .all(|(name, value)| !speaks(name) || target.get(name) == Some(value));
    let is_plain_object = |members: &Members| {
        let mut names = members.names().filter(|name| speaks(name));
        names.all(|name| matches!(name, "type" | "properties" | "required"))
    };
    let mergeable = adds_nothing || (is_plain_object(outer) && is_plain_object(target));
    if !mergeable {
        return None;
    }
    let mut both = outer.clone();
    for (name, value) in &target.0 {
        let Some(own) = both.get_mut(name) else {
            both.set(name, value.clone());
            continue;
        };
        match (&**name, own, value) {
            (name, _, _) if is_annotation(name) => {}
            (_, own, value) if own == value => {}
            ("properties", Node::Object(own), Node::Object(more)) => {
                for (name, schema) in &more.0 {
                    if own.get(name).is_some_and(|it| it != schema) {
                        return None;
                    }
                    own.set(name, schema.clone());
                }
            }
            ("required", Node::Array(own), Node::Array(more)) => {
                for name in more {
                    if !own.contains(name) {
                        own.push(name.clone());
                    }
                }
            }
            _ => return None,
        }
    }
    Some(both)
}
