//! Names, cursors, versions and trace contexts: a parser takes a text as it is, or not at all.

use std::{fmt::Display, str::FromStr};

use mcp_types::{
    RawObject, Revision,
    meta::TraceContext,
    name::{Cursor, ExtensionId, MetaKey, PromptName, ResourceUri, TaskId, ToolName, UriTemplate},
};

fn kept<T: FromStr<Err: Display> + Display>(text: &str) {
    match text.parse::<T>() {
        Ok(name) => assert_eq!(name.to_string(), text),
        Err(error) => assert!(error.to_string().len() < 4_000),
    }
}

/// Every kind of name over one text.
pub(crate) fn names(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    kept::<Cursor>(text);
    kept::<ExtensionId>(text);
    kept::<MetaKey>(text);
    kept::<PromptName>(text);
    kept::<ResourceUri>(text);
    kept::<Revision>(text);
    kept::<TaskId>(text);
    kept::<ToolName>(text);
    kept::<UriTemplate>(text);
    if let Ok(meta) = serde_json::from_str::<RawObject>(text) {
        let context = TraceContext::read(&meta);
        let mut written = RawObject::new();
        context.write(&mut written);
        assert_eq!(TraceContext::read(&written), context);
    }
}
