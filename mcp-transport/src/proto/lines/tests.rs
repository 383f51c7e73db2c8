//! The line codec, by its rules and for every cut of the bytes.

use bytes::Bytes;
use proptest::prelude::*;

use super::{Line, LineDecoder};

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

proptest! {
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
