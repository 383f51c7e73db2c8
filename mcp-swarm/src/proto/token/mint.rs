//! Signing a token for one request.

use std::fmt;
use std::time::Duration;

use base64::Engine;
use serde_json::value::{RawValue, to_raw_value};
use zeroize::Zeroizing;

use super::{
    BASE64, Claims, DEFAULT_TTL, INLINE_STATE_BYTES, KeyRing, MAX_STATE_BYTES, MAX_TOKEN_BYTES,
    MAX_TTL,
};

/// How much longer than its token a state stays in the store.
const STORE_GRACE: Duration = Duration::from_secs(60);

/// What a token is to say.
#[derive(Clone)]
#[non_exhaustive]
pub struct Grant {
    issuer: String,
    scope: String,
    audience: Option<String>,
    ttl: Duration,
    traceparent: Option<String>,
    state: Option<Box<RawValue>>,
}

impl Grant {
    /// A token of gateway `issuer` for the specialist registered as `scope`, good for [`DEFAULT_TTL`], which is
    /// also its audience.
    pub fn new(issuer: impl Into<String>, scope: impl Into<String>) -> Self {
        let scope = scope.into();
        Self {
            issuer: issuer.into(),
            audience: Some(scope.clone()),
            scope,
            ttl: DEFAULT_TTL,
            traceparent: None,
            state: None,
        }
    }

    /// Names another audience (`aud`), or none.
    pub fn with_audience(mut self, audience: Option<String>) -> Self {
        self.audience = audience;
        self
    }

    /// How long it is good for: 1 to 300 seconds ([`MAX_TTL`]), whole ones.
    pub fn with_ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// The W3C trace context of the request it is for.
    pub fn with_traceparent(mut self, traceparent: impl Into<String>) -> Self {
        self.traceparent = Some(traceparent.into());
        self
    }

    /// The carried state, a JSON object.
    pub fn with_state(mut self, state: Box<RawValue>) -> Self {
        self.state = Some(state);
        self
    }
}

// The state may hold what a user said.
impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant")
            .field("issuer", &self.issuer)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// The randomness of one token, from the system's generator.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Entropy {
    tid: [u8; 16],
    state_id: [u8; 16],
}

impl Entropy {
    /// Half of it names the token, half of it the state in the store.
    pub const fn new(tid: [u8; 16], state_id: [u8; 16]) -> Self {
        Self { tid, state_id }
    }
}

// Whoever knows a state's name may take it.
impl fmt::Debug for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entropy(..)")
    }
}

/// A signed token. Never shown by `Debug`, wiped when dropped.
#[derive(Clone)]
pub struct Token(Zeroizing<String>);

impl Token {
    /// The token's text, to be sent in [`DELEGATION_HEADER`](super::DELEGATION_HEADER) and nowhere else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// A token, and the state to put in the store before it is sent.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "an outcome that the caller takes apart"
)]
pub struct Minted {
    /// The signed token.
    pub token: Token,
    /// The state that was too large to travel inside it.
    pub parked: Option<Parked>,
}

/// A state to put in the store.
#[derive(Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "an outcome that the caller takes apart"
)]
pub struct Parked {
    /// The name the token has for it: a UUID v4. Whoever knows it may take the state.
    pub id: String,
    /// The state as JSON.
    pub state: Box<RawValue>,
    /// How long the store is to keep it.
    pub ttl: Duration,
}

impl fmt::Debug for Parked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parked")
            .field("bytes", &self.state.get().len())
            .field("ttl", &self.ttl)
            .finish_non_exhaustive()
    }
}

/// Signs a token at `now` (Unix seconds).
///
/// State of more than [`INLINE_STATE_BYTES`] bytes comes back as [`Minted::parked`].
///
/// # Errors
/// [`MintError`] when the life is not 1 to 300 whole seconds, the state is no object or over 64 KiB, or the
/// names are so long that the token would not be accepted.
pub fn mint(
    grant: Grant,
    keys: &KeyRing,
    now: u64,
    entropy: &Entropy,
) -> Result<Minted, MintError> {
    let ttl = grant.ttl.as_secs();
    if ttl == 0 || grant.ttl > MAX_TTL || grant.ttl.subsec_nanos() != 0 {
        return Err(MintError::Ttl { asked: grant.ttl });
    }
    let expires_at = now
        .checked_add(ttl)
        .ok_or(MintError::Ttl { asked: grant.ttl })?;
    let mut claims = Claims::new(
        grant.issuer,
        grant.scope,
        now,
        expires_at,
        uuid(entropy.tid),
    );
    claims.traceparent = grant.traceparent.filter(|value| !value.is_empty());
    if let Some(audience) = grant.audience {
        claims.other.push((
            "aud".to_owned(),
            to_raw_value(&audience).map_err(|_| MintError::Encoding)?,
        ));
    }
    let mut parked = None;
    if let Some(state) = grant.state {
        let bytes = state.get().len();
        if !state.get().starts_with('{') {
            return Err(MintError::StateNotObject);
        } else if bytes > MAX_STATE_BYTES {
            return Err(MintError::StateTooLarge { bytes });
        } else if bytes > INLINE_STATE_BYTES {
            let id = uuid(entropy.state_id);
            claims.state_id = Some(id.clone());
            parked = Some(Parked {
                id,
                state,
                ttl: grant.ttl + STORE_GRACE,
            });
        } else {
            claims.state = Some(state);
        }
    }
    Ok(Minted {
        token: claims.sign(keys)?,
        parked,
    })
}

impl Claims {
    /// Signs these claims as they are. [`mint`] is what a gateway wants; this is for tools and tests.
    ///
    /// # Errors
    /// [`MintError`] when the token would be longer than any verifier accepts.
    pub fn sign(&self, keys: &KeyRing) -> Result<Token, MintError> {
        let json = Zeroizing::new(self.to_json().map_err(|_| MintError::Encoding)?);
        let mut token = Zeroizing::new(BASE64.encode(json.as_bytes()));
        let signature = keys.sign(&token);
        token.push('.');
        token.push_str(&signature);
        if token.len() > MAX_TOKEN_BYTES {
            return Err(MintError::TokenTooLarge { bytes: token.len() });
        }
        Ok(Token(token))
    }
}

// RFC 9562 §5.4: random but for the version and the variant.
fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 0x0f] {
            text.push(char::from_digit(digit.into(), 16).unwrap_or_default());
        }
    }
    text
}

/// A token could not be minted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MintError {
    /// The life asked for is out of bounds.
    #[error(
        "a delegation token lives 1 to 300 whole seconds, not {asked:?}: change the token's time to live"
    )]
    #[non_exhaustive]
    Ttl {
        /// What was asked for.
        asked: Duration,
    },
    /// The state is JSON, but no object.
    #[error("carried state must be a JSON object: wrap the value in one")]
    StateNotObject,
    /// The state is over 64 KiB.
    #[error(
        "carried state has {bytes} bytes and may have {MAX_STATE_BYTES}: carry a reference to it instead"
    )]
    #[non_exhaustive]
    StateTooLarge {
        /// The size of its JSON.
        bytes: usize,
    },
    /// The token would be longer than 8 KiB.
    #[error(
        "the delegation token has {bytes} bytes and may have {MAX_TOKEN_BYTES}: shorten the names in it"
    )]
    #[non_exhaustive]
    TokenTooLarge {
        /// The size of the token.
        bytes: usize,
    },
    /// The claims are not valid JSON.
    #[error("the claims cannot be written as JSON: check the raw values among them")]
    Encoding,
}
