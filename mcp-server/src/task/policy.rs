//! How a server runs tasks: how long, how many, for whom.

use std::{fmt, sync::Arc, time::Duration};

use super::{GetPayload, MemoryTasks, TaskCaps, TaskStore, start::AskedTtl};
use crate::service::BoxFuture;

/// How a server runs tasks.
#[derive(Clone)]
#[non_exhaustive]
pub struct TasksPolicy {
    /// For how long a task is kept, from its beginning, if its client asks for nothing else: 300 s. A handler that runs
    /// longer is dropped, since nobody could learn what came of it.
    pub ttl: Duration,
    /// The longest that a client can ask for: 1 h.
    pub max_ttl: Duration,
    /// After how long a client is to ask again: 1 s.
    pub poll_interval: Duration,
    /// How many tasks there may be in memory, and how many may run: 64 of one owner, 1,024 in all.
    pub caps: TaskCaps,
    /// Where tasks are kept, if not in the memory of this process.
    pub store: Option<Arc<dyn TaskStore>>,
    /// How long `tasks/result` (2025-11-25) waits: 600 s, and never longer than the task is kept.
    pub result_time: Duration,
    /// How long a handler that looks at [`RunningTask::cancelled`](super::RunningTask::cancelled) may take to end when
    /// its task is cancelled: 5 s. Any other is dropped at once.
    pub cancel_grace: Duration,
    /// Modern clients that do not declare the extension get the handle of a task in `_meta.taskHandle` of their result,
    /// and in that of the first notification before it; they may look at the task and cancel it. Off: the specification
    /// has no such thing.
    pub inline_handles: bool,
    /// Whether the extension's `tasks/get` says what came of a task.
    pub get_payload: GetPayload,
    /// `tasks/cancel` of a task that is over succeeds at 2025-11-25, too, as it does since. Off: the specification wants
    /// -32602.
    pub legacy_cancel_acknowledges: bool,
    /// A client of 2025-11-25 that calls a tool that runs as a task alone, without asking for a task, gets -32600 in
    /// place of -32601: the specification allows both, and some SDKs know the former.
    pub task_required_is_invalid_request: bool,
    spawner: Option<Spawner>,
}

/// Runs a future to its end; says whether it does.
pub(super) type Spawner = Arc<dyn Fn(BoxFuture<()>) -> bool + Send + Sync>;

impl Default for TasksPolicy {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(300),
            max_ttl: Duration::from_secs(3600),
            poll_interval: Duration::from_secs(1),
            caps: TaskCaps::default(),
            store: None,
            result_time: Duration::from_secs(600),
            cancel_grace: Duration::from_secs(5),
            inline_handles: false,
            get_payload: GetPayload::Inline,
            legacy_cancel_acknowledges: false,
            task_required_is_invalid_request: false,
            spawner: own_spawner(),
        }
    }
}

macro_rules! setters {
    ($($(#[$meta:meta])* $name:ident($field:ident: $Type:ty);)*) => { $(
        $(#[$meta])*
        #[must_use]
        pub fn $name(mut self, $field: $Type) -> Self {
            self.$field = $field;
            self
        }
    )* };
}

impl TasksPolicy {
    setters! {
        /// Sets for how long a task is kept if its client asks for nothing else.
        with_ttl(ttl: Duration);
        /// Sets the longest that a client can ask for.
        with_max_ttl(max_ttl: Duration);
        /// Sets after how long a client is to ask again.
        with_poll_interval(poll_interval: Duration);
        /// Sets how many tasks there may be.
        with_caps(caps: TaskCaps);
        /// Sets how long `tasks/result` waits.
        with_result_time(result_time: Duration);
        /// Sets how long a handler may take to end when its task is cancelled.
        with_cancel_grace(cancel_grace: Duration);
        /// Sets whether modern clients that declare nothing get handles.
        with_inline_handles(inline_handles: bool);
        /// Sets whether the extension's `tasks/get` says what came of a task.
        with_get_payload(get_payload: GetPayload);
        /// Sets whether cancelling a task that is over succeeds at 2025-11-25.
        with_legacy_cancel_acknowledges(legacy_cancel_acknowledges: bool);
        /// Sets whether a call that must be a task and is none gets -32600.
        with_task_required_is_invalid_request(task_required_is_invalid_request: bool);
    }

    /// Keeps tasks in `store`.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn TaskStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Runs tasks with `spawn`, on a runtime of one's own: by default they run on that of the call, which the features
    /// `http` and `stdio` bring. A task ends by itself, at the latest when its time is up or the server is dropped.
    #[must_use]
    pub fn with_spawner(mut self, spawn: impl Fn(BoxFuture<()>) + Send + Sync + 'static) -> Self {
        self.spawner = Some(Arc::new(move |task| {
            spawn(task);
            true
        }));
        self
    }

    pub(super) fn spawner(&self) -> Option<&Spawner> {
        self.spawner.as_ref()
    }

    pub(super) fn make_store(&self) -> Arc<dyn TaskStore> {
        let memory = || -> Arc<dyn TaskStore> { Arc::new(MemoryTasks::new(self.caps)) };
        self.store.clone().unwrap_or_else(memory)
    }

    /// For how many milliseconds a task is kept.
    pub(super) fn ttl_ms(&self, asked: AskedTtl) -> u64 {
        let most = millis(self.max_ttl);
        match asked {
            AskedTtl::Any => millis(self.ttl).min(most),
            AskedTtl::Millis(ttl) => ttl.min(most),
            AskedTtl::Ever => most,
        }
    }
}

/// In milliseconds, as many as there can be.
pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl fmt::Debug for TasksPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TasksPolicy")
            .field("ttl", &self.ttl)
            .field("max_ttl", &self.max_ttl)
            .field("caps", &self.caps)
            .field("store", &self.store)
            .field("inline_handles", &self.inline_handles)
            .finish_non_exhaustive()
    }
}

#[cfg(any(feature = "http", feature = "stdio"))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "without a runtime in the tree there is none"
)]
fn own_spawner() -> Option<Spawner> {
    Some(Arc::new(|task| {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return false;
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "it ends by itself when its time is up, or the host of tasks is dropped"
        )]
        drop(runtime.spawn(task));
        true
    }))
}

#[cfg(not(any(feature = "http", feature = "stdio")))]
fn own_spawner() -> Option<Spawner> {
    None
}
