//! One token for one request: signed now, with what the handoff carries.

use std::time::SystemTime;

use bytes::Bytes;
use serde_json::value::RawValue;

use super::error::GatewayError;
use super::shared::Shared;
use crate::codes::SwarmCode;
use crate::proto::namespace::DomainName;
use crate::proto::token::{Entropy, Grant, Token, mint};
use crate::proto::trace;

/// What identifies a request to a specialist: its token, and its place in the caller's trace.
pub(super) struct Delegation {
    pub(super) token: Token,
    pub(super) traceparent: String,
}

impl Shared {
    /// Signs a token for one request to `domain`. State that is too large for it is in the store before this
    /// returns.
    pub(super) async fn delegate(
        &self,
        domain: &DomainName,
        state: Option<&RawValue>,
        inbound_trace: Option<&str>,
    ) -> Result<Delegation, GatewayError> {
        let traceparent = trace::next_hop(inbound_trace, entropy()?);
        let mut grant = Grant::new(self.face.gateway.as_str(), domain.as_str())
            .with_ttl(self.token_ttl)
            .with_traceparent(traceparent.clone());
        if let Some(state) = state {
            grant = grant.with_state(state.to_owned());
        }
        let entropy = Entropy::new(entropy()?, entropy()?);
        let minted = mint(grant, &self.keys, self.unix_seconds(), &entropy).map_err(|error| {
            tracing::error!(%error, %domain, "no delegation token could be made");
            GatewayError::new(SwarmCode::Invalid, "The handoff cannot be signed")
        })?;
        if let Some(parked) = minted.parked {
            let state = Bytes::from(parked.state.get().to_owned());
            let kept = self.store.put(&parked.id, state, parked.ttl).await;
            kept.map_err(|error| {
                tracing::warn!(%error, %domain, "the carried state could not be kept");
                let said = "The state that the handoff carries could not be kept";
                GatewayError::new(SwarmCode::StateUnavailable, said)
            })?;
        }
        Ok(Delegation {
            token: minted.token,
            traceparent,
        })
    }

    /// The time of day, in Unix seconds.
    pub(super) fn unix_seconds(&self) -> u64 {
        let since = self.clock.wall().duration_since(SystemTime::UNIX_EPOCH);
        since.map_or(0, |since| since.as_secs())
    }
}

/// Bytes of the system's generator.
pub(super) fn entropy<const N: usize>() -> Result<[u8; N], GatewayError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        tracing::error!(%error, "the system has no randomness");
        GatewayError::new(
            SwarmCode::UpstreamUnavailable,
            "The gateway has no randomness to sign with",
        )
    })?;
    Ok(bytes)
}
