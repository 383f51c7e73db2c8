//! The requests in flight on one ordered connection: who runs, who waits, who was cancelled.
//!
//! At most so many run and so many wait; what comes beyond is refused, so that cancellations and
//! pings, which pass by here, always get through. A request that was cancelled is not answered.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};

use mcp_types::RequestId;

/// Requests in flight; `J` is a request that waits, `H` what stops one that runs.
#[derive(Debug)]
pub(crate) struct InFlight<J, H> {
    running: HashMap<RequestId, Slot<H>>,
    waiting: VecDeque<(RequestId, J)>,
    /// Runs whose answer waits for room on the way out: their ids are free, their places are not.
    leaving: usize,
    most_running: usize,
    most_waiting: usize,
    next_ticket: u64,
}

#[derive(Debug)]
struct Slot<H> {
    ticket: Ticket,
    // `None` while the request is polled for the first time.
    handle: Option<H>,
}

/// One run of a request: an id may come again, a ticket does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

/// What becomes of a request that came in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Admission<J> {
    /// Start it.
    Run(Ticket, J),
    /// It waits until another has ended.
    Waits,
    /// A request with this id is in flight; that one is left alone.
    Duplicate(J),
    /// Too many are in flight.
    Full(J),
}

/// What was cancelled.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Cancelled<J, H> {
    /// A request that runs: stop it.
    Running(Option<H>),
    /// A request that waited, and never started.
    Waiting(J),
    /// None that is in flight.
    Unknown,
}

impl<J, H> InFlight<J, H> {
    /// Room for so many that run, at least one, and so many that wait.
    pub(crate) fn new(most_running: usize, most_waiting: usize) -> Self {
        Self {
            running: HashMap::new(),
            waiting: VecDeque::new(),
            leaving: 0,
            most_running: most_running.max(1),
            most_waiting,
            next_ticket: 0,
        }
    }

    /// A request came in.
    pub(crate) fn handle_request(&mut self, id: &RequestId, job: J) -> Admission<J> {
        if self.contains(id) {
            return Admission::Duplicate(job);
        }
        if self.has_room() {
            return Admission::Run(self.start(id.clone()), job);
        }
        if self.waiting.len() < self.most_waiting {
            self.waiting.push_back((id.clone(), job));
            return Admission::Waits;
        }
        Admission::Full(job)
    }

    /// Whether a request with this id is in flight.
    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        self.running.contains_key(id) || self.waiting.iter().any(|(known, _)| known == id)
    }

    /// A request that was started runs on its own, and `handle` stops it. Nothing happens if it has
    /// ended meanwhile.
    pub(crate) fn handle_spawned(&mut self, id: &RequestId, ticket: Ticket, handle: H) {
        if let Some(slot) = self
            .running
            .get_mut(id)
            .filter(|slot| slot.ticket == ticket)
        {
            slot.handle = Some(handle);
        }
    }

    /// The sender no longer wants the answer.
    pub(crate) fn handle_cancel(&mut self, id: &RequestId) -> Cancelled<J, H> {
        if let Some(slot) = self.running.remove(id) {
            return Cancelled::Running(slot.handle);
        }
        let waits = self.waiting.iter().position(|(known, _)| known == id);
        match waits.and_then(|at| self.waiting.remove(at)) {
            Some((_, job)) => Cancelled::Waiting(job),
            None => Cancelled::Unknown,
        }
    }

    /// A run has its answer. Says whether to send it: not if the request was cancelled. If so, its id
    /// is free, and [`Self::handle_sent`] must follow.
    #[must_use]
    pub(crate) fn handle_answer(&mut self, id: &RequestId, ticket: Ticket) -> bool {
        let is_wanted = self.is_wanted(id, ticket);
        if is_wanted {
            self.running.remove(id);
            self.leaving += 1;
        }
        is_wanted
    }

    /// Whether the sender still wants to hear of a run.
    pub(crate) fn is_wanted(&self, id: &RequestId, ticket: Ticket) -> bool {
        let slot = self.running.get(id);
        slot.is_some_and(|slot| slot.ticket == ticket)
    }

    /// An answer is on its way, or has nowhere to go: its place is free.
    pub(crate) fn handle_sent(&mut self) {
        self.leaving = self.leaving.saturating_sub(1);
    }

    /// The next request that can start, after another has ended.
    pub(crate) fn poll_waiting(&mut self) -> Option<(RequestId, Ticket, J)> {
        if !self.has_room() {
            return None;
        }
        let (id, job) = self.waiting.pop_front()?;
        Some((id.clone(), self.start(id), job))
    }

    fn has_room(&self) -> bool {
        self.running.len() + self.leaving < self.most_running
    }

    fn start(&mut self, id: RequestId) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        let slot = Slot {
            ticket,
            handle: None,
        };
        self.running.insert(id, slot);
        ticket
    }
}
