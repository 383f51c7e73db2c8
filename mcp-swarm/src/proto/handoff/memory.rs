//! How the last sessions ended, for a while, so that the next call can be told why.

use std::collections::VecDeque;
use std::time::Instant;

use super::{Ended, Principal, SessionKey};

pub(super) struct Memory {
    cap: usize,
    // Oldest first. Looked through only when a session is not there.
    entries: VecDeque<Entry>,
}

struct Entry {
    key: SessionKey,
    principal: Principal,
    ended: Ended,
    until: Instant,
}

impl Memory {
    pub(super) fn new(cap: usize) -> Self {
        Self {
            cap,
            entries: VecDeque::new(),
        }
    }

    /// Keeps the newest ending of each session, and the newest `cap` of all.
    pub(super) fn remember(
        &mut self,
        key: SessionKey,
        principal: Principal,
        ended: Ended,
        until: Instant,
    ) {
        self.forget(&key);
        self.entries.push_back(Entry {
            key,
            principal,
            ended,
            until,
        });
        while self.entries.len() > self.cap {
            self.entries.pop_front();
        }
    }

    fn forget(&mut self, key: &SessionKey) {
        self.entries.retain(|entry| entry.key != *key);
    }

    pub(super) fn recall(
        &self,
        key: &SessionKey,
        principal: &Principal,
        now: Instant,
    ) -> Option<&Ended> {
        let entry = self.entries.iter().find(|entry| entry.key == *key)?;
        (entry.principal == *principal && now <= entry.until).then_some(&entry.ended)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}
