//! Event streams: however they are cut, their events are the same; and no payload breaks out of its event.

use bytes::BytesMut;
use mcp_transport::proto::sse::{Decoder, Event, Frame, TooLarge};

use super::chunks;

fn read<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Event>, Option<TooLarge>) {
    let mut decoder = Decoder::new().with_line_limit(64).with_event_limit(128);
    let mut events = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        loop {
            match decoder.next_event() {
                Ok(Some(event)) => events.push(event),
                Ok(None) => break,
                Err(error) => return (events, Some(error)),
            }
        }
    }
    match decoder.finish() {
        Ok(last) => {
            events.extend(last);
            (events, None)
        }
        Err(error) => (events, Some(error)),
    }
}

/// Any chunks against the whole, and the bytes as the data of an event.
pub(crate) fn sse(data: &[u8]) {
    let (cut, stream) = chunks(data);
    assert_eq!(read(cut), read([stream]));
    let mut out = BytesMut::new();
    Frame::message(stream).write(&mut out);
    Frame::message(b"after").write(&mut out);
    let mut decoder = Decoder::new();
    decoder.push(&out);
    let events: Vec<_> = std::iter::from_fn(|| decoder.next_event().expect("small")).collect();
    assert_eq!(events.len(), 2, "{events:?}");
    assert_eq!(events[1].data.as_deref(), Some(&b"after"[..]));
}
