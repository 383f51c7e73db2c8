//! Waiting for an exchange, never without a deadline.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use mcp_errors::{Failure, FailureKind};
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
    /// And what came that was no answer.
    Deadline(Option<String>),
}

/// That `what` did not come within that time, and what came instead.
pub(crate) fn late(what: &str, within: Duration, noise: Option<&str>) -> Failure {
    let mut detail = format!("{what} within {within:.1?}");
    if let Some(noise) = noise {
        detail.push_str("; ");
        detail.push_str(noise);
    }
    Failure::new(FailureKind::Timeout, detail)
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
                    return Poll::Ready(Came::Deadline(self.exchange.noise()));
                }
                Poll::Ready(Event::Notification(notification)) => {
                    return Poll::Ready(Came::Notification(notification));
                }
                // Nobody here knows an answer: the reply that is dropped says so, and no server waits for one.
                Poll::Ready(_) => {}
                Poll::Pending => {
                    let late = self.sleep.as_mut().poll(cx);
                    return late.map(|()| Came::Deadline(self.exchange.noise()));
                }
            }
        }
    }

    /// The outcome, or at the deadline, what came that was no answer; notifications pass unseen.
    pub(crate) async fn outcome(mut self) -> Result<Result<Reply, Failure>, Option<String>> {
        loop {
            match poll_fn(|cx| self.poll(cx)).await {
                Came::Notification(_) => {}
                Came::Outcome(outcome) => return Ok(outcome),
                Came::Deadline(noise) => return Err(noise),
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

#[cfg(test)]
mod tests {
    use std::{pin::pin, task::Waker};

    use mcp_transport::clock::ManualClock;

    use super::*;

    /// An exchange on which nothing comes but noise.
    struct Noisy;

    impl Exchange for Noisy {
        fn poll_event(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Event> {
            Poll::Pending
        }

        fn noise(&self) -> Option<String> {
            Some("3 events were no messages".to_owned())
        }
    }

    #[test]
    fn a_deadline_tells_what_came_in_the_place_of_an_answer() {
        let clock = ManualClock::new();
        let second = Duration::from_secs(1);
        let waiting = Waiting::new(Box::pin(Noisy), &clock, clock.deadline(second));
        let mut outcome = pin!(waiting.outcome());
        let mut cx = Context::from_waker(Waker::noop());
        assert!(outcome.as_mut().poll(&mut cx).is_pending());
        clock.advance(second);
        let Poll::Ready(Err(noise)) = outcome.poll(&mut cx) else {
            panic!("it still waits")
        };
        let failure = late("no result", second, noise.as_deref());
        assert_eq!(
            failure.to_string(),
            "no result within 1.0s; 3 events were no messages"
        );
    }
}
