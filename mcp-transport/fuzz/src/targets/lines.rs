//! Lines: however the stream is cut, they are those between its newlines.

use mcp_transport::proto::lines::{Line, LineDecoder};

use super::chunks;

const LIMIT: usize = 24;

fn read<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Line> {
    let mut decoder = LineDecoder::new(LIMIT);
    let mut lines = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        lines.extend(std::iter::from_fn(|| decoder.next_line()));
        assert!(
            decoder.buffer().len() <= LIMIT + 4,
            "a line over the limit is not kept"
        );
    }
    lines.extend(decoder.finish());
    lines
}

/// What the lines are, by looking at the whole stream.
fn oracle(stream: &[u8]) -> Vec<Option<&[u8]>> {
    let stream = stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stream);
    let mut lines: Vec<_> = stream.split(|byte| *byte == b'\n').collect();
    let last = lines.pop().unwrap_or_default();
    let whole = lines
        .iter()
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    whole
        .chain([last])
        // A line is blank only as long as it is a line at all.
        .filter(|line| line.len() > LIMIT || !line.iter().all(u8::is_ascii_whitespace))
        .map(|line| (line.len() <= LIMIT).then_some(line))
        .collect()
}

/// Any chunks against the whole.
pub(crate) fn lines(data: &[u8]) {
    let (cut, stream) = chunks(data);
    let read = read(cut);
    let read: Vec<Option<&[u8]>> = read
        .iter()
        .map(|line| match line {
            Line::Text(text) => Some(&text[..]),
            _ => None,
        })
        .collect();
    if !b"\xEF\xBB\xBF".starts_with(stream) {
        assert_eq!(read, oracle(stream));
    }
}
