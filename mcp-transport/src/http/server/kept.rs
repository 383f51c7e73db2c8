//! Exchanges that run on after their client has gone.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Mutex, PoisonError},
};

use tokio::{
    runtime::Handle,
    task::{JoinSet, yield_now},
};

use crate::exchange::{Event, Exchange};

/// The tasks that see kept exchanges to their end; dropping it ends them.
#[derive(Debug, Default)]
pub(super) struct KeptTasks(Mutex<JoinSet<()>>);

impl KeptTasks {
    /// Polls `exchange` until its outcome, which nobody hears any more.
    pub(super) fn keep(&self, mut exchange: Pin<Box<dyn Exchange>>) {
        // Without a runtime nothing can run on: the server is coming down.
        if Handle::try_current().is_err() {
            return;
        }
        let run = async move {
            // Nobody is there to be asked either: a reply that is dropped says so.
            while let Event::Notification(_) | Event::Ask(..) =
                poll_fn(|cx| exchange.as_mut().poll_event(cx)).await
            {
                // Nothing else slows down one that talks without a pause.
                yield_now().await;
            }
        };
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        #[expect(clippy::disallowed_methods, reason = "the service's set owns it")]
        tasks.spawn(run);
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll};

    use mcp_types::RawParams;

    use super::*;
    use crate::exchange::Notification;

    #[tokio::test]
    async fn one_that_talks_for_ever_leaves_the_thread_to_others() {
        struct Talks;
        impl Exchange for Talks {
            fn poll_event(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Event> {
                let said = Notification::new("notifications/message", RawParams::empty());
                Poll::Ready(Event::Notification(said))
            }
        }
        let kept = KeptTasks::default();
        kept.keep(Box::pin(Talks));
        for _ in 0..10 {
            yield_now().await;
        }
        drop(kept);
        yield_now().await;
    }
}
