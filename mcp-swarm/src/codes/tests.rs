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
