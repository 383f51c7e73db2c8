//! Every state against every input: what the machine does, row by row.

use super::*;

#[derive(Clone, Copy, Debug)]
enum State {
    Absent,
    Connecting,
    Active,
    Switching,
    Disposed,
}

#[derive(Clone, Copy, Debug)]
enum Input {
    Activate,
    Connected,
    LateConnected,
    Failed,
    ConnectDeadline,
    IdleDeadline,
    HandBack,
    Disconnect,
    Dispose,
}

/// What is seen afterwards.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    has_active_handoff: bool,
    is_connecting: bool,
    call: Result<&'static str, &'static str>,
    events: Vec<String>,
}

/// A desk in `state`, with the attempt it waits for, one that was superseded, and nothing left to tell.
/// The attempt, if any, has 5 seconds; the tunnel, if any, goes idle 2 seconds before that.
fn desk(state: State) -> (Desk, Option<Ticket>, Option<Ticket>) {
    let mut desk = Desk::new();
    if matches!(state, State::Active | State::Switching) {
        desk.open("s", "finance", "old");
        desk.wait(298 * SECOND);
    }
    let (mut ticket, mut late) = (None, None);
    if matches!(state, State::Connecting | State::Switching) {
        late = desk.activate("s", "legal").ok();
        ticket = desk.activate("s", "support").ok();
    }
    if matches!(state, State::Disposed) {
        late = desk.activate("s", "legal").ok();
        desk.sessions.dispose(desk.now);
    }
    desk.events();
    (desk, ticket, late)
}

fn check(
    state: State,
    input: Input,
    has: bool,
    connecting: bool,
    call: Result<&'static str, &'static str>,
    events: &[&str],
) {
    let (mut desk, ticket, late) = desk(state);
    match (input, ticket, late) {
        (Input::Activate, ..) => drop(desk.activate("s", "support")),
        (Input::Connected, Some(ticket), _) => desk.connected(ticket, "new").unwrap(),
        (Input::LateConnected, _, Some(late)) => drop(desk.connected(late, "late").unwrap_err()),
        (Input::Failed, Some(ticket), _) => desk.failed(ticket).unwrap(),
        (Input::ConnectDeadline, Some(ticket), _) => {
            // A call in flight keeps the tunnel from going idle before the attempt is over.
            let call = desk.begin("s").ok();
            desk.wait(ticket.deadline() - desk.now);
            call.map_or(Ok(()), |call| desk.end(call)).unwrap();
        }
        (Input::IdleDeadline, ..) => desk.wait(2 * SECOND),
        (Input::HandBack, ..) => drop(desk.hand_back("s")),
        (Input::Disconnect, ..) => desk.disconnect("s"),
        (Input::Dispose, ..) => desk.sessions.dispose(desk.now),
        (Input::Connected | Input::LateConnected | Input::Failed | Input::ConnectDeadline, ..) => {
            panic!("{state:?} has no attempt for {input:?}")
        }
    }
    let events_seen = desk.events();
    let seen = Seen {
        has_active_handoff: desk.sessions.has_active_handoff(&key("s")),
        is_connecting: desk.sessions.is_connecting(&key("s")),
        call: desk.call("s"),
        events: events_seen,
    };
    let events = events.iter().map(ToString::to_string).collect();
    assert_eq!(
        seen,
        Seen {
            has_active_handoff: has,
            is_connecting: connecting,
            call,
            events
        },
        "{state:?} {input:?}"
    );
}

const UNKNOWN: Result<&str, &str> = Err("HANDOFF_UNKNOWN");
const PENDING: Result<&str, &str> = Err("HANDOFF_CONNECTING");
const EXPIRED: Result<&str, &str> = Err("HANDOFF_EXPIRED");
const CLOSED: Result<&str, &str> = Err("GATEWAY_CLOSED");

#[test]
fn absent() {
    use Input::*;
    let check = |input, has, connecting, call, events: &[&str]| {
        check(State::Absent, input, has, connecting, call, events)
    };
    check(Activate, true, true, PENDING, &[]);
    check(IdleDeadline, false, false, UNKNOWN, &[]);
    check(HandBack, false, false, UNKNOWN, &[]);
    check(Disconnect, false, false, UNKNOWN, &[]);
    check(Dispose, false, false, UNKNOWN, &[]);
}

#[test]
fn connecting() {
    use Input::*;
    let check = |input, has, connecting, call, events: &[&str]| {
        check(State::Connecting, input, has, connecting, call, events)
    };
    check(
        Activate,
        true,
        true,
        PENDING,
        &["abandoned HANDOFF_SUPERSEDED"],
    );
    check(Connected, true, false, Ok("new"), &["changed"]);
    check(LateConnected, true, true, PENDING, &["retired late"]);
    check(
        Failed,
        false,
        false,
        Err("HANDOFF_UPSTREAM_UNAVAILABLE"),
        &[],
    );
    check(
        ConnectDeadline,
        false,
        false,
        Err("UPSTREAM_CONNECT_TIMEOUT"),
        &["abandoned UPSTREAM_CONNECT_TIMEOUT"],
    );
    check(IdleDeadline, true, true, PENDING, &[]);
    check(
        HandBack,
        false,
        false,
        EXPIRED,
        &["abandoned HANDOFF_EXPIRED"],
    );
    check(
        Disconnect,
        false,
        false,
        EXPIRED,
        &["abandoned HANDOFF_EXPIRED"],
    );
    check(Dispose, false, false, CLOSED, &["abandoned GATEWAY_CLOSED"]);
}

#[test]
fn active() {
    use Input::*;
    let check = |input, has, connecting, call, events: &[&str]| {
        check(State::Active, input, has, connecting, call, events)
    };
    check(Activate, true, true, Ok("old"), &[]);
    check(
        IdleDeadline,
        false,
        false,
        EXPIRED,
        &["changed", "retired old"],
    );
    check(HandBack, false, false, EXPIRED, &["changed", "retired old"]);
    check(
        Disconnect,
        false,
        false,
        EXPIRED,
        &["changed", "retired old"],
    );
    check(Dispose, false, false, CLOSED, &["changed", "retired old"]);
}

#[test]
fn switching() {
    use Input::*;
    let check = |input, has, connecting, call, events: &[&str]| {
        check(State::Switching, input, has, connecting, call, events)
    };
    check(
        Activate,
        true,
        true,
        Ok("old"),
        &["abandoned HANDOFF_SUPERSEDED"],
    );
    check(
        Connected,
        true,
        false,
        Ok("new"),
        &["retired old", "changed"],
    );
    check(LateConnected, true, true, Ok("old"), &["retired late"]);
    check(Failed, true, false, Ok("old"), &[]);
    check(
        ConnectDeadline,
        true,
        false,
        Ok("old"),
        &["abandoned UPSTREAM_CONNECT_TIMEOUT"],
    );
    check(
        IdleDeadline,
        true,
        true,
        PENDING,
        &["changed", "retired old"],
    );
    check(
        HandBack,
        false,
        false,
        EXPIRED,
        &["changed", "retired old", "abandoned HANDOFF_EXPIRED"],
    );
    check(
        Disconnect,
        false,
        false,
        EXPIRED,
        &["changed", "retired old", "abandoned HANDOFF_EXPIRED"],
    );
    check(
        Dispose,
        false,
        false,
        CLOSED,
        &["changed", "retired old", "abandoned GATEWAY_CLOSED"],
    );
}

#[test]
fn disposed() {
    use Input::*;
    let check =
        |input, events: &[&str]| check(State::Disposed, input, false, false, CLOSED, events);
    check(Activate, &[]);
    check(LateConnected, &["retired late"]);
    check(IdleDeadline, &[]);
    check(HandBack, &[]);
    check(Disconnect, &[]);
    check(Dispose, &[]);
}
