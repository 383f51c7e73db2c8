//! The first answer over HTTP: rows N, R, A, L, J, B and U.

use super::*;

/// Over HTTP, in `auto`.
#[track_caller]
fn check(story: Vec<Observation>, trace: &str, end: End) {
    super::check(Wire::Http, story, trace, end);
}

/// The revision that the last request asks for.
fn asked(story: Vec<Observation>) -> Revision {
    play(Plan::new(Wire::Http), story)
        .0
        .last()
        .unwrap()
        .revision
}

#[test]
fn n1_unreachable_never_falls_back() {
    check(
        vec![fails(FailureKind::Unreachable)],
        "D",
        Fails(Reason::Unreachable),
    );
}

#[test]
fn n2_a_reset_before_the_head_is_tried_once_more() {
    check(vec![lost()], "D D", Waits);
    check(vec![lost(), lost()], "D D", Fails(Reason::Lost));
    check(
        vec![lost(), discovered(&["2026-07-28"])],
        "D D",
        Connected(JUL26, FIRM),
    );
}

#[test]
fn n3_silence_leads_to_initialize_and_silence_again_to_a_timeout() {
    check(vec![timeout()], "D I", Waits);
    check(vec![timeout(), timeout()], "D I", Fails(Reason::Timeout));
    check(
        vec![timeout(), initialized("2025-06-18")],
        "D I",
        Connected(JUN25, ASSUMED),
    );
}

#[test]
fn n4_a_stream_that_stays_silent_is_silence() {
    let silent = failure(FailureKind::Timeout).with_http_status(200);
    check(vec![Observation::Failed(silent)], "D I", Waits);
}

#[test]
fn n5_a_stream_that_ends_early_is_tried_once_more_then_initialize() {
    let cut = || Observation::Failed(failure(FailureKind::Lost).with_http_status(200));
    check(vec![cut(), cut()], "D D I", Waits);
    check(
        vec![cut(), cut(), initialized("2025-11-25")],
        "D D I",
        Connected(NOV25, ASSUMED),
    );
}

#[test]
fn n6_too_large_is_no_sign_of_an_era() {
    check(
        vec![fails(FailureKind::TooLarge)],
        "D",
        Fails(Reason::TooLarge),
    );
}

#[test]
fn r2_to_r4_a_redirect_that_is_not_followed_ends_it() {
    for status in [300, 301, 302, 303, 304, 305, 307, 308] {
        check(vec![bare(status)], "D", Fails(Reason::Redirected));
        let plain = failure(FailureKind::Http).with_http_status(status);
        check(
            vec![Observation::Failed(plain)],
            "D",
            Fails(Reason::Redirected),
        );
    }
}

#[test]
fn a1_to_a4_401_is_authorization_whatever_the_body() {
    check(vec![bare(401)], "D", Fails(Reason::Unauthorized));
    check(vec![peer_at(401, -32601)], "D", Fails(Reason::Unauthorized));
    check(
        vec![fails(FailureKind::Unauthorized)],
        "D",
        Fails(Reason::Unauthorized),
    );
}

#[test]
fn a7_403_is_forbidden_whatever_the_body() {
    check(vec![bare(403)], "D", Fails(Reason::Forbidden));
    check(vec![peer_at(403, -32600)], "D", Fails(Reason::Forbidden));
}

#[test]
fn a8_407_is_the_proxys() {
    check(vec![bare(407)], "D", Fails(Reason::ProxyAuth));
}

#[test]
fn l1_429_waits_as_long_as_asked_and_is_never_a_sign_of_an_era() {
    let again = || vec![bare(429), bare(429), bare(429)];
    check(again(), "D D D", Fails(Reason::RateLimited));
    check(vec![peer_at(429, -32601)], "D D", Waits);

    let hint = |wait| {
        let busy = failure(FailureKind::Http).with_http_status(429);
        vec![Observation::Failed(busy.with_retry_after(seconds(wait)))]
    };
    let (sent, end) = play(Plan::new(Wire::Http), hint(7));
    assert_eq!(
        (sent[1].not_before - sent[0].not_before, end),
        (seconds(7), Waits)
    );
    assert_eq!(sent[1].deadline - sent[0].not_before, seconds(12));
    // It does not fit the deadline of 30 s.
    check(hint(30), "D", Fails(Reason::RateLimited));
    check(hint(u64::MAX), "D", Fails(Reason::RateLimited));
}

#[test]
fn l2_unavailable_waits_then_fails() {
    for status in (502..=504).chain(520..=529) {
        let again = || vec![bare(status), bare(status), bare(status)];
        check(again(), "D D D", Fails(Reason::Unavailable));
        check(
            vec![bare(status), discovered(&["2026-07-28"])],
            "D D",
            Connected(JUL26, FIRM),
        );
    }
}

#[test]
fn l3_408_and_425_are_tried_once_more() {
    for status in [408, 425] {
        check(
            vec![bare(status), bare(status)],
            "D D",
            Fails(Reason::Refused),
        );
    }
}

#[test]
fn j1_a_modern_version_we_speak_settles_for_modern() {
    check(
        vec![discovered(&["2026-07-28"])],
        "D",
        Connected(JUL26, FIRM),
    );
    let several = ["2099-01-01", "2025-11-25", "2026-07-28"];
    check(vec![discovered(&several)], "D", Connected(JUL26, FIRM));
}

#[test]
fn j2_legacy_versions_only_lead_to_initialize() {
    let story = || vec![discovered(&["2025-03-26", "2025-06-18", "2099-01-01"])];
    check(story(), "D I", Waits);
    assert_eq!(asked(story()), JUN25);
    let end = Connected(JUN25, FIRM);
    check(
        [story(), vec![initialized("2025-06-18")]]
            .into_iter()
            .flatten()
            .collect(),
        "D I",
        end,
    );
    // No version at all, or another result, is only a guess.
    check(
        vec![discovered(&[]), initialized("2025-11-25")],
        "D I",
        Connected(NOV25, ASSUMED),
    );
}

#[test]
fn j3_unknown_versions_only_end_it() {
    check(
        vec![discovered(&["2099-01-01"])],
        "D",
        no_common(&["2099-01-01"]),
    );
}

#[test]
fn j4_a_mutual_modern_version_is_probed_once() {
    let mutual = || refuses(&["2099-01-01", "2026-07-28"]);
    check(
        vec![mutual(), discovered(&["2026-07-28"])],
        "D D",
        Connected(JUL26, FIRM),
    );
    check(vec![mutual(), mutual()], "D D", Fails(Reason::VersionLoop));
    // The corrective probe may find a legacy server after all.
    check(
        vec![mutual(), peer(-32601), initialized("2025-11-25")],
        "D D I",
        Connected(NOV25, FIRM),
    );
}

#[test]
fn j5_legacy_versions_in_a_refusal_lead_to_initialize_with_the_newest() {
    let story = || vec![refuses(&["2024-11-05", "2025-06-18"])];
    check(story(), "D I", Waits);
    assert_eq!(asked(story()), JUN25);
    assert_eq!(asked(vec![refuses(&["2024-10-07"])]), V24);
    check(
        vec![story().remove(0), initialized("2025-06-18")],
        "D I",
        Connected(JUN25, FIRM),
    );
}

#[test]
fn j6_a_refusal_without_usable_data_leads_to_initialize() {
    let story = |data| {
        vec![
            Observation::Failed(refusal(&data)),
            initialized("2025-11-25"),
        ]
    };
    for data in [
        serde_json::json!(null),
        serde_json::json!({}),
        serde_json::json!({ "supported": "2026-07-28" }),
        serde_json::json!({ "supported": [1] }),
        serde_json::json!({ "supported": [] }),
    ] {
        check(story(data), "D I", Connected(NOV25, ASSUMED));
    }
    check(vec![peer(-32022)], "D I", Waits);
}

#[test]
fn j7_future_versions_only_end_it() {
    check(
        vec![refuses(&["2099-01-01"])],
        "D",
        no_common(&["2099-01-01"]),
    );
}

#[test]
fn j8_header_mismatch_is_a_modern_sign() {
    check(
        vec![peer_at(400, -32020)],
        "D",
        Fails(Reason::HeaderMismatch),
    );
}

#[test]
fn j9_missing_capability_is_a_modern_sign() {
    check(
        vec![peer_at(400, -32021)],
        "D",
        Fails(Reason::CapabilityRequired),
    );
}

#[test]
fn j10_any_other_code_leads_to_initialize() {
    let end = |confidence| Connected(NOV25, confidence);
    for status in [200, 400, 404] {
        let story = vec![peer_at(status, -32601), initialized("2025-11-25")];
        check(story, "D I", end(FIRM));
        for code in [
            -32600,
            -32602,
            -32603,
            -32000,
            -32001,
            -32019,
            -32700,
            0,
            7,
            i64::MAX,
        ] {
            let story = vec![peer_at(status, code), initialized("2025-11-25")];
            check(story, "D I", end(ASSUMED));
        }
    }
}

#[test]
fn j12_a_json_rpc_error_with_500_is_a_json_rpc_error() {
    check(
        vec![peer_at(500, -32603), initialized("2025-11-25")],
        "D I",
        Connected(NOV25, ASSUMED),
    );
}

#[test]
fn j13_a_modern_error_with_500_counts_by_its_code() {
    let refusal = refusal(&serde_json::json!({ "supported": ["2026-07-28"] }));
    check(
        vec![Observation::Failed(refusal.with_http_status(500))],
        "D D",
        Waits,
    );
    check(
        vec![peer_at(500, -32020)],
        "D",
        Fails(Reason::HeaderMismatch),
    );
}

#[test]
fn b1_and_b2_any_bare_4xx_leads_to_initialize() {
    let own = [401, 403, 407, 408, 425, 429];
    for status in (400..=499).filter(|status| !own.contains(status)) {
        check(
            vec![bare(status), initialized("2025-11-25")],
            "D I",
            Connected(NOV25, ASSUMED),
        );
    }
}

#[test]
fn b3_a_bare_5xx_is_an_outage_and_not_an_old_server() {
    for status in [500, 505, 506, 507, 508, 510, 511, 530, 599] {
        check(vec![bare(status)], "D", Fails(Reason::ServerError));
    }
}

#[test]
fn b4_501_means_not_implemented() {
    check(
        vec![bare(501), initialized("2025-11-25")],
        "D I",
        Connected(NOV25, ASSUMED),
    );
}

#[test]
fn u2_to_u4_a_2xx_that_is_unusable_gets_one_initialize() {
    for status in [200, 202, 204] {
        check(
            vec![bare(status), bare(status)],
            "D I",
            Fails(Reason::NotMcp),
        );
        check(
            vec![bare(status), initialized("2025-11-25")],
            "D I",
            Connected(NOV25, ASSUMED),
        );
    }
    check(vec![fails(FailureKind::Malformed)], "D I", Waits);
}
