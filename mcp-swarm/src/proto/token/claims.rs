//! What a token says, and its strict reading.

use std::fmt;

use mcp_types::strict;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::MAX_STATE_DEPTH;

/// The claims of a delegation token.
///
/// Encoded in the order of the fields, absent ones left out.
#[derive(Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a wire object is open, so that tests and tools can build any claims"
)]
pub struct Claims {
    /// `iss`: the gateway's name.
    pub issuer: String,
    /// `sub`: the scope, the specialist's name in the gateway's registry.
    pub scope: String,
    /// `iat`: when it was minted, in Unix seconds.
    pub issued_at: u64,
    /// `exp`: the last moment it is good for, in Unix seconds.
    pub expires_at: u64,
    /// `tid`: a UUID v4 to tell one token from another in logs. Not a secret.
    pub tid: String,
    /// `traceparent`: the W3C trace context of the request it was minted for.
    pub traceparent: Option<String>,
    /// Claims that are none of the others, as JSON, in the token's order. `aud` is among them: see [`Self::audience`].
    pub other: Vec<(String, Box<RawValue>)>,
    /// `state`: the carried state, a JSON object.
    pub state: Option<Box<RawValue>>,
    /// `state_id`: names the carried state in the store. Never beside `state`.
    pub state_id: Option<String>,
}

impl Claims {
    /// Claims that carry no state and no trace.
    pub fn new(
        issuer: impl Into<String>,
        scope: impl Into<String>,
        issued_at: u64,
        expires_at: u64,
        tid: impl Into<String>,
    ) -> Self {
        Self {
            issuer: issuer.into(),
            scope: scope.into(),
            issued_at,
            expires_at,
            tid: tid.into(),
            traceparent: None,
            other: Vec::new(),
            state: None,
            state_id: None,
        }
    }

    /// Reads claims from their JSON text.
    ///
    /// # Errors
    /// [`MalformedClaims`] unless it is one object with `iss`, `sub`, `tid` as text and `iat`, `exp` as whole
    /// numbers, `state` (if any) an object, `traceparent` and `state_id` (if any) text, not both of `state` and
    /// `state_id`, and no member twice at any level.
    pub fn parse(json: &str) -> Result<Self, MalformedClaims> {
        // The claims are one level above the state.
        strict::check_object(json, MAX_STATE_DEPTH + 1).map_err(|_| MalformedClaims)?;
        let claims: Self = serde_json::from_str(json).map_err(|_| MalformedClaims)?;
        let state_is_object = claims
            .state
            .as_ref()
            .is_none_or(|state| state.get().starts_with('{'));
        if state_is_object && !(claims.state.is_some() && claims.state_id.is_some()) {
            Ok(claims)
        } else {
            Err(MalformedClaims)
        }
    }

    /// `aud`: the specialist the token is for, if the token says so in the plain text form.
    pub fn audience(&self) -> Option<String> {
        let (_, value) = self.other.iter().find(|(name, _)| name == "aud")?;
        serde_json::from_str(value.get()).ok()
    }

    /// The claims as compact JSON.
    pub(super) fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

// The state may hold what a user said.
impl fmt::Debug for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claims")
            .field("issuer", &self.issuer)
            .field("scope", &self.scope)
            .field("issued_at", &self.issued_at)
            .field("expires_at", &self.expires_at)
            .field("tid", &self.tid)
            .field(
                "has_state",
                &(self.state.is_some() || self.state_id.is_some()),
            )
            .finish_non_exhaustive()
    }
}

impl Serialize for Claims {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("iss", &self.issuer)?;
        map.serialize_entry("sub", &self.scope)?;
        map.serialize_entry("iat", &self.issued_at)?;
        map.serialize_entry("exp", &self.expires_at)?;
        map.serialize_entry("tid", &self.tid)?;
        if let Some(traceparent) = &self.traceparent {
            map.serialize_entry("traceparent", traceparent)?;
        }
        for (name, value) in &self.other {
            map.serialize_entry(name, value)?;
        }
        if let Some(state) = &self.state {
            map.serialize_entry("state", state)?;
        }
        if let Some(state_id) = &self.state_id {
            map.serialize_entry("state_id", state_id)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Claims {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ClaimsVisitor)
    }
}

struct ClaimsVisitor;

impl<'de> Visitor<'de> for ClaimsVisitor {
    type Value = Claims;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of claims")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Claims, A::Error> {
        let (mut issuer, mut scope, mut issued_at, mut expires_at, mut tid) =
            (None, None, None, None, None);
        let (mut traceparent, mut state, mut state_id, mut other) = (None, None, None, Vec::new());
        while let Some(name) = members.next_key::<String>()? {
            match name.as_str() {
                "iss" => issuer = Some(members.next_value()?),
                "sub" => scope = Some(members.next_value()?),
                "iat" => issued_at = Some(members.next_value()?),
                "exp" => expires_at = Some(members.next_value()?),
                "tid" => tid = Some(members.next_value()?),
                "traceparent" => traceparent = Some(members.next_value()?),
                "state" => state = Some(members.next_value()?),
                "state_id" => state_id = Some(members.next_value()?),
                _ => other.push((name, members.next_value()?)),
            }
        }
        let required = |name| move || <A::Error as serde::de::Error>::missing_field(name);
        Ok(Claims {
            issuer: issuer.ok_or_else(required("iss"))?,
            scope: scope.ok_or_else(required("sub"))?,
            issued_at: issued_at.ok_or_else(required("iat"))?,
            expires_at: expires_at.ok_or_else(required("exp"))?,
            tid: tid.ok_or_else(required("tid"))?,
            traceparent,
            other,
            state,
            state_id,
        })
    }
}

/// The text is not the claims of a delegation token. Says no more, since the text may be secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not the claims of a delegation token: one object with iss, sub, iat, exp and tid is needed"
)]
#[non_exhaustive]
pub struct MalformedClaims;
