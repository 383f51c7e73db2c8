//! Whether a client takes what one stream of a connection has for it, and since when it does not.

#[cfg(feature = "http2")]
use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::ready,
    time::Duration,
};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Instant,
};

use bytes::Buf;

use crate::clock::Clock;
#[cfg(feature = "http2")]
use crate::clock::Sleep;

/// How far a client has taken the last frame of an answer.
#[derive(Debug)]
pub(super) struct Taking {
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Default)]
struct State {
    /// When a byte of the frame last moved; `None` once all have.
    since: Option<Instant>,
    /// Who has the next frame.
    giver: Option<Waker>,
}

impl Taking {
    pub(super) fn new(clock: &Arc<dyn Clock>) -> Self {
        Self {
            state: Mutex::default(),
            clock: Arc::clone(clock),
        }
    }

    /// Waits until the frame is taken: not before is there to be another, and an end only behind it.
    pub(super) fn poll_taken(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.since.is_none() {
            return Poll::Ready(());
        }
        state.giver = Some(cx.waker().clone());
        Poll::Pending
    }

    pub(super) fn is_taken(&self) -> bool {
        self.state().since.is_none()
    }

    fn moved(&self, is_all: bool) {
        let now = self.clock.now();
        let mut state = self.state();
        state.since = Some(now).filter(|_| !is_all);
        let giver = state.giver.take_if(|_| is_all);
        drop(state);
        if let Some(giver) = giver {
            giver.wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(feature = "http2")]
impl Taking {
    /// Runs `stream` to its end, or until its client takes nothing for so long; then it is dropped, which resets it.
    pub(super) async fn hold(
        self: Arc<Self>,
        stream: impl Future<Output = ()>,
        patience: Duration,
    ) {
        let (mut stream, mut alarm) = (pin!(stream), None);
        poll_fn(|cx| match stream.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => self.poll_overdue(&mut alarm, patience, cx),
        })
        .await;
    }

    fn poll_overdue(
        &self,
        alarm: &mut Option<(Instant, Sleep)>,
        patience: Duration,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        loop {
            let since = self.state().since;
            let Some(at) = since.and_then(|since| since.checked_add(patience)) else {
                return Poll::Pending;
            };
            let (armed, sleep) = alarm.get_or_insert_with(|| (at, self.clock.sleep_until(at)));
            ready!(sleep.as_mut().poll(cx));
            let is_over = *armed >= at;
            *alarm = None;
            if is_over {
                return Poll::Ready(());
            }
        }
    }
}

/// Data that says when it is taken, if anybody wants to know.
#[derive(Debug)]
pub(super) struct WatchedData<D: Buf> {
    data: D,
    taking: Option<Arc<Taking>>,
}

impl<D: Buf> WatchedData<D> {
    pub(super) fn new(data: D, taking: Option<Arc<Taking>>) -> Self {
        let watched = Self { data, taking };
        watched.moved();
        watched
    }

    fn moved(&self) {
        if let Some(taking) = &self.taking {
            taking.moved(!self.data.has_remaining());
        }
    }
}

impl<D: Buf> Buf for WatchedData<D> {
    fn remaining(&self) -> usize {
        self.data.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.data.chunk()
    }

    fn chunks_vectored<'a>(&'a self, into: &mut [std::io::IoSlice<'a>]) -> usize {
        self.data.chunks_vectored(into)
    }

    fn advance(&mut self, count: usize) {
        self.data.advance(count);
        self.moved();
    }
}
