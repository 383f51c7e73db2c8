//! Exchanges at work: one JSON answer if the outcomes come first, else a stream of events.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::BytesMut;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use mcp_errors::{Failure, FailureKind};
use mcp_types::{
    Era, ErrorCode, ErrorObject, RequestId,
    jsonrpc::{ErrorId, write_error, write_notification, write_result},
};

use super::{
    answer::{BatchItem, Item, json, response},
    body::Body,
    frames::Frames,
    kept::KeptTasks,
};
use crate::{
    clock::{Clock, Sleep},
    exchange::{Event, Exchange, Notification, Reply},
    proto::{
        http::EVENT_STREAM,
        sse,
        status::{self, Raised},
    },
};

/// The exchanges of one POST: one, or those of a batch.
pub(super) struct Running {
    open: Vec<(RequestId, Pin<Box<dyn Exchange>>)>,
    ready: Vec<Answered>,
    era: Era,
    is_batch: bool,
    kept: Option<Arc<KeptTasks>>,
}

/// One JSON-RPC response, and how HTTP would carry it alone.
struct Answered {
    status: StatusCode,
    headers: Option<HeaderMap>,
    text: Vec<u8>,
}

enum Step {
    /// A notification, or what is asked: a message that is no answer.
    Message(Vec<u8>),
    Answered(Answered),
}

impl Running {
    pub(super) fn single(id: RequestId, exchange: Pin<Box<dyn Exchange>>, era: Era) -> Self {
        Self {
            open: vec![(id, exchange)],
            ready: Vec::new(),
            era,
            is_batch: false,
            kept: None,
        }
    }

    pub(super) fn batch(items: impl IntoIterator<Item = BatchItem>) -> Self {
        let (mut open, mut ready) = (Vec::new(), Vec::new());
        for BatchItem(item) in items {
            match item {
                Item::Open(id, exchange) => open.push((id, exchange)),
                Item::Done(text) => ready.push(Answered {
                    status: StatusCode::OK,
                    headers: None,
                    text,
                }),
            }
        }
        Self {
            open,
            ready,
            era: Era::Legacy,
            is_batch: true,
            kept: None,
        }
    }

    /// Hands what is still open to `kept` when the client goes away.
    pub(super) fn keep_in(&mut self, kept: &Arc<KeptTasks>) {
        self.kept = Some(Arc::clone(kept));
    }

    pub(super) async fn respond(
        mut self,
        clock: &Arc<dyn Clock>,
        keep_alive: Duration,
    ) -> Response<Body> {
        let mut answered = Vec::new();
        // An answer that is there at once needs no timer.
        let mut due: Option<Sleep> = None;
        let opening = loop {
            let step = poll_fn(|cx| {
                if let Poll::Ready(step) = self.poll_step(cx) {
                    return Poll::Ready(Some(step));
                }
                let due = due.get_or_insert_with(|| clock.sleep_until(clock.deadline(keep_alive)));
                due.as_mut().poll(cx).map(|()| None)
            })
            .await;
            match step {
                Some(Some(Step::Answered(only))) if !self.is_batch => return only.into_response(),
                Some(Some(Step::Answered(one))) => answered.push(one),
                Some(Some(Step::Message(text))) => break opening(&answered, &text),
                Some(None) => return array(&answered),
                None => break opening(&answered, &[]),
            }
        };
        events(opening, Source::Running(self), clock, keep_alive)
    }

    /// What happens next; `None` once everything is answered.
    fn poll_step(&mut self, cx: &mut Context<'_>) -> Poll<Option<Step>> {
        if let Some(answered) = self.ready.pop() {
            return Poll::Ready(Some(Step::Answered(answered)));
        }
        for at in 0..self.open.len() {
            match self.open[at].1.as_mut().poll_event(cx) {
                Poll::Pending => {}
                Poll::Ready(Event::Notification(notification)) => {
                    let text = notification_text(&notification);
                    return Poll::Ready(Some(Step::Message(text)));
                }
                Poll::Ready(Event::Ask(ask, reply)) => {
                    reply.elsewhere();
                    return Poll::Ready(Some(Step::Message(ask.to_message().into())));
                }
                Poll::Ready(Event::Outcome(outcome)) => {
                    let (id, _) = self.open.swap_remove(at);
                    let answered = Answered::new(&id, outcome, self.era);
                    return Poll::Ready(Some(Step::Answered(answered)));
                }
            }
        }
        match self.open.is_empty() {
            true => Poll::Ready(None),
            false => Poll::Pending,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(kept) = &self.kept {
            for (_, exchange) in self.open.drain(..) {
                kept.keep(exchange);
            }
        }
    }
}

impl Answered {
    fn new(id: &RequestId, mut outcome: Result<Reply, Failure>, era: Era) -> Self {
        let text = response_text(id, &outcome);
        match &mut outcome {
            Ok(reply) => Self {
                status: reply.ext.remove().unwrap_or(StatusCode::OK),
                headers: reply.ext.remove(),
                text,
            },
            Err(failure) => {
                let status = status_of(failure, said(failure).code, era);
                let wait = failure.retry_after();
                let wait = wait.filter(|_| status == StatusCode::SERVICE_UNAVAILABLE);
                Self {
                    status,
                    headers: wait.map(|wait| {
                        HeaderMap::from_iter([(header::RETRY_AFTER, wait.as_secs().into())])
                    }),
                    text,
                }
            }
        }
    }

    fn into_response(self) -> Response<Body> {
        let mut response = json(self.status, self.text.into());
        if let Some(headers) = self.headers {
            response.headers_mut().extend(headers);
        }
        response
    }
}

/// The response to the request `id`, as a stream that is written by hand carries it.
pub fn response_text(id: &RequestId, outcome: &Result<Reply, Failure>) -> Vec<u8> {
    let mut text = Vec::new();
    match outcome {
        Ok(reply) => write_result(id, &reply.result, &mut text),
        Err(failure) => write_error(&ErrorId::Known(id.clone()), &said(failure), &mut text),
    }
    text
}

/// A notification, as a stream that is written by hand carries it.
pub fn notification_text(notification: &Notification) -> Vec<u8> {
    let mut text = Vec::new();
    let method = notification.method.as_str();
    write_notification(method, &notification.params, &mut text);
    text
}

/// What the client is told of a failure: the error of the answer, or that it was cancelled, or nothing exact.
fn said(failure: &Failure) -> ErrorObject {
    match (failure.peer_error(), failure.kind()) {
        (Some(error), _) => error.clone(),
        (None, FailureKind::Cancelled) => ErrorObject::new(ErrorCode(-32800), "Request cancelled"),
        (None, _) => ErrorObject::new(ErrorCode::INTERNAL_ERROR, "Internal error"),
    }
}

fn status_of(failure: &Failure, code: ErrorCode, era: Era) -> StatusCode {
    let named = failure.http_status().map(StatusCode::from_u16);
    if let Some(Ok(status)) = named {
        return status;
    }
    // Nobody but the protocol layer says that a method is not there, or that a header belies the body.
    let raised = match code {
        ErrorCode::METHOD_NOT_FOUND | ErrorCode::HEADER_MISMATCH => Raised::Protocol,
        _ => Raised::Handler,
    };
    match era {
        Era::Legacy => status::legacy(code.0, raised),
        _ => status::modern(code.0, raised),
    }
}

/// What the events of a stream come from.
pub(super) enum Source {
    Running(Running),
    Unasked(Pin<Box<dyn Exchange>>),
    Frames(Pin<Box<dyn Frames>>),
}

impl Source {
    /// Appends the next events of the stream; `None` at its end.
    pub(super) fn poll_frames(
        &mut self,
        cx: &mut Context<'_>,
        out: &mut BytesMut,
    ) -> Poll<Option<()>> {
        let text = match self {
            Self::Running(running) => match ready!(running.poll_step(cx)) {
                Some(Step::Message(text)) => text,
                Some(Step::Answered(answered)) => answered.text,
                None => return Poll::Ready(None),
            },
            Self::Unasked(exchange) => match ready!(exchange.as_mut().poll_event(cx)) {
                Event::Notification(notification) => notification_text(&notification),
                Event::Ask(ask, reply) => {
                    reply.elsewhere();
                    ask.to_message().into()
                }
                Event::Outcome(_) => return Poll::Ready(None),
            },
            Self::Frames(frames) => return frames.as_mut().poll_frames(cx, out),
        };
        sse::Frame::message(&text).write(out);
        Poll::Ready(Some(()))
    }
}

/// A stream of what comes from `source` until its end.
pub(super) fn stream(
    source: Source,
    clock: &Arc<dyn Clock>,
    keep_alive: Duration,
) -> Response<Body> {
    events(BytesMut::new(), source, clock, keep_alive)
}

/// What is there already when a stream begins.
fn opening(answered: &[Answered], notification: &[u8]) -> BytesMut {
    let mut out = BytesMut::new();
    let answered = answered.iter().map(|answered| &*answered.text);
    for text in answered.chain([notification]) {
        if !text.is_empty() {
            sse::Frame::message(text).write(&mut out);
        }
    }
    out
}

fn events(
    opening: BytesMut,
    source: Source,
    clock: &Arc<dyn Clock>,
    keep_alive: Duration,
) -> Response<Body> {
    let body = Body::events(opening, source, clock, keep_alive);
    let mut response = response(StatusCode::OK, body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("no-cache, no-transform"),
    );
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// The answers to a batch; a batch of notifications alone has none.
fn array(answered: &[Answered]) -> Response<Body> {
    if answered.is_empty() {
        return response(StatusCode::ACCEPTED, Body::empty());
    }
    let mut text = Vec::from(*b"[");
    for (at, answered) in answered.iter().enumerate() {
        if at > 0 {
            text.push(b',');
        }
        text.extend_from_slice(&answered.text);
    }
    text.push(b']');
    json(StatusCode::OK, text.into())
}
