//! Where carried state waits that is too large for its token.

#[cfg(test)]
mod tests;

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use mcp_transport::Clock;

use crate::proto::states::{PutError, StateLimits, StateTable};

/// Keeps carried states, each until it is taken once or its time is over.
///
/// Implement it over whatever the gateway and its specialists share. Missing, expired and taken are the same to a
/// caller; a store that could not be asked is an error, so that nobody is told its handoff expired when it did not.
#[async_trait]
pub trait HandoffStateStore: Send + Sync {
    /// Keeps `state`, the JSON of an object, as `id` for `ttl`, in place of one that was there.
    ///
    /// # Errors
    /// [`StoreError`] when it was not kept.
    async fn put(&self, id: &str, state: Bytes, ttl: Duration) -> Result<(), StoreError>;

    /// Gets the state of that `id` and deletes it, in one step: of any number of concurrent callers exactly
    /// one has it (Redis `GETDEL`, SQL `DELETE … RETURNING`).
    ///
    /// # Errors
    /// [`StoreError`] when the store could not be asked.
    async fn take(&self, id: &str) -> Result<Option<Bytes>, StoreError>;

    /// Whether only this process sees the store. A gateway does not leave state there for a specialist that runs
    /// elsewhere.
    fn is_process_local(&self) -> bool {
        false
    }
}

/// A state was not kept, or could not be asked for.
#[derive(Debug)]
pub struct StoreError {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Refused(PutError),
    Backend(Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// The store's own backend failed. `source` is for the log and never shown to a peer.
    pub fn backend(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            kind: Kind::Backend(source.into()),
        }
    }

    /// Whether the store is full: worth another try later.
    pub fn is_full(&self) -> bool {
        matches!(self.kind, Kind::Refused(PutError::Full))
    }

    /// Whether the state is over the store's limit.
    pub fn is_too_large(&self) -> bool {
        matches!(self.kind, Kind::Refused(PutError::TooLarge { .. }))
    }
}

impl From<PutError> for StoreError {
    fn from(refused: PutError) -> Self {
        Self {
            kind: Kind::Refused(refused),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Refused(refused) => refused.fmt(f),
            Kind::Backend(_) => {
                f.write_str("the store of carried states could not be asked: try again")
            }
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            Kind::Refused(_) => None,
            Kind::Backend(source) => Some(&**source),
        }
    }
}

/// States in this process's memory, for one gateway and specialists in the same process.
///
/// Holds at most 100,000 states of at most 64 KiB each and 64 MiB together.
pub struct MemoryStates {
    table: Mutex<StateTable>,
    clock: Arc<dyn Clock>,
}

impl MemoryStates {
    /// An empty store that asks `clock` for the time.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let table = Mutex::new(StateTable::new(StateLimits::default()));
        Self { table, clock }
    }

    fn with<T>(&self, act: impl FnOnce(&mut StateTable, Instant) -> T) -> T {
        let now = self.clock.now();
        // The table is never left half changed: nothing in it can panic midway but for want of memory.
        act(
            &mut self.table.lock().unwrap_or_else(PoisonError::into_inner),
            now,
        )
    }
}

#[async_trait]
impl HandoffStateStore for MemoryStates {
    async fn put(&self, id: &str, state: Bytes, ttl: Duration) -> Result<(), StoreError> {
        Ok(self.with(|table, now| table.put(id, state, ttl, now))?)
    }

    async fn take(&self, id: &str) -> Result<Option<Bytes>, StoreError> {
        Ok(self.with(|table, now| table.take(id, now)))
    }

    fn is_process_local(&self) -> bool {
        true
    }
}

impl fmt::Debug for MemoryStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStates").finish_non_exhaustive()
    }
}
