//! Whom something is for, and how much it matters.

use serde_json::Number;

object! {
    /// Whom something is for, and how much it matters.
    #[derive(Default)]
    pub struct Annotations {
        /// Whom it is for: one or both.
        audience: Option<Vec<Role>> = "audience", hint;
        /// From 0, not at all, to 1, as much as can be.
        priority: Option<Number> = "priority", hint;
        /// When it was changed last, in ISO 8601.
        last_modified: Option<String> = "lastModified", hint, since V2025_06_18;
    }
}

words! {
    /// A side of a conversation.
    pub enum Role {
        /// The person, or whoever stands for one.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}
