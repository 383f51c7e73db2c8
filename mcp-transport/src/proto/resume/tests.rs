//! The rows of client.md 4.3 about taking up a stream again.

use super::*;

const SHORT: Duration = Duration::from_secs(1);
/// The most jitter that [`portion`] can give.
const ALL: u64 = 1_000;

fn event(id: &str) -> Event {
    Event {
        id: Some(id.into()),
        ..Event::default()
    }
}

fn message() -> Event {
    Event {
        data: Some("{}".into()),
        ..Event::default()
    }
}

fn retry(millis: u64) -> Event {
    Event {
        retry: Some(Duration::from_millis(millis)),
        ..Event::default()
    }
}

#[test]
fn priming_event_sets_the_last_id_and_an_empty_id_resets_it() {
    let mut resume = Resume::new();
    assert_eq!(resume.last_id(), None);
    resume.saw(&event("a"));
    assert_eq!(resume.last_id(), Some("a"));
    resume.saw(&message());
    assert_eq!(resume.last_id(), Some("a"));
    resume.saw(&event(""));
    assert_eq!(resume.last_id(), None);
}

#[test]
fn c15_the_backoff_doubles_with_full_jitter_for_five_tries() {
    let waits = |random| {
        let mut resume = Resume::new();
        let waits: Vec<_> = core::iter::from_fn(|| resume.again(SHORT, random)).collect();
        waits.iter().map(Duration::as_millis).collect::<Vec<_>>()
    };
    assert_eq!(waits(ALL), [500, 1_000, 2_000, 4_000, 8_000]);
    assert_eq!(waits(ALL / 2), [250, 500, 1_000, 2_000, 4_000]);
    assert_eq!(waits(0), [100; 5]);
}

#[test]
fn c15_retry_field_is_clamped_and_jittered_upwards_only() {
    let check = |millis, random, expected| {
        let mut resume = Resume::new();
        resume.saw(&retry(millis));
        resume.saw(&event("a"));
        let wait = resume.again(SHORT, random).unwrap();
        assert_eq!(wait, Duration::from_millis(expected), "retry: {millis}");
    };
    check(0, 0, 100);
    check(99, 0, 100);
    check(500, 0, 500);
    check(500, ALL, 550);
    check(5_000, ALL, 5_100);
    check(60_000, 0, 60_000);
    check(u64::MAX, ALL, 60_100);
}

#[test]
fn a_server_that_fails_after_its_retry_is_asked_ever_later() {
    let mut resume = Resume::new();
    resume.saw(&retry(1_000));
    let waits: Vec<_> = core::iter::from_fn(|| resume.again(SHORT, ALL)).collect();
    let waits: Vec<_> = waits.iter().map(Duration::as_millis).collect();
    assert_eq!(waits, [1_100, 2_000, 3_000, 5_000, 9_000]);
}

/// How many connections there are beyond the first when each shows `events`, at most 50.
fn connections(lived: Duration, events: impl Fn(usize) -> Vec<Event>) -> usize {
    let mut resume = Resume::new();
    let mut count = 0;
    loop {
        for event in events(count) {
            resume.saw(&event);
        }
        if count == 50 || resume.again(lived, 0).is_none() {
            return count;
        }
        count += 1;
    }
}

#[test]
fn c15_same_last_event_id_again_and_again_stops_after_five() {
    let same = |_| vec![event("a")];
    assert_eq!(connections(SHORT, same), 5);
    let circle = |_| vec![event("a"), event("b"), event("c")];
    assert_eq!(connections(SHORT, circle), 5);
    let same_message = |_| {
        vec![Event {
            id: Some("a".into()),
            ..message()
        }]
    };
    assert_eq!(connections(SHORT, same_message), 5);
    assert_eq!(connections(SHORT, |_| vec![]), 5);
    assert_eq!(connections(SHORT, |_| vec![retry(100)]), 5);
}

#[test]
fn progress_goes_on() {
    let new = |count: usize| vec![event(&count.to_string())];
    assert_eq!(connections(SHORT, new), 50);
    assert_eq!(connections(SHORT, |_| vec![message()]), 50);
    assert_eq!(connections(Duration::from_secs(30), |_| vec![]), 50);
}
