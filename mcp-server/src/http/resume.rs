//! Streams of a session that can be taken up again, as a client gets them: where they begin, and how they go on.

use std::{
    collections::VecDeque,
    fmt,
    pin::Pin,
    sync::{Arc, Weak},
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode};
use mcp_errors::ProtocolError;
use mcp_transport::{
    Extensions,
    http::server::{Frames, HttpAnswer},
    proto::{
        headers::{LAST_EVENT_ID, single},
        sse,
    },
};
use mcp_types::{
    ErrorCode, ErrorObject, Revision,
    jsonrpc::{ErrorId, RequestMessage, write_error},
};

use super::{
    app::{App, InSession},
    handle::Handle,
    log::{Fetch, Log},
    refused::{gone, refuse},
};
use crate::{
    context::Context as CallContext,
    proto::streams::{Cursor, EventId, Read, UNASKED},
};

/// The stream that answers one request of a legacy client, where that can take it up again: it is among the extensions
/// of the call then.
///
/// Closing it lets the client come back for the answer instead of holding a connection, as 2025-11-25 allows a server
/// ([basic/transports][spec]): the call goes on, what it says is kept, and the client asks for it after the time that
/// the stream has told it.
///
/// ```
/// # use mcp_server::{Context, http::SseStream};
/// async fn report(cx: Context) -> String {
///     if let Some(stream) = SseStream::of(&cx) {
///         stream.close();
///     }
///     // … what takes long …
///     "done".to_owned()
/// }
/// ```
///
/// [spec]: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
#[derive(Clone)]
pub struct SseStream {
    log: Weak<Log>,
    stream: u64,
}

impl SseStream {
    /// The stream of a call; `None` where closing it would lose the answer: on other transports, for modern clients,
    /// for revisions before 2025-11-25, and where the host has no event store.
    pub fn of(cx: &CallContext) -> Option<&Self> {
        cx.extensions().get()
    }

    /// Ends the stream that the client has now, if it has one. The call goes on.
    pub fn close(&self) {
        if let Some(log) = self.log.upgrade() {
            log.end_reader(self.stream);
        }
    }
}

impl fmt::Debug for SseStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SseStream")
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}

impl App {
    /// The answer to a request, as a stream that can be taken up again.
    pub(super) fn resumable(
        &self,
        at: &InSession,
        log: &Arc<Log>,
        request: RequestMessage,
        mut ext: Extensions,
    ) -> HttpAnswer {
        let id = request.id.clone();
        let stream = log.with(|streams| streams.open(id.clone()));
        let cursor = log.attach(EventId { stream, number: 0 });
        if primes(at) {
            let log = Arc::downgrade(log);
            ext.insert(SseStream { log, stream });
        }
        let exchange = match self.open(at, request, ext) {
            Ok(exchange) => exchange,
            Err(not_begun) => {
                log.with(|streams| streams.discard(stream));
                return refuse(not_begun, &id);
            }
        };
        self.tasks
            .spawn(Arc::clone(log).write(stream, Some(id), exchange));
        // A stream that has just begun has a beginning.
        cursor.map_or_else(unknown_event, |cursor| {
            let retry = primes(at).then_some(self.inner.settings.retry);
            HttpAnswer::frames(Reader::new(log, cursor, retry, None))
        })
    }

    /// What the session is told unasked, or the rest of another stream that the client had.
    pub(super) fn listen(&self, at: InSession, log: &Arc<Log>, headers: &HeaderMap) -> HttpAnswer {
        let last = match single(headers, &LAST_EVENT_ID) {
            Ok(None) => None,
            Ok(Some(id)) => match id.to_str().ok().and_then(EventId::parse) {
                Some(id) => Some(id),
                None => return unknown_event(),
            },
            Err(_) => return unknown_event(),
        };
        let from = last.unwrap_or_else(|| log.with(|streams| streams.taken(UNASKED)));
        let Some(cursor) = log.attach(from) else {
            return unknown_event();
        };
        if from.stream != UNASKED {
            return HttpAnswer::frames(Reader::new(log, cursor, None, None));
        }
        let handle = Handle::default();
        let retry = (primes(&at) && last.is_none()).then_some(self.inner.settings.retry);
        let writing = Arc::clone(log);
        let Some(exchange) = self.unasked(at, handle.clone()) else {
            log.detach(&cursor);
            return gone();
        };
        self.tasks.spawn(async move {
            Arc::clone(&writing).write(UNASKED, None, exchange).await;
            // The server is coming down, the session is over, or another stream has taken over.
            writing.detach(&cursor);
        });
        HttpAnswer::frames(Reader::new(log, cursor, retry, Some(handle)))
    }
}

/// Whether streams begin with an empty event that carries an id: before 2025-11-25 clients take it for a message.
fn primes(at: &InSession) -> bool {
    at.session.revision() >= Revision::V2025_11_25
}

fn unknown_event() -> HttpAnswer {
    let error = ErrorObject::new(
        ErrorCode::INVALID_REQUEST,
        "Last-Event-ID names no event of this session after which anything can come. Send the request anew, or GET \
         without Last-Event-ID.",
    );
    HttpAnswer::error(StatusCode::BAD_REQUEST, &ErrorId::Omitted, &error)
}

/// What one connection gets of a stream.
struct Reader {
    log: Arc<Log>,
    cursor: Cursor,
    /// The time after which to come back, said once with the place where the stream begins.
    retry: Option<Duration>,
    fetching: Option<Fetch>,
    fetched: VecDeque<(u64, Bytes)>,
    /// What ends the writing, if that is for this reader alone.
    writing: Option<Handle>,
}

impl Reader {
    fn new(
        log: &Arc<Log>,
        cursor: Cursor,
        retry: Option<Duration>,
        writing: Option<Handle>,
    ) -> Self {
        Self {
            log: Arc::clone(log),
            cursor,
            retry,
            fetching: None,
            fetched: VecDeque::new(),
            writing,
        }
    }

    /// Takes what the store has; `false` if the stream has a hole that cannot be passed over.
    fn take(&mut self, found: Vec<(u64, Bytes)>) -> bool {
        let next = self.cursor.at.number + 1;
        let is_whole = found.first().is_some_and(|(first, _)| *first == next);
        if !is_whole && self.cursor.at.stream != UNASKED {
            return false;
        }
        if found.is_empty() {
            let cursor = &mut self.cursor;
            self.log.with(|streams| {
                let until = streams.stored_until(cursor);
                streams.advance(cursor, until);
            });
        }
        self.fetched = found.into();
        true
    }

    /// What a client is told in place of an answer that was lost.
    fn lost(&self, out: &mut BytesMut) {
        tracing::warn!("events of a legacy stream were not kept until its client came back");
        if let Some(id) = self.log.with(|streams| streams.request(&self.cursor)) {
            let mut text = Vec::new();
            let error = ProtocolError::internal().into();
            write_error(&ErrorId::Known(id), &error, &mut text);
            sse::Frame::message(&text).write(out);
        }
    }
}

impl Frames for Reader {
    fn poll_frames(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut BytesMut,
    ) -> Poll<Option<()>> {
        let this = self.get_mut();
        if let Some(retry) = this.retry.take() {
            let id = this.cursor.at.to_string();
            // An id of digits has a form in an event stream.
            if let Ok(frame) = sse::Frame::metadata().with_id(&id) {
                frame.with_retry(retry).with_data(b"").write(out);
            }
            return Poll::Ready(Some(()));
        }
        loop {
            if let Some((number, event)) = this.fetched.pop_front() {
                let cursor = &mut this.cursor;
                this.log.with(|streams| streams.advance(cursor, number));
                write_event(this.cursor.at, &event, out);
                return Poll::Ready(Some(()));
            }
            if let Some(fetching) = &mut this.fetching {
                let found = ready!(fetching.as_mut().poll(cx));
                this.fetching = None;
                if !found.is_ok_and(|found| this.take(found)) {
                    this.lost(out);
                    this.log.detach(&this.cursor);
                    return Poll::Ready((!out.is_empty()).then_some(()));
                }
                continue;
            }
            match ready!(this.log.poll_read(&mut this.cursor, cx)) {
                Read::Event(id, event) => {
                    write_event(id, &event, out);
                    return Poll::Ready(Some(()));
                }
                Read::Fetch => this.fetching = Some(this.log.fetch(this.cursor.at)),
                Read::Wait => return Poll::Pending,
                Read::End => return Poll::Ready(None),
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.log.detach(&self.cursor);
        if let Some(writing) = &self.writing {
            writing.end();
        }
    }
}

fn write_event(id: EventId, event: &[u8], out: &mut BytesMut) {
    let id = id.to_string();
    // As above.
    if let Ok(frame) = sse::Frame::message(event).with_id(&id) {
        frame.write(out);
    }
}
