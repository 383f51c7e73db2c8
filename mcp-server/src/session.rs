//! A legacy connection, from its `initialize` to its end.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use mcp_transport::{Full, Notification};
use mcp_types::{
    RequestMeta, Revision,
    capability::{ClientCapabilities, Implementation},
    lifecycle::InitializeParams,
};

use crate::{
    hub::{Change, Listener},
    input::Pending,
    outbox::Outbox,
    wishes::Wishes,
};

/// A legacy connection: what its client said in `initialize`, and a way to tell it something unasked.
///
/// Clones are the same session. Equality is identity.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    key: u64,
    revision: Revision,
    client: Implementation,
    capabilities: ClientCapabilities,
    outbox: Outbox,
    wishes: Wishes,
    pending: Arc<Pending>,
    hooks: Mutex<Option<Vec<Hook>>>,
}

type Hook = Box<dyn FnOnce() + Send>;

impl Session {
    /// Opens a session of `revision` for the client that sent `params`.
    pub(crate) fn open(revision: Revision, params: &InitializeParams) -> Self {
        Self::new(revision, params, true)
    }

    /// What stands for a session where each request of a legacy client stands alone: nothing is known of the
    /// client, and it cannot be asked.
    #[cfg(feature = "http")]
    pub(crate) fn transient(revision: Revision) -> Self {
        let client = Implementation::new("unknown", "");
        let params = InitializeParams::new(revision, ClientCapabilities::default(), client);
        Self::new(revision, &params, false)
    }

    fn new(revision: Revision, params: &InitializeParams, can_ask: bool) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(Arc::new(Inner {
            key: NEXT.fetch_add(1, Ordering::Relaxed),
            revision,
            client: params.client_info.clone(),
            capabilities: params.capabilities.clone(),
            outbox: Outbox::default(),
            wishes: Wishes::default(),
            pending: Pending::new(can_ask),
            hooks: Mutex::new(Some(Vec::new())),
        }))
    }

    /// A number that no other session of this process has. It is no secret, and not the session id.
    pub fn key(&self) -> u64 {
        self.0.key
    }

    /// The revision that was negotiated.
    pub fn revision(&self) -> Revision {
        self.0.revision
    }

    /// Who the client is.
    pub fn client_info(&self) -> &Implementation {
        &self.0.client
    }

    /// What the client can do.
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        &self.0.capabilities
    }

    /// Tells the client something unasked: on its own stream, as soon as it listens.
    ///
    /// # Errors
    /// When 64 notifications wait already, or the session has ended.
    pub fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.0.outbox.try_push(notification)
    }

    /// Tells the client that its list of tools has changed; many changes before it looks are one.
    pub fn tools_changed(&self) {
        self.0.deliver(&Change::ToolsListChanged);
    }

    /// Runs `hook` when the session ends, at once if it has. Until then it is kept: one a session is meant,
    /// not one a call.
    pub fn on_close(&self, hook: impl FnOnce() + Send + 'static) {
        let mut hooks = self.0.hooks.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *hooks {
            Some(hooks) => hooks.push(Box::new(hook)),
            None => {
                drop(hooks);
                hook();
            }
        }
    }

    /// Whether the session has ended.
    pub fn is_closed(&self) -> bool {
        self.0
            .hooks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
    }

    /// Ends the session: its stream ends, its hooks run, once; not to be called under a lock, since hooks may
    /// do anything. One that panics keeps no other from running, and no host from going on.
    pub(crate) fn close(&self) {
        let hooks = self
            .0
            .hooks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        self.0.outbox.close();
        self.0.pending.close();
        for hook in hooks.into_iter().flatten() {
            if catch_unwind(AssertUnwindSafe(hook)).is_err() {
                tracing::error!(
                    session = self.0.key,
                    "a hook of a session that ends panicked"
                );
            }
        }
    }

    /// The questions that wait for an answer of the client.
    pub(crate) fn pending(&self) -> &Arc<Pending> {
        &self.0.pending
    }

    /// An answer of the client came, to one of the questions that wait or to none.
    #[cfg(any(feature = "http", feature = "stdio"))]
    pub(crate) fn answer(&self, response: mcp_types::jsonrpc::ResponseMessage) {
        self.0.pending.answer(response.id.as_ref(), response.body);
    }

    /// What a modern request would have said in `_meta`, in place of reserved keys a legacy peer sent.
    pub(crate) fn fill(&self, meta: &mut RequestMeta) {
        let filled = RequestMeta::modern(self.0.revision, &self.0.client, &self.0.capabilities);
        for (key, value) in filled.as_object().iter() {
            meta.set(key, value.clone());
        }
    }

    /// The next notification for the client's own stream; `None` when the session has ended.
    pub(crate) fn poll_unasked(&self, cx: &mut Context<'_>) -> Poll<Option<Notification>> {
        self.0.outbox.poll_pop(cx)
    }

    /// What the client wants to hear.
    pub(crate) fn wishes(&self) -> &Wishes {
        &self.0.wishes
    }

    /// What hears of changes for the client; it does not keep the session alive.
    pub(crate) fn listener(&self) -> Weak<dyn Listener> {
        let inner: Weak<Inner> = Arc::downgrade(&self.0);
        inner
    }
}

impl Listener for Inner {
    /// Many equal changes before the client looks are one.
    fn deliver(&self, change: &Change) {
        let is_wanted = match change {
            Change::ToolsListChanged
            | Change::PromptsListChanged
            | Change::ResourcesListChanged => true,
            Change::ResourceUpdated(uri) => self.wishes.wants(uri),
            Change::TaskChanged(_) => false,
        };
        if is_wanted {
            self.outbox.coalesce(change.notification(self.revision));
        }
    }
}

impl PartialEq for Session {
    fn eq(&self, other: &Self) -> bool {
        self.0.key == other.0.key
    }
}

impl Eq for Session {}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("key", &self.0.key)
            .field("revision", &self.0.revision)
            .field("client", &self.0.client.name)
            .finish_non_exhaustive()
    }
}
