//! The script as a server in the same process.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use mcp_errors::{Failure, FailureKind};
use mcp_types::{
    Message, RequestId,
    jsonrpc::{NotificationMessage, ResponseMessage},
};

use super::{
    Script,
    machine::{Action, Machine, Problem},
};
use crate::{
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
            Ok(state.drain())
        });
        drop(state);
        match events {
            Ok(events) => Box::pin(Scripted {
                events,
                server: self.clone(),
                ended: false,
            }),
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
    fn drain(&mut self) -> VecDeque<Event> {
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
                Action::Send(Message::Request(_)) | Action::Raw(_) => None,
            });
        }
        events
    }
}

struct Scripted {
    events: VecDeque<Event>,
    server: ScriptedServer,
    ended: bool,
}

impl Exchange for Scripted {
    fn poll_event(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Event> {
        // Silence is a way to answer, and nothing ends it.
        let Some(event) = self.events.pop_front() else {
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
