//! What ran, and what the client was told of it: one byte a call, so that it does not grow.

use std::sync::atomic::{AtomicU8, Ordering};

/// One place for each call.
pub(crate) struct Ledger {
    /// How often each call ran.
    runs: Box<[AtomicU8]>,
    /// What its client was told.
    told: Box<[AtomicU8]>,
    /// Calls that wait for ever at the server, for their client to give them up.
    pub(crate) waiting: std::sync::atomic::AtomicI64,
    taken: std::sync::atomic::AtomicUsize,
}

/// What the outcome of a call says of whether it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Told {
    /// Nothing: it may have run.
    Unknown = 1,
    /// It did not.
    No = 2,
    /// It did: there is an answer.
    Yes = 3,
}

impl Ledger {
    pub(crate) fn new(calls: usize) -> Self {
        let places = || (0..calls).map(|_| AtomicU8::new(0)).collect();
        Self {
            runs: places(),
            told: places(),
            waiting: Default::default(),
            taken: Default::default(),
        }
    }

    /// The next calls, at most `most`; none once all are taken.
    pub(crate) fn take(&self, most: usize) -> std::ops::Range<usize> {
        let first = self.taken.fetch_add(most, Ordering::Relaxed);
        first.min(self.runs.len())..(first + most).min(self.runs.len())
    }

    /// A call has run.
    pub(crate) fn ran(&self, call: u64) {
        if let Some(runs) = self.runs.get(call as usize) {
            runs.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A client was told of its call.
    pub(crate) fn tell(&self, call: u64, told: Told) {
        self.told[call as usize].store(told as u8, Ordering::Relaxed);
    }

    /// What contradicts itself.
    pub(crate) fn contradictions(&self) -> Vec<String> {
        let calls = self.runs.iter().zip(&self.told).enumerate();
        let found = calls.filter_map(|(call, (runs, told))| {
            let (runs, told) = (runs.load(Ordering::Relaxed), told.load(Ordering::Relaxed));
            contradiction(runs, told).map(|why| format!("call {call} {why}"))
        });
        found.collect()
    }
}

fn contradiction(runs: u8, told: u8) -> Option<String> {
    match (runs, told) {
        (2.., _) => Some(format!("ran {runs} times")),
        (_, 0) => Some("has no outcome".to_owned()),
        (1, told) if told == Told::No as u8 => {
            Some("ran, although its error says that it did not".to_owned())
        }
        (0, told) if told == Told::Yes as u8 => {
            Some("was answered, although it never ran".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_is_held_against_what_ran() {
        let row = |told| [0, 1, 2].map(|runs| contradiction(runs, told).is_none());
        assert_eq!(row(0), [false, false, false], "no outcome");
        assert_eq!(row(Told::Unknown as u8), [true, true, false]);
        assert_eq!(row(Told::No as u8), [true, false, false]);
        assert_eq!(row(Told::Yes as u8), [false, true, false]);
    }
}
