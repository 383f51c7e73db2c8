//! HTTP+SSE, the transport of 2024-11-05: rows S1 to S6.

use mcp_transport::proto::answer::EndpointAnnounced;
use mcp_types::Era;

use super::*;

/// Over HTTP, after a probe and an `initialize` that were refused by a bare status.
#[track_caller]
fn check(story: Vec<Observation>, trace: &str, end: End) {
    let story = [bare(405), bare(405)].into_iter().chain(story).collect();
    super::check(Wire::Http, story, trace, end);
}

/// That it ends as neither transport's, with all that was tried.
#[track_caller]
fn is_no_server(seen: Observation) {
    check(vec![seen], "D I S", Fails(Reason::NoTransport));
}

#[test]
fn s1_a_legacy_version_we_speak_connects_over_it() {
    for revision in Revision::ALL.into_iter().filter(|&it| it != JUL26) {
        check(
            vec![initialized(revision.as_str())],
            "D I S",
            Connected(revision, FIRM),
        );
    }
    let (mut probe, _) = Probe::new(Plan::new(Wire::Http), start());
    for _ in 0..2 {
        assert!(matches!(probe.handle(bare(404), start()), Next::Send(_)));
    }
    match probe.handle(initialized("2024-11-05"), start()) {
        Next::Connected(connected) => assert_eq!(connected.wire, Wire::Sse),
        next => panic!("{next:?}"),
    }
    // What answers there is held to the same as anywhere.
    for version in ["2026-07-28", "2099-01-01"] {
        check(vec![initialized(version)], "D I S", unsupported(version));
    }
    for error in [peer(-32602), peer_at(400, -32000), refuses(&["2026-07-28"])] {
        check(vec![error], "D I S", Fails(Reason::Rejected));
    }
}

#[test]
fn s2_and_s3_without_a_usable_endpoint_the_first_failure_stands() {
    is_no_server(timeout());
    is_no_server(fails(FailureKind::Malformed));
    is_no_server(lost());
    is_no_server(fails(FailureKind::TooLarge));
    is_no_server(fails(FailureKind::Unreachable));
}

#[test]
fn s4_where_there_is_no_stream_the_first_failure_stands() {
    let own = [401, 429];
    for status in (400..=499).filter(|status| !own.contains(status)) {
        is_no_server(bare(status));
    }
    for status in [200, 204, 500, 501] {
        is_no_server(bare(status));
    }
    for status in [429, 503] {
        check(vec![bare(status), bare(status)], "D I S S S", Waits);
    }
}

#[test]
fn s5_401_is_authorization() {
    check(vec![bare(401)], "D I S", Fails(Reason::Unauthorized));
    check(vec![peer_at(401, 1)], "D I S", Fails(Reason::Unauthorized));
}

#[test]
fn s6_a_redirect_that_is_not_followed_leaves_the_first_failure() {
    for status in [301, 302, 303, 307, 308] {
        is_no_server(bare(status));
    }
}

#[test]
fn it_is_for_a_url_that_is_not_pinned_to_modern() {
    let mut plan = Plan::new(Wire::Custom);
    let refused = || vec![bare(404), bare(404)];
    check_plan(plan, refused(), "D I", Fails(Reason::Refused));
    plan = Plan::new(Wire::Http);
    plan.pin = Some(Era::Modern);
    let end = Fails(Reason::Pinned(Era::Modern));
    check_plan(plan, vec![bare(404)], "D", end);
    // A pinned revision is the one that is asked for.
    plan.pin = None;
    plan.revision = Some(NOV24);
    let (sent, end) = play(plan, vec![bare(405)]);
    assert_eq!((sent[1].step, sent[1].revision), (Step::Sse, NOV24));
    assert_eq!(end, Waits);
}

/// A POST answered by a stream that announces an endpoint.
fn announced() -> Observation {
    let failure = failure(FailureKind::Malformed).with_http_status(200);
    Observation::Failed(failure.with_source(EndpointAnnounced))
}

#[test]
fn u1_and_i7_a_post_answered_by_an_endpoint_event_is_the_old_transport() {
    for story in [
        vec![announced()],
        vec![bare(404), announced()],
        vec![timeout(), announced()],
    ] {
        let trace = ["D S", "D I S"][story.len() - 1];
        let story = story.into_iter().chain([initialized("2024-11-05")]);
        let end = Connected(NOV24, ASSUMED);
        super::check(Wire::Http, story.collect(), trace, end);
    }
    // The transport is older than the revision that the probe was in.
    let (sent, _) = play(Plan::new(Wire::Http), vec![announced()]);
    assert_eq!(sent[1].revision, Revision::LATEST_LEGACY);
    // It is not asked for twice.
    check(vec![announced()], "D I S", Fails(Reason::NoTransport));
    let mut plan = Plan::new(Wire::Http);
    plan.pin = Some(Era::Modern);
    let end = Fails(Reason::Pinned(Era::Modern));
    check_plan(plan, vec![announced()], "D", end);
    plan.pin = Some(Era::Legacy);
    check_plan(plan, vec![announced()], "I S", Waits);
}

#[test]
fn one_deadline_bounds_it_too() {
    let now = start();
    let mut plan = Plan::new(Wire::Http);
    plan.patience.total = seconds(8);
    let (mut probe, _) = Probe::new(plan, now);
    assert!(matches!(
        probe.handle(timeout(), now + seconds(5)),
        Next::Send(_)
    ));
    let Next::Send(third) = probe.handle(bare(405), now + seconds(6)) else {
        panic!("it falls back");
    };
    assert_eq!((third.step, third.deadline), (Step::Sse, now + seconds(8)));

    let (mut probe, _) = Probe::new(plan, now);
    assert!(matches!(
        probe.handle(bare(405), now + seconds(1)),
        Next::Send(_)
    ));
    let late = probe.handle(bare(405), now + seconds(8));
    assert!(matches!(late, Next::Failed(Reason::Timeout)), "{late:?}");
}
