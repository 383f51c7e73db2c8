//! Keys of `_meta`, and ids of extensions.

use super::{names, rule};

names! {
    /// A key of `_meta`: `name` or `prefix/name`, as the page *Base protocol* says.
    MetaKey = "key of `_meta`", rule::meta_key;
    /// The id of an extension: `prefix/name`, by the rules of a key of `_meta`.
    ExtensionId = "extension id", rule::extension_id;
}

/// Keys without a prefix that the specification has given a meaning.
const RESERVED_NAMES: [&str; 4] = ["progressToken", "traceparent", "tracestate", "baggage"];

impl MetaKey {
    /// What stands before the slash.
    pub fn prefix(&self) -> Option<&str> {
        self.as_str().rsplit_once('/').map(|(prefix, _)| prefix)
    }

    /// Whether the specification keeps it for itself: by its name, or by a prefix whose second label is
    /// `modelcontextprotocol` or `mcp`.
    pub fn is_reserved(&self) -> bool {
        match self.prefix() {
            None => RESERVED_NAMES.contains(&self.as_str()),
            Some(prefix) => matches!(
                prefix.split('.').nth(1),
                Some("modelcontextprotocol" | "mcp")
            ),
        }
    }
}

impl From<ExtensionId> for MetaKey {
    fn from(id: ExtensionId) -> Self {
        Self(id.0)
    }
}
