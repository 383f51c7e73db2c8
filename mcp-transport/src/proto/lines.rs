//! Newline-delimited messages: bytes to lines, bounded, and in step again after a line that is too long.
//!
//! The stdio transport puts one message on a line ([basic/transports/stdio][stdio]). What is taken beside
//! that: a byte order mark at the start, CRLF for LF, blank lines, and a last line without its newline.
//!
//! [stdio]: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio

#[cfg(test)]
mod tests;

use bytes::{Buf, Bytes, BytesMut};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Cuts a byte stream into lines.
///
/// Put bytes in with [`Self::push`], or read straight into [`Self::buffer`]; then take lines with
/// [`Self::next_line`] until it gives `None`. Taken so, it holds at most the limit plus one read. Lines
/// are split on LF alone: U+0085, U+2028 and a lone CR are part of a line.
#[derive(Debug)]
pub struct LineDecoder {
    buf: BytesMut,
    /// How much of `buf` is known to hold no newline.
    scanned: usize,
    at_start: bool,
    /// Inside a line that was reported as too long.
    skipping: bool,
    limit: usize,
}

impl LineDecoder {
    /// A decoder of lines of at most `limit` bytes, line end not counted.
    pub fn new(limit: usize) -> Self {
        Self {
            buf: BytesMut::new(),
            scanned: 0,
            at_start: true,
            skipping: false,
            limit,
        }
    }

    /// The limit of a line, in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, chunk: &[u8]) {
        self.buf.extend_from_slice(chunk);
    }

    /// Where a driver may append what it reads, to save a copy.
    ///
    /// Only appending is meaningful; lines come out as slices of this buffer.
    pub fn buffer(&mut self) -> &mut BytesMut {
        &mut self.buf
    }

    /// The next line, without its line end; `None` when more bytes are needed.
    pub fn next_line(&mut self) -> Option<Line> {
        if self.at_start && !self.strip_bom() {
            return None;
        }
        loop {
            let fresh = &self.buf[self.scanned..];
            let Some(offset) = fresh.iter().position(|&byte| byte == b'\n') else {
                return self.unfinished();
            };
            let mut line = self.buf.split_to(self.scanned + offset);
            self.buf.advance(1);
            self.scanned = 0;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if line.ends_with(b"\r") {
                line.truncate(line.len() - 1);
            }
            if let Some(line) = self.judge(line) {
                return Some(line);
            }
        }
    }

    /// Ends the stream and gives what followed the last newline, if it is a line.
    ///
    /// Call it once [`Self::next_line`] gave `None`.
    pub fn finish(mut self) -> Option<Line> {
        if self.skipping || (self.at_start && BOM.starts_with(&self.buf)) {
            return None;
        }
        let rest = self.buf.split();
        self.judge(rest)
    }

    fn judge(&self, line: BytesMut) -> Option<Line> {
        if line.len() > self.limit {
            return Some(Line::Overlong);
        }
        let blank = line.iter().all(u8::is_ascii_whitespace);
        (!blank).then(|| Line::Text(line.freeze()))
    }

    fn unfinished(&mut self) -> Option<Line> {
        self.scanned = self.buf.len();
        // One byte more is allowed for: it may be the CR of a line end.
        let over = self.skipping || self.scanned > self.limit.saturating_add(1);
        if !over {
            return None;
        }
        self.buf.clear();
        self.scanned = 0;
        let reported = std::mem::replace(&mut self.skipping, true);
        (!reported).then_some(Line::Overlong)
    }

    /// False while it is open whether the stream starts with a byte order mark.
    fn strip_bom(&mut self) -> bool {
        if self.buf.starts_with(BOM) {
            self.buf.advance(BOM.len());
        } else if BOM.starts_with(&self.buf) {
            return false;
        }
        self.at_start = false;
        true
    }
}

/// What stood between two newlines.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Line {
    /// A line that is not blank and within the limit, without its line end.
    Text(Bytes),
    /// A line over the limit: reported once, as soon as that is known, and skipped up to its newline.
    Overlong,
}

/// A JSON message as it can stand on a line. A raw line break in JSON stands between tokens, where a space means the same
/// and does not end the line.
pub fn one_line(message: Bytes) -> Bytes {
    if !message.contains(&b'\n') && !message.contains(&b'\r') {
        return message;
    }
    let line = message.iter().map(|&byte| match byte {
        b'\n' | b'\r' => b' ',
        byte => byte,
    });
    line.collect()
}
