//! What a schema marks with `x-mcp-header`, and where it must not.

use http::HeaderName;
use serde_json::{Map, Value};

use super::{Kind, Mirror, Mirrors};

/// The mark.
const MARK: &str = "x-mcp-header";

/// How deep schemas are looked at; deeper ones are not valid in any case.
const MOST_DEPTH: usize = 128;

impl Mirrors {
    /// Reads the marks of an input schema.
    ///
    /// # Errors
    /// That says which mark clients would refuse the tool for, and why.
    pub(crate) fn of(schema: &Value) -> Result<Self, String> {
        let mut found = Self::default();
        let Value::Object(root) = schema else {
            return Ok(found);
        };
        if root.contains_key(MARK) {
            return Err(misplaced(&[]));
        }
        visit(root, Some(&[]), 0, &mut found)?;
        Ok(found)
    }

    fn mark(&mut self, path: &[String], schema: &Map<String, Value>) -> Result<(), String> {
        let Some(mark) = schema.get(MARK) else {
            return Ok(());
        };
        let place = path.join(".");
        let Some(mark) = mark.as_str() else {
            return Err(format!(
                "`{MARK}` of property `{place}` must be a string, the part of a header's name after `Mcp-Param-`"
            ));
        };
        let header = HeaderName::from_bytes(format!("mcp-param-{mark}").as_bytes());
        let header = header.ok().filter(|_| !mark.is_empty()).ok_or_else(|| {
            format!(
                "`{MARK}` of property `{place}` is {mark:?}, which is no part of a header's name; use letters, digits and `-`"
            )
        })?;
        let kind = match schema.get("type").and_then(Value::as_str) {
            Some("string") => Kind::String,
            Some("integer") => Kind::Integer,
            Some("boolean") => Kind::Boolean,
            _ => {
                let found = schema
                    .get("type")
                    .map_or_else(|| "no type".into(), |kind| format!("the type {kind}"));
                return Err(format!(
                    "property `{place}` has `{MARK}` and {found}; only `string`, `integer` and `boolean`, each alone, can be sent in a header"
                ));
            }
        };
        if let Some(other) = self.0.iter().find(|other| other.header == header) {
            let other = other.path.join(".");
            return Err(format!(
                "properties `{other}` and `{place}` have the same `{MARK}`, {mark:?}, but for case; give each its own"
            ));
        }
        self.0.push(Mirror {
            path: path.to_vec(),
            kind,
            header,
            shown: format!("Mcp-Param-{mark}"),
        });
        Ok(())
    }
}

/// Lets marked properties of a Rust `Option` be of their one type: to a client `null` and nothing are the same there.
pub(crate) fn settle(schema: &mut Map<String, Value>) {
    for keyword in ["properties", "$defs"] {
        let Some(Value::Object(schemas)) = schema.get_mut(keyword) else {
            continue;
        };
        for schema in schemas.values_mut().filter_map(Value::as_object_mut) {
            let is_marked = schema.contains_key(MARK);
            if let (true, Some(Value::Array(kinds))) = (is_marked, schema.get_mut("type")) {
                kinds.retain(|kind| kind != "null");
                if let [kind] = kinds.as_slice() {
                    let kind = kind.clone();
                    schema.insert("type".to_owned(), kind);
                }
            }
            settle(schema);
        }
    }
}

/// Looks at a schema; `path` leads to it by `properties` alone, or is none.
fn visit(
    schema: &Map<String, Value>,
    path: Option<&[String]>,
    depth: usize,
    found: &mut Mirrors,
) -> Result<(), String> {
    if depth > MOST_DEPTH {
        return Ok(());
    }
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    let Value::Object(property) = property else {
                        continue;
                    };
                    let path = path.map(|path| [path, std::slice::from_ref(name)].concat());
                    match &path {
                        Some(path) => found.mark(path, property)?,
                        None if property.contains_key(MARK) => {
                            return Err(misplaced(&[name.as_str()]));
                        }
                        None => {}
                    }
                    visit(property, path.as_deref(), depth + 1, found)?;
                }
            }
            // Values, not schemas.
            ("const" | "default" | "enum" | "examples" | "dependentRequired" | MARK, _) => {}
            (
                "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                Value::Object(schemas),
            ) => {
                schemas.iter().try_for_each(|(name, schema)| {
                    within(schema, &[keyword, name], depth, found)
                })?;
            }
            (_, Value::Array(schemas)) => {
                schemas
                    .iter()
                    .try_for_each(|schema| within(schema, &[keyword], depth, found))?;
            }
            (_, schema) => within(schema, &[keyword], depth, found)?,
        }
    }
    Ok(())
}

/// Looks at a schema that no chain of `properties` leads to.
fn within(schema: &Value, at: &[&str], depth: usize, found: &mut Mirrors) -> Result<(), String> {
    let Value::Object(schema) = schema else {
        return Ok(());
    };
    if schema.contains_key(MARK) {
        return Err(misplaced(at));
    }
    visit(schema, None, depth + 1, found)
}

fn misplaced(at: &[&str]) -> String {
    let place = match at {
        [] => "at the root".to_owned(),
        at => format!("within `{}`", at.join(".")),
    };
    format!(
        "`{MARK}` stands {place}; it may only stand on a property that `properties` alone lead to from the root"
    )
}
