//! Who a peer is, and what it can do.

use crate::{
    icon::Icon,
    name::ExtensionId,
    raw::{RawJson, RawObject},
    revision::Revision,
};

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
        /// Pictures that stand for it.
        icons: Option<Vec<Icon>> = "icons", hint, since V2025_11_25;
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
        elicitation: Option<RawObject> = "elicitation", hint, since V2025_06_18, when elicits_at;
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
        /// It has resources.
        resources: Option<ResourcesCapability> = "resources", hint;
        /// It has prompts.
        prompts: Option<PromptsCapability> = "prompts", hint;
        /// It sends log messages to who asks for them.
        logging: Option<RawObject> = "logging", hint;
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

object! {
    /// What a server offers about resources.
    #[derive(Default)]
    pub struct ResourcesCapability {
        /// It says when a resource changes, to who subscribed to it.
        subscribe: Option<bool> = "subscribe", hint;
        /// It says when its list of resources changes.
        list_changed: Option<bool> = "listChanged", hint;
    }
}

object! {
    /// What a server offers about prompts.
    #[derive(Default)]
    pub struct PromptsCapability {
        /// It says when its list of prompts changes.
        list_changed: Option<bool> = "listChanged", hint;
    }
}

impl ClientCapabilities {
    /// Whether it asks its user with a form; one that says nothing about modes does.
    pub fn elicits_forms(&self) -> bool {
        let elicitation = self.elicitation.as_ref();
        elicitation.is_some_and(|modes| modes.contains("form") || !modes.contains("url"))
    }

    /// Whether it sends its user to an address.
    pub fn elicits_urls(&self) -> bool {
        within(self.elicitation.as_ref(), &["url"])
    }

    /// Whether `revision` has words for how it asks its user: 2025-06-18 knows forms alone, and has no word for modes.
    fn elicits_at(&self, revision: Revision) -> bool {
        revision != Revision::V2025_06_18 || self.elicits_forms()
    }

    /// Whether its models may use tools while they answer.
    pub fn samples_with_tools(&self) -> bool {
        within(self.sampling.as_ref(), &["tools"])
    }

    /// Whether its models may see what other servers say.
    pub fn samples_with_context(&self) -> bool {
        within(self.sampling.as_ref(), &["context"])
    }

    /// Whether it says when its roots change (legacy).
    pub fn roots_list_changed(&self) -> bool {
        let roots = self.roots.as_ref();
        roots.is_some_and(|roots| roots.decode("listChanged") == Some(true))
    }

    /// The settings of an extension, if the client has it.
    pub fn extension(&self, id: &str) -> Option<&RawJson> {
        self.extensions.as_ref()?.get(id)
    }

    /// Declares an extension with these settings, a JSON object.
    pub fn set_extension(&mut self, id: &ExtensionId, settings: RawJson) {
        self.extensions
            .get_or_insert_default()
            .set(id.as_str(), settings);
    }

    /// Whether it runs requests of `method` as tasks (2025-11-25).
    pub fn runs_as_task(&self, method: &str) -> bool {
        method
            .split_once('/')
            .is_some_and(|(group, name)| within(self.tasks.as_ref(), &["requests", group, name]))
    }
}

impl ServerCapabilities {
    /// The settings of an extension, if the server has it.
    pub fn extension(&self, id: &str) -> Option<&RawJson> {
        self.extensions.as_ref()?.get(id)
    }

    /// Offers an extension with these settings, a JSON object.
    pub fn set_extension(&mut self, id: &ExtensionId, settings: RawJson) {
        self.extensions
            .get_or_insert_default()
            .set(id.as_str(), settings);
    }

    /// Whether it runs requests of `method` as tasks (2025-11-25).
    pub fn runs_as_task(&self, method: &str) -> bool {
        method
            .split_once('/')
            .is_some_and(|(group, name)| within(self.tasks.as_ref(), &["requests", group, name]))
    }
}

/// Whether each name of `path` is an object within the one before.
fn within(object: Option<&RawObject>, path: &[&str]) -> bool {
    let Some((first, rest)) = path.split_first() else {
        return object.is_some();
    };
    let inner: Option<RawObject> = object.and_then(|object| object.decode(first));
    within(inner.as_ref(), rest)
}
