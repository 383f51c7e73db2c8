//! The table by hand, and against any sequence of calls.

use std::time::{Duration, Instant};

use mcp_types::RequestId;
use proptest::prelude::*;

use super::{Closed, Full, NotBegun, SessionId, SessionLimits, Sessions};

fn start() -> Instant {
    #[expect(
        clippy::disallowed_methods,
        reason = "an instant has no other beginning"
    )]
    Instant::now()
}

fn id(number: u8) -> SessionId {
    SessionId::from_entropy([number; 16])
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn table(limits: SessionLimits) -> Sessions<&'static str, u32> {
    Sessions::new(limits)
}

#[test]
fn an_id_is_32_visible_characters_and_shows_nothing_of_itself() {
    for entropy in [[0; 16], [0xff; 16], *b"0123456789abcdef"] {
        let id = SessionId::from_entropy(entropy);
        assert_eq!(id.as_str().len(), 32);
        assert!(id.as_str().bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_eq!(id, SessionId::sent(id.as_str()));
        assert!(!format!("{id:?}").contains(id.as_str()));
    }
    assert_ne!(id(1), id(2));
}

#[test]
fn a_session_is_there_for_its_principal_alone() {
    let (mut table, now) = (table(SessionLimits::default()), start());
    table.open(id(1), "hers", Some("ada"), now).unwrap();
    table.open(id(2), "nobody's", None, now).unwrap();
    assert_eq!(table.find(&id(1), Some("ada"), now), Some(&"hers"));
    assert_eq!(table.find(&id(1), Some("bob"), now), None);
    assert_eq!(table.find(&id(1), None, now), None);
    assert_eq!(table.find(&id(2), Some("ada"), now), None);
    assert_eq!(table.find(&id(2), None, now), Some(&"nobody's"));
}

#[test]
fn caps_hold_and_a_closed_session_makes_room() {
    let limits = SessionLimits::default().with_total(3).with_per_principal(2);
    let (mut table, now) = (table(limits), start());
    table.open(id(1), "", Some("ada"), now).unwrap();
    table.open(id(2), "", Some("ada"), now).unwrap();
    let what = "sessions of this principal";
    assert_eq!(
        table.open(id(3), "", Some("ada"), now),
        Err(Full { what, limit: 2 })
    );
    table.open(id(3), "", Some("bob"), now).unwrap();
    assert_eq!(
        table.open(id(4), "", None, now),
        Err(Full {
            what: "sessions",
            limit: 3
        })
    );
    assert!(table.close(&id(1)).is_some() && table.close(&id(1)).is_none());
    table.open(id(4), "", Some("ada"), now).unwrap();
}

#[test]
fn no_idle_time_is_too_long() {
    let limits = SessionLimits::default()
        .with_idle(Duration::MAX)
        .with_age(Duration::MAX);
    let (mut table, now) = (table(limits), start());
    table.open(id(1), "", None, now).unwrap();
    assert_eq!(table.poll_timeout(now), None);
    assert_eq!(table.expire(now + seconds(1 << 30)), []);
    assert_eq!(table.find(&id(1), None, now + seconds(1 << 30)), Some(&""));
}

#[test]
fn an_idle_session_expires_and_a_busy_one_does_not() {
    let (mut table, now) = (table(SessionLimits::default()), start());
    assert_eq!(table.poll_timeout(now), None);
    for number in 1..=3 {
        table
            .open(
                id(number),
                ["idle", "runs", "listens"][usize::from(number) - 1],
                None,
                now,
            )
            .unwrap();
    }
    table.begin(&id(2), RequestId::from(1), 20).unwrap();
    table.listen(&id(3), 30).unwrap();
    assert_eq!(table.poll_timeout(now), Some(now + seconds(300)));
    assert!(table.expire(now + seconds(299)).is_empty());
    let late = now + seconds(300);
    assert_eq!(
        table.find(&id(1), None, late),
        None,
        "due, though nobody has swept"
    );
    let expired = table.expire(late);
    assert_eq!(
        expired,
        [Closed {
            session: "idle",
            at_work: vec![]
        }]
    );
    // What was busy is idle from when it ends.
    table.end(&id(2), &RequestId::from(1), late);
    assert!(table.expire(late + seconds(299)).is_empty());
    assert_eq!(table.expire(late + seconds(300)).len(), 1);
    assert_eq!(
        table.close(&id(3)),
        Some(Closed {
            session: "listens",
            at_work: vec![30]
        })
    );
    assert_eq!(table.poll_timeout(late), None);
}

#[test]
fn c9_a_session_ends_after_24_hours_whatever_happens_in_it() {
    let (mut table, mut now) = (table(SessionLimits::default()), start());
    let end = now + seconds(24 * 3600);
    table.open(id(1), "busy", None, now).unwrap();
    table.open(id(2), "used", None, now).unwrap();
    table.listen(&id(1), 10).unwrap();
    while now + seconds(299) < end {
        now += seconds(299);
        assert_eq!(table.find(&id(2), None, now), Some(&"used"));
        assert_eq!(table.expire(now), []);
    }
    assert_eq!(table.poll_timeout(now), Some(end));
    assert_eq!(table.find(&id(1), None, end - seconds(1)), Some(&"busy"));
    assert_eq!(table.find(&id(1), None, end), None);
    let mut ended = table.expire(end);
    ended.sort_by_key(|closed| closed.session);
    let of = |session, at_work| Closed { session, at_work };
    assert_eq!(ended, [of("busy", vec![10]), of("used", vec![])]);
}

#[test]
fn requests_are_told_apart_by_session_and_id() {
    let limits = SessionLimits::default().with_in_flight(2);
    let (mut table, now) = (table(limits), start());
    table.open(id(1), "", None, now).unwrap();
    let (number, string) = (RequestId::from(1), RequestId::from("1"));
    assert_eq!(
        table.begin(&id(9), number.clone(), 0),
        Err(NotBegun::Unknown)
    );
    table.begin(&id(1), number.clone(), 1).unwrap();
    assert_eq!(
        table.begin(&id(1), number.clone(), 0),
        Err(NotBegun::Duplicate)
    );
    table.begin(&id(1), string.clone(), 2).unwrap();
    let full = Full {
        what: "requests of this session",
        limit: 2,
    };
    assert_eq!(
        table.begin(&id(1), RequestId::from(3), 0),
        Err(NotBegun::Full(full))
    );
    assert_eq!(table.running(&id(1), &number), Some(&1));
    assert_eq!(table.running(&id(1), &string), Some(&2));
    table.end(&id(1), &number, now);
    assert_eq!(table.running(&id(1), &number), None);
    table.begin(&id(1), number, 4).unwrap();
}

#[test]
fn a_new_stream_takes_over_and_the_old_one_does_not_end_it() {
    let (mut table, now) = (table(SessionLimits::default()), start());
    table.open(id(1), "", None, now).unwrap();
    let (first, before) = table.listen(&id(1), 1).unwrap();
    assert_eq!(before, None);
    let (second, before) = table.listen(&id(1), 2).unwrap();
    assert_eq!(before, Some(1));
    table.unlisten(&id(1), first, now);
    assert_eq!(table.listening().collect::<Vec<_>>(), [&2]);
    table.unlisten(&id(1), second, now);
    assert_eq!(table.listening().count(), 0);
    assert_eq!(table.listen(&id(9), 3), None);
}

proptest! {
    /// Whatever happens, the caps hold, and every session and every handle that went in comes out once.
    #[test]
    fn nothing_is_lost_and_no_cap_is_passed(steps in prop::collection::vec((0u8..6, 0u8..6, 0u64..200), 0..200)) {
        let limits = SessionLimits::default().with_total(4).with_per_principal(2).with_in_flight(2);
        let mut table: Sessions<u8, u32> = Sessions::new(limits);
        let (mut now, mut handles, mut opened, mut out) = (start(), 0u32, 0usize, Vec::new());
        let mut ended = 0usize;
        for (step, number, wait) in steps {
            now += seconds(wait);
            let principal = ["ada", "bob"].get(usize::from(number % 3)).copied();
            let request = RequestId::from(i64::from(number % 3));
            match step {
                0 if table.entries.contains_key(&id(number)) => {}
                0 => opened += usize::from(table.open(id(number), number, principal, now).is_ok()),
                1 => handles += u32::from(table.begin(&id(number), request, 7).is_ok()),
                2 => {
                    ended += usize::from(table.running(&id(number), &request).is_some());
                    table.end(&id(number), &request, now);
                }
                3 => if let Some((_, before)) = table.listen(&id(number), 7) {
                    handles += 1;
                    ended += usize::from(before.is_some());
                },
                4 => out.extend(table.close(&id(number))),
                _ => out.extend(table.expire(now)),
            }
            prop_assert!(table.entries.len() <= 4);
            prop_assert!(table.principals.values().all(|count| (1..=2).contains(count)));
        }
        out.extend(table.close_all());
        prop_assert_eq!(out.len(), opened);
        let at_work: usize = out.iter().map(|closed| closed.at_work.len()).sum();
        prop_assert_eq!(at_work + ended, handles as usize);
        prop_assert!(table.principals.is_empty() && table.poll_timeout(now).is_none());
    }
}
