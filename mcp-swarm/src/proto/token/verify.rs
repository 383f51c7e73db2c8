//! Checking a token on the specialist's side.

use std::fmt;
use std::time::Duration;

use base64::Engine;
use bytes::Bytes;
use mcp_types::strict;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use super::{
    BASE64, Claims, HandoffAuthError, KeyRing, LEEWAY, MAX_STATE_DEPTH, MAX_TOKEN_BYTES, MAX_TTL,
};

/// What a token must say to be let in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VerifyPolicy {
    scope: String,
    audience: Option<String>,
    issuers: Option<Vec<String>>,
    max_ttl: Duration,
    leeway: Duration,
}

impl VerifyPolicy {
    /// Lets in tokens for `scope`, of any audience and issuer, living at most [`MAX_TTL`], with [`LEEWAY`]
    /// between the clocks.
    pub fn new(scope: impl Into<String>) -> Self {
        Self {
            scope: scope.into(),
            audience: None,
            issuers: None,
            max_ttl: MAX_TTL,
            leeway: LEEWAY,
        }
    }

    /// Also requires this `aud`. A gateway of ours names the specialist's registry name there; mcpfusion's names none.
    pub fn with_audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// Also requires one of these `iss`, the gateways' names.
    pub fn with_issuers(mut self, issuers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.issuers = Some(issuers.into_iter().map(Into::into).collect());
        self
    }

    /// Refuses tokens that live longer than this, however much of it is left.
    pub fn with_max_ttl(mut self, max_ttl: Duration) -> Self {
        self.max_ttl = max_ttl;
        self
    }

    /// How far the clocks may differ, either way; whole seconds count.
    pub fn with_leeway(mut self, leeway: Duration) -> Self {
        self.leeway = leeway;
        self
    }

    fn check(&self, claims: &Claims, now: u64) -> Result<(), HandoffAuthError> {
        let leeway = self.leeway.as_secs();
        if claims.expires_at.saturating_add(leeway) < now {
            return Err(HandoffAuthError::EXPIRED);
        }
        let lives = claims.expires_at.checked_sub(claims.issued_at);
        let good = claims.issued_at <= now.saturating_add(leeway)
            && lives.is_some_and(|ttl| ttl <= self.max_ttl.as_secs())
            && claims.scope == self.scope
            && self
                .audience
                .as_ref()
                .is_none_or(|wanted| claims.audience().as_ref() == Some(wanted))
            && self
                .issuers
                .as_ref()
                .is_none_or(|allowed| allowed.contains(&claims.issuer));
        if good {
            Ok(())
        } else {
            Err(HandoffAuthError::INVALID)
        }
    }
}

/// A token that passed every check.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "both cases must be handled, and there can be no third"
)]
pub enum Verified {
    /// The claims with the carried state, if any, in [`Claims::state`].
    Complete(Claims),
    /// The carried state is in the store, to be taken and given to [`PendingState::resume`].
    Pending(PendingState),
}

/// Claims whose state is in the store.
pub struct PendingState {
    claims: Claims,
    state_id: String,
}

impl PendingState {
    /// The name to take the state by.
    pub fn state_id(&self) -> &str {
        &self.state_id
    }

    /// Goes on with what the store had. The claims hold the state then, and no `state_id`.
    ///
    /// A store that could not be asked is no case of this: tell the caller so, not that its token is bad.
    ///
    /// # Errors
    /// `EXPIRED_DELEGATION_TOKEN` when it was gone, `INVALID_DELEGATION_TOKEN` without a store or when what it held is
    /// no JSON object.
    pub fn resume(mut self, taken: Taken) -> Result<Claims, HandoffAuthError> {
        let bytes = match taken {
            Taken::Found(bytes) => bytes,
            Taken::Gone => return Err(HandoffAuthError::EXPIRED),
            Taken::NoStore => return Err(HandoffAuthError::INVALID),
        };
        let json = str::from_utf8(&bytes).map_err(|_| HandoffAuthError::INVALID)?;
        strict::check_object(json, MAX_STATE_DEPTH).map_err(|_| HandoffAuthError::INVALID)?;
        let state =
            RawValue::from_string(json.to_owned()).map_err(|_| HandoffAuthError::INVALID)?;
        self.claims.state = Some(state);
        Ok(self.claims)
    }
}

// Whoever knows a state's name may take it.
impl fmt::Debug for PendingState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingState")
            .field("claims", &self.claims)
            .finish_non_exhaustive()
    }
}

/// What the store had under a `state_id`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "each case must be told apart, and there can be no fourth"
)]
pub enum Taken {
    /// The state's JSON. It is in the store no more.
    Found(Bytes),
    /// Nothing: never there, expired, or taken before.
    Gone,
    /// There is no store here.
    NoStore,
}

/// Checks `token` at `now` (Unix seconds).
///
/// Checked in this order: size, the dot, signature, claims, expiry, then moment, life, scope, audience and issuer.
/// Nothing inside a token is read before its signature is known to be good.
///
/// # Errors
/// [`HandoffAuthError`] with one of three codes; the fourth, for no token at all, is the caller's.
pub fn verify(
    token: &str,
    keys: &KeyRing,
    policy: &VerifyPolicy,
    now: u64,
) -> Result<Verified, HandoffAuthError> {
    if token.len() > MAX_TOKEN_BYTES {
        return Err(HandoffAuthError::INVALID);
    }
    let (payload, signature) = token.rsplit_once('.').ok_or(HandoffAuthError::INVALID)?;
    if !keys.accepts(payload, signature) {
        return Err(HandoffAuthError::SIGNATURE);
    }
    let json = Zeroizing::new(
        BASE64
            .decode(payload)
            .map_err(|_| HandoffAuthError::INVALID)?,
    );
    let json = str::from_utf8(&json).map_err(|_| HandoffAuthError::INVALID)?;
    let mut claims = Claims::parse(json).map_err(|_| HandoffAuthError::INVALID)?;
    policy.check(&claims, now)?;
    Ok(match claims.state_id.take() {
        Some(state_id) => Verified::Pending(PendingState { claims, state_id }),
        None => Verified::Complete(claims),
    })
}
