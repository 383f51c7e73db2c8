//! What the session machine hands out, to be given back: attempts and calls.

use std::time::Instant;

use super::SessionKey;
use crate::proto::namespace::DomainName;

/// Tells one attempt to connect from another. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub(super) u64);

/// An attempt to connect, to be given back with its result.
#[derive(Debug)]
pub struct Ticket {
    pub(super) key: SessionKey,
    pub(super) generation: Generation,
    pub(super) domain: DomainName,
    pub(super) deadline: Instant,
}

impl Ticket {
    /// Which attempt it is.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The specialist to connect to.
    pub fn domain(&self) -> &DomainName {
        &self.domain
    }

    /// When it is too late.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }
}

/// A call in flight, to be given back when it is over.
#[derive(Debug)]
pub struct Call<T> {
    pub(super) key: SessionKey,
    pub(super) generation: Generation,
    pub(super) domain: DomainName,
    pub(super) tunnel: T,
}

impl<T> Call<T> {
    /// The specialist it goes to.
    pub fn domain(&self) -> &DomainName {
        &self.domain
    }

    /// The tunnel it goes through.
    pub fn tunnel(&self) -> &T {
        &self.tunnel
    }
}
