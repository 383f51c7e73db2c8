//! Exchanges of legacy sessions that can be told to end.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker, ready},
};

use mcp_errors::Failure;
use mcp_transport::{Event, Exchange};
use mcp_types::{ErrorCode, ErrorObject};

/// Tells an exchange to end. Clones are the same handle.
#[derive(Debug, Clone, Default)]
pub(super) struct Handle(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    is_ended: bool,
    waker: Option<Waker>,
}

impl Handle {
    /// Ends the exchange: its handler is dropped and its outcome is -32800.
    pub(super) fn end(&self) {
        let waker = {
            let mut state = self.state();
            state.is_ended = true;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn poll_ended(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.is_ended {
            return Poll::Ready(());
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An exchange with a handle, and with something to do when it is over, however that comes.
pub(super) struct Handled<F: FnOnce()> {
    inner: Option<Pin<Box<dyn Exchange>>>,
    handle: Handle,
    over: Option<F>,
}

impl<F: FnOnce()> Handled<F> {
    pub(super) fn new(inner: Pin<Box<dyn Exchange>>, handle: Handle, over: F) -> Self {
        Self {
            inner: Some(inner),
            handle,
            over: Some(over),
        }
    }

    fn finish(&mut self) {
        self.inner = None;
        if let Some(over) = self.over.take() {
            over();
        }
    }
}

impl<F: FnOnce() + Send + Unpin> Exchange for Handled<F> {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        // First of all: a stream that was taken over must not listen in the place of its successor.
        if self.inner.is_some() && self.handle.poll_ended(cx).is_ready() {
            self.finish();
            let cancelled = ErrorObject::new(ErrorCode(-32800), "Request cancelled");
            return Poll::Ready(Event::Outcome(Err(Failure::peer(cancelled))));
        }
        let Some(inner) = &mut self.inner else {
            return Poll::Pending;
        };
        let event = ready!(inner.as_mut().poll_event(cx));
        if let Event::Outcome(_) = event {
            self.finish();
        }
        Poll::Ready(event)
    }
}

impl<F: FnOnce()> Drop for Handled<F> {
    fn drop(&mut self) {
        self.finish();
    }
}
