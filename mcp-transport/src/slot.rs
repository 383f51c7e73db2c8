//! Where the events of one exchange wait for their reader.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    task::{Context, Poll, Waker},
};

use mcp_errors::Failure;
use mcp_types::RawParams;

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
    asks: VecDeque<(usize, Ask, AskReply)>,
    /// The size of theirs.
    ask_bytes: usize,
    outcome: Option<Result<Reply, Failure>>,
    reader: Option<Waker>,
}

/// As many notifications wait; when there are more the oldest go, since the newest say most. As many asks wait too.
const WAITING: usize = 64;
/// So large may the params of either be together, but for one that is larger alone.
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
        let size = size_of(&notification.params);
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
        let (size, mut unheard) = (size_of(&ask.params), None);
        self.change(|events| {
            let has_room = events.asks.is_empty() || events.ask_bytes + size <= WAITING_BYTES;
            if events.asks.len() < WAITING && has_room {
                events.ask_bytes += size;
                events.asks.push_back((size, ask, reply));
            } else {
                unheard = Some(reply);
            }
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
        if let Some((size, ask, reply)) = events.asks.pop_front() {
            events.ask_bytes -= size;
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

fn size_of(params: &RawParams) -> usize {
    let params = params.iter();
    params.map(|(name, value)| name.len() + value.len()).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mcp_types::RequestId;

    use super::*;

    fn params(size: usize) -> RawParams {
        match size {
            0 => RawParams::empty(),
            _ => RawParams::parse(format!("{{\"a\":\"{}\"}}", "x".repeat(size - 3))).unwrap(),
        }
    }

    /// Pushes notifications whose params have these sizes; gives the sizes that wait.
    fn check(sizes: &[usize], expected: &[usize]) {
        let slot = Slot::new(false);
        for &size in sizes {
            slot.push(Notification::new("n", params(size)));
        }
        let mut waiting: Vec<usize> = Vec::new();
        let mut cx = Context::from_waker(Waker::noop());
        while let Poll::Ready(Event::Notification(notification)) = slot.poll(&mut cx) {
            waiting.push(size_of(&notification.params));
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

    /// Asks with params of these sizes; gives the sizes that wait. The rest hears at once that nobody can be asked.
    fn check_asks(sizes: &[usize], expected: &[usize]) {
        let (slot, unheard) = (Slot::new(false), Arc::new(Mutex::new(0)));
        for &size in sizes {
            let unheard = Arc::clone(&unheard);
            let reply = AskReply::new(move |_| *unheard.lock().unwrap() += 1);
            slot.ask(Ask::new(RequestId::Number(1), "a", params(size)), reply);
        }
        assert_eq!(*unheard.lock().unwrap(), sizes.len() - expected.len());
        let mut waiting: Vec<usize> = Vec::new();
        let mut cx = Context::from_waker(Waker::noop());
        while let Poll::Ready(Event::Ask(ask, reply)) = slot.poll(&mut cx) {
            waiting.push(size_of(&ask.params));
            reply.elsewhere();
        }
        assert_eq!(waiting, expected);
        assert_eq!(slot.events.lock().unwrap().ask_bytes, 0);
    }

    #[test]
    fn asks_that_wait_are_bounded_in_number_and_in_size() {
        check_asks(&[], &[]);
        check_asks(&[0, 4, 5], &[0, 4, 5]);
        let many: Vec<_> = (4..100).collect();
        check_asks(&many, &many[..WAITING]);
        check_asks(&[4, WAITING_BYTES - 4, 5], &[4, WAITING_BYTES - 4]);
        check_asks(&[4, WAITING_BYTES, 5], &[4, 5]);
        check_asks(&[WAITING_BYTES + 9, 4, 0], &[WAITING_BYTES + 9]);
    }
}
