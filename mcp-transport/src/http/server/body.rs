//! The body of an answer: nothing, one message, or a stream of events.

use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http_body::{Frame, SizeHint};

use super::running::Source;
use crate::{
    clock::{Clock, Sleep},
    proto::sse,
};

/// How much of a stream is written at once before the connection gets its turn.
const CHUNK: usize = 64 * 1024;

/// The body of an answer.
pub struct Body(Kind);

enum Kind {
    Empty,
    Full(Bytes),
    Events(Box<Events>),
}

/// A stream of events that says something every now and then.
pub(super) struct Events {
    source: Option<Source>,
    buffer: BytesMut,
    clock: Arc<dyn Clock>,
    interval: Duration,
    comment_due: Sleep,
    has_begun: bool,
}

impl Body {
    pub(super) fn empty() -> Self {
        Self(Kind::Empty)
    }

    pub(super) fn full(text: Bytes) -> Self {
        Self(Kind::Full(text))
    }

    /// `opening`, then what comes from `source`, with comments in between.
    pub(super) fn events(
        opening: BytesMut,
        source: Source,
        clock: &Arc<dyn Clock>,
        interval: Duration,
    ) -> Self {
        Self(Kind::Events(Box::new(Events {
            source: Some(source),
            buffer: opening,
            clock: Arc::clone(clock),
            interval,
            comment_due: clock.sleep_until(clock.deadline(interval)),
            has_begun: false,
        })))
    }
}

impl Events {
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        while self.buffer.len() < CHUNK {
            let Some(source) = &mut self.source else {
                break;
            };
            match source.poll_frames(cx, &mut self.buffer) {
                Poll::Ready(Some(())) => {}
                Poll::Ready(None) => self.source = None,
                Poll::Pending => break,
            }
        }
        if self.buffer.is_empty() {
            if self.source.is_none() {
                return Poll::Ready(None);
            }
            // Proxies hold a head back until a body follows.
            if self.has_begun {
                std::task::ready!(self.comment_due.as_mut().poll(cx));
            }
            sse::comment("keep-alive", &mut self.buffer);
        }
        self.has_begun = true;
        self.comment_due = self.clock.sleep_until(self.clock.deadline(self.interval));
        Poll::Ready(Some(self.buffer.split().freeze()))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let chunk = match &mut self.0 {
            Kind::Empty => Poll::Ready(None),
            Kind::Full(text) => {
                Poll::Ready(Some(std::mem::take(text)).filter(|text| !text.is_empty()))
            }
            Kind::Events(events) => events.poll_chunk(cx),
        };
        chunk.map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Empty => true,
            Kind::Full(text) => text.is_empty(),
            Kind::Events(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Empty => SizeHint::with_exact(0),
            Kind::Full(text) => SizeHint::with_exact(text.len() as u64),
            Kind::Events(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Empty => f.write_str("Body(empty)"),
            Kind::Full(text) => write!(f, "Body({} bytes)", text.len()),
            Kind::Events(_) => f.write_str("Body(events)"),
        }
    }
}
