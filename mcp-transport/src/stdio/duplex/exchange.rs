//! One exchange over a shared stream.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::{RawParams, RequestId, jsonrpc::ProgressToken, notification::CancelledParams};

use super::{Shared, slot::Slot};
use crate::{
    exchange::{Event, Exchange, Notification, Request},
    message,
    proto::mux::Refused,
    stdio::{Closed, SendError},
};

/// A request and its answer.
pub(super) struct DuplexExchange {
    shared: Arc<Shared>,
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
    pub(super) fn new(shared: Arc<Shared>, id: RequestId, request: &Request, text: Bytes) -> Self {
        let initializes = request.method == "initialize";
        let slot = Arc::new(Slot::new(
            initializes || request.method == "server/discover",
        ));
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
            // Whoever closes the stream ends the exchange, and knows why.
            Err(SendError::Closed(_)) => Ok(State::Sent),
        }
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
                    Poll::Ready(Ok(()) | Err(Closed)) => State::Sent,
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
        if !open || self.initializes || !matches!(self.state, State::Sent) {
            return;
        }
        if let Ok(params) = RawParams::from_serialize(&CancelledParams::new(self.id.clone())) {
            let notification = Notification::new("notifications/cancelled", params);
            // Where the queue is full the server reads nothing, a cancellation included.
            let _ = self
                .shared
                .outbound
                .try_send(message::write_notification(&notification));
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
    shared: Arc<Shared>,
    slot: Arc<Slot>,
}

impl Listening {
    /// Listens at once: what comes before the first poll waits.
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let slot = Arc::new(Slot::new(false));
        let mut state = shared.lock();
        if let Some(end) = &state.end {
            slot.end(Err(end()));
        } else if let Some(earlier) = state.listener.replace(Arc::clone(&slot)) {
            earlier.end(Err(Failure::new(
                FailureKind::Cancelled,
                "another listener took over",
            )));
        }
        drop(state);
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
