//! The list of codes is complete, and each says what to do.

use std::collections::HashSet;

use super::*;

#[test]
fn every_code_is_one_of_its_own_and_is_found() {
    let texts: HashSet<_> = SwarmCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(texts.len(), SwarmCode::ALL.len());
    for code in SwarmCode::ALL {
        assert_eq!(SwarmCode::find(code.as_str()), Some(code));
        assert!(code.advice().ends_with('.'), "{code}");
        assert!(!ToolErrorCode::from(code).is_known(), "{code}");
    }
    assert_eq!(SwarmCode::find("handoff_unknown"), None);
}

/// The order of the enum is that of the published list.
#[test]
fn every_code_has_its_own_row() {
    let check = |code: SwarmCode, expected: &str| assert_eq!(code.as_str(), expected);
    check(SwarmCode::LookupFailed, "REGISTRY_LOOKUP_FAILED");
    check(SwarmCode::InvalidUri, "REGISTRY_INVALID_URI");
    check(SwarmCode::InvalidEntry, "REGISTRY_INVALID_ENTRY");
    check(SwarmCode::SessionLimit, "SESSION_LIMIT_EXCEEDED");
    check(SwarmCode::ConnectTimeout, "UPSTREAM_CONNECT_TIMEOUT");
    check(SwarmCode::Connecting, "HANDOFF_CONNECTING");
    check(
        SwarmCode::UpstreamUnavailable,
        "HANDOFF_UPSTREAM_UNAVAILABLE",
    );
    check(SwarmCode::UpstreamTimeout, "HANDOFF_UPSTREAM_TIMEOUT");
    check(
        SwarmCode::UpstreamProtocol,
        "HANDOFF_UPSTREAM_PROTOCOL_ERROR",
    );
    check(SwarmCode::NamespaceMismatch, "HANDOFF_NAMESPACE_MISMATCH");
    check(SwarmCode::Required, "HANDOFF_REQUIRED");
    check(SwarmCode::Unknown, "HANDOFF_UNKNOWN");
    check(SwarmCode::Expired, "HANDOFF_EXPIRED");
    check(SwarmCode::Superseded, "HANDOFF_SUPERSEDED");
    check(SwarmCode::Cancelled, "HANDOFF_CANCELLED");
    check(SwarmCode::Invalid, "HANDOFF_INVALID");
    check(SwarmCode::NotConfigured, "HANDOFF_NOT_CONFIGURED");
    check(SwarmCode::ChainRefused, "HANDOFF_CHAIN_REFUSED");
    check(SwarmCode::StateNotShared, "HANDOFF_STATE_NOT_SHARED");
    check(SwarmCode::StateUnavailable, "HANDOFF_STATE_UNAVAILABLE");
    check(SwarmCode::GatewayClosed, "GATEWAY_CLOSED");
    check(SwarmCode::MissingToken, "MISSING_DELEGATION_TOKEN");
    check(SwarmCode::InvalidToken, "INVALID_DELEGATION_TOKEN");
    check(SwarmCode::ExpiredToken, "EXPIRED_DELEGATION_TOKEN");
    check(SwarmCode::InvalidSignature, "INVALID_SIGNATURE");
    assert_eq!(SwarmCode::ALL.len(), GATEWAY.len());
}

#[test]
fn only_what_may_help_to_wait_for_says_how_long() {
    for code in SwarmCode::ALL {
        assert_eq!(
            code.retry_after().is_some(),
            code.bucket() == Bucket::WaitAndRetry,
            "{code}"
        );
    }
}

#[test]
fn an_envelope_says_what_happened_and_what_to_do() {
    let check = |sentence, error: &str| {
        let envelope = SwarmCode::Connecting.envelope("triage", sentence);
        assert_eq!(envelope.error, error);
        assert_eq!(envelope.service, "triage");
        assert_eq!(envelope.code, "HANDOFF_CONNECTING");
        assert_eq!(envelope.retry_after, Some(Duration::from_secs(2)));
    };
    check("Not yet", "Not yet. Try again in a moment.");
    check("Not yet. ", "Not yet. Try again in a moment.");
}
