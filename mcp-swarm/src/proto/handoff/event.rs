//! What the session machine tells its driver to do.

use super::{Generation, SessionKey, Stale};

/// What the driver has to do.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<T> {
    /// The session has a tunnel now, another one, or none any more: tell its client that its tools changed.
    #[non_exhaustive]
    Changed {
        /// Whose tools.
        key: SessionKey,
    },
    /// Nobody waits for this attempt any more: stop connecting.
    #[non_exhaustive]
    Abandoned {
        /// The attempt.
        generation: Generation,
        /// Why.
        why: Stale,
    },
    /// Nobody uses this tunnel any more: close it. Each tunnel given to [`Sessions::connected`](super::Sessions::connected) comes back here once.
    #[non_exhaustive]
    Retired {
        /// The tunnel.
        tunnel: T,
    },
}
