//! One session: a tunnel, an attempt to connect, or both.

use std::time::{Duration, Instant};

use super::{Generation, Principal};
use crate::proto::namespace::DomainName;

/// Never without both tunnel and attempt while it is in the table.
pub(super) struct Session<T> {
    pub(super) principal: Principal,
    pub(super) tunnel: Option<Tunnel<T>>,
    pub(super) attempt: Option<Attempt>,
}

impl<T> Session<T> {
    /// The specialist in use, else the one it connects to.
    pub(super) fn domain(&self) -> &DomainName {
        match (&self.tunnel, &self.attempt) {
            (Some(tunnel), _) => &tunnel.domain,
            (None, Some(attempt)) => &attempt.domain,
            (None, None) => unreachable!("a session has a tunnel or an attempt"),
        }
    }

    /// The generation of its newest attempt or tunnel.
    pub(super) fn newest(&self) -> Generation {
        let tunnel = self.tunnel.as_ref().map(|tunnel| tunnel.generation);
        let attempt = self.attempt.as_ref().map(|attempt| attempt.generation);
        tunnel.max(attempt).unwrap_or(Generation(0))
    }

    /// When it has to be looked at next.
    pub(super) fn deadline(&self, idle: Duration) -> Option<Instant> {
        let attempt = self.attempt.as_ref().map(|attempt| attempt.deadline);
        let tunnel = self.tunnel.as_ref().and_then(|tunnel| tunnel.idle_at(idle));
        [attempt, tunnel].into_iter().flatten().min()
    }
}

pub(super) struct Attempt {
    pub(super) generation: Generation,
    pub(super) domain: DomainName,
    pub(super) deadline: Instant,
}

pub(super) struct Tunnel<T> {
    pub(super) generation: Generation,
    pub(super) domain: DomainName,
    pub(super) value: T,
    pub(super) in_flight: usize,
    pub(super) idle_since: Instant,
}

impl<T> Tunnel<T> {
    pub(super) fn new(generation: Generation, domain: DomainName, value: T, now: Instant) -> Self {
        Self {
            generation,
            domain,
            value,
            in_flight: 0,
            idle_since: now,
        }
    }

    /// When it will have been idle for too long. Not while a call is in flight.
    fn idle_at(&self, idle: Duration) -> Option<Instant> {
        if self.in_flight == 0 {
            self.idle_since.checked_add(idle)
        } else {
            None
        }
    }

    pub(super) fn is_idle(&self, idle: Duration, now: Instant) -> bool {
        self.idle_at(idle).is_some_and(|at| at <= now)
    }
}
