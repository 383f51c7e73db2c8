//! Where the events of one exchange wait for their reader.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    task::{Context, Poll, Waker},
};

use mcp_errors::Failure;

use crate::{
    ask::{Ask, AskReply},
    exchange::{Event, Notification, Reply},
};

/// A bounded queue of notifications and asks with an outcome behind it.
#[derive(Debug)]
pub(crate) struct Slot {
    /// Whether the request opens a connection, so that an error without an id can be meant for it.
    pub(crate) opens: bool,
    /// Whether the request is a subscription, so that notifications can be about it.
    pub(crate) listens: bool,
    events: Mutex<Events>,
}

#[derive(Debug, Default)]
struct Events {
    notifications: VecDeque<(usize, Notification)>,
    /// The size of their params.
    bytes: usize,
    asks: VecDeque<(Ask, AskReply)>,
    outcome: Option<Result<Reply, Failure>>,
    reader: Option<Waker>,
}

/// As many notifications wait; when there are more the oldest go, since the newest say most.
const WAITING: usize = 64;
/// So large may their params be together, but for one that is larger alone.
const WAITING_BYTES: usize = 1024 * 1024;

impl Slot {
    pub(crate) fn new(opens: bool) -> Self {
        Self {
            opens,
            listens: false,
            events: Mutex::default(),
        }
    }

    /// The same for a subscription, if it is one.
    pub(crate) fn listening(self, listens: bool) -> Self {
        Self { listens, ..self }
    }

    pub(crate) fn push(&self, notification: Notification) {
        let params = notification.params.iter();
        let size = params.map(|(name, value)| name.len() + value.len()).sum();
        self.change(|events| {
            while events.notifications.len() == WAITING
                || (events.bytes + size > WAITING_BYTES && events.bytes > 0)
            {
                let gone = events.notifications.pop_front();
                events.bytes -= gone.map_or(events.bytes, |(size, _)| size);
            }
            events.bytes += size;
            events.notifications.push_back((size, notification));
        });
    }

    /// Hands on what the server asks. What finds no room is dropped with its reply, which says that nobody can be
    /// asked.
    pub(crate) fn ask(&self, ask: Ask, reply: AskReply) {
        let mut unheard = None;
        self.change(|events| match events.asks.len() < WAITING {
            true => events.asks.push_back((ask, reply)),
            false => unheard = Some(reply),
        });
        drop(unheard);
    }

    pub(crate) fn end(&self, outcome: Result<Reply, Failure>) {
        self.change(|events| {
            events.outcome.get_or_insert(outcome);
        });
    }

    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<Event> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((size, notification)) = events.notifications.pop_front() {
            events.bytes -= size;
            return Poll::Ready(Event::Notification(notification));
        }
        if let Some((ask, reply)) = events.asks.pop_front() {
            return Poll::Ready(Event::Ask(ask, reply));
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

#[cfg(test)]
mod tests {
    use mcp_types::RawParams;

    use super::*;

    /// Pushes notifications whose params have these sizes; gives the sizes that wait.
    fn check(sizes: &[usize], expected: &[usize]) {
        let slot = Slot::new(false);
        for &size in sizes {
            let params = if size == 0 {
                RawParams::empty()
            } else {
                RawParams::parse(format!("{{\"a\":\"{}\"}}", "x".repeat(size - 3))).unwrap()
            };
            slot.push(Notification::new("n", params));
        }
        let mut waiting: Vec<usize> = Vec::new();
        let mut cx = Context::from_waker(Waker::noop());
        while let Poll::Ready(Event::Notification(notification)) = slot.poll(&mut cx) {
            let params = notification.params.iter();
            waiting.push(params.map(|(name, value)| name.len() + value.len()).sum());
        }
        assert_eq!(waiting, expected);
        assert_eq!(slot.events.lock().unwrap().bytes, 0);
    }

    #[test]
    fn what_waits_is_bounded_in_number_and_in_size() {
        check(&[], &[]);
        check(&[0, 4, 5], &[0, 4, 5]);
        let many: Vec<_> = (4..100).collect();
        check(&many, &many[many.len() - WAITING..]);
        check(&[4, WAITING_BYTES - 4, 5], &[5]);
        check(&[4, WAITING_BYTES - 4], &[4, WAITING_BYTES - 4]);
        check(&[4, 5, WAITING_BYTES + 9], &[WAITING_BYTES + 9]);
        check(&[WAITING_BYTES + 9, 4], &[4]);
    }
}
