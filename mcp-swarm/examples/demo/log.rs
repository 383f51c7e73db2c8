//! What the servers saw, for the transcript and its checks.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// What the servers saw. Clones are the same log.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Seen {
    arrivals: Vec<Arrival>,
    tokens: Vec<String>,
    carried: Vec<String>,
    received: Vec<String>,
}

/// A request as it came to a specialist's door, before anything was checked.
pub(crate) struct Arrival {
    pub(crate) specialist: &'static str,
    /// The method, and for a tool its name and arguments.
    pub(crate) what: String,
    pub(crate) token: Token,
    /// The members of the state that the token carries.
    pub(crate) carries: String,
}

/// What is known of a request's delegation token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// There is none.
    Missing,
    /// It is refused, with this code.
    Refused(String),
    /// It is signed and says so.
    Good {
        issuer: String,
        scope: String,
        seconds: u64,
    },
}

impl Log {
    /// A request has arrived, with this token.
    pub(crate) fn arrived(&self, arrival: Arrival, token: Option<&str>) {
        let mut seen = self.lock();
        seen.arrivals.push(arrival);
        seen.tokens.extend(token.map(ToOwned::to_owned));
    }

    /// The gateway hands a conversation of this id over, in the carried state.
    pub(crate) fn carries(&self, conversation: &str) {
        self.lock().carried.push(conversation.to_owned());
    }

    /// A specialist has received a conversation of this id.
    pub(crate) fn received(&self, conversation: &str) {
        self.lock().received.push(conversation.to_owned());
    }

    /// What has arrived since the last time.
    pub(crate) fn arrivals(&self) -> Vec<Arrival> {
        mem::take(&mut self.lock().arrivals)
    }

    /// The ids of conversations that were handed over and were received.
    pub(crate) fn conversations(&self) -> (Vec<String>, Vec<String>) {
        let seen = self.lock();
        (seen.carried.clone(), seen.received.clone())
    }

    /// Every token and carried id there ever was: what no client may see.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let seen = self.lock();
        seen.tokens.iter().chain(&seen.carried).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
