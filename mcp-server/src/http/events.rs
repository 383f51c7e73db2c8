//! The seam for streams that a client can take up again: where their events are kept.

#[cfg(feature = "test-util")]
pub mod contract;
mod memory;
#[cfg(all(test, feature = "test-util"))]
mod tests;

use std::{error::Error, fmt, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;

pub use self::memory::MemoryEventStore;

/// Keeps the events of legacy sessions' streams, so that a client whose connection broke gets what it missed
/// ([basic/transports, resumability][spec]).
///
/// A store is bounded: it may forget the oldest events at any time, and those of sessions it has heard nothing of for
/// longer than a session can be idle. What it forgets cannot be resumed; nothing else suffers. Each call has 5 s.
///
/// [`MemoryEventStore`] is one; `events::contract` (feature `test-util`) tests any other.
///
/// [spec]: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
#[async_trait]
pub trait EventStore: fmt::Debug + Send + Sync + 'static {
    /// Keeps an event. Numbers of one stream come in order, each once.
    ///
    /// # Errors
    /// When it is not kept.
    async fn append(&self, key: EventKey, event: Bytes) -> Result<(), EventStoreError>;

    /// The events of the stream after the one of `key`, in order with their numbers, as many as it likes, but at least
    /// one if there is any. Number 0 is before the first.
    ///
    /// # Errors
    /// When it cannot be told.
    async fn after(&self, key: EventKey) -> Result<Vec<(u64, Bytes)>, EventStoreError>;

    /// Forgets all streams of a session, which is over.
    ///
    /// # Errors
    /// When they are not forgotten.
    async fn forget(&self, session: &str) -> Result<(), EventStoreError>;
}

/// Where an event stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EventKey {
    /// The session: 32 hexadecimal digits that are no secret, and not its id.
    pub session: Arc<str>,
    /// The stream within the session.
    pub stream: u64,
    /// The event within the stream: 1, 2, 3, …
    pub number: u64,
}

impl EventKey {
    /// A place.
    pub fn new(session: impl Into<Arc<str>>, stream: u64, number: u64) -> Self {
        Self {
            session: session.into(),
            stream,
            number,
        }
    }
}

/// Why a store failed. It is logged; no client sees it.
#[derive(Debug, thiserror::Error)]
#[error("the event store failed: {0}")]
pub struct EventStoreError(#[source] Box<dyn Error + Send + Sync>);

impl EventStoreError {
    /// For this reason.
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}
