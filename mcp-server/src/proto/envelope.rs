//! The envelope of a modern request: what `_meta` must hold, and the errors where it does not.
//!
//! The version is judged before the rest, since an unknown revision defines its own required keys.

#[cfg(test)]
mod tests;

use mcp_errors::ProtocolError;
use mcp_types::{
    ErrorObject, RawParams, RequestMeta, Revision,
    capability::{ClientCapabilities, Implementation},
    logging::LogLevel,
    meta::{CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION},
};
use serde::de::DeserializeOwned;

use crate::{
    path::clipped,
    policy::{EnvelopePolicy, EraPolicy},
};

/// The `_meta` of `params`; empty where there is none.
///
/// # Errors
/// -32602 when it is no object. A legacy peer's odd `_meta` is better ignored than refused.
pub(crate) fn read_meta(params: &RawParams) -> Result<RequestMeta, ErrorObject> {
    RequestMeta::of(params).map_err(|_| malformed("_meta", "object"))
}

/// Whether a request presents itself as modern.
pub(crate) fn is_claim(meta: &RequestMeta, policy: &EraPolicy) -> bool {
    let pair = match policy.envelope {
        EnvelopePolicy::ClientInfoPair => meta.contains(CLIENT_INFO),
        EnvelopePolicy::Spec | EnvelopePolicy::RequireClientInfo => true,
    };
    meta.is_claim() && pair && !policy.modern.is_empty()
}

/// The revision that a request claims.
///
/// # Errors
/// -32602 when it claims none, or one that is no string; -32022 when it is not served.
pub(crate) fn version(meta: &RequestMeta, policy: &EraPolicy) -> Result<Revision, ErrorObject> {
    if !meta.is_claim() {
        return Err(rest_missing(meta, policy));
    }
    let Some(requested) = meta.protocol_version() else {
        return Err(malformed(PROTOCOL_VERSION, "string"));
    };
    let served = policy
        .modern
        .iter()
        .find(|revision| revision.as_str() == requested);
    served
        .copied()
        .ok_or_else(|| unsupported_version(&requested, policy))
}

/// Checks that everything that is required is there.
///
/// # Errors
/// -32602 that names what is missing.
#[cfg(feature = "http")]
pub(crate) fn check_present(meta: &RequestMeta, policy: &EraPolicy) -> Result<(), ErrorObject> {
    if !meta.is_claim() {
        return Err(rest_missing(meta, policy));
    }
    match missing_keys(meta, policy) {
        missing if missing.is_empty() => Ok(()),
        missing => Err(missing_error(&missing)),
    }
}

/// Checks everything but the version's value.
///
/// # Errors
/// -32602 that names what is missing or malformed.
pub(crate) fn check_rest(meta: &RequestMeta, policy: &EraPolicy) -> Result<(), ErrorObject> {
    let missing = missing_keys(meta, policy);
    if !missing.is_empty() {
        return Err(missing_error(&missing));
    }
    let of_type = |key: &str, is: fn(&RequestMeta) -> bool| !meta.contains(key) || is(meta);
    if !of_type(CLIENT_CAPABILITIES, |meta| {
        is_a::<ClientCapabilities>(meta, CLIENT_CAPABILITIES)
    }) {
        return Err(malformed(CLIENT_CAPABILITIES, "object"));
    }
    // Optional, it is a hint: malformed, it says nothing. Required, it must say something.
    let info_matters = policy.envelope == EnvelopePolicy::RequireClientInfo;
    if info_matters && !is_a::<Implementation>(meta, CLIENT_INFO) {
        return Err(malformed(CLIENT_INFO, "object"));
    }
    Ok(())
}

/// Checks that the level of the log that is asked for, if any, is one.
///
/// # Errors
/// -32602 that names the levels.
pub(crate) fn check_log_level(meta: &RequestMeta) -> Result<(), ErrorObject> {
    if !meta.contains(LOG_LEVEL) {
        return Ok(());
    }
    match meta.log_level() {
        None => Err(malformed(LOG_LEVEL, "string")),
        Some(LogLevel::Other(word)) => Err(unknown_level(&word)),
        Some(_) => Ok(()),
    }
}

/// -32602 for a level of the log that is none.
pub(crate) fn unknown_level(word: &str) -> ErrorObject {
    let word = clipped(word, 100);
    let detail = format!(
        "Unknown log level: {word}; use debug, info, notice, warning, error, critical, alert or emergency"
    );
    ProtocolError::invalid_params(detail).into()
}

/// -32022, with what is served: the same list as in `server/discover`.
pub(crate) fn unsupported_version(requested: &str, policy: &EraPolicy) -> ErrorObject {
    ProtocolError::unsupported_version(policy.modern.iter().copied(), requested).into()
}

/// -32602 of `initialize`, where the policy is strict about its version.
pub(crate) fn unsupported_initialize(requested: &str, policy: &EraPolicy) -> ErrorObject {
    ProtocolError::unsupported_version(policy.legacy.iter().copied(), requested)
        .into_object(Revision::LATEST_LEGACY)
}

/// -32601 for a method that is unknown, removed, or not offered here.
pub(crate) fn method_not_found(method: &str) -> ErrorObject {
    ProtocolError::method_not_found(method).into()
}

/// -32602 for a member that has another type than it should.
pub(crate) fn malformed(key: &str, expected: &str) -> ErrorObject {
    ProtocolError::malformed_meta(key, expected).into()
}

fn rest_missing(meta: &RequestMeta, policy: &EraPolicy) -> ErrorObject {
    let mut missing = vec![PROTOCOL_VERSION];
    missing.extend(missing_keys(meta, policy));
    missing_error(&missing)
}

fn missing_keys(meta: &RequestMeta, policy: &EraPolicy) -> Vec<&'static str> {
    let required: &[&'static str] = match policy.envelope {
        EnvelopePolicy::Spec => &[CLIENT_CAPABILITIES],
        EnvelopePolicy::ClientInfoPair => &[CLIENT_INFO],
        EnvelopePolicy::RequireClientInfo => &[CLIENT_CAPABILITIES, CLIENT_INFO],
    };
    let mut missing = required.to_vec();
    missing.retain(|key| !meta.contains(key));
    missing
}

fn missing_error(missing: &[&'static str]) -> ErrorObject {
    ProtocolError::missing_meta(missing.iter().copied()).into()
}

fn is_a<T: DeserializeOwned>(meta: &RequestMeta, key: &str) -> bool {
    meta.decode::<T>(key).is_some()
}
