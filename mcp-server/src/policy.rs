//! Which eras and revisions a server serves, and how it judges what opens a connection.

use mcp_types::{Era, ErrorCode, ErrorObject, Revision};

/// How the era of a connection, or of a request on HTTP, is found.
///
/// The default serves all six revisions and is what the specification says; each knob is for a
/// client or a deployment that needs something else.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EraPolicy {
    /// Modern revisions, in order of preference: what `server/discover` and -32022 name.
    pub modern: Vec<Revision>,
    /// Legacy revisions that `initialize` can negotiate.
    pub legacy: Vec<Revision>,
    /// What a modern request must say about itself.
    pub envelope: EnvelopePolicy,
    /// What locks a connection to the legacy era.
    pub lock: LockPolicy,
    /// The answer to a claim-less request before `initialize`: by default -32600 "Invalid request
    /// parameters".
    pub pre_init: ErrorObject,
    /// What becomes of a modern request on a legacy connection.
    pub modern_on_legacy: ModernOnLegacy,
    /// What becomes of a second `initialize`.
    pub second_initialize: SecondInitialize,
    /// Whether `initialize` with a version that is not served fails with -32602, instead of being
    /// answered with the newest legacy revision.
    pub strict_initialize: bool,
}

impl Default for EraPolicy {
    fn default() -> Self {
        let (modern, legacy) = Revision::ALL
            .into_iter()
            .rev()
            .partition(|revision| revision.era() == Era::Modern);
        Self {
            modern,
            legacy,
            envelope: EnvelopePolicy::Spec,
            lock: LockPolicy::FirstRequest,
            pre_init: ErrorObject::new(ErrorCode::INVALID_REQUEST, "Invalid request parameters"),
            modern_on_legacy: ModernOnLegacy::Opaque,
            second_initialize: SecondInitialize::Renegotiate,
            strict_initialize: false,
        }
    }
}

impl EraPolicy {
    /// Serves modern clients only: `initialize` is answered with -32022.
    pub fn modern_only() -> Self {
        Self {
            legacy: Vec::new(),
            ..Self::default()
        }
    }

    /// Serves legacy clients only: what a request claims about itself is opaque.
    pub fn legacy_only() -> Self {
        Self {
            modern: Vec::new(),
            ..Self::default()
        }
    }

    /// Sets what a modern request must say about itself.
    #[must_use]
    pub fn with_envelope(mut self, envelope: EnvelopePolicy) -> Self {
        self.envelope = envelope;
        self
    }

    /// Sets what locks a connection to the legacy era.
    #[must_use]
    pub fn with_lock(mut self, lock: LockPolicy) -> Self {
        self.lock = lock;
        self
    }

    /// Sets the answer to a claim-less request before `initialize`.
    #[must_use]
    pub fn with_pre_init(mut self, error: ErrorObject) -> Self {
        self.pre_init = error;
        self
    }

    /// Sets what becomes of a modern request on a legacy connection.
    #[must_use]
    pub fn with_modern_on_legacy(mut self, choice: ModernOnLegacy) -> Self {
        self.modern_on_legacy = choice;
        self
    }

    /// Sets what becomes of a second `initialize`.
    #[must_use]
    pub fn with_second_initialize(mut self, choice: SecondInitialize) -> Self {
        self.second_initialize = choice;
        self
    }

    /// Sets whether `initialize` with a version that is not served fails.
    #[must_use]
    pub fn with_strict_initialize(mut self, strict: bool) -> Self {
        self.strict_initialize = strict;
        self
    }

    /// The revision that `initialize` settles on when `requested` is asked for: that one if it is
    /// legacy and served, else the newest legacy one. `None` when no legacy revision is served.
    pub fn negotiate(&self, requested: &str) -> Option<Revision> {
        let asked = self
            .legacy
            .iter()
            .find(|revision| revision.as_str() == requested);
        asked.or_else(|| self.legacy.iter().max()).copied()
    }
}

/// What a modern request must say about itself in `_meta`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvelopePolicy {
    /// `protocolVersion` and `clientCapabilities`, as the specification says; `clientInfo` may be
    /// absent.
    #[default]
    Spec,
    /// `protocolVersion` and `clientInfo` make a request modern, without either it is legacy;
    /// absent `clientCapabilities` mean none.
    ClientInfoPair,
    /// As [`Self::Spec`], and `clientInfo` too.
    RequireClientInfo,
}

/// What locks a connection to the legacy era.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LockPolicy {
    /// Any first request that claims no version, `ping` excepted, even though it is refused.
    #[default]
    FirstRequest,
    /// Only an `initialize` that succeeds.
    OnSuccess,
}

/// What becomes of a modern request on a legacy connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModernOnLegacy {
    /// It is served as a legacy request: reserved keys of `_meta` mean nothing there.
    #[default]
    Opaque,
    /// It is refused with -32600.
    Reject,
    /// It is served as a modern request.
    ServeModern,
}

/// What becomes of a second `initialize` on a legacy connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecondInitialize {
    /// The connection is negotiated anew; nothing in flight is cancelled.
    #[default]
    Renegotiate,
    /// It is refused with -32600.
    Reject,
}

/// How legacy clients are served on HTTP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LegacyMode {
    /// `initialize` opens a session, which later requests name in `Mcp-Session-Id`.
    #[default]
    Stateful,
    /// Each request stands alone; there are no sessions, no stream of notifications, no GET and DELETE.
    Stateless,
    /// Not at all: they are told which revisions are served.
    Reject,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initialize_echoes_what_is_served_and_else_says_the_newest() {
        let policy = EraPolicy::default();
        for revision in Revision::ALL {
            let expected = match revision.era() {
                Era::Legacy => revision,
                _ => Revision::LATEST_LEGACY,
            };
            assert_eq!(policy.negotiate(revision.as_str()), Some(expected));
        }
        for odd in ["", "2099-01-01", "2024-11-5", " 2025-06-18", "zzz"] {
            assert_eq!(policy.negotiate(odd), Some(Revision::LATEST_LEGACY));
        }
        assert_eq!(EraPolicy::modern_only().negotiate("2025-06-18"), None);
    }
}
