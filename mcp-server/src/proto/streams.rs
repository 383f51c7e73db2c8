//! The event streams of one legacy session that can be taken up again: which there are, who reads them, from where.
//!
//! An event's id is `<stream>_<number>`, numbers count from 1 on each stream, and `<stream>_0` is its beginning. Stream
//! 0 is what the session is told unasked; every other answers one request. What is written goes to a store, which is
//! the driver's; of what is on its way there a short tail is kept for a reader that is there.

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
};

use bytes::Bytes;
use mcp_types::RequestId;

/// The stream of what a session is told unasked.
pub(crate) const UNASKED: u64 = 0;

/// A place in a stream: just after the event of this id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EventId {
    pub(crate) stream: u64,
    pub(crate) number: u64,
}

impl EventId {
    /// Reads what [`Self`] displays, and nothing else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (stream, number) = text.split_once('_')?;
        let id = Self {
            stream: stream.parse().ok()?,
            number: number.parse().ok()?,
        };
        (id.to_string() == text).then_some(id)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.stream, self.number)
    }
}

/// How much is kept for one session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StreamLimits {
    /// Events that wait for the reader of a stream.
    pub(crate) tail_events: usize,
    /// Bytes of them.
    pub(crate) tail_bytes: usize,
    /// Streams that are over, and can still be asked for.
    pub(crate) finished: usize,
}

/// The streams of a session.
#[derive(Debug)]
pub(crate) struct Streams {
    limits: StreamLimits,
    streams: BTreeMap<u64, Stream>,
    next_stream: u64,
    next_ticket: u64,
}

#[derive(Debug, Default)]
struct Stream {
    request: Option<RequestId>,
    /// The number of the last event.
    last: u64,
    /// Up to here the store was asked to keep the events.
    stored: u64,
    /// Up to here a reader has taken them.
    taken: u64,
    tail: VecDeque<(u64, Bytes)>,
    tail_bytes: usize,
    reader: Option<u64>,
    is_finished: bool,
}

/// A reader of a stream. Of several the last one reads; for those before it the stream has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) at: EventId,
    ticket: u64,
}

/// What a reader does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Read {
    /// It takes this event, and is after it.
    Event(EventId, Bytes),
    /// It asks the store for what comes after its place.
    Fetch,
    /// It waits until something happens to the stream.
    Wait,
    /// It is done.
    End,
}

impl Streams {
    /// A session without streams but [`UNASKED`].
    pub(crate) fn new(limits: StreamLimits) -> Self {
        Self {
            limits,
            streams: BTreeMap::from([(UNASKED, Stream::default())]),
            next_stream: UNASKED + 1,
            next_ticket: 0,
        }
    }

    /// Begins the stream that answers `request`. Of streams that are over, the oldest are forgotten.
    pub(crate) fn open(&mut self, request: RequestId) -> u64 {
        let over = |stream: &Stream| stream.is_finished && stream.reader.is_none();
        let count = self.streams.values().filter(|stream| over(stream)).count();
        let mut excess = (count + 1).saturating_sub(self.limits.finished.max(1));
        self.streams.retain(|_, stream| {
            let forgotten = excess > 0 && over(stream);
            excess -= usize::from(forgotten);
            !forgotten
        });
        let number = self.next_stream;
        self.next_stream += 1;
        let request = Some(request);
        let stream = Stream {
            request,
            ..Stream::default()
        };
        self.streams.insert(number, stream);
        number
    }

    /// Forgets a stream to which nothing was written.
    pub(crate) fn discard(&mut self, stream: u64) {
        self.streams.remove(&stream);
    }

    /// Writes an event, the last one if the stream `ends` with it; its id, under which the store shall keep it.
    pub(crate) fn push(&mut self, stream: u64, event: &Bytes, ends: bool) -> Option<EventId> {
        let limits = self.limits;
        let open = self.streams.get_mut(&stream)?;
        open.last += 1;
        open.is_finished |= ends;
        if open.reader.is_some() {
            open.tail.push_back((open.last, event.clone()));
            open.tail_bytes += event.len();
            while open.tail.len() > limits.tail_events || open.tail_bytes > limits.tail_bytes {
                open.drop_first();
            }
        }
        let number = open.last;
        Some(EventId { stream, number })
    }

    /// The store has taken the event, or failed to.
    pub(crate) fn stored(&mut self, id: EventId) {
        if let Some(stream) = self.streams.get_mut(&id.stream) {
            stream.stored = stream.stored.max(id.number);
        }
    }

    /// A reader for what comes after `id`; `None` if there is no such place, or nothing can come after it any more.
    pub(crate) fn attach(&mut self, id: EventId) -> Option<Cursor> {
        let stream = self.streams.get_mut(&id.stream)?;
        if id.number > stream.last || (stream.is_finished && id.number == stream.last) {
            return None;
        }
        self.next_ticket += 1;
        stream.reader = Some(self.next_ticket);
        Some(Cursor {
            at: id,
            ticket: self.next_ticket,
        })
    }

    /// The place after what the last reader of the stream has taken.
    pub(crate) fn taken(&self, stream: u64) -> EventId {
        let number = self.streams.get(&stream).map_or(0, |open| open.taken);
        EventId { stream, number }
    }

    /// What the reader does next.
    pub(crate) fn read(&mut self, cursor: &mut Cursor) -> Read {
        let Some(stream) = self.of(cursor) else {
            return Read::End;
        };
        let at = cursor.at.number;
        if at >= stream.last {
            return match stream.is_finished {
                true => Read::End,
                false => Read::Wait,
            };
        }
        while stream.tail.front().is_some_and(|(first, _)| *first <= at) {
            stream.drop_first();
        }
        match stream.tail.front() {
            Some((first, event)) if *first == at + 1 => {
                let event = event.clone();
                stream.drop_first();
                self.advance(cursor, at + 1);
                Read::Event(cursor.at, event)
            }
            _ if at < stream.stored => Read::Fetch,
            _ => Read::Wait,
        }
    }

    /// The reader has got everything up to `number` from the store.
    pub(crate) fn advance(&mut self, cursor: &mut Cursor, number: u64) {
        cursor.at.number = number;
        if let Some(stream) = self.of(cursor) {
            stream.taken = stream.taken.max(number);
        }
    }

    /// Up to where the store was asked to keep the events of the cursor's stream.
    pub(crate) fn stored_until(&self, cursor: &Cursor) -> u64 {
        let stream = self.streams.get(&cursor.at.stream);
        stream.map_or(0, |stream| stream.stored)
    }

    /// The request that the cursor's stream answers.
    pub(crate) fn request(&self, cursor: &Cursor) -> Option<RequestId> {
        self.streams.get(&cursor.at.stream)?.request.clone()
    }

    /// The reader is gone.
    pub(crate) fn detach(&mut self, cursor: &Cursor) {
        if self.of(cursor).is_some() {
            self.end_reader(cursor.at.stream);
        }
    }

    /// Ends the reader of a stream; the stream goes on.
    pub(crate) fn end_reader(&mut self, stream: u64) {
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.reader = None;
            stream.tail = VecDeque::new();
            stream.tail_bytes = 0;
        }
    }

    fn of(&mut self, cursor: &Cursor) -> Option<&mut Stream> {
        let stream = self.streams.get_mut(&cursor.at.stream)?;
        (stream.reader == Some(cursor.ticket)).then_some(stream)
    }
}

impl Stream {
    fn drop_first(&mut self) {
        if let Some((_, event)) = self.tail.pop_front() {
            self.tail_bytes -= event.len();
        }
    }
}
