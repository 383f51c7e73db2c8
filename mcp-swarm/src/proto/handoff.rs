//! Who is handed over to whom, and when that ends.
//!
//! A session is a conversation that was handed over. It begins with an attempt to connect to the
//! specialist, is active while there is a tunnel to it, and ends by return, idleness, failure, the client
//! going away or the gateway closing.
//!
//! ```text
//! absent ──activate──▶ connecting ──connected──▶ active ──activate──▶ switching ──connected──▶ active
//!                          │                        │                    └─ failed, timed out ──▶ active, as before
//!                          └─ failed, timed out ─▶ absent ◀─ idle, returned, disconnected, disposed
//! ```
//!
//! Every attempt has a generation. Only the newest attempt of a session that still wants it can publish its tunnel;
//! whatever comes late, was superseded or belongs to a closed gateway is handed back to be closed. A slot is taken
//! before the attempt begins and is free the moment its session ends, however that happens.
//!
//! No IO happens here, and the tunnel is whatever the driver makes it. After each call the driver drains
//! [`Sessions::poll_event`], and calls [`Sessions::handle_timeout`] when [`Sessions::poll_timeout`] says so.

mod ending;
mod event;
mod key;
mod limits;
mod memory;
mod session;
#[cfg(test)]
mod tests;
mod ticket;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::time::{Duration, Instant};

pub use ending::{Ended, Ending, Failure, Refused, Stale, Unroutable};
pub use event::Event;
pub use key::{Handle, Principal, SessionKey};
pub use limits::Limits;
pub use ticket::{Call, Generation, Ticket};

use self::memory::Memory;
use self::session::{Attempt, Session, Tunnel};
use super::namespace::DomainName;

/// All sessions of a gateway. `T` is a tunnel to a specialist.
pub struct Sessions<T> {
    limits: Limits,
    live: HashMap<SessionKey, Session<T>>,
    deadlines: BTreeSet<(Instant, SessionKey)>,
    memory: Memory,
    events: VecDeque<Event<T>>,
    attempts: u64,
    closed: bool,
}

impl<T> Sessions<T> {
    /// No sessions yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            live: HashMap::new(),
            deadlines: BTreeSet::new(),
            memory: Memory::new(limits.endings),
            events: VecDeque::new(),
            attempts: 0,
            closed: false,
        }
    }

    /// Begins to connect `key` to `domain`, in place of an attempt under way. A tunnel that is there stays in use
    /// until the new one is.
    ///
    /// # Errors
    /// [`Refused`] when the gateway is closed, the session is another principal's, or there are too many. Then nothing
    /// has changed.
    pub fn activate(
        &mut self,
        key: SessionKey,
        principal: Principal,
        domain: DomainName,
        now: Instant,
    ) -> Result<Ticket, Refused> {
        self.handle_timeout(now);
        if self.closed {
            return Err(Refused::Closed);
        }
        match self.live.get(&key) {
            Some(session) if session.principal != principal => return Err(Refused::Foreign),
            None if self.live.len() >= self.limits.sessions => {
                return Err(Refused::Full {
                    limit: self.limits.sessions,
                });
            }
            Some(_) | None => {}
        }
        self.attempts += 1;
        let generation = Generation(self.attempts);
        let deadline = later(now, self.limits.connect);
        let tunnel = self.remove(&key).and_then(|session| {
            self.abandon(session.attempt, Stale::Superseded);
            session.tunnel
        });
        let attempt = Some(Attempt {
            generation,
            domain: domain.clone(),
            deadline,
        });
        self.insert(
            key.clone(),
            Session {
                principal,
                tunnel,
                attempt,
            },
        );
        Ok(Ticket {
            key,
            generation,
            domain,
            deadline,
        })
    }

    /// The attempt connected: its tunnel is the session's from now on, and the one before it is retired.
    ///
    /// # Errors
    /// [`Stale`] when the attempt is no longer wanted. Then the new tunnel is retired.
    pub fn connected(&mut self, ticket: Ticket, tunnel: T, now: Instant) -> Result<(), Stale> {
        self.handle_timeout(now);
        let Some(session) = self.remove_attempted(&ticket) else {
            self.events.push_back(Event::Retired { tunnel });
            return Err(self.why_stale(&ticket, now));
        };
        self.retire(session.tunnel);
        let tunnel = Tunnel::new(ticket.generation, ticket.domain, tunnel, now);
        let session = Session {
            principal: session.principal,
            tunnel: Some(tunnel),
            attempt: None,
        };
        self.insert(ticket.key.clone(), session);
        self.events.push_back(Event::Changed { key: ticket.key });
        Ok(())
    }

    /// The attempt failed, or whoever waited for it gave up. A tunnel that was there stays in use.
    ///
    /// # Errors
    /// [`Stale`] when the attempt was no longer wanted anyway.
    pub fn failed(&mut self, ticket: Ticket, failure: Failure, now: Instant) -> Result<(), Stale> {
        self.handle_timeout(now);
        let Some(session) = self.remove_attempted(&ticket) else {
            return Err(self.why_stale(&ticket, now));
        };
        let Ticket { key, domain, .. } = ticket;
        self.without_attempt(key, session, domain, Ending::Failed(failure), now);
        Ok(())
    }

    /// Closes the session for its client, whether active or still connecting. Gives the specialist's name.
    ///
    /// # Errors
    /// [`Unroutable`] when there is no session of this key and principal. A second return finds [`Ending::Returned`].
    pub fn hand_back(
        &mut self,
        key: &SessionKey,
        principal: &Principal,
        now: Instant,
    ) -> Result<DomainName, Unroutable> {
        self.handle_timeout(now);
        match self.live.get(key) {
            Some(session) if session.principal == *principal => {
                let domain = session.domain().clone();
                self.end(key, Ending::Returned, now);
                Ok(domain)
            }
            Some(_) => Err(Unroutable::Unknown),
            None => Err(self.why_unroutable(key, principal, now)),
        }
    }

    /// The client is gone: ends its session, if it has one.
    pub fn disconnected(&mut self, key: &SessionKey, now: Instant) {
        self.handle_timeout(now);
        self.end(key, Ending::Disconnected, now);
    }

    /// Ends all sessions, for good: no attempt publishes any more, none begins.
    pub fn dispose(&mut self, now: Instant) {
        self.closed = true;
        let keys: Vec<_> = self.live.keys().cloned().collect();
        for key in keys {
            self.end(&key, Ending::Disposed, now);
        }
    }

    /// When to call [`Self::handle_timeout`] next.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// Ends what is over at `now`: attempts that took too long, sessions nobody used for too long.
    pub fn handle_timeout(&mut self, now: Instant) {
        while let Some((at, key)) = self.deadlines.first() {
            if *at > now {
                break;
            }
            let key = key.clone();
            let Some(session) = self.remove(&key) else {
                break;
            };
            self.expire(key, session, now);
        }
    }

    /// What the driver has to do next.
    pub fn poll_event(&mut self) -> Option<Event<T>> {
        self.events.pop_front()
    }

    /// How many sessions there are, connecting ones among them.
    pub fn session_count(&self) -> usize {
        self.live.len()
    }

    /// How many sessions are connecting, those with a tunnel already among them.
    pub fn connecting_count(&self) -> usize {
        self.live
            .values()
            .filter(|session| session.attempt.is_some())
            .count()
    }

    /// Whether the session is handed over, or about to be.
    pub fn has_active_handoff(&self, key: &SessionKey) -> bool {
        self.live.contains_key(key)
    }

    /// Whether the session is connecting, with a tunnel already or without.
    pub fn is_connecting(&self, key: &SessionKey) -> bool {
        self.live
            .get(key)
            .is_some_and(|session| session.attempt.is_some())
    }
}

impl<T: Clone> Sessions<T> {
    /// Begins a call or a listing through the session's tunnel. Until [`Self::end_call`] the session is not idle.
    ///
    /// # Errors
    /// [`Unroutable`] when the session has no tunnel: why, and what became of it. Another principal's session is
    /// like none.
    pub fn begin_call(
        &mut self,
        key: &SessionKey,
        principal: &Principal,
        now: Instant,
    ) -> Result<Call<T>, Unroutable> {
        self.handle_timeout(now);
        let Some(mut session) = self.remove(key) else {
            return Err(self.why_unroutable(key, principal, now));
        };
        let begun = if session.principal != *principal {
            Err(Unroutable::Unknown)
        } else if let Some(tunnel) = &mut session.tunnel {
            tunnel.in_flight += 1;
            Ok(Call {
                key: key.clone(),
                generation: tunnel.generation,
                domain: tunnel.domain.clone(),
                tunnel: tunnel.value.clone(),
            })
        } else {
            Err(Unroutable::Connecting {
                domain: session.domain().clone(),
            })
        };
        self.insert(key.clone(), session);
        begun
    }

    /// The call is over. To be called for every call begun, also for a cancelled one.
    ///
    /// # Errors
    /// [`Stale`] when the session has ended or switched since: the answer is another tunnel's and must not be given.
    pub fn end_call(&mut self, call: Call<T>, now: Instant) -> Result<(), Stale> {
        let stale = if self.closed {
            Stale::Closed
        } else {
            Stale::Ended
        };
        let mut session = self.remove(&call.key).ok_or(stale)?;
        let ended = match &mut session.tunnel {
            Some(tunnel) if tunnel.generation == call.generation => {
                tunnel.in_flight = tunnel.in_flight.saturating_sub(1);
                tunnel.idle_since = now;
                Ok(())
            }
            Some(_) => Err(Stale::Superseded),
            None => Err(Stale::Ended),
        };
        self.insert(call.key, session);
        self.handle_timeout(now);
        ended
    }
}

// The private steps. A session is out of the tables while it changes, so its deadline is never left behind.
impl<T> Sessions<T> {
    fn insert(&mut self, key: SessionKey, session: Session<T>) {
        if let Some(at) = session.deadline(self.limits.idle) {
            self.deadlines.insert((at, key.clone()));
        }
        self.live.insert(key, session);
    }

    fn remove(&mut self, key: &SessionKey) -> Option<Session<T>> {
        let (key, session) = self.live.remove_entry(key)?;
        if let Some(at) = session.deadline(self.limits.idle) {
            self.deadlines.remove(&(at, key));
        }
        Some(session)
    }

    /// Takes out the ticket's session, if the ticket's attempt is the one it waits for.
    fn remove_attempted(&mut self, ticket: &Ticket) -> Option<Session<T>> {
        let attempt = self.live.get(&ticket.key)?.attempt.as_ref()?;
        if attempt.generation == ticket.generation {
            self.remove(&ticket.key)
        } else {
            None
        }
    }

    fn expire(&mut self, key: SessionKey, mut session: Session<T>, now: Instant) {
        if session
            .tunnel
            .as_ref()
            .is_some_and(|tunnel| tunnel.is_idle(self.limits.idle, now))
        {
            self.events.push_back(Event::Changed { key: key.clone() });
            let domain = session.domain().clone();
            self.retire(session.tunnel.take());
            if session.attempt.is_none() {
                return self.remember(key, session.principal, domain, Ending::Idle, now);
            }
        }
        match session.attempt.take() {
            Some(attempt) if attempt.deadline <= now => {
                let domain = attempt.domain.clone();
                self.abandon(Some(attempt), Stale::TimedOut);
                self.without_attempt(key, session, domain, Ending::ConnectTimeout, now);
            }
            attempt => self.insert(key, Session { attempt, ..session }),
        }
    }

    /// Goes back to the tunnel that was there before the attempt, or ends the session where there was none.
    fn without_attempt(
        &mut self,
        key: SessionKey,
        session: Session<T>,
        domain: DomainName,
        ending: Ending,
        now: Instant,
    ) {
        if session.tunnel.is_some() {
            self.insert(
                key,
                Session {
                    attempt: None,
                    ..session
                },
            );
        } else {
            self.remember(key, session.principal, domain, ending, now);
        }
    }

    fn end(&mut self, key: &SessionKey, ending: Ending, now: Instant) {
        let Some(session) = self.remove(key) else {
            return;
        };
        let domain = session.domain().clone();
        if session.tunnel.is_some() {
            self.events.push_back(Event::Changed { key: key.clone() });
        }
        let stale = if self.closed {
            Stale::Closed
        } else {
            Stale::Ended
        };
        self.retire(session.tunnel);
        self.abandon(session.attempt, stale);
        self.remember(key.clone(), session.principal, domain, ending, now);
    }

    fn retire(&mut self, tunnel: Option<Tunnel<T>>) {
        self.events.extend(tunnel.map(|tunnel| Event::Retired {
            tunnel: tunnel.value,
        }));
    }

    fn abandon(&mut self, attempt: Option<Attempt>, why: Stale) {
        self.events.extend(attempt.map(|attempt| Event::Abandoned {
            generation: attempt.generation,
            why,
        }));
    }

    fn remember(
        &mut self,
        key: SessionKey,
        principal: Principal,
        domain: DomainName,
        ending: Ending,
        now: Instant,
    ) {
        let memory = match ending {
            Ending::Failed(_) | Ending::ConnectTimeout => self.limits.failure_memory,
            Ending::Idle | Ending::Returned | Ending::Disconnected | Ending::Disposed => {
                self.limits.ending_memory
            }
        };
        self.memory
            .remember(key, principal, Ended { domain, ending }, later(now, memory));
    }

    fn why_stale(&self, ticket: &Ticket, now: Instant) -> Stale {
        let newer = self
            .live
            .get(&ticket.key)
            .is_some_and(|session| session.newest() > ticket.generation);
        if self.closed {
            Stale::Closed
        } else if newer {
            Stale::Superseded
        } else if ticket.deadline <= now {
            Stale::TimedOut
        } else {
            Stale::Ended
        }
    }

    fn why_unroutable(&self, key: &SessionKey, principal: &Principal, now: Instant) -> Unroutable {
        self.memory
            .recall(key, principal, now)
            .map_or(Unroutable::Unknown, |ended| {
                Unroutable::Ended(ended.clone())
            })
    }
}

impl<T> fmt::Debug for Sessions<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions")
            .field("sessions", &self.session_count())
            .field("connecting", &self.connecting_count())
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

// A limit meant as "never" may lie past the end of time.
fn later(now: Instant, by: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(31_536_000);
    now.checked_add(by).unwrap_or_else(|| now + YEAR)
}
