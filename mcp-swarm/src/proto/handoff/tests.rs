//! The session machine: its table of states, the known lifecycle bugs, and what holds whatever happens.

mod known_bug;
mod law;
mod row;

use mcp_transport::Clock;
use mcp_transport::clock::ManualClock;

use super::*;
use crate::codes::SwarmCode;

fn start() -> Instant {
    ManualClock::new().now()
}

const SECOND: Duration = Duration::from_secs(1);

/// A gateway whose time is moved by hand. Tunnels are names.
struct Desk {
    sessions: Sessions<&'static str>,
    now: Instant,
}

impl Desk {
    fn new() -> Self {
        Self::with(Limits::default())
    }

    fn with_cap(sessions: usize) -> Self {
        Self::with(Limits {
            sessions,
            ..Limits::default()
        })
    }

    fn with(limits: Limits) -> Self {
        Self {
            sessions: Sessions::new(limits),
            now: start(),
        }
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        self.sessions.handle_timeout(self.now);
    }

    fn activate(&mut self, session: &str, domain: &str) -> Result<Ticket, Refused> {
        let domain = DomainName::new(domain).unwrap();
        self.sessions
            .activate(key(session), Principal::anonymous(), domain, self.now)
    }

    fn connected(&mut self, ticket: Ticket, tunnel: &'static str) -> Result<(), Stale> {
        self.sessions.connected(ticket, tunnel, self.now)
    }

    fn open(&mut self, session: &str, domain: &str, tunnel: &'static str) {
        let ticket = self.activate(session, domain).unwrap();
        self.connected(ticket, tunnel).unwrap();
    }

    fn failed(&mut self, ticket: Ticket) -> Result<(), Stale> {
        self.sessions.failed(ticket, failure(), self.now)
    }

    fn begin(&mut self, session: &str) -> Result<Call<&'static str>, Unroutable> {
        self.sessions
            .begin_call(&key(session), &Principal::anonymous(), self.now)
    }

    fn end(&mut self, call: Call<&'static str>) -> Result<(), Stale> {
        self.sessions.end_call(call, self.now)
    }

    /// The tunnel a call would go through, or the code its caller would be told.
    fn call(&mut self, session: &str) -> Result<&'static str, &'static str> {
        let call = self.begin(session).map_err(|error| error.code().as_str())?;
        let tunnel = *call.tunnel();
        self.end(call).unwrap();
        Ok(tunnel)
    }

    fn hand_back(&mut self, session: &str) -> Result<String, &'static str> {
        let domain = self
            .sessions
            .hand_back(&key(session), &Principal::anonymous(), self.now);
        domain
            .map(|domain| domain.to_string())
            .map_err(|error| error.code().as_str())
    }

    fn disconnect(&mut self, session: &str) {
        self.sessions.disconnected(&key(session), self.now);
    }

    /// What the driver was told since last asked: `changed`, `abandoned CODE`, `retired TUNNEL`.
    fn events(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.sessions.poll_event())
            .map(|event| match event {
                Event::Changed { .. } => "changed".to_owned(),
                Event::Abandoned { why, .. } => format!("abandoned {}", why.code().as_str()),
                Event::Retired { tunnel } => format!("retired {tunnel}"),
            })
            .collect()
    }

    fn counts(&self) -> (usize, usize) {
        (
            self.sessions.session_count(),
            self.sessions.connecting_count(),
        )
    }
}

/// Sessions are told apart by their first letter.
fn key(session: &str) -> SessionKey {
    SessionKey::legacy(session.as_bytes()[0].into())
}

fn failure() -> Failure {
    Failure::new(
        SwarmCode::UpstreamUnavailable,
        "The specialist refused the connection.",
    )
}

#[test]
fn the_default_limits_are_the_designs() {
    let limits = Limits::default();
    assert_eq!(
        (limits.connect, limits.idle, limits.sessions),
        (5 * SECOND, 300 * SECOND, 100)
    );
}

#[test]
fn the_next_call_is_told_why() {
    let mut desk = Desk::new();
    let ticket = desk.activate("s", "finance").unwrap();
    desk.failed(ticket).unwrap();
    assert_eq!(
        desk.begin("s").unwrap_err().to_string(),
        "the handoff to `finance` failed: The specialist refused the connection."
    );
    desk.wait(60 * SECOND);
    assert_eq!(desk.call("s"), Err("HANDOFF_UPSTREAM_UNAVAILABLE"));
    desk.wait(SECOND);
    assert_eq!(desk.call("s"), Err("HANDOFF_UNKNOWN"));
}

#[test]
fn a_success_wipes_the_memory_of_a_failure() {
    let mut desk = Desk::new();
    let ticket = desk.activate("s", "finance").unwrap();
    desk.failed(ticket).unwrap();
    desk.open("s", "finance", "f");
    desk.hand_back("s").unwrap();
    assert_eq!(desk.call("s"), Err("HANDOFF_EXPIRED"));
}

#[test]
fn no_more_endings_are_remembered_than_allowed() {
    let mut desk = Desk::with(Limits {
        endings: 2,
        ..Limits::default()
    });
    for session in ["a", "b", "c"] {
        desk.open(session, "finance", "f");
        desk.hand_back(session).unwrap();
    }
    assert_eq!(
        ["a", "b", "c"].map(|session| desk.call(session)),
        [
            Err("HANDOFF_UNKNOWN"),
            Err("HANDOFF_EXPIRED"),
            Err("HANDOFF_EXPIRED")
        ]
    );
}

#[test]
fn returning_twice_is_told_apart_from_never_having_left() {
    let mut desk = Desk::new();
    desk.open("s", "finance", "f");
    assert_eq!(desk.hand_back("s").as_deref(), Ok("finance"));
    let again = desk
        .sessions
        .hand_back(&key("s"), &Principal::anonymous(), desk.now);
    assert!(matches!(again, Err(Unroutable::Ended(ended)) if ended.ending == Ending::Returned));
    assert_eq!(desk.hand_back("other"), Err("HANDOFF_UNKNOWN"));
}

#[test]
fn another_principals_session_is_like_none() {
    let mut desk = Desk::new();
    let (alice, bob) = (Principal::named("alice"), Principal::named("bob"));
    let finance = DomainName::new("finance").unwrap();
    let ticket = desk
        .sessions
        .activate(key("s"), alice.clone(), finance.clone(), desk.now)
        .unwrap();
    desk.connected(ticket, "f").unwrap();
    for stranger in [&bob, &Principal::anonymous()] {
        let begun = desk.sessions.begin_call(&key("s"), stranger, desk.now);
        assert_eq!(begun.unwrap_err(), Unroutable::Unknown);
        let returned = desk.sessions.hand_back(&key("s"), stranger, desk.now);
        assert_eq!(returned, Err(Unroutable::Unknown));
        let activated =
            desk.sessions
                .activate(key("s"), stranger.clone(), finance.clone(), desk.now);
        assert_eq!(activated.unwrap_err(), Refused::Foreign);
    }
    assert!(
        desk.sessions
            .begin_call(&key("s"), &alice, desk.now)
            .is_ok()
    );
    // Nor is a stranger told how it ended.
    desk.sessions.disconnected(&key("s"), desk.now);
    assert_eq!(
        desk.sessions
            .begin_call(&key("s"), &bob, desk.now)
            .unwrap_err(),
        Unroutable::Unknown
    );
    assert_eq!(
        desk.sessions
            .begin_call(&key("s"), &alice, desk.now)
            .unwrap_err()
            .code()
            .as_str(),
        "HANDOFF_EXPIRED"
    );
}

#[test]
fn a_handle_is_no_legacy_session() {
    let handle = Handle::from_entropy([7; 16]);
    assert_eq!(SessionKey::from(handle.clone()).legacy_session(), None);
    assert_eq!(key("s").legacy_session(), Some(115));
    assert_eq!(handle.as_str(), "hnd_BwcHBwcHBwcHBwcHBwcHBw");
    assert_eq!(Handle::parse(handle.as_str()), Some(handle.clone()));
    for bad in [
        "",
        "hnd_",
        "W1",
        "BwcHBwcHBwcHBwcHBwcHBw",
        "hnd_BwcHBwcHBwcHBwcHBwcHB",
        "hnd_BwcHBwcHBwcHBwcHBwcHBx",
        "hnd_BwcHBwcHBwcHBwcHBwcHBw==",
        "hnd_BwcHBwcHBwcHBwcHBwcHBwcH",
    ] {
        assert_eq!(Handle::parse(bad), None, "{bad}");
    }
    let shown = format!(
        "{handle:?} {:?} {:?}",
        SessionKey::from(handle.clone()),
        key("s")
    );
    assert!(!shown.contains("Bwc"), "{shown}");
}

#[test]
fn the_cap_counts_connecting_sessions_and_spares_the_one_that_switches() {
    let mut desk = Desk::with_cap(2);
    desk.open("a", "finance", "a1");
    let ticket = desk.activate("b", "finance").unwrap();
    let refused = desk.activate("c", "finance").unwrap_err();
    assert_eq!(
        (refused.code().as_str(), desk.counts()),
        ("SESSION_LIMIT_EXCEEDED", (2, 1))
    );
    desk.open("a", "support", "a2");
    desk.failed(ticket).unwrap();
    assert_eq!(desk.counts(), (1, 0));
    desk.open("c", "finance", "c1");
    assert_eq!(desk.call("a"), Ok("a2"));
}

#[test]
fn the_nearest_deadline_is_told() {
    let mut desk = Desk::new();
    let begun = desk.now;
    assert_eq!(desk.sessions.poll_timeout(), None);
    desk.open("a", "finance", "a1");
    assert_eq!(desk.sessions.poll_timeout(), Some(begun + 300 * SECOND));
    let ticket = desk.activate("b", "finance").unwrap();
    assert_eq!(
        (ticket.deadline(), desk.sessions.poll_timeout()),
        (begun + 5 * SECOND, Some(begun + 5 * SECOND))
    );
    desk.wait(SECOND);
    desk.connected(ticket, "b1").unwrap();
    let call = desk.begin("a").unwrap();
    assert_eq!(desk.sessions.poll_timeout(), Some(begun + 301 * SECOND));
    desk.end(call).unwrap();
    desk.hand_back("b").unwrap();
    desk.hand_back("a").unwrap();
    assert_eq!(desk.sessions.poll_timeout(), None);
}

#[test]
fn limits_meant_as_never_hold() {
    let never = Limits {
        connect: Duration::MAX,
        idle: Duration::MAX,
        ending_memory: Duration::MAX,
        ..Limits::default()
    };
    let mut desk = Desk::with(never);
    desk.open("s", "finance", "f");
    desk.wait(86_400 * SECOND);
    assert_eq!(desk.call("s"), Ok("f"));
    desk.hand_back("s").unwrap();
    assert_eq!(desk.call("s"), Err("HANDOFF_EXPIRED"));
}

#[test]
fn debug_shows_counts_only() {
    let mut desk = Desk::new();
    desk.open("s", "finance", "f");
    assert_eq!(
        format!("{:?}", desk.sessions),
        "Sessions { sessions: 1, connecting: 0, closed: false, .. }"
    );
}
