//! How a server asks: keys, rounds, time.

use std::{
    fmt,
    sync::{Arc, Once, OnceLock},
    time::{Duration, SystemTime},
};

use mcp_transport::Clock;

use super::{KeyRing, StateKey};
use crate::proto::{rounds::Caps, sealed::NONCE_BYTES};

/// How a server asks.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InputPolicy {
    /// The keys that seal what a call has asked so far. Without any the process makes one of its own at random, so
    /// that a retry that reaches another instance, or comes after a restart, is refused.
    pub keys: Option<KeyRing>,
    /// How many rounds one call may ask: 10.
    pub rounds: u32,
    /// How long a legacy client may take to answer: 600 s.
    pub ask_time: Duration,
    /// How long a modern client may take until it makes the call again: 600 s.
    pub state_time: Duration,
    /// Runs each handler twice before its question goes out, and fails the call if it does not ask the same again.
    /// An effect before an ask then happens twice at once, where a test can see it. For tests and development: off.
    pub replay_check: bool,
}

/// How many questions and steps one call may have.
const KEYS: usize = 64;

impl Default for InputPolicy {
    fn default() -> Self {
        Self {
            keys: None,
            rounds: 10,
            ask_time: Duration::from_secs(600),
            state_time: Duration::from_secs(600),
            replay_check: false,
        }
    }
}

impl InputPolicy {
    /// Sets the keys. All instances of a server share them.
    #[must_use]
    pub fn with_keys(mut self, keys: KeyRing) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Sets how many rounds one call may ask.
    #[must_use]
    pub fn with_rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }

    /// Sets how long a legacy client may take to answer.
    #[must_use]
    pub fn with_ask_time(mut self, time: Duration) -> Self {
        self.ask_time = time;
        self
    }

    /// Sets how long a modern client may take until it makes the call again.
    #[must_use]
    pub fn with_state_time(mut self, time: Duration) -> Self {
        self.state_time = time;
        self
    }

    /// Sets whether each handler is run twice before its question goes out.
    #[must_use]
    pub fn with_replay_check(mut self, check: bool) -> Self {
        self.replay_check = check;
        self
    }
}

/// What all calls of a server share.
pub(crate) struct InputHost {
    policy: InputPolicy,
    /// The server, to which seals are bound.
    pub(super) audience: String,
    clock: Option<Arc<dyn Clock>>,
    own_keys: OnceLock<Option<KeyRing>>,
    #[cfg_attr(
        not(feature = "http"),
        allow(dead_code, reason = "only what HTTP hosts has several instances")
    )]
    warned: Once,
}

impl InputHost {
    pub(crate) fn new(
        policy: InputPolicy,
        audience: String,
        clock: Option<Arc<dyn Clock>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            policy,
            audience,
            clock: clock.or_else(own_clock),
            own_keys: OnceLock::new(),
            warned: Once::new(),
        })
    }

    pub(crate) fn policy(&self) -> &InputPolicy {
        &self.policy
    }

    pub(super) fn caps(&self) -> Caps {
        Caps {
            rounds: self.policy.rounds,
            keys: KEYS,
        }
    }

    /// Who tells the time, if anybody does.
    pub(crate) fn time(&self) -> Option<&Arc<dyn Clock>> {
        self.clock.as_ref()
    }

    /// Who tells the time; the log hears if nobody does.
    pub(super) fn clock(&self) -> Option<&Arc<dyn Clock>> {
        if self.clock.is_none() {
            tracing::error!(
                "there is no clock to ask by: pass one with `Server::clock`, or turn on the feature `http` or `stdio`"
            );
        }
        self.clock.as_ref()
    }

    /// Seconds since 1970.
    pub(super) fn now(&self) -> Option<u64> {
        let wall = self.clock()?.wall();
        let since = wall.duration_since(SystemTime::UNIX_EPOCH);
        Some(since.unwrap_or_default().as_secs())
    }

    /// The keys of the policy, or those of this process.
    pub(super) fn keys(&self) -> Option<&KeyRing> {
        let own = || self.own_keys.get_or_init(random_keys).as_ref();
        self.policy.keys.as_ref().or_else(own)
    }

    /// Tells the log, once, that other instances could not go on with a call of this one.
    #[cfg(feature = "http")]
    pub(crate) fn warn_without_keys(&self) {
        if self.policy.keys.is_some() {
            return;
        }
        self.warned.call_once(|| {
            tracing::warn!(
                "requestState is sealed with a key of this process alone: a call that asks is refused when its retry \
                 reaches another instance, or comes after a restart. Give all instances one `Server::state_keys`"
            );
        });
    }
}

impl fmt::Debug for InputHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InputHost")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

/// Bytes for one seal.
pub(super) fn nonce() -> Option<[u8; NONCE_BYTES]> {
    let mut nonce = [0; NONCE_BYTES];
    random(&mut nonce).then_some(nonce)
}

fn random_keys() -> Option<KeyRing> {
    let mut secret = zeroize::Zeroizing::new([0; 32]);
    if !random(&mut *secret) {
        return None;
    }
    StateKey::new(secret).ok().map(KeyRing::new)
}

fn random(bytes: &mut [u8]) -> bool {
    let filled = getrandom::fill(bytes);
    if let Err(error) = &filled {
        tracing::error!(%error, "the system gives no random bytes");
    }
    filled.is_ok()
}

#[cfg(any(feature = "http", feature = "stdio"))]
pub(crate) fn own_clock() -> Option<Arc<dyn Clock>> {
    Some(Arc::new(mcp_transport::clock::SystemClock))
}

#[cfg(not(any(feature = "http", feature = "stdio")))]
pub(crate) fn own_clock() -> Option<Arc<dyn Clock>> {
    None
}
