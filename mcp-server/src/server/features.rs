//! What a server offers, said while it is built: resources, prompts, logging, extensions, lists.

use std::sync::Arc;

use mcp_types::{Method, RawJson, name::ExtensionId};
use serde::Serialize;

use super::Server;
use crate::{
    cache::{CacheHint, List},
    completion::Plain,
    features::{Cursors, Features},
    handler::Handler,
    input::own_clock,
    kind::ForMethod,
    listen::SubscriptionPolicy,
    prompt::{InvalidPrompt, Prompt},
    prompts::Prompts,
    proto::cursor::CursorKey,
    resource::{InvalidResource, Resource, ResourceTemplate},
    resources::Resources,
    task::{TaskHost, TasksPolicy},
};

impl Server {
    /// Offers a resource; `resources/list` keeps the order.
    ///
    /// # Panics
    /// When its address is not valid, or taken. [`Server::try_resource`] returns it instead.
    #[must_use]
    pub fn resource(self, resource: Resource) -> Self {
        self.try_resource(resource)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Offers a resource, whose definition may come from elsewhere than the program.
    ///
    /// # Errors
    /// When its address is not valid, or taken.
    pub fn try_resource(self, resource: Resource) -> Result<Self, InvalidResource> {
        self.features.resources.add(resource)?;
        Ok(self)
    }

    /// Offers the resources of a template; `resources/templates/list` keeps the order.
    ///
    /// # Panics
    /// When the template is not valid, or registered already. [`Server::try_resource_template`] returns it instead.
    #[must_use]
    pub fn resource_template(self, template: ResourceTemplate) -> Self {
        self.try_resource_template(template)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Offers the resources of a template, whose definition may come from elsewhere than the program.
    ///
    /// # Errors
    /// When the template is not valid, or registered already.
    pub fn try_resource_template(
        self,
        template: ResourceTemplate,
    ) -> Result<Self, InvalidResource> {
        self.features.resources.add_template(template)?;
        Ok(self)
    }

    /// Offers a prompt; `prompts/list` keeps the order.
    ///
    /// # Panics
    /// When its name is not valid, or taken. [`Server::try_prompt`] returns it instead.
    #[must_use]
    pub fn prompt(self, prompt: Prompt) -> Self {
        self.try_prompt(prompt)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Offers a prompt, whose definition may come from elsewhere than the program.
    ///
    /// # Errors
    /// When its name is not valid, or taken.
    pub fn try_prompt(self, prompt: Prompt) -> Result<Self, InvalidPrompt> {
        self.features.prompts.add(prompt)?;
        Ok(self)
    }

    /// A handle to add and remove resources while the server runs, and to say that one changed.
    ///
    /// A server says that its list of resources may change, and that clients may subscribe to them, from when this
    /// was first asked for.
    pub fn resources(&self) -> Resources {
        self.features.resources.open();
        self.features.resources.clone()
    }

    /// A handle to add and remove prompts while the server runs.
    ///
    /// A server says that its list of prompts may change from when this was first asked for.
    pub fn prompts(&self) -> Prompts {
        self.features.prompts.set.open();
        self.features.prompts.clone()
    }

    /// Says that handlers log for the client: [`Context::log`](crate::Context::log) sends nothing without it.
    ///
    /// 2026-07-28 deprecates such logging, so a server does not say so by itself.
    #[must_use]
    pub fn logging(self) -> Self {
        self.with(|features| features.logging = true)
    }

    /// Says that the server has an extension, such as `com.example/search`, with these settings: a JSON object.
    /// Legacy clients have no word for it and are not told.
    ///
    /// # Panics
    /// When `id` is not valid, or `settings` is no object.
    #[must_use]
    pub fn extension<T: Serialize>(self, id: &str, settings: T) -> Self {
        let id = ExtensionId::try_from(id).unwrap_or_else(|error| panic!("{error}"));
        let settings = object(id.as_str(), &settings);
        self.with(|features| features.extensions.set(id.as_str(), settings))
    }

    /// Says that the server has something that the protocol knows nothing of, to clients of every revision: a name and
    /// settings, a JSON object.
    ///
    /// # Panics
    /// When `settings` is no object.
    #[must_use]
    pub fn experimental<T: Serialize>(self, name: &str, settings: T) -> Self {
        let settings = object(name, &settings);
        self.with(|features| features.experimental.set(name, settings))
    }

    /// Answers a method of one's own, such as `com.example/search`, in every revision.
    ///
    /// ```
    /// use mcp_server::{Json, Params, Server};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Deserialize)] struct Search { query: String }
    /// #[derive(Serialize)]   struct Found { hits: Vec<String> }
    ///
    /// async fn search(Params(Search { query }): Params<Search>) -> Json<Found> {
    ///     Json(Found { hits: vec![format!("all about {query}")] })
    /// }
    /// let server = Server::new("search", "1.0")
    ///     .extension("com.example/search", serde_json::json!({}))
    ///     .method("com.example/search", search);
    /// ```
    ///
    /// # Panics
    /// When the protocol has a method of this name, or the server has.
    #[must_use]
    pub fn method<A: 'static, H: Handler<A, ForMethod>>(self, name: &str, handler: H) -> Self {
        let known = Method::from(name).spec().is_some();
        assert!(
            !known,
            "`{name}` is a method of the protocol; give yours a name with a prefix"
        );
        let taken = self.features.methods.contains_key(name);
        assert!(!taken, "a method named `{name}` is registered already");
        let service = Arc::new(Plain::new(handler));
        self.with(|features| {
            features.methods.insert(name.into(), service);
        })
    }

    /// For how long, and for whom, clients may reuse lists and what the server says of itself; by default not at all. What
    /// a resource holds has hints of its own.
    #[must_use]
    pub fn cache(self, hint: CacheHint) -> Self {
        self.with(|features| features.caching.server = hint)
    }

    /// The same for one list alone.
    #[must_use]
    pub fn cache_list(self, list: List, hint: CacheHint) -> Self {
        self.with(|features| features.caching.set(list, hint))
    }

    /// Lists so many items a page, at least one; by default all in one.
    #[must_use]
    pub fn page_size(self, items: usize) -> Self {
        self.with(|features| features.page = Some(items.max(1)))
    }

    /// The key that signs cursors: 32 random bytes, the same for all instances of a server, so that each can
    /// continue a list that another began. Without it the keys of [`Server::state_keys`] do; without these each instance
    /// makes one of its own.
    ///
    /// # Panics
    /// When the key has less than 16 bytes.
    #[must_use]
    pub fn cursor_key(self, key: impl Into<Vec<u8>>) -> Self {
        let key = key.into();
        assert!(
            key.len() >= 16,
            "a cursor key has at least 16 bytes, better 32 random ones"
        );
        let key = CursorKey::new(key);
        self.with(|features| features.cursors = Cursors::with(key))
    }

    /// Sets whether and how clients of 2026-07-28 hear of changes.
    #[must_use]
    pub fn subscriptions(self, policy: SubscriptionPolicy) -> Self {
        self.with(|features| features.listening = policy)
    }

    /// Has tasks: tools that say so ([`Tool::tasks`](crate::Tool::tasks)) run as tasks for clients that know them. A server
    /// without this answers every call with its result.
    #[must_use]
    pub fn tasks(self, policy: TasksPolicy) -> Self {
        Self {
            tasks: Some(policy),
            ..self.changed()
        }
    }

    /// What is offered, with the tasks of a server that is being built.
    pub(super) fn with_tasks(&self) -> Features {
        let mut features = self.features.clone();
        features.tasks = self.tasks.clone().and_then(|policy| {
            let clock = self.clock.clone().or_else(own_clock);
            TaskHost::new(policy, clock, self.mirror, &features)
        });
        features
    }

    fn with(self, change: impl FnOnce(&mut Features)) -> Self {
        let mut server = self.changed();
        change(&mut server.features);
        server
    }
}

/// What a capability is set to.
fn object<T: Serialize>(name: &str, settings: &T) -> RawJson {
    let settings = RawJson::from_serialize(settings).ok();
    settings
        .filter(RawJson::is_object)
        .unwrap_or_else(|| panic!("the settings of `{name}` must be a JSON object"))
}
