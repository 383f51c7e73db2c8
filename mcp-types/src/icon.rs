//! Pictures that stand for a server, tool, prompt or resource (since 2025-11-25).
//!
//! Source: the specification's page *Base protocol*, section on icons.

use crate::raw::RawObject;

object! {
    /// A picture. Fetch it with care: its address comes from the peer.
    pub struct Icon {
        /// Where it is: an `https:` or `data:` address. Empty where a peer left it out.
        src: String = "src", list;
        /// Its media type.
        mime_type: Option<String> = "mimeType", hint;
        /// In which sizes it looks right: `48x48`, or `any`.
        sizes: Option<Vec<String>> = "sizes", hint;
        /// On which background.
        theme: Option<IconTheme> = "theme", hint;
    }
}

impl Icon {
    /// The picture at `src`.
    pub fn new(src: impl Into<String>) -> Self {
        Self {
            src: src.into(),
            mime_type: None,
            sizes: None,
            theme: None,
            extra: RawObject::new(),
        }
    }
}

words! {
    /// The background that a picture is made for.
    pub enum IconTheme {
        /// A light one.
        Light = "light",
        /// A dark one.
        Dark = "dark",
    }
}
