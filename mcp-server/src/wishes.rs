//! What a legacy client wants to hear: the resources it subscribed to, and how much of the log.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mcp_types::logging::LogLevel;

/// The wishes of one session.
#[derive(Debug, Default)]
pub(crate) struct Wishes(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    subscribed: HashSet<Box<str>>,
    log_level: Option<LogLevel>,
    is_heard: bool,
}

impl Wishes {
    /// The client can be told something unasked.
    pub(crate) fn hear(&self) {
        self.state().is_heard = true;
    }

    /// Whether the client can be told something unasked.
    pub(crate) fn is_heard(&self) -> bool {
        self.state().is_heard
    }

    /// Wants to hear of a resource; one that is wanted already stays so.
    ///
    /// # Errors
    /// When there are `most` already.
    pub(crate) fn subscribe(&self, uri: &str, most: usize) -> Result<(), TooMany> {
        let mut state = self.state();
        if state.subscribed.contains(uri) {
            return Ok(());
        }
        if state.subscribed.len() >= most {
            return Err(TooMany);
        }
        state.subscribed.insert(uri.into());
        Ok(())
    }

    /// Does not want to hear of it any more.
    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.state().subscribed.remove(uri);
    }

    /// Whether this resource is wanted.
    pub(crate) fn wants(&self, uri: &str) -> bool {
        self.state().subscribed.contains(uri)
    }

    /// Wants to hear `level` and worse of the log.
    pub(crate) fn set_log_level(&self, level: &LogLevel) {
        self.state().log_level = Some(level.clone());
    }

    /// How much of the log is wanted: by default `info` and worse.
    pub(crate) fn log_level(&self) -> LogLevel {
        self.state().log_level.clone().unwrap_or(LogLevel::Info)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session has as many subscriptions as it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMany;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscriptions_are_counted_once_and_capped() {
        let wishes = Wishes::default();
        for at in 0..3 {
            assert_eq!(wishes.subscribe(&format!("a:{at}"), 3), Ok(()));
        }
        assert_eq!(wishes.subscribe("a:0", 3), Ok(()), "it is there already");
        assert_eq!(wishes.subscribe("a:more", 3), Err(TooMany));
        assert!(wishes.wants("a:0") && !wishes.wants("a:more"));
        wishes.unsubscribe("a:0");
        assert!(!wishes.wants("a:0"));
        assert_eq!(wishes.subscribe("a:more", 3), Ok(()));
    }
}
