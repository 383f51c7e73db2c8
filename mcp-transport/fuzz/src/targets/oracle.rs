//! Event streams beside another parser, eventsource-stream: where both must, they read the same.
//!
//! They differ by right in this: ours offers blocks without data (an `id` or a `retry` alone) and the last block that
//! lacks its blank line, takes bytes that are no UTF-8, and reads `retry: +5` as no number, as the standard says; the
//! other carries an `id` on to later events, and waits after a CR at the very end for an LF. It panics at a byte order
//! mark in front, so one is taken off for it, and a second is kept behind a blank line.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use bytes::BytesMut;
use eventsource_stream::Eventsource as _;
use futures_core::Stream;
use mcp_transport::proto::sse::{Decoder, Frame};

use super::chunks;

/// What both know of an event: its name, its id or that of an event before, its data, its `retry` in milliseconds.
type Seen = (String, String, String, Option<u128>);

/// A stream of one chunk.
struct Whole(Option<String>);

impl Stream for Whole {
    type Item = Result<String, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.take().map(Ok))
    }
}

fn theirs(text: &str) -> Vec<Seen> {
    let mut text = format!("\n{}", text.strip_prefix('\u{feff}').unwrap_or(text));
    if text.ends_with('\r') {
        text.push('\n');
    }
    let mut events = Whole(Some(text)).eventsource();
    let mut seen = Vec::new();
    let mut cx = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some(event)) = Pin::new(&mut events).poll_next(&mut cx) {
        let event = event.expect("UTF-8");
        let retry = event.retry.map(|retry| retry.as_millis());
        seen.push((event.event, event.id, event.data, retry));
    }
    seen
}

fn ours<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Seen> {
    let mut decoder = Decoder::new();
    let (mut seen, mut id) = (Vec::new(), String::new());
    for chunk in chunks {
        decoder.push(chunk);
        while let Some(event) = decoder.next_event().expect("within the limits") {
            id = event.id.unwrap_or(id);
            if let Some(data) = event.data {
                let data = String::from_utf8(data.to_vec()).expect("it was UTF-8");
                let name = event.name.unwrap_or_else(|| "message".to_owned());
                let retry = event.retry.map(|retry| retry.as_millis());
                seen.push((name, id.clone(), data, retry));
            }
        }
    }
    seen
}

/// The bytes as a stream that both read, and as what we write and both read back.
pub(crate) fn oracle(data: &[u8]) {
    let (cut, stream) = chunks(data);
    if let Ok(text) = std::str::from_utf8(stream) {
        // A sign that only the other takes for a part of a number.
        if !text.contains("retry:+") && !text.contains("retry: +") {
            assert_eq!(ours(cut), theirs(text));
        }
        written(text);
    }
}

/// Whatever the name, the id and the data are: what is written is one event, and then the next.
fn written(text: &str) {
    let middle = (0..=text.len().min(8))
        .rev()
        .find(|at| text.is_char_boundary(*at));
    let (head, data) = text.split_at(middle.unwrap_or_default());
    let mut frame = Frame::message(data.as_bytes());
    let named = frame.with_name(head).ok();
    frame = named.unwrap_or(frame);
    let identified = frame.with_id(head).ok();
    frame = identified.unwrap_or(frame);
    let mut out = BytesMut::new();
    frame.write(&mut out);
    Frame::message(b"after").write(&mut out);
    let name = named.map_or("message", |_| head);
    let name = if name.is_empty() { "message" } else { name };
    let id = identified.map_or("", |_| head);
    let data = data.replace("\r\n", "\n").replace('\r', "\n");
    let expected = [
        (name.to_owned(), id.to_owned(), data, None),
        (
            "message".to_owned(),
            id.to_owned(),
            "after".to_owned(),
            None,
        ),
    ];
    assert_eq!(ours([&out[..]]), expected);
    let text = std::str::from_utf8(&out).expect("it was UTF-8");
    assert_eq!(theirs(text), expected);
}
