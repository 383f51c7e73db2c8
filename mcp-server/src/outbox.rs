//! A bounded queue of notifications between a handler and whoever polls its exchange.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use mcp_transport::{Full, Notification};
use serde_json::Number;

/// How many notifications may wait on one stream (DESIGN section 10).
const CAPACITY: usize = 64;

/// Notifications on their way out: many writers, one reader.
#[derive(Debug, Default)]
pub(crate) struct Outbox(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Notification>,
    reader: Option<Waker>,
    writers: Vec<Waker>,
    closed: bool,
    muted: bool,
    progress: Option<f64>,
}

impl Outbox {
    /// Appends a notification, or says that there is no room.
    pub(crate) fn try_push(&self, notification: Notification) -> Result<(), Full> {
        let mut state = self.state();
        if state.closed || state.queue.len() >= CAPACITY {
            return Err(Full::default());
        }
        if state.muted {
            return Ok(());
        }
        state.queue.push_back(notification);
        let reader = state.reader.take();
        drop(state);
        wake(reader);
        Ok(())
    }

    /// Appends a notification unless an equal one waits already. It needs no room: of those that are equal
    /// one waits at most.
    pub(crate) fn coalesce(&self, notification: Notification) {
        let mut state = self.state();
        if state.closed || state.queue.contains(&notification) {
            return;
        }
        state.queue.push_back(notification);
        let reader = state.reader.take();
        drop(state);
        wake(reader);
    }

    /// Appends a notification as soon as there is room; drops it once nobody reads any more.
    pub(crate) async fn push(&self, notification: Notification) {
        self.push_if(notification, |_| true).await;
    }

    /// Appends a notification of progress as soon as there is room, if by then the progress is beyond all
    /// that was reported.
    pub(crate) async fn push_progress(&self, progress: &Number, notification: Notification) {
        let Some(progress) = progress.as_f64() else {
            return;
        };
        let grows = |state: &mut State| {
            let grows = state.progress.is_none_or(|last| progress > last);
            if grows {
                state.progress = Some(progress);
            }
            grows
        };
        self.push_if(notification, grows).await;
    }

    async fn push_if(&self, notification: Notification, wanted: impl Fn(&mut State) -> bool) {
        let mut waiting = Some(notification);
        poll_fn(|cx| {
            let mut state = self.state();
            if state.closed || state.muted {
                return Poll::Ready(());
            }
            if state.queue.len() >= CAPACITY {
                if !state
                    .writers
                    .iter()
                    .any(|known| known.will_wake(cx.waker()))
                {
                    state.writers.push(cx.waker().clone());
                }
                return Poll::Pending;
            }
            if wanted(&mut state) {
                state.queue.extend(waiting.take());
            }
            let reader = state.reader.take();
            drop(state);
            wake(reader);
            Poll::Ready(())
        })
        .await;
    }

    /// The next notification; `None` once the box is closed and empty.
    pub(crate) fn poll_pop(&self, cx: &mut Context<'_>) -> Poll<Option<Notification>> {
        let mut state = self.state();
        if let Some(notification) = state.queue.pop_front() {
            let writers = std::mem::take(&mut state.writers);
            drop(state);
            writers.into_iter().for_each(Waker::wake);
            return Poll::Ready(Some(notification));
        }
        if state.closed {
            return Poll::Ready(None);
        }
        state.reader = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Drops what is said from here on, or no longer does: while a handler says again what it said before.
    pub(crate) fn mute(&self, muted: bool) {
        self.state().muted = muted;
    }

    /// Nothing more goes in; what is in can still be read.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        let (reader, writers) = (state.reader.take(), std::mem::take(&mut state.writers));
        drop(state);
        wake(reader);
        writers.into_iter().for_each(Waker::wake);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::{future::Future as _, pin::pin};

    use mcp_types::RawParams;

    use super::*;

    #[test]
    fn progress_that_waited_for_room_is_said_only_if_it_is_still_news() {
        let (outbox, mut cx) = (Outbox::default(), Context::from_waker(Waker::noop()));
        let said = |method: &str| Notification::new(method, RawParams::empty());
        while outbox.try_push(said("before")).is_ok() {}
        let (one, two) = (Number::from(1), Number::from(2));
        let mut one = pin!(outbox.push_progress(&one, said("one")));
        let mut two = pin!(outbox.push_progress(&two, said("two")));
        assert!(one.as_mut().poll(&mut cx).is_pending() && two.as_mut().poll(&mut cx).is_pending());
        while let Poll::Ready(Some(before)) = outbox.poll_pop(&mut cx) {
            assert_eq!(before.method, "before");
        }
        assert!(two.poll(&mut cx).is_ready() && one.poll(&mut cx).is_ready());
        let Poll::Ready(Some(news)) = outbox.poll_pop(&mut cx) else {
            panic!("nothing was said");
        };
        assert_eq!(news.method, "two");
        assert!(outbox.poll_pop(&mut cx).is_pending());
    }
}
