//! What a server offers, and what it says of it: its capabilities follow from what is registered.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use mcp_transport::proto::limits::Limits;
use mcp_types::{
    Method, RawJson, RawObject, Revision,
    capability::{PromptsCapability, ResourcesCapability, ServerCapabilities, ToolsCapability},
    task::EXTENSION,
};

use crate::{
    cache::Caching,
    hub::Hub,
    input::KeyRing,
    listen::SubscriptionPolicy,
    prompts::Prompts,
    proto::cursor::{CursorKey, Place},
    resources::Resources,
    service::Service,
    task::TaskHost,
    tools::Tools,
};

/// What a server offers. Clones share what can change while it runs.
#[derive(Clone)]
pub(crate) struct Features {
    pub(crate) hub: Hub,
    pub(crate) tools: Tools,
    pub(crate) resources: Resources,
    pub(crate) prompts: Prompts,
    /// Methods of one's own.
    pub(crate) methods: BTreeMap<Box<str>, Arc<dyn Service>>,
    /// Extensions by their id, with settings.
    pub(crate) extensions: RawObject,
    /// Capabilities that no revision knows, with settings.
    pub(crate) experimental: RawObject,
    pub(crate) logging: bool,
    pub(crate) caching: Caching,
    /// How many items a page of a list has; all, if nothing is said.
    pub(crate) page: Option<usize>,
    pub(crate) cursors: Cursors,
    /// How many resources a session may subscribe to, or a subscription name.
    pub(crate) subscriptions: usize,
    /// Who may listen.
    pub(crate) listening: SubscriptionPolicy,
    /// Tasks, once the server is built and has them.
    pub(crate) tasks: Option<Arc<TaskHost>>,
    completes: Flag,
}

impl Features {
    pub(crate) fn new() -> Self {
        let (hub, completes) = (Hub::default(), Flag::default());
        Self {
            tools: Tools::new(&hub),
            resources: Resources::new(&hub, completes.clone()),
            prompts: Prompts::new(&hub, completes.clone()),
            hub,
            methods: BTreeMap::new(),
            extensions: RawObject::new(),
            experimental: RawObject::new(),
            logging: false,
            caching: Caching::default(),
            page: None,
            cursors: Cursors::default(),
            subscriptions: Limits::default().subscriptions,
            listening: SubscriptionPolicy::default(),
            tasks: None,
            completes,
        }
    }

    /// Whether a client of `revision` finds `method` here; `heard` says whether it can be told something unasked.
    pub(crate) fn offers(&self, method: &Method, revision: Revision, heard: bool) -> bool {
        let Some(spec) = method.spec() else {
            return self.methods.contains_key(method.as_str());
        };
        spec.to_server.contains(revision)
            && match (spec.name, spec.capability) {
                ("resources/subscribe" | "resources/unsubscribe", _) => self.subscribes(heard),
                ("subscriptions/listen", _) => self.listening.served,
                (_, Some("tools")) => spec.extension.is_none() && self.tools.0.is_offered(),
                (_, Some("tasks")) => self.tasks.is_some(),
                (_, Some("resources")) => self.resources.is_offered(),
                (_, Some("prompts")) => self.prompts.set.is_offered(),
                (_, Some("completions")) => self.completes.is_raised(),
                (_, Some("logging")) => self.logging,
                _ => false,
            }
    }

    /// What is offered, to a client that can be told something unasked or not.
    pub(crate) fn capabilities(&self, heard: bool) -> ServerCapabilities {
        let changes = |open: bool| (heard && (open || self.hub.is_open())).then_some(true);
        let tools = self.tools.0.is_offered().then(|| ToolsCapability {
            list_changed: changes(self.tools.0.can_change()),
            ..ToolsCapability::default()
        });
        let resources = self.resources.is_offered().then(|| ResourcesCapability {
            subscribe: self.subscribes(heard).then_some(true),
            list_changed: changes(self.resources.can_change()),
            ..ResourcesCapability::default()
        });
        let prompts = self.prompts.set.is_offered().then(|| PromptsCapability {
            list_changed: changes(self.prompts.set.can_change()),
            ..PromptsCapability::default()
        });
        let some = |members: &RawObject| (!members.is_empty()).then(|| members.clone());
        let mut extensions = self.extensions.clone();
        if self.tasks.is_some() {
            extensions.set(EXTENSION, empty());
        }
        // Each revision is told of the one that it knows.
        let tasks = self.tasks.as_ref().map(|_| tasks_capability());
        ServerCapabilities {
            tools,
            resources,
            prompts,
            logging: self.logging.then(RawObject::new),
            completions: self.completes.is_raised().then(RawObject::new),
            tasks,
            extensions: some(&extensions),
            experimental: some(&self.experimental),
            ..ServerCapabilities::default()
        }
    }

    /// Whether a client may subscribe to resources: someone can say that one changed, and the client can be told.
    fn subscribes(&self, heard: bool) -> bool {
        let said = self.hub.is_open() || self.resources.can_change();
        heard && said && self.resources.is_offered()
    }
}

/// What a server of 2025-11-25 says of its tasks.
fn tasks_capability() -> RawObject {
    let mut tools = RawObject::new();
    tools.set("call", empty());
    let mut requests = RawObject::new();
    let mut tasks = RawObject::new();
    tasks.set("list", empty());
    tasks.set("cancel", empty());
    if let Ok(tools) = RawJson::from_serialize(&tools) {
        requests.set("tools", tools);
    }
    if let Ok(requests) = RawJson::from_serialize(&requests) {
        tasks.set("requests", requests);
    }
    tasks
}

fn empty() -> RawJson {
    RawJson::from_serialize(&RawObject::new()).unwrap_or_else(|_| RawJson::null())
}

/// Something that, once it is so, stays so. Clones are the same flag.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flag(Arc<AtomicBool>);

impl Flag {
    pub(crate) fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The keys of the cursors: those that were given, or else a random one of this server, made when it is first needed.
#[derive(Clone, Default)]
pub(crate) struct Cursors {
    keys: Arc<OnceLock<Vec<CursorKey>>>,
    given: bool,
}

impl Cursors {
    pub(crate) fn with(key: CursorKey) -> Self {
        Self {
            keys: Arc::new(OnceLock::from(vec![key])),
            given: true,
        }
    }

    /// Signs with the keys that seal requests' states, unless a key was given for cursors alone.
    pub(crate) fn follow(&mut self, ring: &KeyRing) {
        if !self.given {
            let keys = ring.keys().map(|key| CursorKey::derived(key.bytes()));
            self.keys = Arc::new(OnceLock::from(keys.collect::<Vec<_>>()));
        }
    }

    /// The cursor of a place; none if the system has no randomness to give.
    pub(crate) fn seal(&self, list: &str, number: u64, name: &str) -> Option<String> {
        Some(self.keys().first()?.seal(list, number, name))
    }

    /// The place that a cursor of ours names.
    pub(crate) fn open(&self, list: &str, cursor: &str) -> Option<Place> {
        self.keys().iter().find_map(|key| key.open(list, cursor))
    }

    fn keys(&self) -> &[CursorKey] {
        self.keys.get_or_init(|| {
            let mut key = [0; 32];
            let filled = getrandom::fill(&mut key);
            filled.map(|()| CursorKey::new(key)).into_iter().collect()
        })
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Features")
            .field("tools", &self.tools)
            .field("resources", &self.resources)
            .field("prompts", &self.prompts)
            .field("methods", &self.methods.keys())
            .finish_non_exhaustive()
    }
}
