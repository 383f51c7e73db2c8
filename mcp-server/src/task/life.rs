//! What a handler knows of its task: whether it is one, whether it was cancelled, and what it says of itself.

use std::{
    fmt,
    future::poll_fn,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

use super::{TaskId, Transition, desk::Desk};

/// The task that a handler runs as. Clones are the same task.
///
/// [`Context::task`](crate::Context::task) gives it.
#[derive(Clone)]
pub struct RunningTask {
    life: Arc<Life>,
    id: TaskId,
}

impl RunningTask {
    /// Its id, by which its client knows it.
    pub fn id(&self) -> &TaskId {
        &self.id
    }

    /// Says what it does just now, in words for people; an empty text says nothing any more.
    pub fn say(&self, text: impl Into<Box<str>>) {
        let text = Some(text.into()).filter(|text| !text.is_empty());
        self.life.desk.post(Transition::Say(text));
    }

    /// Waits until the task is cancelled. A handler that looks at this has some time then to end by itself
    /// ([`TasksPolicy::cancel_grace`](super::TasksPolicy::cancel_grace)); any other is dropped at once. What it gives
    /// back is nobody's any more.
    pub async fn cancelled(&self) {
        self.life.is_watched.store(true, Ordering::Release);
        poll_fn(|cx| self.life.poll_cancelled(cx)).await;
    }

    /// Whether the task was cancelled, as [`Self::cancelled`].
    pub fn is_cancelled(&self) -> bool {
        self.life.is_watched.store(true, Ordering::Release);
        self.life.is_cancelled()
    }
}

impl fmt::Debug for RunningTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningTask")
            .field("is_cancelled", &self.life.is_cancelled())
            .finish_non_exhaustive()
    }
}

/// A call that is a task, or may become one when its handler says so.
pub(crate) struct Life {
    pub(super) desk: Arc<Desk>,
    id: OnceLock<TaskId>,
    /// The handler wants the task to begin.
    is_asked: AtomicBool,
    /// The handler looks whether it was cancelled.
    is_watched: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_cancelled: bool,
    /// Whoever drives the call until the task begins.
    driver: Option<Waker>,
    waiting: Vec<Waker>,
}

impl Life {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            desk: Arc::new(Desk::default()),
            id: OnceLock::new(),
            is_asked: AtomicBool::new(false),
            is_watched: AtomicBool::new(false),
            state: Mutex::default(),
        })
    }

    /// The task, if it has begun.
    pub(crate) fn task(self: &Arc<Self>) -> Option<RunningTask> {
        let id = self.id.get()?.clone();
        Some(RunningTask {
            life: Arc::clone(self),
            id,
        })
    }

    /// The handler wants the task to begin; waits until it has.
    pub(crate) async fn begin(&self) {
        self.is_asked.store(true, Ordering::Release);
        let driver = self.state().driver.take();
        if let Some(driver) = driver {
            driver.wake();
        }
        poll_fn(|cx| {
            let mut state = self.state();
            if self.id.get().is_some() {
                return Poll::Ready(());
            }
            state.wait(cx);
            Poll::Pending
        })
        .await;
    }

    /// Whether the handler wants the task to begin; `cx` is woken when it does.
    pub(super) fn is_asked(&self, cx: &Context<'_>) -> bool {
        self.state().driver = Some(cx.waker().clone());
        self.is_asked.load(Ordering::Acquire)
    }

    /// The task has begun.
    pub(super) fn begun(&self, id: &TaskId) {
        let mut state = self.state();
        let _first = self.id.set(id.clone());
        state.driver = None;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// The task was cancelled.
    pub(super) fn cancel(&self) {
        let mut state = self.state();
        state.is_cancelled = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Whether the handler looks at cancellation, so that it can end by itself.
    pub(super) fn is_watched(&self) -> bool {
        self.is_watched.load(Ordering::Acquire)
    }

    fn is_cancelled(&self) -> bool {
        self.state().is_cancelled
    }

    fn poll_cancelled(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.is_cancelled {
            return Poll::Ready(());
        }
        state.wait(cx);
        Poll::Pending
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wait(&mut self, cx: &Context<'_>) {
        let waker = cx.waker();
        if !self.waiting.iter().any(|known| known.will_wake(waker)) {
            self.waiting.push(waker.clone());
        }
    }
}
