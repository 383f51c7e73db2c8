//! A bounded table of carried states, each to be taken once before it expires.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::token::MAX_STATE_BYTES;

/// The bounds of a [`StateTable`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StateLimits {
    /// The most states at a time: 100,000.
    pub entries: usize,
    /// The most bytes of all states together: 64 MiB.
    pub bytes: usize,
    /// The most bytes of one state: 64 KiB.
    pub state: usize,
}

impl Default for StateLimits {
    fn default() -> Self {
        Self {
            entries: 100_000,
            bytes: 64 * 1024 * 1024,
            state: MAX_STATE_BYTES,
        }
    }
}

/// States by name.
///
/// Whoever never comes for its state leaves nothing behind: each [`put`](Self::put) first drops what has expired.
pub struct StateTable {
    limits: StateLimits,
    states: HashMap<Arc<str>, Parked>,
    by_expiry: BTreeSet<(Instant, Arc<str>)>,
    bytes: usize,
}

impl StateTable {
    /// An empty table.
    pub fn new(limits: StateLimits) -> Self {
        Self {
            limits,
            states: HashMap::new(),
            by_expiry: BTreeSet::new(),
            bytes: 0,
        }
    }

    /// Keeps `state` as `id` for `ttl`, in place of one that was there.
    ///
    /// # Errors
    /// [`PutError`] when the state is over its limit or the table is full; what was there as `id` is gone then too.
    pub fn put(
        &mut self,
        id: &str,
        state: Bytes,
        ttl: Duration,
        now: Instant,
    ) -> Result<(), PutError> {
        self.expire(now);
        self.remove(id);
        if state.len() > self.limits.state {
            return Err(PutError::TooLarge {
                bytes: state.len(),
                limit: self.limits.state,
            });
        }
        if self.states.len() >= self.limits.entries || self.bytes + state.len() > self.limits.bytes
        {
            return Err(PutError::Full);
        }
        // A life past the end of time has no end that could be kept.
        let expires = now.checked_add(ttl).ok_or(PutError::Full)?;
        let id: Arc<str> = id.into();
        self.bytes += state.len();
        self.by_expiry.insert((expires, id.clone()));
        self.states.insert(id, Parked { state, expires });
        Ok(())
    }

    /// Gives the state up, once. The last moment of its life still counts.
    pub fn take(&mut self, id: &str, now: Instant) -> Option<Bytes> {
        let parked = self.remove(id)?;
        (now <= parked.expires).then_some(parked.state)
    }

    /// How many states are kept, expired ones among them until the next [`put`](Self::put).
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    fn expire(&mut self, now: Instant) {
        while let Some((expires, id)) = self.by_expiry.first() {
            if *expires >= now {
                break;
            }
            let id = id.clone();
            self.remove(&id);
        }
    }

    fn remove(&mut self, id: &str) -> Option<Parked> {
        let (id, parked) = self.states.remove_entry(id)?;
        self.bytes -= parked.state.len();
        self.by_expiry.remove(&(parked.expires, id));
        Some(parked)
    }
}

// The states may hold what users said, and whoever knows a name may take a state.
impl fmt::Debug for StateTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateTable")
            .field("states", &self.states.len())
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

struct Parked {
    state: Bytes,
    expires: Instant,
}

/// A state was not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PutError {
    /// The state is over its limit.
    #[error("the state has {bytes} bytes and may have {limit}: carry a reference to it instead")]
    #[non_exhaustive]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The most it may have.
        limit: usize,
    },
    /// The table is.
    #[error(
        "the store of carried states is full: try again when some have been taken or have expired"
    )]
    Full,
}
