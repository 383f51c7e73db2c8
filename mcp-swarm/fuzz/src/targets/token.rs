//! Delegation tokens: nothing unsigned passes, and claims are read strictly.

use std::sync::LazyLock;

use mcp_swarm::proto::token::{Claims, KeyRing, Secret, VerifyPolicy, verify};

static KEYS: LazyLock<KeyRing> = LazyLock::new(|| {
    KeyRing::new(Secret::new("0123456789abcdef0123456789abcdef").expect("32 bytes"))
});

/// Nobody signs by chance.
pub(crate) fn token(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let verified = verify(text, &KEYS, &VerifyPolicy::new("finance"), 1_700_000_000);
        assert!(verified.is_err(), "{text}");
    }
}

/// Claims that are read are written as what they were, and are strict.
pub(crate) fn claims(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(claims) = Claims::parse(text) else {
        return;
    };
    let once = serde_json::to_string(&claims).expect("claims are JSON");
    let again = Claims::parse(&once).expect("what is written can be read");
    assert_eq!(
        serde_json::to_string(&again).expect("claims are JSON"),
        once
    );
    assert!(!(claims.state.is_some() && claims.state_id.is_some()));
}
