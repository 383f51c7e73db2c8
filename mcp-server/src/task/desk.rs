//! Between a task's handler and whoever runs it: what the handler asks and says, and the answers.

use std::{
    collections::{HashMap, VecDeque},
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use mcp_types::input::{InputRequest, InputResponse};

use super::{Refused, TaskRecord, TaskReply, Transition};
use crate::{
    input::{AskError, BackChannel},
    proto::task::MAX_KEYS,
    service::BoxFuture,
};

/// How many things that a handler says may wait for the store; of what it does just now, the last one counts.
const MOST_POSTED: usize = 2 * MAX_KEYS;

/// Transitions on their way to the store, and questions that wait for answers.
#[derive(Default)]
pub(super) struct Desk(Mutex<State>);

#[derive(Default)]
struct State {
    posted: VecDeque<Transition>,
    waiting: HashMap<Box<str>, Slot>,
    /// How often each key was asked: a client knows a question by its key, so each time has one of its own.
    times: HashMap<Box<str>, u32>,
    /// Nobody can answer.
    is_mute: bool,
    is_closed: bool,
    runner: Option<Waker>,
}

struct Slot {
    request: InputRequest,
    reply: Option<Result<InputResponse, AskError>>,
    asker: Option<Waker>,
}

impl Desk {
    /// The handler says something of itself.
    pub(super) fn post(&self, transition: Transition) {
        let mut state = self.state();
        if state.is_closed {
            return;
        }
        if matches!(transition, Transition::Say(_)) {
            let is_said = |posted: &Transition| matches!(posted, Transition::Say(_));
            state.posted.retain(|posted| !is_said(posted));
        }
        state.push(transition);
        let runner = state.runner.take();
        drop(state);
        wake(runner);
    }

    /// Nobody can answer what is asked.
    pub(super) fn mute(&self) {
        self.state().is_mute = true;
    }

    /// What is to happen to the task next.
    pub(super) fn poll_posted(&self, cx: &Context<'_>) -> Poll<Transition> {
        let mut state = self.state();
        if let Some(posted) = state.posted.pop_front() {
            return Poll::Ready(posted);
        }
        state.runner = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Hands out the answers of a new version.
    pub(super) fn deliver(&self, record: &TaskRecord) {
        let mut askers = Vec::new();
        for (key, slot) in &mut self.state().waiting {
            let (None, Some(reply)) = (&slot.reply, record.reply(key)) else {
                continue;
            };
            slot.reply = Some(match reply {
                TaskReply::Answer(raw) => {
                    InputResponse::read(raw, &slot.request).map_err(|_| AskError::Misfit)
                }
                TaskReply::Refused(error) => Err(AskError::Refused(error.clone())),
            });
            askers.extend(slot.asker.take());
        }
        askers.into_iter().for_each(Waker::wake);
    }

    /// The question `key` could not be put.
    pub(super) fn refuse(&self, key: &str, why: Refused) {
        let error = match why {
            Refused::TooManyKeys => AskError::Full { limit: MAX_KEYS },
            _ => AskError::Cancelled,
        };
        let mut state = self.state();
        let asker = state.waiting.get_mut(key).and_then(|slot| {
            slot.reply.get_or_insert(Err(error));
            slot.asker.take()
        });
        drop(state);
        wake(asker);
    }

    /// The task is over: nothing is asked or said any more.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.posted.clear();
        let mut askers = Vec::new();
        for slot in state.waiting.values_mut() {
            slot.reply.get_or_insert(Err(AskError::Cancelled));
            askers.extend(slot.asker.take());
        }
        drop(state);
        askers.into_iter().for_each(Waker::wake);
    }

    fn open(self: &Arc<Self>, key: &str, request: InputRequest) -> Result<Question, AskError> {
        let mut state = self.state();
        if state.is_mute {
            return Err(AskError::NoBackChannel);
        }
        if state.is_closed {
            return Err(AskError::Cancelled);
        }
        let limit = MAX_KEYS;
        if state.waiting.len() >= limit || state.posted.len() >= MOST_POSTED {
            return Err(AskError::Full { limit });
        }
        let times = state.times.entry(key.into()).or_default();
        *times += 1;
        let key: Box<str> = match times {
            1 => key.into(),
            again => format!("{key}-{again}").into(),
        };
        let slot = Slot {
            request: request.clone(),
            reply: None,
            asker: None,
        };
        state.waiting.insert(key.clone(), slot);
        let request = Box::new(request);
        let ask = Transition::Ask {
            key: key.clone(),
            request,
        };
        state.push(ask);
        let runner = state.runner.take();
        drop(state);
        wake(runner);
        let desk = Arc::clone(self);
        Ok(Question { desk, key })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn push(&mut self, transition: Transition) {
        self.posted.push_back(transition);
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// A question on its way, until it is answered. Dropping it takes it back.
struct Question {
    desk: Arc<Desk>,
    key: Box<str>,
}

impl Question {
    fn poll(&self, cx: &Context<'_>) -> Poll<Result<InputResponse, AskError>> {
        let mut state = self.desk.state();
        let Some(slot) = state.waiting.get_mut(&self.key) else {
            return Poll::Ready(Err(AskError::Cancelled));
        };
        if let Some(reply) = &slot.reply {
            return Poll::Ready(reply.clone());
        }
        slot.asker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let slot = self.desk.state().waiting.remove(&self.key);
        if slot.is_some_and(|slot| slot.reply.is_none()) {
            let key = self.key.clone();
            self.desk.post(Transition::Withdraw { key });
        }
    }
}

/// Asks by the task: the question waits in it until a client answers.
pub(super) struct ByTask(pub(super) Arc<Desk>);

impl BackChannel for ByTask {
    fn ask(&self, key: &str, request: InputRequest) -> BoxFuture<Result<InputResponse, AskError>> {
        let question = self.0.open(key, request);
        Box::pin(async move {
            let question = question?;
            poll_fn(|cx| question.poll(cx)).await
        })
    }
}
