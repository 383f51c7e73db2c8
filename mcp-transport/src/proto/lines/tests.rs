//! The line codec, by its rules and for every cut of the bytes.

use bytes::Bytes;
use proptest::prelude::*;

use super::{Line, LineDecoder, one_line};

const LIMIT: usize = 8;

fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Line> {
    let mut decoder = LineDecoder::new(LIMIT);
    let mut lines = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        lines.extend(std::iter::from_fn(|| decoder.next_line()));
        assert!(
            decoder.buf.len() <= LIMIT + 1,
            "kept {} bytes",
            decoder.buf.len()
        );
    }
    lines.extend(decoder.finish());
    lines
}

/// `expected` is the lines between bars, `!` for one over the limit.
fn check(stream: impl AsRef<[u8]>, expected: &str) {
    let stream = stream.as_ref();
    let line = |text: &str| match text {
        "!" => Line::Overlong,
        text => Line::Text(Bytes::copy_from_slice(text.as_bytes())),
    };
    let expected: Vec<_> = expected
        .split('|')
        .filter(|text| !text.is_empty())
        .map(line)
        .collect();
    assert_eq!(decode([stream]), expected, "whole: {stream:?}");
    assert_eq!(decode(stream.chunks(1)), expected, "in bytes: {stream:?}");
}

#[test]
fn lines_end_at_a_newline() {
    check("a\nbc\n", "a|bc");
    check("a\nbc", "a|bc");
    check("", "");
}

#[test]
fn crlf_and_blank_lines_are_tolerated() {
    check("a\r\n\r\n\n \t\nb\r\n", "a|b");
    check("a\r\r\n", "a\r");
    check("a\rb\n", "a\rb");
    check("\r", "");
}

#[test]
fn only_lf_splits() {
    check("a\u{2028}b\n\u{85}c\n", "a\u{2028}b|\u{85}c");
}

#[test]
fn a_bom_counts_only_at_the_start() {
    check("\u{feff}a\n\u{feff}b\n", "a|\u{feff}b");
    check("\u{feff}", "");
    assert_eq!(decode([&b"\xEF\xBB"[..]]), vec![]);
}

#[test]
fn a_line_over_the_limit_is_reported_once_and_skipped() {
    check("12345678\n", "12345678");
    check("12345678\r\n", "12345678");
    check("123456789\na\n", "!|a");
    check("1234567890123456789012345678901234567890\na\n", "!|a");
    check("a\n1234567890123456789", "a|!");
    check("1234567890\n1234567890\na\n", "!|!|a");
}

#[test]
fn an_overlong_line_is_reported_before_its_newline() {
    let mut decoder = LineDecoder::new(LIMIT);
    decoder.push(&[b'x'; LIMIT + 2]);
    assert_eq!(decoder.next_line(), Some(Line::Overlong));
    assert_eq!(decoder.next_line(), None);
    decoder.push(b"more\nok\n");
    assert_eq!(
        decoder.next_line(),
        Some(Line::Text(Bytes::from_static(b"ok")))
    );
    assert_eq!(decoder.next_line(), None);
}

#[test]
fn lines_share_the_buffer_they_were_read_into() {
    let mut decoder = LineDecoder::new(LIMIT);
    decoder.buffer().extend_from_slice(b"one\ntwo\n");
    let start = decoder.buf.as_ptr() as usize;
    let Some(Line::Text(one)) = decoder.next_line() else {
        panic!("a line")
    };
    assert_eq!(one.as_ptr() as usize, start);
}

#[test]
fn b15_a_message_with_line_breaks_between_its_tokens_is_one_line() {
    let check = |message: &'static str, expected: &str| {
        assert_eq!(one_line(Bytes::from_static(message.as_bytes())), expected);
    };
    check("{\"a\":1}", "{\"a\":1}");
    check("{\r\n  \"a\":\n1\r}", "{    \"a\": 1 }");
    check("{\"a\":\"\\n\u{2028}\"}", "{\"a\":\"\\n\u{2028}\"}");
}

proptest! {
    /// Whatever is sent arrives as one line that means the same.
    #[test]
    fn b15_every_message_is_a_line_of_its_own(
        text in any::<String>(),
        gaps in proptest::collection::vec("[ \t\r\n]{0,3}", 5),
    ) {
        let quoted = serde_json::to_string(&text).unwrap();
        let [a, b, c, d, e] = &gaps[..] else { unreachable!() };
        let message = format!("{a}{{{b}\"text\"{c}:{d}{quoted}{e}}}");
        let mut stream = one_line(Bytes::from(message.clone())).to_vec();
        stream.push(b'\n');
        let mut decoder = LineDecoder::new(usize::MAX);
        decoder.push(&stream);
        let Some(Line::Text(line)) = decoder.next_line() else { panic!("no line") };
        prop_assert_eq!(decoder.finish(), None);
        let value = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).unwrap();
        prop_assert_eq!(value(&line), value(message.as_bytes()));
    }

    #[test]
    fn any_chunking_gives_the_same_lines(
        stream in "[ab\r\n\u{feff}ü ]{0,60}",
        cuts in proptest::collection::vec(1usize..7, 1..40),
    ) {
        let mut rest = stream.as_bytes();
        let mut chunks = Vec::new();
        for cut in cuts.into_iter().cycle().take(stream.len()) {
            let (chunk, next) = rest.split_at(cut.min(rest.len()));
            chunks.push(chunk);
            rest = next;
        }
        prop_assert_eq!(decode(chunks), decode([stream.as_bytes()]));
    }
}
