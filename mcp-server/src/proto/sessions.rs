//! The table of legacy sessions on HTTP: who is there, what runs, who has been idle or there for too long.
//!
//! Time and entropy are arguments. What ends is handed back, since ending it may call anything.

#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    fmt,
    time::{Duration, Instant},
};

use mcp_types::RequestId;

/// How many sessions a server keeps, and how long.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionLimits {
    /// A session in which nothing happens, and to which nobody listens, ends after this: 300 s.
    pub idle: Duration,
    /// A session ends after this, whatever happens in it: 24 h.
    pub age: Duration,
    /// Sessions: 10,000.
    pub total: usize,
    /// Sessions of one [`Principal`](crate::http::Principal): 100.
    pub per_principal: usize,
    /// Requests of one session in flight: 128.
    pub in_flight: usize,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(300),
            age: Duration::from_secs(24 * 3600),
            total: 10_000,
            per_principal: 100,
            in_flight: 128,
        }
    }
}

impl SessionLimits {
    /// Sets after which time an idle session ends.
    #[must_use]
    pub fn with_idle(self, idle: Duration) -> Self {
        Self { idle, ..self }
    }

    /// Sets after which time any session ends.
    #[must_use]
    pub fn with_age(self, age: Duration) -> Self {
        Self { age, ..self }
    }

    /// Sets how many sessions there may be.
    #[must_use]
    pub fn with_total(self, total: usize) -> Self {
        Self { total, ..self }
    }

    /// Sets how many sessions a principal may have.
    #[must_use]
    pub fn with_per_principal(self, per_principal: usize) -> Self {
        Self {
            per_principal,
            ..self
        }
    }

    /// Sets how many requests of a session may be in flight.
    #[must_use]
    pub fn with_in_flight(self, in_flight: usize) -> Self {
        Self { in_flight, ..self }
    }
}

/// The id of a session: a secret, so it shows nothing of itself in logs.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct SessionId(Box<str>);

impl SessionId {
    /// An id of 32 hexadecimal digits.
    pub(crate) fn from_entropy(entropy: [u8; 16]) -> Self {
        Self(format!("{:032x}", u128::from_be_bytes(entropy)).into())
    }

    /// The id that a peer sent.
    pub(crate) fn sent(text: &str) -> Self {
        Self(text.into())
    }

    /// The text for the header.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionId(…)")
    }
}

/// Sessions `S`, with a handle `C` for each thing at work in them, by which it can be told to end.
#[derive(Debug)]
pub(crate) struct Sessions<S, C> {
    limits: SessionLimits,
    entries: HashMap<SessionId, Entry<S, C>>,
    principals: HashMap<Box<str>, usize>,
    tickets: u64,
}

#[derive(Debug)]
struct Entry<S, C> {
    session: S,
    principal: Option<Box<str>>,
    opened: Instant,
    used: Instant,
    running: HashMap<RequestId, C>,
    listening: Option<(u64, C)>,
}

/// A session that has left the table, and what was still at work in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closed<S, C> {
    pub(crate) session: S,
    pub(crate) at_work: Vec<C>,
}

/// A cap that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full {
    pub(crate) what: &'static str,
    pub(crate) limit: usize,
}

/// Why a request cannot begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotBegun {
    /// The session is not there.
    Unknown,
    /// A request with this id is in flight.
    Duplicate,
    /// Too many are.
    Full(Full),
}

impl<S, C> Sessions<S, C> {
    /// An empty table.
    pub(crate) fn new(limits: SessionLimits) -> Self {
        Self {
            limits,
            entries: HashMap::new(),
            principals: HashMap::new(),
            tickets: 0,
        }
    }

    /// Enters a session.
    ///
    /// # Errors
    /// The cap that is reached; the session was not entered.
    pub(crate) fn open(
        &mut self,
        id: SessionId,
        session: S,
        principal: Option<&str>,
        now: Instant,
    ) -> Result<(), Full> {
        let limit = self.limits.total;
        if self.entries.len() >= limit {
            return Err(Full {
                what: "sessions",
                limit,
            });
        }
        if let Some(principal) = principal {
            let limit = self.limits.per_principal;
            let count = self.principals.entry(principal.into()).or_default();
            if *count >= limit {
                let what = "sessions of this principal";
                return Err(Full { what, limit });
            }
            *count += 1;
        }
        let entry = Entry {
            session,
            principal: principal.map(Into::into),
            opened: now,
            used: now,
            running: HashMap::new(),
            listening: None,
        };
        self.entries.insert(id, entry);
        Ok(())
    }

    /// The session of this id, which belongs to `principal`; to others it does not exist.
    pub(crate) fn find(
        &mut self,
        id: &SessionId,
        principal: Option<&str>,
        now: Instant,
    ) -> Option<&S> {
        let entry = self.entries.get_mut(id)?;
        if entry.principal.as_deref() != principal || entry.is_due(&self.limits, now) {
            return None;
        }
        entry.used = now;
        Some(&entry.session)
    }

    /// A request of the session begins.
    ///
    /// # Errors
    /// When it cannot.
    pub(crate) fn begin(
        &mut self,
        id: &SessionId,
        request: RequestId,
        handle: C,
    ) -> Result<(), NotBegun> {
        let entry = self.entries.get_mut(id).ok_or(NotBegun::Unknown)?;
        if entry.running.contains_key(&request) {
            return Err(NotBegun::Duplicate);
        }
        let limit = self.limits.in_flight;
        if entry.running.len() >= limit {
            let what = "requests of this session";
            return Err(NotBegun::Full(Full { what, limit }));
        }
        entry.running.insert(request, handle);
        Ok(())
    }

    /// A request of the session has ended.
    pub(crate) fn end(&mut self, id: &SessionId, request: &RequestId, now: Instant) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.running.remove(request);
            entry.used = now;
        }
    }

    /// The handle of a request in flight.
    pub(crate) fn running(&self, id: &SessionId, request: &RequestId) -> Option<&C> {
        self.entries.get(id)?.running.get(request)
    }

    /// The session's client listens; a ticket for [`Self::unlisten`], and the handle of the stream on which it
    /// listened until now.
    pub(crate) fn listen(&mut self, id: &SessionId, handle: C) -> Option<(u64, Option<C>)> {
        let entry = self.entries.get_mut(id)?;
        self.tickets += 1;
        let before = entry.listening.replace((self.tickets, handle));
        Some((self.tickets, before.map(|(_, handle)| handle)))
    }

    /// The stream of this ticket has ended.
    pub(crate) fn unlisten(&mut self, id: &SessionId, ticket: u64, now: Instant) {
        let Some(entry) = self.entries.get_mut(id) else {
            return;
        };
        entry.listening.take_if(|(current, _)| *current == ticket);
        entry.used = now;
    }

    /// The handles of all streams.
    pub(crate) fn listening(&self) -> impl Iterator<Item = &C> {
        let entries = self.entries.values();
        entries.filter_map(|entry| entry.listening.as_ref().map(|(_, handle)| handle))
    }

    /// Takes a session out.
    pub(crate) fn close(&mut self, id: &SessionId) -> Option<Closed<S, C>> {
        let entry = self.entries.remove(id)?;
        Some(self.closed(entry))
    }

    /// Takes the sessions out that were idle for too long, or are too old.
    pub(crate) fn expire(&mut self, now: Instant) -> Vec<Closed<S, C>> {
        let limits = &self.limits;
        let due = self
            .entries
            .extract_if(|_, entry| entry.is_due(limits, now));
        let due: Vec<_> = due.map(|(_, entry)| entry).collect();
        due.into_iter().map(|entry| self.closed(entry)).collect()
    }

    /// Takes all sessions out.
    pub(crate) fn close_all(&mut self) -> Vec<Closed<S, C>> {
        let all: Vec<_> = self.entries.drain().map(|(_, entry)| entry).collect();
        all.into_iter().map(|entry| self.closed(entry)).collect()
    }

    /// When to call [`Self::expire`] next; `None` while there is no session, or none can ever be due.
    /// A session at work may be idle at the earliest one idle time from `now`.
    pub(crate) fn poll_timeout(&self, now: Instant) -> Option<Instant> {
        let SessionLimits { idle, age, .. } = self.limits;
        let due = |entry: &Entry<S, C>| {
            let used = if entry.is_busy() { now } else { entry.used };
            let ends = [used.checked_add(idle), entry.opened.checked_add(age)];
            ends.into_iter().flatten().min()
        };
        self.entries.values().filter_map(due).min()
    }

    fn closed(&mut self, entry: Entry<S, C>) -> Closed<S, C> {
        let count = entry.principal.as_ref().and_then(|principal| {
            let count = self.principals.get_mut(principal)?;
            *count -= 1;
            Some((principal, *count))
        });
        if let Some((principal, 0)) = count {
            self.principals.remove(principal);
        }
        let running = entry.running.into_values();
        let listening = entry.listening.map(|(_, handle)| handle);
        Closed {
            session: entry.session,
            at_work: running.chain(listening).collect(),
        }
    }
}

impl<S, C> Entry<S, C> {
    fn is_busy(&self) -> bool {
        !self.running.is_empty() || self.listening.is_some()
    }

    fn is_due(&self, limits: &SessionLimits, now: Instant) -> bool {
        let after = |since, time| now.saturating_duration_since(since) >= time;
        after(self.opened, limits.age) || !self.is_busy() && after(self.used, limits.idle)
    }
}
