//! The deprecated HTTP+SSE transport (2024-11-05): one GET whose stream carries every answer, and a POST per message.
//!
//! A stream is a connection of the legacy era: it has a session of its own, which ends with it. What a client has
//! asked for is worked on while it takes what comes; one that does not is cut like any slow reader.

use std::{
    mem,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use axum::extract::OriginalUri;
use bytes::BytesMut;
use http::{StatusCode, request::Parts};
use mcp_transport::{
    Event, Exchange, Extensions,
    http::server::{Frames, HttpAnswer, notification_text, response_text},
    proto::sse,
};
use mcp_types::{
    ErrorCode, ErrorObject, Message, RequestId,
    jsonrpc::{ErrorId, Malformed, RequestMessage},
};

use super::{
    app::{App, Seat, close, extensions, new_id, no_entropy},
    handle::{CANCELLED, Handle, Handled},
    refused::{at_capacity, gone, refuse},
};
use crate::{
    gate::Gate,
    proto::{envelope, pair},
    session::Session,
};

/// What the two ends of a connection share.
pub(super) struct Pair {
    // `None` once it is closed.
    gate: Mutex<Option<Gate>>,
    inbox: Mutex<Inbox>,
}

/// Requests that came in, on their way to the stream. The table of sessions limits them.
#[derive(Default)]
struct Inbox {
    new: Vec<(RequestId, Pin<Box<dyn Exchange>>)>,
    waker: Option<Waker>,
}

impl App {
    /// A client opens a stream.
    pub(super) fn pair_stream(&self, head: &Parts) -> HttpAnswer {
        let Some(id) = new_id() else {
            return no_entropy(&ErrorId::Omitted);
        };
        let (pair, handle) = (Arc::new(Pair::new(self)), Handle::default());
        let seat = Seat::Pair(Arc::clone(&pair));
        let entered = self.enter(&id, seat, &head.extensions, Some(handle.clone()));
        if let Err(full) = entered {
            return at_capacity(full, &ErrorId::Omitted);
        }
        // A router that nests the service shortens the path, and keeps the whole one here.
        let whole = head.extensions.get::<OriginalUri>();
        let path = whole.map_or_else(|| head.uri.path(), |whole| whole.0.path());
        let public = self.inner.settings.messages.as_deref();
        let endpoint = pair::announced(path, public, &id);
        let inner = Arc::clone(&self.inner);
        let over = move || {
            let closed = inner.table().close(&id);
            if let Some(closed) = closed {
                close(closed);
            }
        };
        HttpAnswer::frames(PairStream {
            running: Vec::new(),
            pair,
            endpoint: Some(endpoint),
            handle,
            over: Some(over),
        })
    }

    /// A client posts a message.
    pub(super) fn pair_message(
        &self,
        head: Parts,
        message: Result<Message, Malformed>,
    ) -> HttpAnswer {
        let Some(id) = pair::session(head.uri.query()) else {
            return invalid(&ErrorId::Omitted, "Missing sessionId in the query");
        };
        let Some(Seat::Pair(pair)) = self.inner.find(&id, &head.extensions) else {
            return gone();
        };
        let request = match message {
            Ok(Message::Request(request)) => request,
            Ok(Message::Notification(notification)) => {
                self.hear(&id, &notification);
                return HttpAnswer::empty(StatusCode::ACCEPTED);
            }
            Ok(Message::Response(response)) => {
                if let Some(session) = pair.session() {
                    session.answer(response);
                }
                return HttpAnswer::empty(StatusCode::ACCEPTED);
            }
            Err(malformed) => {
                let id = malformed.id.clone().map_or(ErrorId::Null, ErrorId::Known);
                return match malformed.answer() {
                    Some(error) => HttpAnswer::error(StatusCode::BAD_REQUEST, &id, &error),
                    None => invalid(&id, &format!("Invalid request: {malformed}")),
                };
            }
        };
        let (handle, request_id) = (Handle::default(), request.id.clone());
        let begun = self
            .inner
            .table()
            .begin(&id, request_id.clone(), handle.clone());
        if let Err(not_begun) = begun {
            return refuse(not_begun, &request_id);
        }
        let inner = Arc::clone(&self.inner);
        let ended = request_id.clone();
        let over = move || {
            let now = inner.settings.clock.now();
            inner.table().end(&id, &ended, now);
        };
        if let Some(exchange) = pair.open(request, extensions(head)) {
            pair.push(request_id, Box::pin(Handled::new(exchange, handle, over)));
        } else {
            over();
        }
        HttpAnswer::empty(StatusCode::ACCEPTED)
    }
}

impl Pair {
    fn new(app: &App) -> Self {
        Self {
            gate: Mutex::new(Some(Gate::new(Arc::clone(&app.inner.core)))),
            inbox: Mutex::default(),
        }
    }

    /// The exchange of a request; `None` once the connection is closed.
    fn open(&self, request: RequestMessage, ext: Extensions) -> Option<Pin<Box<dyn Exchange>>> {
        // A legacy peer's odd `_meta` is better ignored than refused.
        let mut meta = envelope::read_meta(&request.params).unwrap_or_default();
        let mut slot = self.gate();
        let gate = slot.as_mut()?;
        if gate.session().is_none() {
            // This transport has no modern era: what a message claims means nothing here.
            meta.strip_reserved();
        }
        let exchange = gate.open(request.method, request.params, Ok(meta), ext);
        let ended = gate.take_ended();
        drop(slot);
        // Its hooks may come back here.
        if let Some(session) = ended {
            session.close();
        }
        Some(exchange)
    }

    fn push(&self, id: RequestId, exchange: Pin<Box<dyn Exchange>>) {
        let mut inbox = self.inbox();
        inbox.new.push((id, exchange));
        let waker = inbox.waker.take();
        drop(inbox);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// What came in since; whoever takes it is woken when there is more.
    fn take_new(&self, cx: &Context<'_>) -> Vec<(RequestId, Pin<Box<dyn Exchange>>)> {
        let mut inbox = self.inbox();
        inbox.waker = Some(cx.waker().clone());
        mem::take(&mut inbox.new)
    }

    fn session(&self) -> Option<Session> {
        self.gate().as_ref()?.session().cloned()
    }

    /// Ends the session, if there is one.
    pub(super) fn close(&self) {
        let gate = self.gate().take();
        // Its hooks may come back here.
        drop(gate);
    }

    fn gate(&self) -> MutexGuard<'_, Option<Gate>> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        // As above.
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stream: where to post, then every message of the server.
struct PairStream<F: FnOnce()> {
    running: Vec<(RequestId, Pin<Box<dyn Exchange>>)>,
    pair: Arc<Pair>,
    endpoint: Option<String>,
    handle: Handle,
    over: Option<F>,
}

impl<F: FnOnce()> PairStream<F> {
    /// Polls each exchange once, so that none keeps another waiting.
    fn poll_running(&mut self, cx: &mut Context<'_>, out: &mut BytesMut) -> bool {
        let mut wrote = false;
        let mut at = 0;
        while let Some((id, exchange)) = self.running.get_mut(at) {
            match exchange.as_mut().poll_event(cx) {
                Poll::Pending => at += 1,
                Poll::Ready(Event::Notification(notification)) => {
                    sse::Frame::message(&notification_text(&notification)).write(out);
                    wrote = true;
                    at += 1;
                }
                Poll::Ready(Event::Ask(ask, reply)) => {
                    // The answer comes with a POST of its own.
                    reply.elsewhere();
                    sse::Frame::message(&ask.to_message()).write(out);
                    wrote = true;
                    at += 1;
                }
                Poll::Ready(Event::Outcome(outcome)) => {
                    let error = outcome.as_ref().err().and_then(|error| error.peer_error());
                    // What was cancelled is not answered.
                    if error.is_none_or(|error| error.code != CANCELLED) {
                        sse::Frame::message(&response_text(id, &outcome)).write(out);
                        wrote = true;
                    }
                    self.running.swap_remove(at);
                }
                Poll::Ready(_) => at += 1,
            }
        }
        wrote
    }

    /// What the session is told unasked.
    fn poll_unasked(&self, cx: &mut Context<'_>, out: &mut BytesMut) -> bool {
        let session = self.pair.session();
        let told = session.map(|session| session.poll_unasked(cx));
        let Some(Poll::Ready(Some(notification))) = told else {
            return false;
        };
        sse::Frame::message(&notification_text(&notification)).write(out);
        true
    }
}

impl<F: FnOnce() + Send + Unpin> Frames for PairStream<F> {
    fn poll_frames(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut BytesMut,
    ) -> Poll<Option<()>> {
        let this = self.get_mut();
        if let Some(endpoint) = this.endpoint.take() {
            // A path has no line break.
            if let Ok(frame) = sse::Frame::metadata().with_name("endpoint") {
                frame.with_data(endpoint.as_bytes()).write(out);
            }
            return Poll::Ready(Some(()));
        }
        this.running.extend(this.pair.take_new(cx));
        let is_ending = this.handle.poll_ended(cx).is_ready();
        let unasked = this.poll_unasked(cx, out);
        let answered = this.poll_running(cx, out);
        if unasked || answered {
            return Poll::Ready(Some(()));
        }
        match is_ending && this.running.is_empty() {
            true => Poll::Ready(None),
            false => Poll::Pending,
        }
    }
}

impl<F: FnOnce()> Drop for PairStream<F> {
    fn drop(&mut self) {
        // What runs is dropped before the session ends, as on any connection that is gone.
        self.running.clear();
        self.pair.inbox().new.clear();
        if let Some(over) = self.over.take() {
            over();
        }
    }
}

fn invalid(id: &ErrorId, text: &str) -> HttpAnswer {
    let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, text.to_owned());
    HttpAnswer::error(StatusCode::BAD_REQUEST, id, &error)
}
