//! One exchange over a shared stream.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::{RequestId, jsonrpc::ProgressToken};

use super::Handle;
use crate::{
    exchange::{Event, Exchange, Request},
    proto::mux::Refused,
    slot::Slot,
    stdio::{Closed, SendError},
};

/// A request and its answer.
pub(super) struct DuplexExchange {
    shared: Arc<Handle>,
    id: RequestId,
    token: Option<ProgressToken>,
    slot: Arc<Slot>,
    state: State,
    /// `initialize` must not be cancelled.
    initializes: bool,
}

enum State {
    Unsent(Bytes),
    Queueing(Pin<Box<dyn Future<Output = Result<(), Closed>> + Send>>),
    Sent,
    Done,
}

impl DuplexExchange {
    pub(super) fn new(shared: Arc<Handle>, id: RequestId, request: &Request, text: Bytes) -> Self {
        let initializes = request.method == "initialize";
        let slot = Slot::new(initializes || request.method == "server/discover");
        let slot = Arc::new(slot.listening(request.method == "subscriptions/listen"));
        let token = request.meta.progress_token();
        Self {
            shared,
            id,
            token,
            slot,
            state: State::Unsent(text),
            initializes,
        }
    }

    /// Enters the exchange and queues its request.
    fn send(&mut self, text: Bytes) -> Result<State, Failure> {
        let mut state = self.shared.lock();
        if let Some(end) = &state.end {
            return Err(end().with_executed(Executed::No));
        }
        state
            .mux
            .open(self.id.clone(), self.token.clone(), Arc::clone(&self.slot))
            .map_err(refused)?;
        drop(state);
        match self.shared.outbound.try_send(text) {
            Ok(()) => Ok(State::Sent),
            Err(SendError::Full(text)) => {
                let outbound = self.shared.outbound.clone();
                Ok(State::Queueing(Box::pin(async move {
                    outbound.send(text).await
                })))
            }
            Err(SendError::Closed(_)) => Err(self.unsent()),
        }
    }

    /// Forgets a request that the stream did not take.
    fn unsent(&self) -> Failure {
        let mut state = self.shared.lock();
        state.mux.cancel(&self.id);
        let end = state.end.clone();
        drop(state);
        let failure = end.map_or_else(
            || Failure::new(FailureKind::Lost, "the server reads no more"),
            |end| end(),
        );
        failure.with_executed(Executed::No)
    }
}

impl Exchange for DuplexExchange {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        let this = &mut *self;
        loop {
            this.state = match std::mem::replace(&mut this.state, State::Done) {
                State::Unsent(text) => match this.send(text) {
                    Ok(state) => state,
                    Err(failure) => return Poll::Ready(Event::Outcome(Err(failure))),
                },
                State::Queueing(mut queueing) => match queueing.as_mut().poll(cx) {
                    Poll::Ready(Ok(())) => State::Sent,
                    Poll::Ready(Err(Closed)) => {
                        let failure = this.unsent();
                        return Poll::Ready(Event::Outcome(Err(failure)));
                    }
                    Poll::Pending => {
                        this.state = State::Queueing(queueing);
                        // The stream may end while there is no room.
                        let event = ready!(this.slot.poll(cx));
                        return Poll::Ready(this.take(event));
                    }
                },
                State::Sent => {
                    this.state = State::Sent;
                    let event = ready!(this.slot.poll(cx));
                    return Poll::Ready(this.take(event));
                }
                State::Done => return Poll::Pending,
            };
        }
    }
}

impl DuplexExchange {
    fn take(&mut self, event: Event) -> Event {
        if matches!(event, Event::Outcome(_)) {
            self.state = State::Done;
        }
        event
    }
}

impl Drop for DuplexExchange {
    fn drop(&mut self) {
        if matches!(self.state, State::Unsent(_) | State::Done) {
            return;
        }
        let open = self.shared.lock().mux.cancel(&self.id).is_some();
        if open && !self.initializes && matches!(self.state, State::Sent) {
            self.shared.cancel(self.id.clone());
        }
    }
}

fn refused(refused: Refused) -> Failure {
    let kind = match refused {
        Refused::Closed => FailureKind::Closed,
        Refused::Full { .. } => FailureKind::Full,
        Refused::Duplicate => FailureKind::Invalid,
    };
    Failure::new(kind, refused.to_string()).with_executed(Executed::No)
}

/// The exchange that yields what a legacy server sends unasked, from when it was opened.
pub(super) struct Listening {
    shared: Arc<Handle>,
    slot: Arc<Slot>,
}

impl Listening {
    /// Listens at once: what comes before the first poll waits.
    pub(super) fn new(shared: Arc<Handle>) -> Self {
        let slot = Arc::new(Slot::new(false));
        let mut state = shared.lock();
        let end = state.end.clone();
        let earlier = match end {
            Some(_) => None,
            None => state.listener.replace(Arc::clone(&slot)),
        };
        drop(state);
        if let Some(end) = end {
            slot.end(Err(end()));
        }
        if let Some(earlier) = earlier {
            earlier.end(Err(Failure::new(
                FailureKind::Cancelled,
                "another listener took over",
            )));
        }
        Self { shared, slot }
    }
}

impl Exchange for Listening {
    fn poll_event(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        self.slot.poll(cx)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if state
            .listener
            .as_ref()
            .is_some_and(|listener| Arc::ptr_eq(listener, &self.slot))
        {
            state.listener = None;
        }
    }
}
