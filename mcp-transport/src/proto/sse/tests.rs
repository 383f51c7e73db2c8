//! The event stream format, by its rules and for every cut of the bytes.

use core::time::Duration;

use bytes::{Bytes, BytesMut};
use proptest::prelude::*;

use super::{Decoder, Event, Frame, TooLarge, comment};

/// Decodes `stream` whole and byte by byte and demands the same of both.
fn decode(stream: &[u8]) -> (Vec<Event>, Option<Event>) {
    let whole = decode_chunks([stream]);
    assert_eq!(
        whole,
        decode_chunks(stream.chunks(1)),
        "cut into bytes: {stream:?}"
    );
    whole
}

fn decode_chunks<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Event>, Option<Event>) {
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        while let Some(event) = decoder.next_event().unwrap() {
            events.push(event);
        }
    }
    (events, decoder.finish().unwrap())
}

fn data(text: &str) -> Event {
    Event {
        data: Some(Bytes::copy_from_slice(text.as_bytes())),
        ..Event::default()
    }
}

fn check(stream: impl AsRef<[u8]>, expected: &[Event]) {
    assert_eq!(decode(stream.as_ref()), (expected.to_vec(), None));
}

#[test]
fn every_line_end_ends_a_line() {
    for end in ["\n", "\r", "\r\n"] {
        check(
            format!("data: a{end}data: b{end}{end}data: c{end}{end}"),
            &[data("a\nb"), data("c")],
        );
    }
    check(
        "data: a\r\ndata: b\rdata: c\n\r\ndata: d\n\n",
        &[data("a\nb\nc"), data("d")],
    );
}

#[test]
fn a_crlf_split_across_chunks_is_one_line_end() {
    let chunks = [&b"data: a\r"[..], b"\n\r", b"\ndata: b\r\n", b"\r\n"];
    assert_eq!(decode_chunks(chunks), (vec![data("a"), data("b")], None));
}

#[test]
fn an_event_is_given_before_the_lf_of_its_last_crlf_came() {
    let mut decoder = Decoder::new();
    decoder.push(b"data: a\r\n\r");
    assert_eq!(decoder.next_event(), Ok(Some(data("a"))));
}

#[test]
fn a_bom_counts_only_at_the_start() {
    check("\u{feff}data: a\n\n", &[data("a")]);
    check("\u{feff}\u{feff}data: a\n\n", &[]);
    check("data: a\n\n\u{feff}data: b\n\n", &[data("a")]);
    assert_eq!(decode(b"\xEF\xBB"), (vec![], None));
}

#[test]
fn one_space_after_the_colon_is_dropped() {
    check("data:x\n\n", &[data("x")]);
    check("data: x\n\n", &[data("x")]);
    check("data:  x\n\n", &[data(" x")]);
    check("data:\tx:y\n\n", &[data("\tx:y")]);
}

#[test]
fn comments_and_unknown_fields_are_ignored() {
    check(
        ": ping\n\n:\n\nfoo: bar\nfoo\nDATA: no\n data: no\ndata: a\n: in the middle\n\n",
        &[data("a")],
    );
}

#[test]
fn fields_without_a_colon_have_an_empty_value() {
    check("data\n\n", &[data("")]);
    check("data\ndata\n\n", &[data("\n")]);
    check("event\ndata: a\n\n", &[data("a")]);
    check(
        "id\n\n",
        &[Event {
            id: Some(String::new()),
            ..Event::default()
        }],
    );
}

#[test]
fn an_id_with_nul_is_ignored() {
    check("id: a\0b\ndata: a\n\n", &[data("a")]);
    check(
        "id: 1\nid: a\0b\ndata: a\n\n",
        &[Event {
            id: Some("1".into()),
            ..data("a")
        }],
    );
}

#[test]
fn retry_takes_digits_only() {
    let retry = |ms| Event {
        retry: Some(Duration::from_millis(ms)),
        ..Event::default()
    };
    check("retry: 1500\n\n", &[retry(1500)]);
    check("retry: 0\n\n", &[retry(0)]);
    check("retry: 10\nretry: x\n\n", &[retry(10)]);
    for bad in ["", "-1", "+1", "1.5", "1s", " 1", "99999999999999999999999"] {
        check(format!("retry: {bad}\n\n"), &[]);
    }
}

#[test]
fn metadata_only_blocks_come_without_data() {
    let id = Event {
        id: Some("7".into()),
        ..Event::default()
    };
    check("id: 7\n\n", &[id]);
    let priming = Event {
        id: Some("7".into()),
        retry: Some(Duration::from_secs(1)),
        ..data("")
    };
    check("id: 7\nretry: 1000\ndata:\n\n", &[priming]);
    check("event: ping\n\n", &[]);
}

#[test]
fn the_last_field_of_its_kind_names_the_event() {
    check(
        "event: a\nevent: b\ndata: x\n\n",
        &[Event {
            name: Some("b".into()),
            ..data("x")
        }],
    );
    check(
        "event: a\ndata: x\n\ndata: y\n\n",
        &[
            Event {
                name: Some("a".into()),
                ..data("x")
            },
            data("y"),
        ],
    );
}

#[test]
fn utf8_split_across_chunks_stays_whole() {
    check(
        "data: größe 😀\nevent: ü\n\n",
        &[Event {
            name: Some("ü".into()),
            ..data("größe 😀")
        }],
    );
}

#[test]
fn bytes_that_are_no_utf8_reach_the_caller_as_they_are() {
    let bytes = Bytes::from_static(b"a\xFFb");
    check(
        b"data: a\xFFb\n\n",
        &[Event {
            data: Some(bytes),
            ..Event::default()
        }],
    );
}

#[test]
fn a_block_without_its_blank_line_is_offered_at_the_end() {
    let pending = |stream: &str| decode(stream.as_bytes()).1;
    assert_eq!(pending("data: a\n"), Some(data("a")));
    assert_eq!(pending("data: a"), Some(data("a")));
    assert_eq!(pending("data: a\ndata: b\r"), Some(data("a\nb")));
    assert_eq!(pending("data: a\n\n"), None);
    assert_eq!(pending(": a"), None);
    assert_eq!(pending(""), None);
}

#[test]
fn limits_hold_to_the_byte() {
    let line = || Decoder::new().with_line_limit(7);
    check_limit(line, "data: a\n\n", Ok(()));
    check_limit(line, "data: ab\n\n", Err(TooLarge::Line(7)));
    check_limit(line, ": no end", Err(TooLarge::Line(7)));
    let event = || Decoder::new().with_event_limit(3);
    check_limit(event, "data: abc\n\ndata: abc\n\n", Ok(()));
    check_limit(event, "data: a\ndata: b\n\n", Ok(()));
    check_limit(event, "data: a\ndata: bc\n\n", Err(TooLarge::Event(3)));
    check_limit(
        event,
        "data\ndata\ndata\ndata\ndata\n\n",
        Err(TooLarge::Event(3)),
    );
    check_limit(event, ": a long comment\n\n", Ok(()));
    let total = || Decoder::new().with_total_limit(9);
    check_limit(total, "data: a\n\n", Ok(()));
    check_limit(total, "data: a\n\n\n", Err(TooLarge::Stream(9)));
}

#[test]
fn c17_a_line_that_is_no_data_has_64_kib() {
    let size = 64 * 1024;
    for name in [
        ":", "id:", "event:", "retry:", "unknown:", "datax:", "nocolon",
    ] {
        let line = |size: usize| format!("{name}{}\n", "1".repeat(size - name.len()));
        check_limit(Decoder::new, &line(size), Ok(()));
        check_limit(Decoder::new, &line(size + 1), Err(TooLarge::Line(size)));
        check_limit(
            Decoder::new,
            line(size + 1).trim(),
            Err(TooLarge::Line(size)),
        );
    }
    check_limit(
        Decoder::new,
        &format!("data:{}\n", "x".repeat(size)),
        Ok(()),
    );
    let field = || Decoder::new().with_field_limit(3);
    check_limit(field, "id:1\n", Err(TooLarge::Line(3)));
    check_limit(field, "data:x\n", Ok(()));
    check_limit(field, "datax\n", Err(TooLarge::Line(3)));
}

fn check_limit(decoder: impl Fn() -> Decoder, stream: &str, expected: Result<(), TooLarge>) {
    for size in [1, 3, stream.len()] {
        let mut decoder = decoder();
        stream
            .as_bytes()
            .chunks(size)
            .for_each(|chunk| decoder.push(chunk));
        while let Ok(Some(_)) = decoder.next_event() {}
        assert_eq!(
            decoder.next_event().map(drop),
            expected,
            "{stream:?} in chunks of {size}"
        );
        assert_eq!(decoder.finish().map(drop), expected);
    }
}

#[test]
fn events_before_a_limit_are_still_given() {
    let mut decoder = Decoder::new().with_line_limit(8);
    decoder.push(b"data: a\n\ndata: much too long\n\n");
    assert_eq!(decoder.next_event(), Ok(Some(data("a"))));
    assert_eq!(decoder.next_event(), Err(TooLarge::Line(8)));
    decoder.push(b"data: b\n\n");
    assert_eq!(decoder.next_event(), Err(TooLarge::Line(8)));
}

#[test]
fn a_message_is_written_as_one_data_line() {
    let mut out = BytesMut::new();
    Frame::message(br#"{"a":1}"#).write(&mut out);
    comment("keep-alive", &mut out);
    assert_eq!(out, "event: message\ndata: {\"a\":1}\n\n: keep-alive\n\n");
}

#[test]
fn names_and_ids_with_line_breaks_are_refused() {
    for bad in ["a\nb", "a\r", "\0", "x\r\ndata: y"] {
        assert!(Frame::message(b"").with_name(bad).is_err());
        assert!(
            Frame::metadata()
                .with_id(bad)
                .unwrap_err()
                .to_string()
                .contains("id field")
        );
    }
}

#[test]
fn comments_cannot_become_fields() {
    let mut out = BytesMut::new();
    comment("a\ndata: b\r\n\rdata: c", &mut out);
    assert_eq!(decode(&out), (vec![], None));
}

/// What a receiver makes of the line breaks in written data.
fn normalised(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn alphabet() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        Just("\n"),
        Just("\r"),
        Just("\r\n"),
        Just("data"),
        Just("id"),
        Just("event"),
        Just("retry"),
        Just(":"),
        Just(" "),
        Just("x"),
        Just("7"),
        Just("\0"),
        Just("ü"),
        Just("😀"),
        Just("\u{feff}"),
    ];
    proptest::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_events(stream in alphabet(), cuts in proptest::collection::vec(1usize..6, 1..60)) {
        let mut rest = stream.as_bytes();
        let mut chunks = Vec::new();
        for cut in cuts.into_iter().cycle().take(stream.len()) {
            let (chunk, next) = rest.split_at(cut.min(rest.len()));
            chunks.push(chunk);
            rest = next;
        }
        prop_assert_eq!(decode_chunks(chunks), decode(stream.as_bytes()));
    }

    #[test]
    fn what_is_written_is_read_back(payload in alphabet(), name in "[a-z ]{0,5}", id in "[ -~]{0,5}", retry: u32) {
        let retry = Duration::from_millis(retry.into());
        let mut out = BytesMut::new();
        let frame = Frame::message(payload.as_bytes()).with_name(&name).unwrap().with_id(&id).unwrap();
        frame.with_retry(retry).write(&mut out);
        let name = Some(name).filter(|name| !name.is_empty());
        let expected = Event { name, id: Some(id), retry: Some(retry), ..data(&normalised(&payload)) };
        prop_assert_eq!(decode(&out), (vec![expected], None));
    }
}
