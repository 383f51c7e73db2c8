//! Which arguments of a tool travel in headers too: what `x-mcp-header` in its input schema says.
//!
//! A modern call repeats each argument that is marked so as `Mcp-Param-{name}`, so that an intermediary can route by
//! it. A schema whose marks break the rules makes its tool unusable over HTTP, and clients leave the tool out of the
//! list ([basic/transports/streamable-http][http]).
//!
//! [http]: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters

#[cfg(test)]
mod tests;

use std::fmt;

use http::{HeaderMap, HeaderName};
use mcp_types::{RawJson, RawObject};
use serde_json::{Map, Value};

use super::headers::{BadParam, param, param_name};

const KEYWORD: &str = "x-mcp-header";

/// The marked parameters of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mirror(Vec<Param>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Param {
    /// The keys of `properties` that lead to it.
    path: Vec<Box<str>>,
    annotation: Box<str>,
    name: HeaderName,
}

impl Mirror {
    /// Reads an input schema.
    ///
    /// A parameter whose type is a list of one primitive type and `null` counts as of that type.
    ///
    /// # Errors
    ///
    /// [`BadMirror`] says what is wrong with a mark; the tool is to be rejected then.
    pub fn of(schema: &RawJson) -> Result<Self, BadMirror> {
        let text = schema.as_str();
        let marked = text.contains(KEYWORD);
        // The keyword can be spelled with escapes.
        if !marked && !text.contains("\\u") {
            return Ok(Self::default());
        }
        let schema: Value = match schema.decode() {
            Ok(schema) => schema,
            Err(_) if !marked => return Ok(Self::default()),
            Err(_) => return Err(BadMirror::Unreadable),
        };
        let mut walk = Walk::default();
        walk.schema(&schema, true)?;
        Ok(Self(walk.found))
    }

    /// Whether no parameter is marked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The headers of a call with these `arguments`, the text of a JSON object. What is absent or null has none.
    ///
    /// # Errors
    ///
    /// [`BadParam`] if a marked argument is of a kind that no header can repeat; such a call is not to be sent.
    pub fn headers(&self, arguments: Option<&str>) -> Result<ParamHeaders, BadParam> {
        let mut headers = HeaderMap::new();
        let Some(arguments) = arguments.filter(|_| !self.0.is_empty()) else {
            return Ok(ParamHeaders(headers));
        };
        for marked in &self.0 {
            let bad = |_| BadParam::new(&marked.annotation);
            let Some(value) = marked.find(arguments).map_err(bad)? else {
                continue;
            };
            let value: Value = value.decode().map_err(bad)?;
            if let Some((name, value)) = param(&marked.annotation, &value)? {
                headers.insert(name, value);
            }
        }
        Ok(ParamHeaders(headers))
    }
}

impl Param {
    /// The value at its path. A step through something that is no object leads nowhere.
    fn find(&self, arguments: &str) -> Result<Option<RawJson>, serde_json::Error> {
        let mut object: RawObject = serde_json::from_str(arguments)?;
        let mut steps = self.path.iter().peekable();
        while let Some(step) = steps.next() {
            let Some(value) = object.remove(step) else {
                return Ok(None);
            };
            if steps.peek().is_none() {
                return Ok(Some(value));
            }
            if !value.is_object() {
                return Ok(None);
            }
            object = value.decode()?;
        }
        Ok(None)
    }
}

/// The `Mcp-Param-*` headers of one modern request, put into [`Request::ext`](crate::Request::ext) for a transport over
/// HTTP; other transports pass them over.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ParamHeaders(HeaderMap);

impl ParamHeaders {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The headers.
    pub fn as_map(&self) -> &HeaderMap {
        &self.0
    }
}

/// Arguments are nobody's business in a log.
impl fmt::Debug for ParamHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

/// Why the marks of a schema are not valid; the words are the schema's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadMirror {
    /// The schema nests too deeply, or holds what is no strict JSON.
    #[error("the input schema has `x-mcp-header` and cannot be read")]
    Unreadable,
    /// It is not text.
    #[error("`x-mcp-header` is not a string")]
    NotText,
    /// It is empty, or has other characters than a header name.
    #[error("`x-mcp-header` {0:?} is not the name of a header")]
    Name(String),
    /// Two marks are alike but for case.
    #[error("`x-mcp-header` {0:?} stands twice")]
    Twice(String),
    /// The parameter is not a string, an integer or a boolean.
    #[error("`x-mcp-header` {0:?} is at a parameter that is no string, integer or boolean")]
    Type(String),
    /// It is at the root, or behind something other than `properties`.
    #[error("`x-mcp-header` {0:?} is where `properties` alone do not lead")]
    Unreachable(String),
}

/// On the way through a schema.
#[derive(Default)]
struct Walk {
    path: Vec<Box<str>>,
    found: Vec<Param>,
}

impl Walk {
    /// `reached`: `properties` alone lead here. Depth is bounded by that of the text.
    fn schema(&mut self, schema: &Value, reached: bool) -> Result<(), BadMirror> {
        let Value::Object(members) = schema else {
            return Ok(());
        };
        for (keyword, value) in members {
            match keyword.as_str() {
                KEYWORD => self.mark(members, value, reached)?,
                "properties" => self.named(value, reached)?,
                "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                    self.named(value, false)?;
                }
                // These hold data, not schemas.
                "enum" | "const" | "default" | "examples" => {}
                _ => match value {
                    Value::Array(schemas) => {
                        schemas.iter().try_for_each(|it| self.schema(it, false))?;
                    }
                    other => self.schema(other, false)?,
                },
            }
        }
        Ok(())
    }

    /// Schemas by name.
    fn named(&mut self, schemas: &Value, reached: bool) -> Result<(), BadMirror> {
        let Value::Object(schemas) = schemas else {
            return Ok(());
        };
        for (name, schema) in schemas {
            self.path.push(name.as_str().into());
            self.schema(schema, reached)?;
            self.path.pop();
        }
        Ok(())
    }

    fn mark(
        &mut self,
        schema: &Map<String, Value>,
        annotation: &Value,
        reached: bool,
    ) -> Result<(), BadMirror> {
        let annotation = annotation.as_str().ok_or(BadMirror::NotText)?;
        let text = || annotation.to_owned();
        if !reached || self.path.is_empty() {
            return Err(BadMirror::Unreachable(text()));
        }
        let name = param_name(annotation).ok_or_else(|| BadMirror::Name(text()))?;
        if !is_primitive(schema.get("type")) {
            return Err(BadMirror::Type(text()));
        }
        if self.found.iter().any(|other| other.name == name) {
            return Err(BadMirror::Twice(text()));
        }
        self.found.push(Param {
            path: self.path.clone(),
            annotation: annotation.into(),
            name,
        });
        Ok(())
    }
}

fn is_primitive(kind: Option<&Value>) -> bool {
    let primitive = |kind: &Value| matches!(kind.as_str(), Some("string" | "integer" | "boolean"));
    match kind {
        Some(Value::Array(kinds)) => match kinds.as_slice() {
            [one] => primitive(one),
            [one, other] => {
                (primitive(one) && other == "null") || (one == "null" && primitive(other))
            }
            _ => false,
        },
        Some(kind) => primitive(kind),
        None => false,
    }
}
