//! The keys that seal what a call has asked so far.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

/// The least length of a secret, in bytes.
pub const MIN_SECRET_BYTES: usize = 32;

/// A key, made of a secret of at least [`MIN_SECRET_BYTES`] random bytes.
///
/// Never shown by `Debug`, wiped when dropped.
///
/// ```
/// use mcp_server::input::StateKey;
/// assert!(StateKey::new("0123456789abcdef0123456789abcdef").is_ok());
/// assert!(StateKey::new("short").is_err());
/// ```
#[derive(Clone)]
pub struct StateKey {
    key: Zeroizing<[u8; 32]>,
    id: Box<str>,
}

impl StateKey {
    /// Takes the secret's bytes as they are; text counts as its UTF-8 bytes.
    ///
    /// # Errors
    /// [`WeakKey`] below [`MIN_SECRET_BYTES`] bytes.
    pub fn new(secret: impl AsRef<[u8]>) -> Result<Self, WeakKey> {
        let secret = secret.as_ref();
        if secret.len() < MIN_SECRET_BYTES {
            return Err(WeakKey { len: secret.len() });
        }
        let derive = |what: &[u8]| -> Zeroizing<[u8; 32]> {
            let digest = Sha256::new().chain_update(what).chain_update(secret);
            Zeroizing::new(digest.finalize().into())
        };
        Ok(Self {
            key: derive(b"mcp-server/request-state/v1/key\0"),
            id: URL_SAFE_NO_PAD
                .encode(&derive(b"mcp-server/request-state/v1/id\0")[..6])
                .into(),
        })
    }

    /// What names the key in a sealed state. It tells nothing about the key.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The key itself.
    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.key
    }
}

impl fmt::Debug for StateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateKey({}, …)", self.id)
    }
}

/// One key that seals, and others that still open.
///
/// All instances of a server share one ring. To rotate without a gap: first [`accept`](Self::accept) the new key
/// everywhere, then seal with it and accept the old one, then drop the old one once its last state has expired.
#[derive(Debug, Clone)]
pub struct KeyRing {
    sealing: StateKey,
    accepted: Vec<StateKey>,
}

impl KeyRing {
    /// A ring of one key, which seals and opens.
    pub fn new(sealing: StateKey) -> Self {
        Self {
            sealing,
            accepted: Vec::new(),
        }
    }

    /// Opens what was sealed with `key`, too.
    #[must_use]
    pub fn accept(mut self, key: StateKey) -> Self {
        self.accepted.push(key);
        self
    }

    /// All keys, the one that seals first.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &StateKey> {
        std::iter::once(&self.sealing).chain(&self.accepted)
    }

    /// The key that seals.
    pub(crate) fn sealing(&self) -> &StateKey {
        &self.sealing
    }

    /// The key of this id.
    pub(crate) fn find(&self, id: &str) -> Option<&StateKey> {
        self.keys().find(|key| key.id() == id)
    }
}

/// A secret is too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secret of {len} bytes is too short; take at least {MIN_SECRET_BYTES} random ones")]
#[non_exhaustive]
pub struct WeakKey {
    /// Its length, in bytes.
    pub len: usize,
}
