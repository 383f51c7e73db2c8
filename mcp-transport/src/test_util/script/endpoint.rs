//! The script as a server in the same process.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll, Waker},
};

use mcp_errors::{Failure, FailureKind};
use mcp_types::{
    ErrorCode, ErrorObject, Message, RequestId,
    jsonrpc::{NotificationMessage, RequestMessage, ResponseMessage},
};

use super::{
    Script,
    machine::{Action, Machine, Problem},
};
use crate::{
    ask::{Ask, AskAnswer, AskReply},
    exchange::{Ended, Endpoint, Event, Exchange, Full, Notification, Reply, Request},
    message,
};

impl Script {
    /// The script as an endpoint. Each request takes the events up to the next expectation; where they hold no
    /// reply, it is never answered.
    pub fn into_endpoint(self) -> ScriptedServer {
        let state = State {
            machine: Machine::new(self),
            closed: false,
            next: 0,
            cancelled: 0,
        };
        ScriptedServer(Arc::new(Mutex::new(state)))
    }
}

/// A [`Script`] that answers as an endpoint. Clones share the script.
#[derive(Clone, Debug)]
pub struct ScriptedServer(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    machine: Machine,
    closed: bool,
    next: i64,
    cancelled: usize,
}

impl ScriptedServer {
    /// Whether everything happened as written.
    ///
    /// # Errors
    /// The first step that did not.
    pub fn finish(&self) -> Result<(), Problem> {
        self.lock().machine.finish()
    }

    /// How many exchanges were dropped before their outcome.
    pub fn cancelled(&self) -> usize {
        self.lock().cancelled
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Endpoint for ScriptedServer {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        let mut state = self.lock();
        if state.closed {
            return Ended::boxed(Err(lost()));
        }
        state.next += 1;
        let text = message::write_request(&RequestId::Number(state.next), &request);
        let events = text.and_then(|text| {
            let message = mcp_types::jsonrpc::decode(&text)
                .map_err(|error| Failure::new(FailureKind::Invalid, error.to_string()))?;
            state.machine.handle(&message).map_err(off_script)?;
            let feed = Arc::new(Feed::default());
            let events = state.drain(self, &feed);
            Ok((feed, events))
        });
        drop(state);
        match events {
            Ok((feed, events)) => {
                feed.push(events);
                Box::pin(Scripted {
                    feed,
                    server: self.clone(),
                    ended: false,
                })
            }
            Err(failure) => Ended::boxed(Err(failure)),
        }
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        let Notification { method, params } = notification;
        let mut state = self.lock();
        // What is wrong is remembered for `finish`.
        let _ = state
            .machine
            .handle(&Message::Notification(NotificationMessage {
                method,
                params,
            }));
        Ok(())
    }
}

impl State {
    /// What happens until something is expected again.
    fn drain(&mut self, server: &ScriptedServer, feed: &Arc<Feed>) -> VecDeque<Event> {
        let mut events = VecDeque::new();
        while let Some(action) = self.machine.poll_action() {
            events.extend(match action {
                Action::Send(Message::Notification(message)) => {
                    Some(Event::Notification(message::read_notification(message)))
                }
                Action::Send(Message::Response(ResponseMessage { body, .. })) => {
                    Some(Event::Outcome(body.map(Reply::new).map_err(Failure::peer)))
                }
                Action::Close => {
                    self.closed = true;
                    Some(Event::Outcome(Err(lost())))
                }
                Action::Send(Message::Request(message)) => Some(asks(message, server, feed)),
                Action::Raw(_) => None,
            });
        }
        events
    }
}

/// What an exchange yields, as far as it is known.
#[derive(Default)]
struct Feed(Mutex<(VecDeque<Event>, Option<Waker>)>);

impl Feed {
    fn push(&self, events: VecDeque<Event>) {
        let mut feed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        feed.0.extend(events);
        let reader = feed.1.take();
        drop(feed);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<Event> {
        let mut feed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match feed.0.pop_front() {
            Some(event) => Poll::Ready(event),
            None => {
                feed.1 = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// An ask, after whose answer the script goes on.
fn asks(message: RequestMessage, server: &ScriptedServer, feed: &Arc<Feed>) -> Event {
    let RequestMessage { id, method, params } = message;
    let (server, feed, answered) = (server.clone(), Arc::downgrade(feed), id.clone());
    let reply = AskReply::new(move |answer| server.answered(answered, answer, &feed));
    Event::Ask(Ask::new(id, method, params), reply)
}

impl ScriptedServer {
    fn answered(&self, id: RequestId, answer: Option<AskAnswer>, feed: &Weak<Feed>) {
        let mut state = self.lock();
        // Who hangs up answers nothing, unless that is what the script waits for.
        if answer.is_none() && !state.machine.awaits_answer() {
            return;
        }
        let unknown = || ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, "Method not found");
        let response = ResponseMessage {
            id: Some(id),
            body: answer.unwrap_or_else(|| Err(unknown())),
        };
        // What is wrong is remembered for `finish`.
        let handled = state.machine.handle(&Message::Response(response));
        if let (Ok(()), Some(feed)) = (handled, feed.upgrade()) {
            let events = state.drain(self, &feed);
            drop(state);
            feed.push(events);
        }
    }
}

struct Scripted {
    feed: Arc<Feed>,
    server: ScriptedServer,
    ended: bool,
}

impl Exchange for Scripted {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        // Silence is a way to answer, and nothing ends it.
        let Poll::Ready(event) = self.feed.poll(cx) else {
            return Poll::Pending;
        };
        self.ended |= matches!(event, Event::Outcome(_));
        Poll::Ready(event)
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.server.lock().cancelled += usize::from(!self.ended);
    }
}

fn lost() -> Failure {
    Failure::new(FailureKind::Lost, "the scripted peer closed the connection")
}

fn off_script(problem: Problem) -> Failure {
    Failure::new(FailureKind::Invalid, problem.to_string()).with_source(problem)
}
