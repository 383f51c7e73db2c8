//! Gives back what the session machine hands out, however the holder ends: attempts and calls in flight.

use std::future::Future;
use std::sync::Arc;

use super::error::GatewayError;
use super::shared::{Caller, Shared, Tunnel, lock};
use super::wait::{First, Signal, first};
use crate::codes::SwarmCode;
use crate::proto::handoff::{Call, Failure, Generation, Refused, Stale, Ticket, Unroutable};
use crate::proto::namespace::DomainName;

/// An attempt to connect. Dropped without a result it has failed, and its slot is free.
pub(super) struct Attempt<'a> {
    shared: &'a Shared,
    generation: Generation,
    signal: Arc<Signal>,
    ticket: Option<Ticket>,
}

impl<'a> Attempt<'a> {
    /// Takes a slot.
    pub(super) fn begin(
        shared: &'a Shared,
        caller: &Caller,
        domain: &DomainName,
    ) -> Result<Self, Refused> {
        let signal = Arc::new(Signal::default());
        let Caller { key, principal } = caller.clone();
        let ticket = shared.sessions(|sessions, now| {
            let ticket = sessions.activate(key, principal, domain.clone(), now)?;
            // Before anybody can abandon it.
            lock(&shared.attempts).insert(ticket.generation(), signal.clone());
            Ok(ticket)
        })?;
        Ok(Self {
            shared,
            generation: ticket.generation(),
            signal,
            ticket: Some(ticket),
        })
    }

    /// Does the `work` of connecting, until nobody wants it any more or it is too late.
    pub(super) async fn run<T>(&self, work: impl Future<Output = T>) -> Result<T, Stale> {
        let Some(ticket) = &self.ticket else {
            return Err(Stale::Ended);
        };
        let clock = &*self.shared.clock;
        match first(work, &self.signal, clock, ticket.deadline()).await {
            First::Done(done) => Ok(done),
            First::Abandoned(why) => Err(why),
            First::Deadline => {
                self.shared
                    .sessions(|sessions, now| sessions.handle_timeout(now));
                Err(Stale::TimedOut)
            }
        }
    }

    /// It connected: the tunnel is the session's, unless that does not want it any more.
    pub(super) fn publish(mut self, tunnel: Arc<Tunnel>) -> Result<(), Stale> {
        let ticket = self.ticket.take().ok_or(Stale::Ended)?;
        self.shared
            .sessions(|sessions, now| sessions.connected(ticket, tunnel, now))
    }

    /// It failed. What the caller is told is the failure, unless the attempt was not wanted any more.
    pub(super) fn fail(mut self, error: GatewayError) -> GatewayError {
        let Some(ticket) = self.ticket.take() else {
            return error;
        };
        let failure = error.to_failure();
        match self
            .shared
            .sessions(|sessions, now| sessions.failed(ticket, failure, now))
        {
            Ok(()) => error,
            Err(stale) => stale.into(),
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        lock(&self.shared.attempts).remove(&self.generation);
        if let Some(ticket) = self.ticket.take() {
            let failure = Failure::new(SwarmCode::Cancelled, "whoever asked for it gave up");
            // If it was not wanted any more, there is nothing left to end.
            let _stale = self
                .shared
                .sessions(|sessions, now| sessions.failed(ticket, failure, now));
        }
    }
}

/// A call or listing through a tunnel. While it is there, the session is not idle.
pub(super) struct InFlight<'a> {
    shared: &'a Shared,
    domain: DomainName,
    tunnel: Arc<Tunnel>,
    call: Option<Call<Arc<Tunnel>>>,
}

impl<'a> InFlight<'a> {
    /// Begins one.
    pub(super) fn begin(shared: &'a Shared, caller: &Caller) -> Result<Self, Unroutable> {
        let call = shared
            .sessions(|sessions, now| sessions.begin_call(&caller.key, &caller.principal, now))?;
        Ok(Self {
            shared,
            domain: call.domain().clone(),
            tunnel: call.tunnel().clone(),
            call: Some(call),
        })
    }

    /// The specialist at the other end.
    pub(super) fn domain(&self) -> &DomainName {
        &self.domain
    }

    /// The tunnel to it.
    pub(super) fn tunnel(&self) -> &Tunnel {
        &self.tunnel
    }

    /// It is over.
    ///
    /// # Errors
    /// When the tunnel is not the session's any more: what came through it must not be given to the client.
    pub(super) fn end(mut self) -> Result<(), Stale> {
        self.give_back()
    }

    fn give_back(&mut self) -> Result<(), Stale> {
        match self.call.take() {
            Some(call) => self
                .shared
                .sessions(|sessions, now| sessions.end_call(call, now)),
            None => Ok(()),
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let _stale = self.give_back();
    }
}
