//! Where the events of one exchange wait for their reader.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    task::{Context, Poll, Waker},
};

use mcp_errors::Failure;

use crate::exchange::{Event, Notification, Reply};

/// A bounded queue of notifications with an outcome behind it.
#[derive(Debug)]
pub(super) struct Slot {
    /// Whether the request opens a connection, so that an error without an id can be meant for it.
    pub(super) opens: bool,
    events: Mutex<Events>,
}

#[derive(Debug, Default)]
struct Events {
    notifications: VecDeque<Notification>,
    outcome: Option<Result<Reply, Failure>>,
    reader: Option<Waker>,
}

/// As many notifications wait; when there are more the oldest go, since the newest say most.
const WAITING: usize = 64;

impl Slot {
    pub(super) fn new(opens: bool) -> Self {
        Self {
            opens,
            events: Mutex::default(),
        }
    }

    pub(super) fn push(&self, notification: Notification) {
        self.change(|events| {
            if events.notifications.len() == WAITING {
                events.notifications.pop_front();
            }
            events.notifications.push_back(notification);
        });
    }

    pub(super) fn end(&self, outcome: Result<Reply, Failure>) {
        self.change(|events| {
            events.outcome.get_or_insert(outcome);
        });
    }

    pub(super) fn poll(&self, cx: &mut Context<'_>) -> Poll<Event> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(notification) = events.notifications.pop_front() {
            return Poll::Ready(Event::Notification(notification));
        }
        if let Some(outcome) = events.outcome.take() {
            return Poll::Ready(Event::Outcome(outcome));
        }
        events.reader = Some(cx.waker().clone());
        Poll::Pending
    }

    fn change(&self, change: impl FnOnce(&mut Events)) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut events);
        let reader = events.reader.take();
        drop(events);
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}
