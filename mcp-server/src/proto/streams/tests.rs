//! Scripts: what is written, stored, read and cut, and what a reader sees.

use bytes::Bytes;
use mcp_types::RequestId;

use super::{Cursor, EventId, Read, StreamLimits, Streams, UNASKED};

fn streams() -> Streams {
    Streams::new(StreamLimits {
        tail_events: 3,
        tail_bytes: 100,
        finished: 2,
    })
}

fn id(stream: u64, number: u64) -> EventId {
    EventId { stream, number }
}

fn request(number: i64) -> RequestId {
    RequestId::from(number)
}

/// What a reader does, in short: the number of an event it takes, `f`etch, `w`ait, `e`nd.
fn read(streams: &mut Streams, cursor: &mut Cursor) -> String {
    match streams.read(cursor) {
        Read::Event(id, _) => id.number.to_string(),
        Read::Fetch => "f".to_owned(),
        Read::Wait => "w".to_owned(),
        Read::End => "e".to_owned(),
    }
}

/// Steps on one stream: `p`ush, push the last (`P`), `s`tored so far, `r`ead, `a`ttach after 0, `A`ttach after 2,
/// `d`etach, `c`lose the reader.
fn check(script: &str, expected: &str) {
    let mut streams = streams();
    let stream = streams.open(request(1));
    let mut cursor = streams.attach(id(stream, 0)).unwrap();
    let (mut seen, mut last) = (String::new(), 0);
    for step in script.chars() {
        match step {
            'p' | 'P' => {
                last += 1;
                let event = Bytes::from_static(b"0123456789");
                assert_eq!(
                    streams.push(stream, &event, step == 'P'),
                    Some(id(stream, last))
                );
            }
            's' => streams.stored(id(stream, last)),
            'r' => seen.push_str(&read(&mut streams, &mut cursor)),
            'a' | 'A' => {
                let after = if step == 'a' { 0 } else { 2 };
                match streams.attach(id(stream, after)) {
                    Some(attached) => cursor = attached,
                    None => seen.push('x'),
                }
            }
            'd' => streams.detach(&cursor),
            'c' => streams.end_reader(stream),
            other => panic!("{other}"),
        }
    }
    assert_eq!(seen, expected, "{script}");
}

#[test]
fn an_id_is_read_only_as_it_was_written() {
    for (text, expected) in [
        ("0_0", Some(id(0, 0))),
        ("12_345", Some(id(12, 345))),
        ("18446744073709551615_1", Some(id(u64::MAX, 1))),
        ("18446744073709551616_1", None),
        ("", None),
        ("_", None),
        ("1", None),
        ("1_", None),
        ("01_2", None),
        ("+1_2", None),
        ("1_2_3", None),
        (" 1_2", None),
        ("1_-2", None),
        ("a_b", None),
    ] {
        assert_eq!(EventId::parse(text), expected, "{text:?}");
    }
}

#[test]
fn a_reader_takes_events_in_order_and_waits() {
    check("r", "w");
    check("prr", "1w");
    check("ppsrrprr", "123w");
    check("pPrrr", "12e");
}

#[test]
fn a_reader_that_fell_behind_asks_the_store() {
    // Three wait at most; the first of four is with the store, once that has been asked.
    check("ppppr", "w");
    check("ppppsr", "f");
    check("pppPsr", "f");
}

#[test]
fn who_comes_back_gets_what_came_meanwhile_from_the_store_and_then_lives_on() {
    check("prdpsppsar", "1f");
    // The third event is still on its way to the store.
    check("ppdpAr", "w");
    check("ppdpAsr", "f");
    check("ppdpsApr", "f");
}

#[test]
fn a_new_reader_takes_over() {
    let mut streams = streams();
    let stream = streams.open(request(1));
    let mut first = streams.attach(id(stream, 0)).unwrap();
    let mut second = streams.attach(id(stream, 0)).unwrap();
    assert_eq!(read(&mut streams, &mut first), "e");
    streams.detach(&first);
    streams.push(stream, &Bytes::from_static(b"x"), false);
    assert_eq!(read(&mut streams, &mut second), "1");
}

#[test]
fn a_reader_that_was_cut_ends_and_the_stream_goes_on() {
    check("pcr", "e");
    check("pcPsar", "f");
}

#[test]
fn there_is_no_place_behind_the_last_event_and_nothing_after_the_end() {
    check("A", "x");
    check("pA", "x");
    check("ppA", "");
    check("pPA", "x");
    check("ppPAA", "");
    let mut streams = streams();
    assert_eq!(streams.attach(id(7, 0)), None);
    assert!(streams.attach(id(UNASKED, 0)).is_some());
    assert_eq!(streams.attach(id(UNASKED, 1)), None);
}

#[test]
fn streams_do_not_share_events() {
    let mut streams = streams();
    let (one, two) = (streams.open(request(1)), streams.open(request(2)));
    let mut reader = streams.attach(id(two, 0)).unwrap();
    streams.push(one, &Bytes::from_static(b"x"), true);
    streams.push(UNASKED, &Bytes::from_static(b"x"), false);
    assert_eq!(read(&mut streams, &mut reader), "w");
    assert_eq!(streams.request(&reader), Some(request(2)));
}

#[test]
fn of_streams_that_are_over_the_oldest_are_forgotten() {
    let mut streams = streams();
    let event = Bytes::from_static(b"x");
    let opened: Vec<_> = (0..4)
        .map(|at| {
            let stream = streams.open(request(at));
            streams.push(stream, &event, at != 1);
            stream
        })
        .collect();
    let there = |streams: &mut Streams, at: usize| streams.attach(id(opened[at], 0)).is_some();
    // Two that are over stay, and one that is not.
    let last = streams.open(request(9));
    assert_eq!(
        [0, 1, 2, 3].map(|at| there(&mut streams, at)),
        [false, true, false, true]
    );
    streams.discard(last);
    assert_eq!(streams.attach(id(last, 0)), None);
}

#[test]
fn who_listens_anew_hears_what_nobody_took() {
    let mut streams = streams();
    let event = Bytes::from_static(b"x");
    let mut reader = streams.attach(streams.taken(UNASKED)).unwrap();
    streams.push(UNASKED, &event, false);
    streams.push(UNASKED, &event, false);
    assert_eq!(read(&mut streams, &mut reader), "1");
    streams.detach(&reader);
    streams.stored(id(UNASKED, 2));
    let mut reader = streams.attach(streams.taken(UNASKED)).unwrap();
    assert_eq!(reader.at, id(UNASKED, 1));
    assert_eq!(read(&mut streams, &mut reader), "f");
    streams.advance(&mut reader, 2);
    assert_eq!(read(&mut streams, &mut reader), "w");
}
