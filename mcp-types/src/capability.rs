//! Who a peer is, and what it can do.

use crate::raw::{RawJson, RawObject};

object! {
    /// The name and version of a client or server.
    pub struct Implementation {
        /// For programs.
        name: String = "name", required;
        /// Its version, in any scheme.
        version: String = "version", list;
        /// For people.
        title: Option<String> = "title", hint, since V2025_06_18;
        /// One or two sentences for people.
        description: Option<String> = "description", hint, since V2025_11_25;
        /// Where to read more.
        website_url: Option<String> = "websiteUrl", hint, since V2025_11_25;
        /// Pictures that stand for it: an array.
        icons: Option<RawJson> = "icons", hint, since V2025_11_25;
    }
}

impl Implementation {
    /// A peer's name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            title: None,
            description: None,
            website_url: None,
            icons: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// What a client can do for a server.
    #[derive(Default)]
    pub struct ClientCapabilities {
        /// It can ask a model to complete a conversation.
        sampling: Option<RawObject> = "sampling", hint;
        /// It can ask its user.
        elicitation: Option<RawObject> = "elicitation", hint, since V2025_06_18;
        /// It has directories to work in.
        roots: Option<RawObject> = "roots", hint;
        /// It runs requests as tasks (2025-11-25 alone; an extension later).
        tasks: Option<RawObject> = "tasks", hint, since V2025_11_25, until V2025_11_25;
        /// Extensions by their id, with settings.
        extensions: Option<RawObject> = "extensions", hint, since V2026_07_28;
        /// Non-standard capabilities.
        experimental: Option<RawObject> = "experimental", hint;
    }
}

object! {
    /// What a server offers.
    #[derive(Default)]
    pub struct ServerCapabilities {
        /// It has tools.
        tools: Option<ToolsCapability> = "tools", hint;
        /// It completes arguments; to be had without saying so before 2025-03-26.
        completions: Option<RawObject> = "completions", hint, since V2025_03_26;
        /// It runs requests as tasks (2025-11-25 alone; an extension later).
        tasks: Option<RawObject> = "tasks", hint, since V2025_11_25, until V2025_11_25;
        /// Extensions by their id, with settings.
        extensions: Option<RawObject> = "extensions", hint, since V2026_07_28;
        /// Non-standard capabilities.
        experimental: Option<RawObject> = "experimental", hint;
    }
}

object! {
    /// What a server offers about tools.
    #[derive(Default)]
    pub struct ToolsCapability {
        /// It says when its list of tools changes.
        list_changed: Option<bool> = "listChanged", hint;
    }
}
