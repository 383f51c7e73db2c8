//! Bytes of an event stream to events, with a limit on everything that is kept.

use core::time::Duration;
use std::{collections::VecDeque, mem};

use bytes::{Buf, Bytes, BytesMut};

const BOM: &[u8] = b"\xEF\xBB\xBF";
const DATA: &[u8] = b"data:";
/// The default limit of a line and of an event's data: 16 MiB.
const DEFAULT_LIMIT: usize = 16 * 1024 * 1024;
/// The default limit of a line that is no data: 64 KiB.
const FIELD_LIMIT: usize = 64 * 1024;

/// Turns an event stream, cut into chunks anywhere, into [`Event`]s.
///
/// [`Self::push`] a chunk, then take events with [`Self::next_event`] until it gives `None`. When the
/// stream ended, [`Self::finish`] offers the block that lacked its blank line. Memory is bounded by the
/// limits plus one chunk; once a limit was passed the decoder gives that error for good.
#[derive(Debug)]
pub struct Decoder {
    buf: BytesMut,
    /// How much of `buf` is known to hold no line end.
    scanned: usize,
    at_start: bool,
    /// The last line ended in CR, so an LF that comes next belongs to it.
    skip_lf: bool,
    block: Block,
    ready: VecDeque<Event>,
    line_limit: usize,
    field_limit: usize,
    event_limit: usize,
    total_limit: u64,
    total: u64,
    failed: Option<TooLarge>,
}

impl Decoder {
    /// A decoder with limits of 16 MiB for a line and for an event, 64 KiB for a line that is no data, and none for the
    /// whole stream.
    pub fn new() -> Self {
        Self {
            buf: BytesMut::new(),
            scanned: 0,
            at_start: true,
            skip_lf: false,
            block: Block::default(),
            ready: VecDeque::new(),
            line_limit: DEFAULT_LIMIT,
            field_limit: FIELD_LIMIT,
            event_limit: DEFAULT_LIMIT,
            total_limit: u64::MAX,
            total: 0,
            failed: None,
        }
    }

    /// Limits one line to `bytes`, its field name included and its line end not.
    pub fn with_line_limit(mut self, bytes: usize) -> Self {
        self.line_limit = bytes;
        self
    }

    /// Limits one line that is no `data` to `bytes`: a comment, an id, a field that nobody knows.
    pub fn with_field_limit(mut self, bytes: usize) -> Self {
        self.field_limit = bytes;
        self
    }

    /// Limits one event to `bytes` over all its fields.
    pub fn with_event_limit(mut self, bytes: usize) -> Self {
        self.event_limit = bytes;
        self
    }

    /// Limits the whole stream to `bytes`, comments and line ends included.
    pub fn with_total_limit(mut self, bytes: u64) -> Self {
        self.total_limit = bytes;
        self
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, chunk: &[u8]) {
        if self.failed.is_some() {
            return;
        }
        self.total = self.total.saturating_add(chunk.len() as u64);
        if self.total > self.total_limit {
            self.fail(TooLarge::Stream(self.total_limit));
            return;
        }
        self.buf.extend_from_slice(chunk);
        if let Err(error) = self.run() {
            self.fail(error);
        }
    }

    /// The next whole event, `None` when more bytes are needed.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] once a limit was passed, after the events that came whole before it.
    pub fn next_event(&mut self) -> Result<Option<Event>, TooLarge> {
        match (self.ready.pop_front(), self.failed) {
            (Some(event), _) => Ok(Some(event)),
            (None, Some(error)) => Err(error),
            (None, None) => Ok(None),
        }
    }

    /// Ends the stream and gives the block, if any, that its blank line never closed.
    ///
    /// The standard discards that block; some servers forget the blank line of their last event, so a
    /// caller that knows the stream ended cleanly may still use it (client.md 4.6).
    ///
    /// # Errors
    ///
    /// [`TooLarge`] if a limit was passed.
    pub fn finish(mut self) -> Result<Option<Event>, TooLarge> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.at_start && BOM.starts_with(&self.buf) {
            self.buf.clear();
        }
        let rest = self.buf.split().freeze();
        self.block.line(&rest, self.event_limit)?;
        Ok(self.block.take())
    }

    fn fail(&mut self, error: TooLarge) {
        self.failed = Some(error);
        self.buf = BytesMut::new();
        self.block = Block::default();
    }

    fn run(&mut self) -> Result<(), TooLarge> {
        if self.at_start && !self.strip_bom() {
            return Ok(());
        }
        loop {
            if self.skip_lf && !self.buf.is_empty() {
                self.skip_lf = false;
                if self.buf[0] == b'\n' {
                    self.buf.advance(1);
                }
            }
            let fresh = &self.buf[self.scanned..];
            let Some(offset) = fresh
                .iter()
                .position(|&byte| byte == b'\n' || byte == b'\r')
            else {
                self.scanned = self.buf.len();
                return self.within_line(self.scanned);
            };
            let end = self.scanned + offset;
            self.within_line(end)?;
            self.skip_lf = self.buf[end] == b'\r';
            let line = self.buf.split_to(end).freeze();
            self.buf.advance(1);
            self.scanned = 0;
            if !line.is_empty() {
                self.block.line(&line, self.event_limit)?;
            } else if let Some(event) = self.block.take() {
                self.ready.push_back(event);
            }
        }
    }

    /// Whether the line at the front of the buffer may have `size` bytes.
    fn within_line(&self, size: usize) -> Result<(), TooLarge> {
        let begun = size.min(DATA.len());
        // What only begins like it may become it yet.
        let is_data = self.buf[..begun] == DATA[..begun];
        let field_limit = if is_data {
            usize::MAX
        } else {
            self.field_limit
        };
        within(size, self.line_limit.min(field_limit), TooLarge::Line)
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

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

/// One block of an event stream: an event, or fields that describe the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the four fields are the whole format"
)]
pub struct Event {
    /// The `event` field; `None` stands for `message`.
    pub name: Option<String>,
    /// The `data` lines joined by LF; `None` in a block that has only an `id` or a `retry`.
    ///
    /// These are the bytes of the stream: they need not be UTF-8.
    pub data: Option<Bytes>,
    /// The `id` field, which an empty string resets.
    pub id: Option<String>,
    /// The `retry` field: how long to wait before reconnecting.
    pub retry: Option<Duration>,
}

/// A limit of the [`Decoder`] that the stream passed; each carries its limit in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TooLarge {
    /// A line is longer than the limit.
    #[error(
        "a line of the event stream is longer than {0} bytes; raise the line limit to accept it"
    )]
    Line(usize),
    /// An event is larger than the limit.
    #[error("an event of the stream is larger than {0} bytes; raise the event limit to accept it")]
    Event(usize),
    /// The stream is longer than the limit.
    #[error("the event stream is longer than {0} bytes; raise the stream limit to accept it")]
    Stream(u64),
}

fn within(size: usize, limit: usize, error: fn(usize) -> TooLarge) -> Result<(), TooLarge> {
    if size > limit {
        Err(error(limit))
    } else {
        Ok(())
    }
}

/// The block being read.
#[derive(Debug, Default)]
struct Block {
    event: Event,
    /// Lines of data beyond the first, which alone is kept as it came.
    joined: Option<BytesMut>,
    size: usize,
}

impl Block {
    fn line(&mut self, line: &Bytes, limit: usize) -> Result<(), TooLarge> {
        let colon = line.iter().position(|&byte| byte == b':');
        let name = colon.unwrap_or(line.len());
        if name == 0 {
            return Ok(()); // A comment.
        }
        let mut value = line.slice(colon.map_or(line.len(), |at| at + 1)..);
        if value.first() == Some(&b' ') {
            value.advance(1);
        }
        let known = matches!(&line[..name], b"data" | b"event" | b"id" | b"retry");
        if known {
            self.size = self.size.saturating_add(value.len() + 1);
            within(self.size - 1, limit, TooLarge::Event)?;
        }
        match &line[..name] {
            b"data" => self.data(value),
            b"event" => self.event.name = Some(text(&value)),
            b"id" if !value.contains(&0) => self.event.id = Some(text(&value)),
            b"retry" => self.event.retry = retry(&value).or(self.event.retry),
            _ => {}
        }
        Ok(())
    }

    fn data(&mut self, value: Bytes) {
        let Some(first) = &self.event.data else {
            self.event.data = Some(value);
            return;
        };
        let joined = self
            .joined
            .get_or_insert_with(|| BytesMut::from(&first[..]));
        joined.extend_from_slice(b"\n");
        joined.extend_from_slice(&value);
    }

    fn take(&mut self) -> Option<Event> {
        let Self {
            mut event, joined, ..
        } = mem::take(self);
        if let Some(joined) = joined {
            event.data = Some(joined.freeze());
        }
        event.name = event.name.filter(|name| !name.is_empty());
        let carries = event.data.is_some() || event.id.is_some() || event.retry.is_some();
        carries.then_some(event)
    }
}

fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}

/// Digits only; a number too large for the type is as good as none.
fn retry(value: &[u8]) -> Option<Duration> {
    let digits = value.iter().all(u8::is_ascii_digit);
    let number = str::from_utf8(value).ok().filter(|_| digits)?;
    number.parse().ok().map(Duration::from_millis)
}
