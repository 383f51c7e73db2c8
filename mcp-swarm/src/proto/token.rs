//! Delegation tokens: what a gateway signs and a specialist checks, on every request.
//!
//! ```text
//! token     = payload "." signature
//! payload   = base64url, no padding, of the claims as compact JSON
//! signature = base64url, no padding, of HMAC-SHA256(secret, payload's characters)
//! ```
//!
//! The format is mcpfusion's, byte for byte, so gateways and specialists of both kinds work together.
//! Verification is stricter: a token without a whole `exp`, for another scope, from the future or
//! living longer than the policy allows is refused.
//!
//! Carried state of up to [`INLINE_STATE_BYTES`] bytes travels inside the token. More than that is
//! left in a store, the token names it by `state_id`, and it can be taken once.
//!
//! Time and randomness are arguments; no store is touched here. [`mint`] says what to put in the
//! store, [`verify`] says what to take from it.

mod claims;
mod error;
mod mint;
mod secret;
#[cfg(test)]
mod tests;
mod verify;

use std::time::Duration;

use base64::engine::general_purpose::{GeneralPurpose, URL_SAFE_NO_PAD};

pub use claims::{Claims, MalformedClaims};
pub use error::{HandoffAuthCode, HandoffAuthError};
pub use mint::{Entropy, Grant, MintError, Minted, Parked, Token, mint};
pub use secret::{KeyRing, MAX_KEYS, MIN_SECRET_BYTES, Secret, TooManyKeys, WeakSecret};
pub use verify::{PendingState, Taken, Verified, VerifyPolicy, verify};

/// The HTTP header a token travels in.
pub const DELEGATION_HEADER: &str = "x-mcpfusion-delegation";

/// The longest token that is looked at, in bytes.
pub const MAX_TOKEN_BYTES: usize = 8 * 1024;

/// The most carried state that travels inside a token, in bytes of its JSON; more goes to the store.
pub const INLINE_STATE_BYTES: usize = 2048;

/// The most state a handoff carries, in bytes of its JSON.
pub const MAX_STATE_BYTES: usize = 64 * 1024;

/// How deep carried state may be nested, the object itself being level 1.
pub const MAX_STATE_DEPTH: usize = 32;

/// How long a token lives unless told otherwise.
pub const DEFAULT_TTL: Duration = Duration::from_secs(60);

/// The longest life a token may have.
pub const MAX_TTL: Duration = Duration::from_secs(300);

/// How far two machines' clocks may differ, either way.
pub const LEEWAY: Duration = Duration::from_secs(5);

const BASE64: GeneralPurpose = URL_SAFE_NO_PAD;
