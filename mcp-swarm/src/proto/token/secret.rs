//! The keys that sign and accept tokens.

use std::fmt;

use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroizing;

use super::BASE64;

/// The least length of a secret, in bytes: the output size of the MAC's hash (RFC 2104 §3).
pub const MIN_SECRET_BYTES: usize = 32;

/// The most secrets one ring accepts: the one in use, the one before it, the one to come.
pub const MAX_KEYS: usize = 3;

/// A shared secret of at least [`MIN_SECRET_BYTES`] bytes.
///
/// Never shown by `Debug`, wiped when dropped.
///
/// ```
/// use mcp_swarm::Secret;
/// assert!(Secret::new("0123456789abcdef0123456789abcdef").is_ok());
/// assert!(Secret::new("short").is_err());
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes the secret's bytes as they are; text counts as its UTF-8 bytes.
    ///
    /// # Errors
    /// [`WeakSecret`] below [`MIN_SECRET_BYTES`] bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, WeakSecret> {
        let bytes = Zeroizing::new(bytes.into());
        if bytes.len() < MIN_SECRET_BYTES {
            return Err(WeakSecret { len: bytes.len() });
        }
        Ok(Self(bytes))
    }

    fn signature(&self, payload: &str) -> String {
        // HMAC takes a key of any length, so there is no failure to report.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            unreachable!("HMAC takes a key of any length");
        };
        mac.update(payload.as_bytes());
        base64::Engine::encode(&BASE64, mac.finalize().into_bytes())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// One secret that signs, and up to [`MAX_KEYS`] that are accepted.
///
/// To rotate without a gap: first [`accept`](Self::accept) the new secret everywhere, then sign with it
/// and accept the old one, then drop the old one once the last token signed with it has expired.
#[derive(Clone, Debug)]
pub struct KeyRing {
    signing: Secret,
    others: Vec<Secret>,
}

impl KeyRing {
    /// A ring of one secret, which signs and is accepted.
    pub fn new(signing: Secret) -> Self {
        Self {
            signing,
            others: Vec::new(),
        }
    }

    /// Accepts tokens signed with `secret` too.
    ///
    /// # Errors
    /// [`TooManyKeys`] past [`MAX_KEYS`] secrets in all.
    pub fn accept(mut self, secret: Secret) -> Result<Self, TooManyKeys> {
        if self.others.len() + 1 >= MAX_KEYS {
            return Err(TooManyKeys);
        }
        self.others.push(secret);
        Ok(self)
    }

    /// The signature of an encoded payload: 43 characters of base64url without padding.
    pub(super) fn sign(&self, payload: &str) -> String {
        self.signing.signature(payload)
    }

    /// Whether any accepted secret made this signature. Compares the text itself, so that a second
    /// spelling of the same bytes is refused, and tries every secret whatever the first ones said.
    pub(super) fn accepts(&self, payload: &str, signature: &str) -> bool {
        let mut found = Choice::from(0);
        for secret in std::iter::once(&self.signing).chain(&self.others) {
            found |= secret
                .signature(payload)
                .as_bytes()
                .ct_eq(signature.as_bytes());
        }
        found.into()
    }
}

impl From<Secret> for KeyRing {
    fn from(signing: Secret) -> Self {
        Self::new(signing)
    }
}

/// A secret was too short to be safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the secret has {len} bytes and needs at least {MIN_SECRET_BYTES}: use a random one, for example from `openssl rand -hex 32`"
)]
pub struct WeakSecret {
    len: usize,
}

/// A key ring was given more secrets than it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key ring holds at most {MAX_KEYS} secrets: drop the oldest one first")]
#[non_exhaustive]
pub struct TooManyKeys;
