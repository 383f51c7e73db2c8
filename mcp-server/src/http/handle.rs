//! Exchanges of legacy sessions that can be told to end.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker, ready},
};

use mcp_errors::Failure;
use mcp_transport::{Event, Exchange};
use mcp_types::{ErrorCode, ErrorObject};

/// The code of a request that was told to end.
pub(super) const CANCELLED: ErrorCode = ErrorCode(-32800);

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

    /// Whether it is to end; a waker of the last one who asked is told.
    pub(super) fn poll_ended(&self, cx: &mut Context<'_>) -> Poll<()> {
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
    // Dropped in this order.
    inner: Option<Pin<Box<dyn Exchange>>>,
    over: Option<Over<F>>,
    handle: Handle,
}

/// Does something when it is dropped, also by a handler's destructor that panics.
struct Over<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> Drop for Over<F> {
    fn drop(&mut self) {
        if let Some(over) = self.0.take() {
            over();
        }
    }
}

impl<F: FnOnce()> Handled<F> {
    pub(super) fn new(inner: Pin<Box<dyn Exchange>>, handle: Handle, over: F) -> Self {
        Self {
            inner: Some(inner),
            over: Some(Over(Some(over))),
            handle,
        }
    }

    fn finish(&mut self) {
        let over = self.over.take();
        self.inner = None;
        drop(over);
    }
}

impl<F: FnOnce() + Send + Unpin> Exchange for Handled<F> {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        // First of all: a stream that was taken over must not listen in the place of its successor.
        if self.inner.is_some() && self.handle.poll_ended(cx).is_ready() {
            self.finish();
            let cancelled = ErrorObject::new(CANCELLED, "Request cancelled");
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

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    struct PanicsWhenDropped;

    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            panic!("a destructor of a handler");
        }
    }

    impl Exchange for PanicsWhenDropped {
        fn poll_event(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Event> {
            Poll::Pending
        }
    }

    #[test]
    fn what_comes_after_is_done_though_a_handlers_destructor_panics() {
        let over = Arc::new(AtomicUsize::new(0));
        let handled = || {
            let (handle, over) = (Handle::default(), Arc::clone(&over));
            let count = move || {
                over.fetch_add(1, Ordering::Relaxed);
            };
            let handled = Handled::new(Box::pin(PanicsWhenDropped), handle.clone(), count);
            (handled, handle)
        };
        let (dropped, _) = handled();
        assert!(catch_unwind(AssertUnwindSafe(|| drop(dropped))).is_err());
        assert_eq!(over.load(Ordering::Relaxed), 1);
        let (mut ended, handle) = handled();
        handle.end();
        let mut cx = Context::from_waker(Waker::noop());
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let _ended = Pin::new(&mut ended).poll_event(&mut cx);
        }));
        assert!(polled.is_err());
        drop(ended);
        assert_eq!(over.load(Ordering::Relaxed), 2);
    }
}
