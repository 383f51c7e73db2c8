//! Shares one duplex wire among many exchanges: which exchange an incoming message belongs to.
//!
//! The machine holds no messages and no ids of its own making. A driver tells it what it sent and what came,
//! and is told where that goes. It is generic over the request id `I`, the progress token `T` and the
//! driver's key `K` of an exchange.

#[cfg(test)]
mod tests;

use core::hash::Hash;
use std::collections::{HashMap, hash_map::Entry};

/// The table of open exchanges of one connection.
///
/// Every exchange that was opened ends exactly once: by its response, by [`Self::cancel`] or by
/// [`Self::close`]. Ids compare exactly, so `1` never answers `"1"`.
#[derive(Debug)]
pub struct Mux<I, T, K> {
    open: HashMap<I, (K, Option<T>)>,
    tokens: HashMap<T, I>,
    capacity: usize,
    closed: bool,
    stray: u64,
}

impl<I, T, K> Mux<I, T, K>
where
    I: Eq + Hash + Clone,
    T: Eq + Hash + Clone,
    K: Clone,
{
    /// A table of at most `capacity` exchanges.
    pub fn new(capacity: usize) -> Self {
        Self {
            open: HashMap::new(),
            tokens: HashMap::new(),
            capacity,
            closed: false,
            stray: 0,
        }
    }

    /// Enters an exchange before its request is sent, with the progress token of that request, if any.
    ///
    /// # Errors
    ///
    /// [`Refused`]; the table is as it was.
    pub fn open(&mut self, id: I, token: Option<T>, key: K) -> Result<(), Refused> {
        if self.closed {
            return Err(Refused::Closed);
        }
        if self.open.len() >= self.capacity {
            return Err(Refused::Full {
                capacity: self.capacity,
            });
        }
        if token
            .as_ref()
            .is_some_and(|token| self.tokens.contains_key(token))
        {
            return Err(Refused::Duplicate);
        }
        let Entry::Vacant(entry) = self.open.entry(id) else {
            return Err(Refused::Duplicate);
        };
        if let Some(token) = &token {
            self.tokens.insert(token.clone(), entry.key().clone());
        }
        entry.insert((key, token));
        Ok(())
    }

    /// Ends the exchange that a response with this id answers; `None` and counted if there is none.
    pub fn handle_response(&mut self, id: &I) -> Option<K> {
        let key = self.remove(id);
        self.stray += u64::from(key.is_none());
        key
    }

    /// Ends the exchange that a message without a usable id must be meant for: the only open one, if `meant` agrees.
    ///
    /// Otherwise nothing ends, and the message counts as stray.
    pub fn handle_anonymous(&mut self, meant: impl FnOnce(&K) -> bool) -> Option<K> {
        let only = match self.open.iter().next() {
            Some((id, (key, _))) if self.open.len() == 1 && meant(key) => Some(id.clone()),
            _ => None,
        };
        let key = only.and_then(|id| self.remove(&id));
        self.stray += u64::from(key.is_none());
        key
    }

    /// The exchange that progress with this token belongs to; `None` and counted if it is not open.
    pub fn handle_progress(&mut self, token: &T) -> Option<K> {
        let id = self.tokens.get(token);
        let key = id
            .and_then(|id| self.open.get(id))
            .map(|(key, _)| key.clone());
        self.stray += u64::from(key.is_none());
        key
    }

    /// The open exchange with the greatest id: the latest, where ids count up. Whoever waits for it can be told what
    /// the peer wants to know while it works.
    pub fn latest(&self) -> Option<K>
    where
        I: Ord,
    {
        let latest = self.open.iter().max_by_key(|(id, _)| *id);
        latest.map(|(_, (key, _))| key.clone())
    }

    /// The open exchange of the request `id`, if a notification is about it.
    pub fn about(&self, id: &I) -> Option<K> {
        self.open.get(id).map(|(key, _)| key.clone())
    }

    /// Forgets an exchange whose caller went away; a later response to it is stray.
    ///
    /// `Some` if it was still open, and then the peer is to be sent a cancellation.
    pub fn cancel(&mut self, id: &I) -> Option<K> {
        self.remove(id)
    }

    /// Ends every open exchange because the wire closed; nothing can be opened afterwards.
    pub fn close(&mut self) -> Vec<K> {
        self.closed = true;
        self.tokens.clear();
        self.open.drain().map(|(_, (key, _))| key).collect()
    }

    /// Whether [`Self::close`] was called.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// How many exchanges are open.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether no exchange is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// How many responses and progress notifications belonged to no open exchange: late, doubled or foreign.
    pub fn stray(&self) -> u64 {
        self.stray
    }

    fn remove(&mut self, id: &I) -> Option<K> {
        let (key, token) = self.open.remove(id)?;
        if let Some(token) = token {
            self.tokens.remove(&token);
        }
        Some(key)
    }
}

/// Why an exchange was not opened; its request must not be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The wire is closed.
    #[error("the connection is closed")]
    Closed,
    /// An open exchange has the same id or the same progress token.
    #[error("a request with this id or progress token is in flight already")]
    Duplicate,
    /// The table is full.
    #[error(
        "{capacity} requests are in flight on this connection, the most it takes: wait for one to end"
    )]
    Full {
        /// How many exchanges the table takes.
        capacity: usize,
    },
}
