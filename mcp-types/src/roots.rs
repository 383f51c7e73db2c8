//! Roots: the directories and files that a client works in.
//!
//! Source: the specification's page *Roots* (deprecated at 2026-07-28).

use crate::raw::RawObject;

object! {
    /// The parameters of `roots/list`: none of its own.
    #[derive(Default)]
    pub struct ListRootsParams {
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

object! {
    /// The client's roots.
    #[derive(Default)]
    pub struct ListRootsResult {
        /// The roots.
        roots: Vec<Root> = "roots", list;
        /// Free members about the result.
        meta: Option<RawObject> = "_meta", hint;
    }
}

object! {
    /// A directory or file.
    pub struct Root {
        /// Where it is: a `file:` address.
        uri: String = "uri", required;
        /// A name for people.
        name: Option<String> = "name", hint;
        /// Free members about the root.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

impl Root {
    /// The root at `uri`.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}
