//! Waiting for a specialist, never without an end.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use mcp_transport::Clock;

use crate::proto::handoff::Stale;

/// Tells one waiter, once, that nobody wants any more what it waits for.
#[derive(Debug, Default)]
pub(super) struct Signal(Mutex<(Option<Stale>, Option<Waker>)>);

impl Signal {
    /// Says so. The first reason stands.
    pub(super) fn raise(&self, why: Stale) {
        let waker = {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.0.get_or_insert(why);
            state.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn poll(&self, cx: &Context<'_>) -> Poll<Stale> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.0 {
            Some(why) => Poll::Ready(why),
            None => {
                state.1 = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// What came first.
pub(super) enum First<T> {
    Done(T),
    Abandoned(Stale),
    Deadline,
}

/// `work`, unless the signal or the deadline comes first; then `work` is dropped.
pub(super) async fn first<T>(
    work: impl Future<Output = T>,
    signal: &Signal,
    clock: &dyn Clock,
    deadline: Instant,
) -> First<T> {
    let mut work = pin!(work);
    let mut sleep = clock.sleep_until(deadline);
    poll_fn(|cx| {
        if let Poll::Ready(why) = signal.poll(cx) {
            return Poll::Ready(First::Abandoned(why));
        }
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(First::Done(done));
        }
        sleep.as_mut().poll(cx).map(|()| First::Deadline)
    })
    .await
}

/// `work`, or `None` at the deadline.
pub(super) async fn until<T>(
    work: impl Future<Output = T>,
    clock: &dyn Clock,
    deadline: Instant,
) -> Option<T> {
    match first(work, &Signal::default(), clock, deadline).await {
        First::Done(done) => Some(done),
        First::Abandoned(_) | First::Deadline => None,
    }
}

/// All of them, at the same time.
pub(super) async fn all<T>(work: Vec<Pin<Box<dyn Future<Output = T> + Send + '_>>>) -> Vec<T> {
    let mut work: Vec<_> = work.into_iter().map(|future| (future, None)).collect();
    poll_fn(|cx| {
        for (future, done) in &mut work {
            if done.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(cx)
            {
                *done = Some(value);
            }
        }
        if work.iter().all(|(_, done)| done.is_some()) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    work.into_iter().filter_map(|(_, done)| done).collect()
}
