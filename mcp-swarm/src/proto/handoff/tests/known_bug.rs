//! The lifecycle bugs of mcpfusion's gateway, each by its number, which this machine must not have.

use super::*;

#[test]
fn b1_a_stale_activation_never_wins() {
    // Slow A, then fast B: A comes last, or first.
    let mut desk = Desk::new();
    let (a, b) = (
        desk.activate("s", "finance").unwrap(),
        desk.activate("s", "support").unwrap(),
    );
    desk.connected(b, "b").unwrap();
    assert_eq!(desk.connected(a, "a"), Err(Stale::Superseded));
    assert_eq!(desk.call("s"), Ok("b"));
    assert_eq!(
        desk.events(),
        ["abandoned HANDOFF_SUPERSEDED", "changed", "retired a"]
    );

    let mut desk = Desk::new();
    let (a, b) = (
        desk.activate("s", "finance").unwrap(),
        desk.activate("s", "support").unwrap(),
    );
    assert_eq!(desk.connected(a, "a"), Err(Stale::Superseded));
    assert_eq!(desk.call("s"), Err("HANDOFF_CONNECTING"));
    desk.connected(b, "b").unwrap();
    assert_eq!(desk.call("s"), Ok("b"));
    assert_eq!(
        desk.events(),
        ["abandoned HANDOFF_SUPERSEDED", "retired a", "changed"]
    );
}

#[test]
fn b1_nor_when_the_newer_one_failed() {
    let mut desk = Desk::new();
    let (a, b) = (
        desk.activate("s", "finance").unwrap(),
        desk.activate("s", "support").unwrap(),
    );
    desk.failed(b).unwrap();
    assert_eq!(desk.connected(a, "a"), Err(Stale::Ended));
    assert_eq!(
        (desk.call("s"), desk.counts()),
        (Err("HANDOFF_UPSTREAM_UNAVAILABLE"), (0, 0))
    );
    assert_eq!(desk.events(), ["abandoned HANDOFF_SUPERSEDED", "retired a"]);
}

#[test]
fn b1_nor_when_its_failure_comes_late() {
    let mut desk = Desk::new();
    let (a, b) = (
        desk.activate("s", "finance").unwrap(),
        desk.activate("s", "support").unwrap(),
    );
    desk.connected(b, "b").unwrap();
    assert_eq!(desk.failed(a), Err(Stale::Superseded));
    assert_eq!(desk.call("s"), Ok("b"));
}

#[test]
fn b2_dispose_during_connect_is_final() {
    let mut desk = Desk::new();
    let ticket = desk.activate("s", "finance").unwrap();
    desk.sessions.dispose(desk.now);
    assert_eq!(desk.connected(ticket, "f"), Err(Stale::Closed));
    assert_eq!(
        (desk.call("s"), desk.counts()),
        (Err("GATEWAY_CLOSED"), (0, 0))
    );
    assert_eq!(desk.events(), ["abandoned GATEWAY_CLOSED", "retired f"]);
}

#[test]
fn b2_nothing_begins_after_dispose() {
    let mut desk = Desk::new();
    desk.sessions.dispose(desk.now);
    assert_eq!(
        desk.activate("s", "finance").unwrap_err().code().as_str(),
        "GATEWAY_CLOSED"
    );
    assert_eq!(desk.counts(), (0, 0));
}

#[test]
fn b2_nor_does_a_returned_or_disconnected_connect_come_back() {
    let closers: [fn(&mut Desk); 2] = [
        |desk| drop(desk.hand_back("s")),
        |desk| desk.disconnect("s"),
    ];
    for close in closers {
        let mut desk = Desk::new();
        let ticket = desk.activate("s", "finance").unwrap();
        close(&mut desk);
        assert_eq!(desk.connected(ticket, "f"), Err(Stale::Ended));
        assert_eq!(
            (desk.call("s"), desk.counts()),
            (Err("HANDOFF_EXPIRED"), (0, 0))
        );
        assert_eq!(desk.events(), ["abandoned HANDOFF_EXPIRED", "retired f"]);
    }
}

#[test]
fn b3_an_idle_session_is_gone_and_its_slot_free() {
    let mut desk = Desk::with_cap(1);
    desk.open("s", "finance", "f");
    desk.events();
    desk.wait(299 * SECOND);
    assert_eq!(desk.counts(), (1, 0));
    desk.wait(SECOND);
    assert_eq!(desk.counts(), (0, 0));
    assert!(!desk.sessions.has_active_handoff(&key("s")));
    assert_eq!(desk.events(), ["changed", "retired f"]);
    assert_eq!(desk.call("s"), Err("HANDOFF_EXPIRED"));
    desk.open("other", "finance", "g");
}

#[test]
fn b3_even_when_the_timer_comes_late() {
    let mut desk = Desk::with_cap(1);
    desk.open("s", "finance", "f");
    desk.now += 301 * SECOND;
    assert_eq!(desk.call("s"), Err("HANDOFF_EXPIRED"));
    desk.open("other", "finance", "g");
}

#[test]
fn b3_a_call_in_flight_is_no_idleness() {
    let mut desk = Desk::new();
    desk.open("s", "finance", "f");
    let (one, two) = (desk.begin("s").unwrap(), desk.begin("s").unwrap());
    desk.wait(1000 * SECOND);
    desk.end(one).unwrap();
    desk.wait(1000 * SECOND);
    desk.end(two).unwrap();
    desk.wait(299 * SECOND);
    assert_eq!(desk.call("s"), Ok("f"));
    desk.wait(300 * SECOND);
    assert_eq!(desk.call("s"), Err("HANDOFF_EXPIRED"));
}

#[test]
fn b4_a_client_that_goes_away_leaves_nothing() {
    let mut desk = Desk::with_cap(1);
    desk.open("s", "finance", "f");
    desk.disconnect("s");
    assert_eq!(desk.counts(), (0, 0));
    assert_eq!(desk.events(), ["changed", "changed", "retired f"]);
    desk.open("other", "finance", "g");
    // Somebody else going away, or the same one again, is nothing to the others.
    desk.disconnect("s");
    desk.disconnect("nobody");
    assert_eq!(desk.call("other"), Ok("g"));
}

#[test]
fn b15_a_failed_switch_keeps_the_tunnel() {
    let mut desk = Desk::new();
    desk.open("s", "finance", "f");
    let ticket = desk.activate("s", "support").unwrap();
    assert_eq!(desk.call("s"), Ok("f"));
    desk.failed(ticket).unwrap();
    assert_eq!((desk.call("s"), desk.counts()), (Ok("f"), (1, 0)));
    assert_eq!(desk.events(), ["changed"]);
}

#[test]
fn b15_so_does_one_that_took_too_long() {
    let mut desk = Desk::new();
    desk.open("s", "finance", "f");
    let ticket = desk.activate("s", "support").unwrap();
    desk.wait(5 * SECOND);
    assert_eq!(desk.connected(ticket, "late"), Err(Stale::TimedOut));
    assert_eq!((desk.call("s"), desk.counts()), (Ok("f"), (1, 0)));
    assert_eq!(
        desk.events(),
        [
            "changed",
            "abandoned UPSTREAM_CONNECT_TIMEOUT",
            "retired late"
        ]
    );
}

#[test]
fn b15_so_does_one_that_was_refused() {
    let mut desk = Desk::with_cap(1);
    desk.open("s", "finance", "f");
    assert!(desk.activate("other", "support").is_err());
    assert_eq!(desk.call("s"), Ok("f"));
}

#[test]
fn a_connect_at_its_deadline_is_late() {
    let just = Duration::from_nanos(1);
    for (after, expected) in [
        (5 * SECOND - just, Ok(())),
        (5 * SECOND, Err(Stale::TimedOut)),
        (9 * SECOND, Err(Stale::TimedOut)),
    ] {
        let mut desk = Desk::new();
        let ticket = desk.activate("s", "finance").unwrap();
        desk.now += after;
        assert_eq!(desk.connected(ticket, "f"), expected, "{after:?}");
        assert_eq!(desk.counts(), (usize::from(expected.is_ok()), 0));
    }
}

#[test]
fn b19_a_return_acts_on_the_session_there_is_now() {
    let mut desk = Desk::new();
    desk.open("s", "finance", "f");
    assert_eq!(desk.hand_back("s").as_deref(), Ok("finance"));
    // The driver is still closing `f` when the session is handed over and returned again.
    desk.open("s", "support", "g");
    assert_eq!(desk.hand_back("s").as_deref(), Ok("support"));
    assert!(!desk.sessions.has_active_handoff(&key("s")));
    assert_eq!(
        desk.events(),
        [
            "changed",
            "changed",
            "retired f",
            "changed",
            "changed",
            "retired g"
        ]
    );
}

#[test]
fn an_answer_of_a_tunnel_that_is_gone_is_not_given() {
    fn check(way: fn(&mut Desk), expected: Stale) {
        let mut desk = Desk::new();
        desk.open("s", "finance", "f");
        let call = desk.begin("s").unwrap();
        assert_eq!((call.domain().as_str(), *call.tunnel()), ("finance", "f"));
        way(&mut desk);
        assert_eq!(desk.end(call), Err(expected));
    }
    check(|desk| desk.open("s", "support", "g"), Stale::Superseded);
    check(|desk| drop(desk.hand_back("s")), Stale::Ended);
    check(|desk| desk.disconnect("s"), Stale::Ended);
    check(|desk| desk.sessions.dispose(desk.now), Stale::Closed);
}

#[test]
fn the_end_of_an_old_call_does_not_count_for_the_new_tunnel() {
    let mut desk = Desk::new();
    desk.open("s", "finance", "f");
    let old = desk.begin("s").unwrap();
    desk.open("s", "support", "g");
    let new = desk.begin("s").unwrap();
    desk.end(old).unwrap_err();
    desk.wait(1000 * SECOND);
    desk.end(new).unwrap();
    assert_eq!(desk.call("s"), Ok("g"));
}
