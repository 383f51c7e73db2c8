//! Which arguments of a server's tools travel in headers too, as the newest lists of this connection said.

use std::collections::HashMap;

use mcp_transport::proto::{
    headers::BadParam,
    mirror::{Mirror, ParamHeaders},
};
use mcp_types::{RawJson, RawParams, page::Page, tool::Tool};

/// The tools that want arguments mirrored. A list is out of date sooner than it is useless: what it said holds until
/// another says otherwise.
#[derive(Debug)]
pub(crate) struct Mirrors {
    most: usize,
    known: HashMap<String, Mirror>,
}

impl Mirrors {
    /// None yet, and never more than `most`.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            known: HashMap::new(),
        }
    }

    /// Takes note of a page of `tools/list`. What is no page is passed over.
    pub(crate) fn learn(&mut self, page: &RawJson) {
        // Most servers mark nothing, and their lists need no second look.
        if self.known.is_empty() && !page.as_str().contains("x-mcp-header") {
            return;
        }
        let Ok(page) = Page::<Tool>::read(page) else {
            return;
        };
        for tool in page.items {
            let room = self.known.len() < self.most || self.known.contains_key(&tool.name);
            match Mirror::of(&tool.input_schema) {
                Ok(mirror) if !mirror.is_empty() && room => {
                    self.known.insert(tool.name, mirror);
                }
                _ => {
                    self.known.remove(&tool.name);
                }
            }
        }
    }

    /// The headers of a `tools/call` with these parameters.
    ///
    /// # Errors
    /// When an argument cannot be mirrored; the call is not to be sent then.
    pub(crate) fn headers(&self, call: &RawParams) -> Result<ParamHeaders, BadParam> {
        if self.known.is_empty() {
            return Ok(ParamHeaders::default());
        }
        let name = call.decode_member::<String>("name").ok().flatten();
        match name.and_then(|name| self.known.get(&name)) {
            Some(mirror) => mirror.headers(call.get("arguments")),
            None => Ok(ParamHeaders::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(name: &str, schema: &str) -> RawJson {
        RawJson::parse(format!(
            r#"{{"tools":[{{"name":{name:?},"inputSchema":{schema}}},7]}}"#
        ))
        .unwrap()
    }

    const MARKED: &str = r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}"#;

    /// How many headers a call of `name` gets.
    fn mirrored(mirrors: &Mirrors, name: &str) -> usize {
        let call = format!(r#"{{"name":{name:?},"arguments":{{"a":"x"}}}}"#);
        let headers = mirrors.headers(&RawParams::parse(call).unwrap()).unwrap();
        headers.as_map().len()
    }

    #[test]
    fn the_newest_list_that_names_a_tool_counts() {
        let mut mirrors = Mirrors::new(10);
        assert_eq!(mirrored(&mirrors, "t"), 0);
        mirrors.learn(&list("t", MARKED));
        assert_eq!((mirrored(&mirrors, "t"), mirrored(&mirrors, "u")), (1, 0));
        mirrors.learn(&list("u", MARKED));
        assert_eq!((mirrored(&mirrors, "t"), mirrored(&mirrors, "u")), (1, 1));
        mirrors.learn(&list("t", "{}"));
        assert_eq!((mirrored(&mirrors, "t"), mirrored(&mirrors, "u")), (0, 1));
        // A tool whose marks are not valid is not mirrored.
        mirrors.learn(&list("u", r#"{"x-mcp-header":"A"}"#));
        assert_eq!(mirrored(&mirrors, "u"), 0);
        mirrors.learn(&RawJson::parse(r#"["x-mcp-header"]"#).unwrap());
    }

    #[test]
    fn there_is_a_cap() {
        let mut mirrors = Mirrors::new(1);
        mirrors.learn(&list("t", MARKED));
        mirrors.learn(&list("u", MARKED));
        assert_eq!((mirrored(&mirrors, "t"), mirrored(&mirrors, "u")), (1, 0));
    }

    #[test]
    fn what_cannot_be_mirrored_is_an_error() {
        let mut mirrors = Mirrors::new(1);
        mirrors.learn(&list("t", MARKED));
        let call = RawParams::parse(r#"{"name":"t","arguments":{"a":[1]}}"#).unwrap();
        let bad = mirrors.headers(&call).unwrap_err().to_string();
        assert!(bad.contains("\"A\""), "{bad}");
    }
}
