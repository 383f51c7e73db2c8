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
    kept::KeptTasks,
};
use crate::{
    clock::{Clock, Sleep},
    exchange::{Event, Exchange, Reply},
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
                let due = due.get_or_insert_with(|| clock.sleep_until(clock.now() + keep_alive));
                due.as_mut().poll(cx).map(|()| None)
            })
            .await;
            match step {
                Some(Some(Step::Answered(only))) if !self.is_batch => return only.into_response(),
                Some(Some(Step::Answered(one))) => answered.push(one),
                Some(Some(Step::Message(text))) => break opening(&answered, Some(&text)),
                Some(None) => return array(&answered),
                None => break opening(&answered, None),
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
                    let mut text = Vec::new();
                    let method = notification.method.as_str();
                    write_notification(method, &notification.params, &mut text);
                    return Poll::Ready(Some(Step::Message(text)));
                }
                Poll::Ready(Event::Ask(ask, reply)) => {
                    reply.elsewhere();
                    return Poll::Ready(Some(Step::Message(ask.to_message().into())));
                }
                Poll::Ready(Event::Outcome(outcome)) => {
                    let (id, _) = self.open.swap_remove(at);
                    let answered = Answered::new(id, outcome, self.era);
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
    fn new(id: RequestId, outcome: Result<Reply, Failure>, era: Era) -> Self {
        let mut text = Vec::new();
        match outcome {
            Ok(mut reply) => {
                write_result(&id, &reply.result, &mut text);
                Self {
                    status: reply.ext.remove().unwrap_or(StatusCode::OK),
                    headers: reply.ext.remove(),
                    text,
                }
            }
            Err(failure) => {
                let error = said(&failure);
                write_error(&ErrorId::Known(id), &error, &mut text);
                Self {
                    status: status_of(&failure, error.code, era),
                    headers: None,
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
    // Nobody but the protocol layer says that a method is not there.
    let raised = match code {
        ErrorCode::METHOD_NOT_FOUND => Raised::Protocol,
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
}

impl Source {
    /// The next message of the stream; `None` at its end.
    pub(super) fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        match self {
            Self::Running(running) => running.poll_step(cx).map(|step| {
                step.map(|step| match step {
                    Step::Message(text) => text,
                    Step::Answered(answered) => answered.text,
                })
            }),
            Self::Unasked(exchange) => match ready!(exchange.as_mut().poll_event(cx)) {
                Event::Notification(notification) => {
                    let mut text = Vec::new();
                    let method = notification.method.as_str();
                    write_notification(method, &notification.params, &mut text);
                    Poll::Ready(Some(text))
                }
                Event::Ask(ask, reply) => {
                    reply.elsewhere();
                    Poll::Ready(Some(ask.to_message().into()))
                }
                Event::Outcome(_) => Poll::Ready(None),
            },
        }
    }
}

/// A stream of what `exchange` yields until its outcome.
pub(super) fn stream(
    exchange: Pin<Box<dyn Exchange>>,
    clock: &Arc<dyn Clock>,
    keep_alive: Duration,
) -> Response<Body> {
    events(
        opening(&[], None),
        Source::Unasked(exchange),
        clock,
        keep_alive,
    )
}

/// The first bytes of a stream: never nothing, since proxies hold a head back until a body follows.
fn opening(answered: &[Answered], text: Option<&[u8]>) -> BytesMut {
    let mut out = BytesMut::new();
    for answered in answered {
        sse::Frame::message(&answered.text).write(&mut out);
    }
    match text {
        Some(text) => sse::Frame::message(text).write(&mut out),
        None => sse::comment("keep-alive", &mut out),
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
