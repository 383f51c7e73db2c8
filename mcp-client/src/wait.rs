//! Waiting for an exchange, never without a deadline.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
    time::Instant,
};

use mcp_errors::Failure;
use mcp_transport::{Clock, Event, Exchange, Notification, Reply, clock::Sleep};

/// An exchange and the deadline it is held to.
pub(crate) struct Waiting {
    exchange: Pin<Box<dyn Exchange>>,
    sleep: Sleep,
}

/// What came first.
pub(crate) enum Came {
    Notification(Notification),
    Outcome(Result<Reply, Failure>),
    Deadline,
}

impl Waiting {
    pub(crate) fn new(
        exchange: Pin<Box<dyn Exchange>>,
        clock: &dyn Clock,
        deadline: Instant,
    ) -> Self {
        Self {
            exchange,
            sleep: clock.sleep_until(deadline),
        }
    }

    /// The next event, or the deadline. After an outcome or the deadline it must not be polled again.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Came> {
        loop {
            match self.exchange.as_mut().poll_event(cx) {
                Poll::Ready(Event::Outcome(outcome)) => {
                    return Poll::Ready(Came::Outcome(outcome));
                }
                // A peer that never stops notifying must not outrun the deadline.
                Poll::Ready(_) if self.sleep.as_mut().poll(cx).is_ready() => {
                    return Poll::Ready(Came::Deadline);
                }
                Poll::Ready(Event::Notification(notification)) => {
                    return Poll::Ready(Came::Notification(notification));
                }
                Poll::Ready(_) => {}
                Poll::Pending => return self.sleep.as_mut().poll(cx).map(|()| Came::Deadline),
            }
        }
    }

    /// The outcome, or `None` at the deadline; notifications pass unseen.
    pub(crate) async fn outcome(mut self) -> Option<Result<Reply, Failure>> {
        loop {
            match poll_fn(|cx| self.poll(cx)).await {
                Came::Notification(_) => {}
                Came::Outcome(outcome) => return Some(outcome),
                Came::Deadline => return None,
            }
        }
    }
}

/// What `work` gives, or `None` at the deadline, when `work` is dropped.
pub(crate) async fn until<T>(
    clock: &dyn Clock,
    deadline: Instant,
    work: impl Future<Output = T>,
) -> Option<T> {
    let mut work = std::pin::pin!(work);
    let mut sleep = clock.sleep_until(deadline);
    poll_fn(|cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(Some(done));
        }
        sleep.as_mut().poll(cx).map(|()| None)
    })
    .await
}
