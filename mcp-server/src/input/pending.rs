//! The questions of one legacy session that wait for their answers.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use mcp_transport::{AskAnswer, AskReply};
use mcp_types::RequestId;

use super::AskError;

/// How many questions of one session may wait.
const MOST: usize = 64;

/// The questions that wait, by their ids.
pub(crate) struct Pending(Mutex<State>);

#[derive(Default)]
struct State {
    last: i64,
    waiting: HashMap<i64, Waiting>,
    way: Way,
}

/// Whether the client can be asked.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Way {
    #[default]
    Open,
    /// There never was a way back.
    Missing,
    /// The connection has ended.
    Gone,
}

#[derive(Default)]
struct Waiting {
    answer: Option<Result<AskAnswer, AskError>>,
    asker: Option<Waker>,
}

impl Pending {
    /// No questions yet; none can be asked if there is no way back to the client.
    pub(crate) fn new(can_ask: bool) -> Arc<Self> {
        let way = match can_ask {
            true => Way::Open,
            false => Way::Missing,
        };
        Arc::new(Self(Mutex::new(State {
            way,
            ..State::default()
        })))
    }

    /// Whether the client can be asked at all.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn check(&self) -> Result<(), AskError> {
        self.state().way.check()
    }

    /// A place for the answer to one question.
    ///
    /// # Errors
    /// When the client cannot be asked, or too many questions wait.
    pub(super) fn open(self: &Arc<Self>) -> Result<OpenAsk, AskError> {
        let mut state = self.state();
        state.way.check()?;
        if state.waiting.len() >= MOST {
            return Err(AskError::Full { limit: MOST });
        }
        state.last += 1;
        let id = state.last;
        state.waiting.insert(id, Waiting::default());
        drop(state);
        Ok(OpenAsk {
            id,
            pending: Arc::clone(self),
        })
    }

    /// An answer came. One to a question that does not wait changes nothing.
    #[cfg(any(feature = "http", feature = "stdio"))]
    pub(crate) fn answer(&self, id: Option<&RequestId>, answer: AskAnswer) {
        if let Some(RequestId::Number(id)) = id {
            self.settle(*id, Ok(answer));
        }
    }

    /// The connection has ended: whoever waits hears so, and nobody asks any more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.way = match state.way {
            Way::Missing => Way::Missing,
            Way::Open | Way::Gone => Way::Gone,
        };
        let mut askers = Vec::new();
        for waiting in state.waiting.values_mut() {
            waiting.answer.get_or_insert(Err(AskError::Cancelled));
            askers.extend(waiting.asker.take());
        }
        drop(state);
        askers.into_iter().for_each(Waker::wake);
    }

    fn settle(&self, id: i64, answer: Result<AskAnswer, AskError>) {
        let mut state = self.state();
        let asker = state.waiting.get_mut(&id).and_then(|waiting| {
            waiting.answer.get_or_insert(answer);
            waiting.asker.take()
        });
        drop(state);
        if let Some(asker) = asker {
            asker.wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Way {
    fn check(self) -> Result<(), AskError> {
        match self {
            Self::Open => Ok(()),
            Self::Missing => Err(AskError::NoBackChannel),
            Self::Gone => Err(AskError::Cancelled),
        }
    }
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending")
            .field("waiting", &self.state().waiting.len())
            .finish_non_exhaustive()
    }
}

/// A question that waits; dropping it gives its place up.
#[derive(Debug)]
pub(super) struct OpenAsk {
    id: i64,
    pending: Arc<Pending>,
}

impl OpenAsk {
    pub(super) fn id(&self) -> RequestId {
        RequestId::Number(self.id)
    }

    /// Where a host in the same process answers.
    pub(super) fn reply(&self) -> AskReply {
        let (id, pending) = (self.id, Arc::clone(&self.pending));
        AskReply::new(move |answer| {
            pending.settle(id, answer.ok_or(AskError::NoBackChannel));
        })
    }

    pub(super) fn poll(&self, cx: &mut Context<'_>) -> Poll<Result<AskAnswer, AskError>> {
        let mut state = self.pending.state();
        let Some(waiting) = state.waiting.get_mut(&self.id) else {
            return Poll::Ready(Err(AskError::Cancelled));
        };
        match waiting.answer.take() {
            Some(answer) => {
                state.waiting.remove(&self.id);
                Poll::Ready(answer)
            }
            None => {
                waiting.asker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Gives the place up. Says whether the client may still be busy with the question.
    pub(super) fn give_up(&self) -> bool {
        let mut state = self.pending.state();
        let waiting = state.waiting.remove(&self.id);
        let is_open = state.way == Way::Open;
        drop(state);
        is_open && waiting.is_some_and(|waiting| waiting.answer.is_none())
    }
}

impl Drop for OpenAsk {
    fn drop(&mut self) {
        self.give_up();
    }
}
