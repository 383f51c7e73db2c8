//! Pages of lists, from items that were written before.
//!
//! A list changes seldom and is asked for often: each item is written once per revision, and a page is a
//! copy of what was written.

use serde::Serialize;

use super::{Stamp, result::write, tool::fit};
use crate::{
    cache::CacheScope,
    encode::At,
    meta::SERVER_INFO,
    prompt::Prompt,
    raw::RawJson,
    resource::{Resource, ResourceTemplate},
    revision::{Era, Revision},
    tool::Tool,
};

/// Can stand in a list of a server.
pub trait Item {
    /// The text of this item, as `revision` knows it.
    fn write(&self, revision: Revision) -> RawJson;
}

impl Item for Tool {
    fn write(&self, revision: Revision) -> RawJson {
        let mut tool = self.clone();
        fit(&mut tool, revision);
        write(&At(&tool, revision))
    }
}

macro_rules! items {
    ($($Item:ty),*) => { $(
        impl Item for $Item {
            fn write(&self, revision: Revision) -> RawJson {
                write(&At(self, revision))
            }
        }
    )* };
}

items!(Prompt, Resource, ResourceTemplate);

/// What stands in a page beside its items.
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a result by nature, as wire structs are"
)]
pub struct PageFrame<'a> {
    /// The member that the items stand in, such as `tools`.
    pub list: &'static str,
    /// Where the next page starts; none on the last.
    pub next_cursor: Option<&'a str>,
    /// For how many milliseconds the page may be reused (2026-07-28).
    pub ttl_ms: u64,
    /// Who may reuse it (2026-07-28).
    pub cache_scope: CacheScope,
}

/// Writes a page of `items`, each of them written for the revision of `stamp` by [`Item::write`]: the same text as
/// that of the list's result type, in as many allocations however long it is.
pub fn encode_page<'i, I>(frame: &PageFrame<'_>, items: I, stamp: &Stamp<'_>) -> RawJson
where
    I: Iterator<Item = &'i RawJson> + Clone,
{
    let modern = stamp.revision.era() == Era::Modern;
    let tail = tail(frame, stamp);
    // To the byte: a list that is moved to where it fits is copied once more.
    let separated: usize = items.clone().map(|item| item.as_str().len() + 1).sum();
    let separated = separated.saturating_sub(1);
    let kind = if modern {
        r#""resultType":"complete","#
    } else {
        ""
    };
    let mut text =
        String::with_capacity(kind.len() + frame.list.len() + separated + tail.len() + 6);
    text.push('{');
    text.push_str(kind);
    text.push('"');
    text.push_str(frame.list);
    text.push_str("\":[");
    for (at, item) in items.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(item.as_str());
    }
    text.push(']');
    text.push_str(&tail);
    RawJson::written(text)
}

/// What stands behind the items, the closing brace included.
fn tail(frame: &PageFrame<'_>, stamp: &Stamp<'_>) -> String {
    let mut tail = String::new();
    if let Some(cursor) = frame.next_cursor {
        member(&mut tail, "nextCursor", cursor);
    }
    if stamp.revision.era() == Era::Modern {
        member(&mut tail, "ttlMs", &frame.ttl_ms);
        member(&mut tail, "cacheScope", &frame.cache_scope);
        if let Some(server) = stamp.server {
            tail.push_str(r#","_meta":{""#);
            tail.push_str(SERVER_INFO);
            tail.push_str("\":");
            tail.push_str(write(&At(server, stamp.revision)).as_str());
            tail.push('}');
        }
    }
    tail.push('}');
    tail
}

fn member<T: Serialize + ?Sized>(text: &mut String, name: &str, value: &T) {
    text.push_str(",\"");
    text.push_str(name);
    text.push_str("\":");
    text.push_str(write(value).as_str());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        capability::Implementation, outcome::Outcome, tool::ListToolsResult, wire::encode_outcome,
    };

    #[test]
    fn a_page_is_the_text_that_its_result_type_writes() {
        let server = Implementation::new("ops", "1.0");
        let tools = ["a", "b", "c"].map(|name| {
            let schema = RawJson::parse(r#"{"type":"object"}"#).unwrap();
            let mut tool = Tool::new(name, schema);
            tool.title = Some(name.to_uppercase());
            tool.output_schema = Some(RawJson::parse(r#"{"type":"array"}"#).unwrap());
            tool
        });
        for revision in Revision::ALL {
            for (count, next_cursor) in [(0, None), (1, Some("2\"")), (3, None)] {
                let stamp = Stamp::new(revision).cacheable(true).by(&server);
                let frame = PageFrame {
                    list: "tools",
                    next_cursor,
                    ttl_ms: 7,
                    cache_scope: CacheScope::Public,
                };
                let items: Vec<_> = tools[..count]
                    .iter()
                    .map(|tool| tool.write(revision))
                    .collect();
                let page = encode_page(&frame, items.iter(), &stamp);
                let whole: Outcome = ListToolsResult {
                    tools: tools[..count].to_vec(),
                    next_cursor: next_cursor.map(str::to_owned),
                    ttl_ms: Some(7),
                    cache_scope: Some(CacheScope::Public),
                    ..ListToolsResult::default()
                }
                .into();
                assert_eq!(page, encode_outcome(whole, &stamp).unwrap(), "{revision}");
            }
        }
    }
}
