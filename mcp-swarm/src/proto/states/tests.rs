//! Once, in time, and within bounds.

use mcp_transport::Clock;
use mcp_transport::clock::ManualClock;
use proptest::prelude::*;

use super::*;

fn start() -> Instant {
    ManualClock::new().now()
}

const TTL: Duration = Duration::from_secs(120);
const MS: Duration = Duration::from_millis(1);

fn table(entries: usize, bytes: usize) -> StateTable {
    StateTable::new(StateLimits {
        entries,
        bytes,
        state: 8,
    })
}

#[test]
fn the_default_limits_are_the_designs() {
    let limits = StateLimits::default();
    assert_eq!(
        (limits.entries, limits.bytes, limits.state),
        (100_000, 67_108_864, 65_536)
    );
}

#[test]
fn a_state_is_taken_once() {
    let (now, mut table) = (start(), table(9, 99));
    table.put("a", Bytes::from_static(b"{}"), TTL, now).unwrap();
    assert_eq!(table.take("b", now), None);
    assert_eq!(table.take("a", now), Some(Bytes::from_static(b"{}")));
    assert_eq!(table.take("a", now), None);
    assert!(table.is_empty());
}

#[test]
fn a_state_lives_to_the_last_moment_of_its_life() {
    for (after, lives) in [(TTL - MS, true), (TTL, true), (TTL + MS, false)] {
        let (now, mut table) = (start(), table(9, 99));
        table.put("a", Bytes::from_static(b"{}"), TTL, now).unwrap();
        assert_eq!(table.take("a", now + after).is_some(), lives, "{after:?}");
        assert!(table.is_empty());
    }
}

#[test]
fn a_second_put_replaces_the_first() {
    let (now, mut table) = (start(), table(1, 8));
    table
        .put("a", Bytes::from_static(b"12345678"), TTL, now)
        .unwrap();
    table
        .put("a", Bytes::from_static(b"87654321"), TTL, now)
        .unwrap();
    assert_eq!(table.take("a", now), Some(Bytes::from_static(b"87654321")));
}

#[test]
fn the_table_is_bounded_and_the_forgotten_make_room() {
    let (now, mut table) = (start(), table(2, 10));
    let put = |table: &mut StateTable, id: &str, state: &'static [u8], now| {
        table.put(id, Bytes::from_static(state), TTL, now)
    };
    assert_eq!(
        put(&mut table, "a", b"123456789", now),
        Err(PutError::TooLarge { bytes: 9, limit: 8 })
    );
    assert_eq!(put(&mut table, "a", b"12345678", now), Ok(()));
    assert_eq!(put(&mut table, "b", b"123", now), Err(PutError::Full));
    assert_eq!(put(&mut table, "b", b"12", now), Ok(()));
    assert_eq!(put(&mut table, "c", b"", now), Err(PutError::Full));
    assert_eq!(put(&mut table, "c", b"", now + TTL), Err(PutError::Full));
    assert_eq!(put(&mut table, "c", b"12345678", now + TTL + MS), Ok(()));
    assert_eq!(table.len(), 1);
}

#[test]
fn debug_shows_no_state_and_no_name() {
    let (now, mut table) = (start(), table(9, 99));
    table
        .put("name", Bytes::from_static(b"secret"), TTL, now)
        .unwrap();
    let shown = format!("{table:?}");
    assert!(
        !shown.contains("secret") && !shown.contains("name"),
        "{shown}"
    );
}

proptest! {
    /// Any order of puts and takes keeps the three views of the table in step.
    #[test]
    fn the_books_balance(steps in proptest::collection::vec((0..5_u8, 0..9_usize, 0..200_u64, any::<bool>()), 0..60)) {
        let (mut now, mut table) = (start(), table(3, 20));
        for (id, len, secs, put) in steps {
            now += Duration::from_secs(secs);
            if put {
                let _ = table.put(&id.to_string(), Bytes::from(vec![b'x'; len]), TTL, now);
            } else {
                let _ = table.take(&id.to_string(), now);
            }
            prop_assert_eq!(table.states.len(), table.by_expiry.len());
            prop_assert_eq!(table.bytes, table.states.values().map(|parked| parked.state.len()).sum::<usize>());
            prop_assert!(table.states.len() <= 3 && table.bytes <= 20);
        }
    }
}
