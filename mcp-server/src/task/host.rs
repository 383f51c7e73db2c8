//! What all tasks of a server share: the store, who waits for news of a task, and the end of it all.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::SystemTime,
};

use mcp_transport::Clock;
use mcp_types::wire::TextMirror;

use super::{
    Applied, TaskId, TaskListener, TaskOwner, TaskRecord, TaskStore, TaskStoreError, TasksPolicy,
    Transition,
    policy::{Spawner, millis},
};
use crate::{
    call::Call,
    features::{Cursors, Features},
    hub::{Change, Hub, TaskChange},
    principal::Principal,
    proto::task::view::{self, Shown},
};

/// How often a change is tried again because another one came first.
const MOST_TRIES: usize = 64;

/// The tasks of a server. Dropping it ends those that run here.
pub(crate) struct TaskHost(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) policy: TasksPolicy,
    pub(super) store: Arc<dyn TaskStore>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) spawner: Spawner,
    pub(super) cursors: Cursors,
    pub(super) page: Option<usize>,
    pub(super) shown: Shown,
    hub: Hub,
    /// Tells the sessions of this process from those of another that keeps its tasks in the same store.
    process: String,
    watched: Mutex<HashMap<TaskId, Vec<Weak<Watched>>>>,
    /// The questions that are asked live, on behalf of `tasks/result`.
    relayed: Mutex<HashSet<(TaskId, Box<str>)>>,
    running: AtomicUsize,
    is_stopped: AtomicBool,
}

impl TaskHost {
    /// The tasks of a server; none, and the log hears why, where nothing tells the time or runs them.
    pub(crate) fn new(
        policy: TasksPolicy,
        clock: Option<Arc<dyn Clock>>,
        mirror: TextMirror,
        features: &Features,
    ) -> Option<Arc<Self>> {
        let (Some(clock), Some(spawner)) = (clock, policy.spawner().cloned()) else {
            tracing::error!(
                "there are no tasks without a clock and what runs them: pass them with `Server::clock` and \
                 `TasksPolicy::with_spawner`, or turn on the feature `http` or `stdio`"
            );
            return None;
        };
        let shared = Arc::new(Shared {
            store: policy.make_store(),
            shown: Shown {
                payload: policy.get_payload,
                mirror,
            },
            policy,
            clock,
            spawner,
            cursors: features.cursors.clone(),
            page: features.page,
            hub: features.hub.clone(),
            process: random_id()?,
            watched: Mutex::default(),
            relayed: Mutex::default(),
            running: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
        });
        let listener: Weak<Shared> = Arc::downgrade(&shared);
        shared.store.events(listener);
        Some(Arc::new(Self(shared)))
    }
}

impl Drop for TaskHost {
    fn drop(&mut self) {
        self.0.is_stopped.store(true, Ordering::Release);
        let watched: Vec<_> = self.0.watched().values().flatten().cloned().collect();
        for watched in watched.iter().filter_map(Weak::upgrade) {
            watched.wake();
        }
    }
}

impl fmt::Debug for TaskHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskHost")
            .field("policy", &self.0.policy)
            .finish_non_exhaustive()
    }
}

impl Shared {
    /// Milliseconds since 1970.
    pub(super) fn now_ms(&self) -> u64 {
        let since = self.clock.wall().duration_since(SystemTime::UNIX_EPOCH);
        millis(since.unwrap_or_default())
    }

    /// On whose behalf a call comes.
    pub(super) fn owner_of(&self, call: &Call) -> TaskOwner {
        match (call.ext.get::<Principal>(), call.session()) {
            (Some(Principal(name)), _) => TaskOwner::Principal((**name).into()),
            (None, Some(session)) => {
                TaskOwner::Session(format!("{}-{}", self.process, session.key()).into())
            }
            (None, None) => TaskOwner::Nobody,
        }
    }

    /// Whether the server is gone.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }

    /// A place among those that run; none if there are too many.
    pub(super) fn enter(self: &Arc<Self>) -> Option<Place> {
        let entered = self.running.fetch_add(1, Ordering::Relaxed);
        let place = Place(Arc::clone(self));
        (entered < self.policy.caps.total).then_some(place)
    }

    /// Lets `transition` happen to whatever version there is.
    pub(super) async fn change(
        &self,
        id: &TaskId,
        transition: Transition,
    ) -> Result<Applied, TaskStoreError> {
        let Some(mut record) = self.store.get(id.clone(), self.now_ms()).await? else {
            return Ok(Applied::Missing);
        };
        for _ in 0..MOST_TRIES {
            let (version, transition) = (record.version(), transition.clone());
            let now = self.now_ms();
            let applied = self.store.apply(id.clone(), version, transition, now);
            match applied.await? {
                Applied::Conflict(newer) => record = newer,
                other => return Ok(other),
            }
        }
        Err(TaskStoreError::Failed(
            "others change the task all the time".into(),
        ))
    }

    /// Hears of each new version of a task from here on.
    pub(super) fn watch(self: &Arc<Self>, id: &TaskId) -> Watch {
        let state = Arc::new(Watched::default());
        let mut watched = self.watched();
        watched
            .entry(id.clone())
            .or_default()
            .push(Arc::downgrade(&state));
        drop(watched);
        Watch {
            shared: Arc::clone(self),
            id: id.clone(),
            state,
        }
    }

    /// Takes it on to ask a question live; `None` if somebody does.
    pub(super) fn relay(self: &Arc<Self>, id: &TaskId, key: &str) -> Option<Relay> {
        let place = (id.clone(), Box::from(key));
        let is_new = self.relayed().insert(place.clone());
        is_new.then(|| Relay {
            shared: Arc::clone(self),
            place,
        })
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<TaskId, Vec<Weak<Watched>>>> {
        // No code panics while it holds the lock, so a poisoned one is whole; so with the other.
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn relayed(&self) -> MutexGuard<'_, HashSet<(TaskId, Box<str>)>> {
        self.relayed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watching(&self, id: &TaskId) -> Vec<Arc<Watched>> {
        let watched = self.watched();
        let of_id = watched.get(id).into_iter().flatten();
        of_id.filter_map(Weak::upgrade).collect()
    }
}

impl TaskListener for Shared {
    fn changed(&self, record: &Arc<TaskRecord>) {
        for watched in self.watching(record.id()) {
            watched.offer(record);
        }
        let task = view::extension(record, self.shown);
        self.hub
            .publish(&Change::TaskChanged(TaskChange::new(&task)));
    }
}

/// Hears of new versions of one task.
pub(super) struct Watch {
    shared: Arc<Shared>,
    id: TaskId,
    state: Arc<Watched>,
}

#[derive(Default)]
struct Watched(Mutex<News>);

#[derive(Default)]
struct News {
    latest: Option<Arc<TaskRecord>>,
    told: u64,
    waker: Option<Waker>,
}

impl Watch {
    /// The newest version, if it was not given yet.
    pub(super) fn poll(&self, cx: &Context<'_>) -> Poll<Arc<TaskRecord>> {
        let mut news = self.state.news();
        if let Some(record) = news.latest.take() {
            news.told = record.version();
            return Poll::Ready(record);
        }
        news.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Watched {
    fn offer(&self, record: &Arc<TaskRecord>) {
        let mut news = self.news();
        let latest = news.latest.as_ref().map(|latest| latest.version());
        if latest.unwrap_or(news.told) >= record.version() {
            return;
        }
        news.latest = Some(Arc::clone(record));
        let waker = news.waker.take();
        drop(news);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn wake(&self) {
        let waker = self.news().waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn news(&self) -> MutexGuard<'_, News> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut watched = self.shared.watched();
        if let Some(of_id) = watched.get_mut(&self.id) {
            let own = Arc::downgrade(&self.state);
            of_id.retain(|other| !other.ptr_eq(&own));
            if of_id.is_empty() {
                watched.remove(&self.id);
            }
        }
    }
}

/// A question that is asked live; when this is dropped, others may ask it.
pub(super) struct Relay {
    shared: Arc<Shared>,
    place: (TaskId, Box<str>),
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.relayed().remove(&self.place);
        for watched in self.shared.watching(&self.place.0) {
            watched.wake();
        }
    }
}

/// A place among the tasks that run here.
pub(super) struct Place(Arc<Shared>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// 128 random bits as text; none, and the log hears so, if the system has no randomness to give.
pub(super) fn random_id() -> Option<String> {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    let mut bytes = [0; 16];
    if let Err(error) = getrandom::fill(&mut bytes) {
        tracing::error!(%error, "the system gives no random bytes");
        return None;
    }
    Some(URL_SAFE_NO_PAD.encode(bytes))
}
