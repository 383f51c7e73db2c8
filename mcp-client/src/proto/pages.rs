//! Gathers the pages of `tools/list`: bounded, loop-proof, and not at the mercy of one bad tool.

use std::fmt;

use mcp_transport::proto::mirror::Mirror;
use mcp_types::{
    RawJson,
    outcome::{COMPLETE, result_type},
    page::Page,
    tool::Tool,
};

use crate::text;

/// Most characters of a reason that are kept.
const REASON_CHARS: usize = 200;

/// The list as it grows.
#[derive(Debug)]
pub struct Pages {
    limits: Limits,
    pages: usize,
    cursor: Option<String>,
    list: ToolList,
    over_http: bool,
}

impl Pages {
    /// An empty list.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            pages: 0,
            cursor: None,
            list: ToolList::default(),
            over_http: false,
        }
    }

    /// Whether they come over HTTP, where a tool is set aside whose `x-mcp-header` marks break the rules
    /// (2026-07-28, basic/transports/streamable-http#schema-extension).
    #[must_use]
    pub fn over_http(mut self, over_http: bool) -> Self {
        self.over_http = over_http;
        self
    }

    /// Where the next page starts; `None` before the first.
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// Takes a page; whether there is another.
    ///
    /// An empty cursor ends the list: servers that send one mean none.
    ///
    /// # Errors
    /// When the page is no list, a cursor comes back at once, or a limit is reached.
    pub fn handle(&mut self, page: &RawJson) -> Result<bool, BadList> {
        match result_type(page) {
            Ok(kind) if &*kind == COMPLETE => {}
            Ok(kind) => return Err(BadList::ResultType(clip(&kind))),
            Err(error) => return Err(BadList::Malformed(clip(&error.to_string()))),
        }
        let page = Page::<Tool>::read(page)
            .map_err(|error| BadList::Malformed(clip(&error.to_string())))?;
        let known = self.list.tools.len() + self.list.skipped.len();
        if known + page.items.len() + page.skipped.len() > self.limits.items {
            return Err(BadList::TooManyItems(self.limits.items));
        }
        for tool in page.items {
            let marks = match self.over_http {
                true => Mirror::of(&tool.input_schema).map(|_| ()),
                false => Ok(()),
            };
            match marks {
                Ok(()) => self.list.tools.push(tool),
                Err(bad) => self.list.skipped.push(SkippedTool {
                    name: Some(tool.name),
                    reason: clip(&bad.to_string()),
                }),
            }
        }
        let skipped = page.skipped.into_iter().map(|skipped| SkippedTool {
            name: skipped.name,
            reason: clip(&skipped.reason),
        });
        self.list.skipped.extend(skipped);
        self.pages += 1;
        match page.next_cursor {
            None => Ok(false),
            Some(cursor) if self.cursor.as_ref() == Some(&cursor) => {
                Err(BadList::SameCursor(clip(&cursor)))
            }
            Some(_) if self.pages >= self.limits.pages => {
                Err(BadList::TooManyPages(self.limits.pages))
            }
            Some(cursor) => {
                self.cursor = Some(cursor);
                Ok(true)
            }
        }
    }

    /// The list.
    pub fn into_list(self) -> ToolList {
        self.list
    }
}

fn clip(text: &str) -> String {
    text::clip(text, REASON_CHARS)
}

/// How long a list may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// In pages; 1,000.
    pub pages: usize,
    /// In tools; 100,000.
    pub items: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pages: 1_000,
            items: 100_000,
        }
    }
}

/// The tools of a server.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolList {
    /// Those that could be read, in the server's order.
    pub tools: Vec<Tool>,
    /// Those that could not.
    pub skipped: Vec<SkippedTool>,
}

impl ToolList {
    /// The tool of this name.
    pub fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }
}

/// A tool that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedTool {
    /// Its name, if that much could be read.
    pub name: Option<String>,
    /// What is wrong with it.
    pub reason: String,
}

/// A list that cannot be gathered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadList {
    /// A page is not one.
    Malformed(String),
    /// A page is not a complete result, but of this type.
    ResultType(String),
    /// A page names itself as the next.
    SameCursor(String),
    /// There are more pages than the limit.
    TooManyPages(usize),
    /// There are more tools than the limit.
    TooManyItems(usize),
}

impl fmt::Display for BadList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(why) => write!(f, "a page is not a list of tools: {why}"),
            Self::ResultType(kind) => write!(f, "a page is a result of type {kind:?}"),
            Self::SameCursor(cursor) => {
                write!(
                    f,
                    "the list never ends: the page at cursor {cursor:?} names itself as the next"
                )
            }
            Self::TooManyPages(limit) => {
                write!(
                    f,
                    "the list has more than {limit} pages; raise `list_limits` if it should"
                )
            }
            Self::TooManyItems(limit) => {
                write!(
                    f,
                    "the list has more than {limit} tools; raise `list_limits` if it should"
                )
            }
        }
    }
}

impl std::error::Error for BadList {}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> RawJson {
        RawJson::parse(text).unwrap()
    }

    #[test]
    fn a_bad_tool_is_set_aside_and_the_others_arrive() {
        let mut pages = Pages::new(Limits::default());
        let more = pages.handle(&page(
            r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b"},7,
                {"name":"c","inputSchema":{},"annotations":5}],"nextCursor":"2"}"#,
        ));
        assert_eq!((more, pages.cursor()), (Ok(true), Some("2")));
        let more = pages.handle(&page(r#"{"tools":[{"name":"d","inputSchema":{}}]}"#));
        assert_eq!(more, Ok(false));
        let list = pages.into_list();
        assert_eq!(list.names().collect::<Vec<_>>(), ["a", "c", "d"]);
        assert_eq!(list.skipped.len(), 2);
        assert_eq!(list.skipped[0].name.as_deref(), Some("b"));
        assert!(list.skipped[0].reason.contains("inputSchema"));
        assert_eq!(list.skipped[1].name, None);
    }

    #[test]
    fn over_http_a_tool_with_bad_marks_is_set_aside() {
        let text = r#"{"tools":[
            {"name":"a","inputSchema":{"properties":{"n":{"type":"number","x-mcp-header":"N"}}}},
            {"name":"b","inputSchema":{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}]}"#;
        for (over_http, names) in [(true, &["b"][..]), (false, &["a", "b"])] {
            let mut pages = Pages::new(Limits::default()).over_http(over_http);
            assert_eq!(pages.handle(&page(text)), Ok(false));
            let list = pages.into_list();
            assert_eq!(list.names().collect::<Vec<_>>(), names);
            assert_eq!(list.skipped.len(), 2 - names.len());
            for skipped in list.skipped {
                assert_eq!(skipped.name.as_deref(), Some("a"));
                assert!(skipped.reason.contains("\"N\""), "{}", skipped.reason);
            }
        }
    }

    #[test]
    fn a_page_of_another_type_is_no_page() {
        let check = |text, expected| {
            let mut pages = Pages::new(Limits::default());
            assert_eq!(pages.handle(&page(text)), expected, "{text}");
        };
        let weird = Err(BadList::ResultType("weird".into()));
        check(r#"{"resultType":"weird","tools":[]}"#, weird);
        check(r#"{"resultType":"complete","tools":[]}"#, Ok(false));
        check(r#"{"resultType":null,"tools":[]}"#, Ok(false));
    }

    #[test]
    fn an_end_is_no_cursor_or_an_empty_one() {
        let check = |text| {
            let mut pages = Pages::new(Limits::default());
            assert_eq!(pages.handle(&page(text)), Ok(false), "{text}");
        };
        check("{}");
        check(r#"{"tools":null}"#);
        check(r#"{"tools":[],"nextCursor":null}"#);
        check(r#"{"tools":[],"nextCursor":""}"#);
        check(r#"{"tools":[],"nextCursor":5}"#);
    }

    #[test]
    fn a_list_that_never_ends_is_refused() {
        let mut pages = Pages::new(Limits::default());
        let again = page(r#"{"tools":[],"nextCursor":"x"}"#);
        assert_eq!(pages.handle(&again), Ok(true));
        assert_eq!(pages.handle(&again), Err(BadList::SameCursor("x".into())));

        let mut pages = Pages::new(Limits {
            pages: 3,
            items: 10,
        });
        let numbered = |n: usize| page(&format!(r#"{{"nextCursor":"{n}"}}"#));
        assert_eq!(pages.handle(&numbered(1)), Ok(true));
        assert_eq!(pages.handle(&numbered(2)), Ok(true));
        assert_eq!(pages.handle(&numbered(3)), Err(BadList::TooManyPages(3)));

        let mut pages = Pages::new(Limits { pages: 3, items: 1 });
        let two = page(r#"{"tools":[1,2]}"#);
        assert_eq!(pages.handle(&two), Err(BadList::TooManyItems(1)));
        assert!(matches!(
            pages.handle(&page("[]")),
            Err(BadList::Malformed(_))
        ));
    }
}
