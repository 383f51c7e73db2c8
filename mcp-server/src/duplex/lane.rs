//! Requests of one kind in flight: who runs, and how one goes on in a task of its own.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
};

use bytes::Bytes;
use mcp_transport::{Event, Exchange, stdio::Outbound};
use mcp_types::RequestId;
use tokio::task::{AbortHandle, JoinSet};

use super::reply::{ReplyTo, notification_line, outcome_line};
use crate::proto::dispatch::{InFlight, Ticket};

/// Requests of one kind in flight, and what ends those that run.
pub(super) type Lane = Arc<Mutex<InFlight<Job, AbortHandle>>>;

/// Room for so many that run, and so many that wait.
pub(super) fn new_lane(running: usize, waiting: usize) -> Lane {
    Arc::new(Mutex::new(InFlight::new(running, waiting)))
}

/// A call and where its answer goes.
pub(super) struct Job {
    pub(super) exchange: Pin<Box<dyn Exchange>>,
    pub(super) reply: ReplyTo,
}

/// Goes on with a call in a task of its own; `unsent` is what it said already.
pub(super) async fn run(
    id: RequestId,
    ticket: Ticket,
    mut job: Job,
    unsent: Option<Bytes>,
    out: Outbound,
    lane: Lane,
) {
    // Once the queue is closed nobody reads the answer either, and the connection is about to end.
    if let Some(line) = unsent
        && out.send(line).await.is_err()
    {
        return;
    }
    let outcome = loop {
        match poll_fn(|cx| job.exchange.as_mut().poll_event(cx)).await {
            Event::Notification(notification) => {
                // To be cancelled takes a task a moment, in which it has nothing more to say.
                let wanted = lock(&lane).is_wanted(&id, ticket);
                if !wanted || out.send(notification_line(&notification)).await.is_err() {
                    return;
                }
            }
            Event::Ask(ask, reply) => {
                let wanted = lock(&lane).is_wanted(&id, ticket);
                if !wanted || out.send(ask.to_message()).await.is_err() {
                    return;
                }
                reply.elsewhere();
            }
            Event::Outcome(outcome) => break outcome,
            _ => {}
        }
    };
    let wanted = lock(&lane).handle_answer(&id, ticket);
    if wanted {
        job.reply.send(outcome_line(&id, outcome)).await;
        lock(&lane).handle_sent();
    }
}

pub(super) async fn poll_once(exchange: &mut Pin<Box<dyn Exchange>>) -> Poll<Event> {
    poll_fn(|cx| Poll::Ready(exchange.as_mut().poll_event(cx))).await
}

pub(super) fn lock(lane: &Lane) -> MutexGuard<'_, InFlight<Job, AbortHandle>> {
    // No code panics while it holds the lock, so a poisoned one is whole.
    lane.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the set belongs to one connection and ends its tasks when the connection ends"
)]
pub(super) fn spawn<T: Send + 'static>(
    set: &mut JoinSet<T>,
    task: impl Future<Output = T> + Send + 'static,
) -> AbortHandle {
    set.spawn(task)
}
