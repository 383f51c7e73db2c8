//! Keywords of OpenAPI 3.0, said in JSON Schema.

use super::{
    keyword::{is_annotation, is_of_document},
    node::{Members, Node},
};

pub(super) fn clean(schema: &mut Members) {
    if schema
        .remove("nullable")
        .is_some_and(|nullable| nullable.is("true"))
    {
        admit_null(schema);
    }
    for keyword in ["discriminator", "xml", "externalDocs"] {
        schema.remove(keyword);
    }
    if let Some(example) = schema.remove("example")
        && !schema.has("examples")
    {
        schema.set("examples", Node::Array(vec![example]));
    }
    for (exclusive, bound) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        let Some(flag) = schema.get(exclusive).filter(|flag| flag.is_bool()) else {
            continue;
        };
        let is_exclusive = flag.is("true");
        schema.remove(exclusive);
        if is_exclusive && let Some(value) = schema.remove(bound) {
            schema.set(exclusive, value);
        }
    }
}

/// The same schema, which also takes `null`.
fn admit_null(schema: &mut Members) {
    let simple = !["$ref", "const", "allOf", "anyOf", "oneOf", "not", "if"]
        .iter()
        .any(|keyword| schema.has(keyword));
    let says_values = schema.has("enum");
    match schema.get_mut("type") {
        Some(kind) if simple => {
            let mut kinds = match kind {
                Node::Array(kinds) => std::mem::take(kinds),
                Node::Object(_) | Node::Scalar(_) => vec![kind.clone()],
            };
            if !kinds
                .iter()
                .any(|kind| kind.as_text().as_deref() == Some("null"))
            {
                kinds.push(Node::text("null"));
            }
            *kind = Node::Array(kinds);
            if let Some(Node::Array(values)) = schema.get_mut("enum")
                && !values.iter().any(|value| value.is("null"))
            {
                values.push(Node::Scalar(crate::raw::RawJson::null()));
            }
        }
        // Without a type all values are taken already, unless something else says which.
        None if simple && !says_values => {}
        _ => {
            let outer = |name: &str| is_annotation(name) || is_of_document(name);
            let (kept, inner) = std::mem::take(&mut schema.0)
                .into_iter()
                .partition(|(name, _)| outer(name));
            schema.0 = kept;
            let null = Node::object("type", Node::text("null"));
            schema.set(
                "anyOf",
                Node::Array(vec![Node::Object(Members(inner)), null]),
            );
        }
    }
}
