//! The answer to `initialize` over HTTP: rows I1 to I11.

use super::*;

/// Over HTTP, after a probe that a legacy server refused.
#[track_caller]
fn check(story: Vec<Observation>, trace: &str, end: End) {
    let story = std::iter::once(peer(-32601)).chain(story).collect();
    super::check(Wire::Http, story, trace, end);
}

#[test]
fn i1_a_legacy_version_we_speak_connects() {
    for revision in Revision::ALL.into_iter().filter(|&it| it != JUL26) {
        check(
            vec![initialized(revision.as_str())],
            "D I",
            Connected(revision, FIRM),
        );
    }
}

#[test]
fn i2_a_modern_or_unknown_version_ends_it() {
    for version in ["2026-07-28", "2099-01-01", "2025-11-26", "1.0", ""] {
        check(vec![initialized(version)], "D I", unsupported(version));
    }
}

#[test]
fn i3_a_mutual_modern_version_is_probed_once() {
    let mutual = || refuses(&["2026-07-28"]);
    check(
        vec![mutual(), discovered(&["2026-07-28"])],
        "D I D",
        Connected(JUL26, FIRM),
    );
    check(
        vec![mutual(), mutual()],
        "D I D",
        Fails(Reason::VersionLoop),
    );
    check(
        vec![mutual(), peer(-32601)],
        "D I D",
        Fails(Reason::VersionLoop),
    );
    // One that has no modern version we speak is refused like any other.
    check(
        vec![refuses(&["2025-06-18"])],
        "D I",
        Fails(Reason::Rejected),
    );
    check(
        vec![refuses(&["2099-01-01"])],
        "D I",
        Fails(Reason::Rejected),
    );
}

#[test]
fn i4_another_error_is_a_rejection_and_never_leads_to_sse() {
    for code in [-32601, -32602, -32603, -32000, 7] {
        for status in [200, 400, 404, 405, 500] {
            check(vec![peer_at(status, code)], "D I", Fails(Reason::Rejected));
        }
    }
}

#[test]
fn i5_a_bare_400_404_or_405_is_the_old_transport() {
    for status in [400, 404, 405] {
        check(vec![bare(status)], "D I S", Waits);
        check(
            vec![bare(status), initialized("2024-11-05")],
            "D I S",
            Connected(NOV24, FIRM),
        );
    }
}

#[test]
fn i6_a_few_more_are_taken_for_the_old_transport() {
    for status in [406, 410, 411, 415, 501] {
        check(vec![bare(status)], "D I S", Waits);
        check(
            vec![bare(status), initialized("2024-11-05")],
            "D I S",
            Connected(NOV24, ASSUMED),
        );
    }
    for status in [402, 409, 413, 421, 422, 426, 428, 451] {
        check(vec![bare(status)], "D I", Fails(Reason::Refused));
    }
}

#[test]
fn i8_the_rest_counts_as_for_the_probe() {
    check(vec![bare(401)], "D I", Fails(Reason::Unauthorized));
    check(vec![bare(403)], "D I", Fails(Reason::Forbidden));
    check(vec![bare(302)], "D I", Fails(Reason::Redirected));
    check(vec![bare(500)], "D I", Fails(Reason::ServerError));
    check(
        vec![bare(429), bare(429), bare(429)],
        "D I I I",
        Fails(Reason::RateLimited),
    );
    check(
        vec![bare(503), initialized("2025-11-25")],
        "D I I",
        Connected(NOV25, FIRM),
    );
    check(
        vec![fails(FailureKind::Unreachable)],
        "D I",
        Fails(Reason::Unreachable),
    );
    check(vec![lost(), lost()], "D I I", Fails(Reason::Lost));
    check(vec![timeout()], "D I", Fails(Reason::Timeout));
    check(
        vec![fails(FailureKind::TooLarge)],
        "D I",
        Fails(Reason::TooLarge),
    );
    check(vec![peer(-32020)], "D I", Fails(Reason::HeaderMismatch));
    check(vec![peer(-32021)], "D I", Fails(Reason::CapabilityRequired));
}

#[test]
fn i9_a_2xx_that_is_unusable_ends_it() {
    for status in [200, 202, 204] {
        check(vec![bare(status)], "D I", Fails(Reason::NotMcp));
    }
}

#[test]
fn i10_and_i11_the_connection_stands_before_initialized_is_answered() {
    // No later step is asked for, so nothing that answers the notification can undo it.
    let (mut probe, _) = Probe::new(Plan::new(Wire::Http), start());
    assert!(matches!(probe.handle(peer(-32601), start()), Next::Send(_)));
    let next = probe.handle(initialized("2025-11-25"), start());
    assert!(matches!(next, Next::Connected(_)), "{next:?}");
}
