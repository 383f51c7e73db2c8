//! What tells one handed-over conversation from another, and whose it is.

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// A handed-over conversation of a modern client, which names it in each call: `hnd_` and 128 random bits.
///
/// Where clients do not authenticate, whoever knows it may use it. Never shown by `Debug`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(Arc<str>);

impl Handle {
    /// A new handle, from 16 bytes of the system's generator.
    pub fn from_entropy(entropy: [u8; 16]) -> Self {
        Self(format!("hnd_{}", URL_SAFE_NO_PAD.encode(entropy)).into())
    }

    /// Reads what a client gave as a handle. `None` unless it is spelled exactly like one.
    pub fn parse(text: &str) -> Option<Self> {
        let random = URL_SAFE_NO_PAD.decode(text.strip_prefix("hnd_")?).ok()?;
        (random.len() == 16).then(|| Self(text.into()))
    }

    /// The handle's text, for its client alone.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handle(hnd_..)")
    }
}

/// What a session goes by: a legacy client's own session, or the handle a modern client passes.
///
/// The two never meet: no text that a client chooses makes one into the other. `Debug` does not show handles.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey(Key);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    Legacy(u64),
    Handle(Handle),
}

impl SessionKey {
    /// A legacy client's session, by the number the server has for it.
    pub fn legacy(session: u64) -> Self {
        Self(Key::Legacy(session))
    }

    /// The legacy session's number, if it is one.
    pub fn legacy_session(&self) -> Option<u64> {
        match self.0 {
            Key::Legacy(session) => Some(session),
            Key::Handle(_) => None,
        }
    }
}

impl From<Handle> for SessionKey {
    fn from(handle: Handle) -> Self {
        Self(Key::Handle(handle))
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Key::Legacy(session) => write!(f, "SessionKey(legacy {session})"),
            Key::Handle(_) => f.write_str("SessionKey(hnd_..)"),
        }
    }
}

/// Who makes a request, as far as the server knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Principal(Option<Arc<str>>);

impl Principal {
    /// Somebody who did not authenticate.
    pub fn anonymous() -> Self {
        Self::default()
    }

    /// Somebody who did.
    pub fn named(name: impl Into<Arc<str>>) -> Self {
        Self(Some(name.into()))
    }
}
