//! What holds over a whole connect: pins, deadlines, and that it ends.

use mcp_types::Era;
use proptest::prelude::*;

use super::*;

fn pinned(wire: Wire, era: Era) -> Plan {
    let mut plan = Plan::new(wire);
    plan.pin = Some(era);
    plan
}

#[test]
fn a_pinned_legacy_client_never_probes() {
    let plan = pinned(Wire::Http, Era::Legacy);
    let other = || Fails(Reason::Pinned(Era::Legacy));
    check_plan(plan, vec![initialized("2025-03-26")], "I", {
        Connected(Revision::V2025_03_26, FIRM)
    });
    check_plan(plan, vec![refuses(&["2026-07-28"])], "I", other());
    check_plan(plan, vec![peer_at(400, -32020)], "I", other());
    check_plan(plan, vec![peer(-32601)], "I", Fails(Reason::Rejected));
    check_plan(plan, vec![bare(404)], "I S", Waits);
    let missing = vec![bare(404), bare(404)];
    check_plan(plan, missing, "I S", Fails(Reason::NoTransport));
    check_plan(plan, vec![timeout()], "I", Fails(Reason::Timeout));
    let plan = pinned(Wire::Process, Era::Legacy);
    check_plan(plan, vec![lost()], "I", Fails(Reason::ProcessExited));
    check_plan(plan, vec![peer(-32600)], "I", Fails(Reason::Rejected));
}

#[test]
fn a_pinned_modern_client_never_initializes() {
    let plan = pinned(Wire::Http, Era::Modern);
    let other = || Fails(Reason::Pinned(Era::Modern));
    check_plan(
        plan,
        vec![discovered(&["2026-07-28"])],
        "D",
        Connected(JUL26, FIRM),
    );
    check_plan(plan, vec![peer(-32601)], "D", other());
    check_plan(plan, vec![discovered(&["2025-11-25"])], "D", other());
    check_plan(plan, vec![refuses(&["2025-11-25"])], "D", other());
    check_plan(plan, vec![bare(404)], "D", other());
    check_plan(plan, vec![bare(200)], "D", Fails(Reason::NotMcp));
    check_plan(plan, vec![timeout()], "D", Fails(Reason::Timeout));
    let plan = pinned(Wire::Process, Era::Modern);
    check_plan(plan, vec![lost()], "D", Fails(Reason::ProcessExited));
}

#[test]
fn a_pinned_revision_is_the_only_one_spoken() {
    let mut plan = Plan::new(Wire::Http);
    plan.revision = Some(JUN25);
    assert_eq!(play(plan, vec![]).0[0].revision, JUN25);
    check_plan(
        plan,
        vec![initialized("2025-06-18")],
        "I",
        Connected(JUN25, FIRM),
    );
    check_plan(
        plan,
        vec![initialized("2025-03-26")],
        "I",
        unsupported("2025-03-26"),
    );
    plan.revision = Some(JUL26);
    check_plan(
        plan,
        vec![refuses(&["2025-11-25"])],
        "D",
        no_common(&["2025-11-25"]),
    );
}

#[test]
fn each_step_gets_a_slice_of_one_deadline() {
    let now = start();
    let mut plan = Plan::new(Wire::Http);
    plan.patience.total = seconds(8);
    let (mut probe, first) = Probe::new(plan, now);
    assert_eq!(first.deadline, now + seconds(5));
    let Next::Send(second) = probe.handle(timeout(), now + seconds(5)) else {
        panic!("it falls back");
    };
    assert_eq!(second.deadline, now + seconds(8));
    assert!(matches!(
        probe.handle(timeout(), now + seconds(8)),
        Next::Failed(Reason::Timeout)
    ));
}

#[test]
fn nothing_is_sent_after_the_deadline() {
    for seen in [peer(-32601), refuses(&["2026-07-28"]), bare(404), timeout()] {
        let now = start();
        let (mut probe, _) = Probe::new(Plan::new(Wire::Http), now);
        let next = probe.handle(seen, now + seconds(30));
        assert!(matches!(next, Next::Failed(Reason::Timeout)), "{next:?}");
    }
}

#[test]
fn every_attempt_is_kept_and_reads_as_a_line() {
    let now = start();
    let (mut probe, _) = Probe::new(Plan::new(Wire::Http), now);
    probe.handle(bare(404), now + seconds(1));
    probe.handle(bare(405), now + seconds(2));
    let lines: Vec<String> = probe.attempts().iter().map(ToString::to_string).collect();
    assert_eq!(
        lines[0],
        "server/discover (2026-07-28): x (HTTP 404) → try initialize in 2025-11-25 (legacy: assumed) [1.0s]"
    );
    assert!(
        lines[1].starts_with(
            "initialize (2025-11-25): x (HTTP 405) → try HTTP+SSE (the server said so)"
        ),
        "{}",
        lines[1]
    );
}

fn observations() -> impl Strategy<Value = Observation> {
    prop_oneof![
        Just(()).prop_map(|()| timeout()),
        Just(()).prop_map(|()| lost()),
        Just(()).prop_map(|()| fails(FailureKind::Malformed)),
        (100_u16..600).prop_map(bare),
        (
            (200_u16..600),
            prop_oneof![Just(-32601), Just(-32600), Just(-32022), -32099_i64..-32000]
        )
            .prop_map(|(status, code)| peer_at(status, code)),
        prop::sample::subsequence(vec!["2026-07-28", "2025-06-18", "2099-01-01"], 0..=3)
            .prop_map(|versions| refuses(&versions)),
        prop::sample::subsequence(vec!["2025-11-25", "2099-01-01"], 0..=2)
            .prop_map(|versions| discovered(&versions)),
    ]
}

proptest! {
    #[test]
    fn it_ends_within_few_requests_and_one_deadline(
        wire in prop_oneof![Just(Wire::Http), Just(Wire::Process), Just(Wire::Custom)],
        story in prop::collection::vec((observations(), 0_u64..4_000), 16),
    ) {
        let begin = start();
        let (mut probe, mut send) = Probe::new(Plan::new(wire), begin);
        let mut initializes = 0;
        for (seen, millis) in story {
            prop_assert!(send.deadline <= begin + seconds(30));
            prop_assert!(send.not_before < begin + seconds(30));
            let now = send.deadline.min(send.not_before + Duration::from_millis(millis));
            match probe.handle(seen, now) {
                Next::Send(next) => send = next,
                _ => return Ok(()),
            }
            initializes += usize::from(send.fresh);
            prop_assert!(initializes <= 1, "started anew more than once");
        }
        prop_assert!(false, "{} requests and no end", probe.attempts().len());
    }
}
