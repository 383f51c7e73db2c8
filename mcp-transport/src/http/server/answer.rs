//! What an app wants to be answered, and the response that it becomes.

use std::{fmt, pin::Pin, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use mcp_types::{
    Era, ErrorCode, ErrorObject, RawJson, RequestId,
    jsonrpc::{ErrorId, write_error, write_result},
};

use super::{
    body::Body,
    frames::Frames,
    kept::KeptTasks,
    running::{self, Running, Source},
};
use crate::{
    clock::Clock,
    exchange::Exchange,
    proto::http::{JSON, Refusal},
};

/// The answer to one HTTP request.
pub struct HttpAnswer {
    kind: Kind,
    headers: HeaderMap,
}

enum Kind {
    Empty(StatusCode),
    Message(StatusCode, Bytes),
    Running(Running, OnDrop),
    Stream(Pin<Box<dyn Exchange>>),
    Frames(Pin<Box<dyn Frames>>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OnDrop {
    Cancel,
    Keep,
}

impl HttpAnswer {
    /// A status without a body: 202 for what needs no answer, 204 for what is done.
    pub fn empty(status: StatusCode) -> Self {
        Self::of(Kind::Empty(status))
    }

    /// A JSON-RPC error at once.
    pub fn error(status: StatusCode, id: &ErrorId, error: &ErrorObject) -> Self {
        let mut text = Vec::new();
        write_error(id, error, &mut text);
        Self::of(Kind::Message(status, text.into()))
    }

    /// What HTTP refuses, under the id of the request where that is known.
    pub fn refusal(refusal: &Refusal, id: &ErrorId) -> Self {
        let mut error = ErrorObject::new(ErrorCode(refusal.code()), refusal.to_string());
        error.data = refusal.data().map(RawJson::from);
        let mut answer = Self::error(refusal.status(), id, &error);
        if let Some(allow) = refusal.allow() {
            answer = answer.with_header(header::ALLOW, HeaderValue::from_static(allow));
        }
        if let Refusal::Capacity { retry_after, .. } = refusal {
            answer = answer.with_header(header::RETRY_AFTER, retry_after.as_secs().into());
        }
        if refusal.closes() {
            answer = answer.closing();
        }
        answer
    }

    /// A JSON-RPC result at once.
    pub fn result(id: &RequestId, result: &RawJson) -> Self {
        let mut text = Vec::new();
        write_result(id, result, &mut text);
        Self::of(Kind::Message(StatusCode::OK, text.into()))
    }

    /// The exchange of the request `id`: JSON if its outcome comes first, else a stream of its events.
    ///
    /// A client that goes away drops the exchange. `era` tells which status an error travels on, unless the
    /// failure names one itself.
    pub fn exchange(id: RequestId, exchange: Pin<Box<dyn Exchange>>, era: Era) -> Self {
        Self::of(Kind::Running(
            Running::single(id, exchange, era),
            OnDrop::Cancel,
        ))
    }

    /// The answers to a batch of 2025-03-26: one array if all outcomes come first, else a stream.
    pub fn batch(items: impl IntoIterator<Item = BatchItem>) -> Self {
        Self::of(Kind::Running(Running::batch(items), OnDrop::Cancel))
    }

    /// A stream of what the exchange yields, until its outcome, which is not told: for GET.
    pub fn stream(exchange: Pin<Box<dyn Exchange>>) -> Self {
        Self::of(Kind::Stream(exchange))
    }

    /// A stream of events that `frames` writes.
    pub fn frames(frames: impl Frames + 'static) -> Self {
        Self::of(Kind::Frames(Box::pin(frames)))
    }

    /// Lets exchanges run to their end even if the client goes away: a lost stream of a legacy session is
    /// no cancellation. A task of the service takes them over; it ends with them, or with the service.
    #[must_use]
    pub fn kept(mut self) -> Self {
        if let Kind::Running(_, on_drop) = &mut self.kind {
            *on_drop = OnDrop::Keep;
        }
        self
    }

    /// With a header.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Closes the connection afterwards.
    #[must_use]
    pub fn closing(self) -> Self {
        self.with_header(header::CONNECTION, HeaderValue::from_static("close"))
    }

    /// The status, where it is decided already.
    pub fn status(&self) -> Option<StatusCode> {
        match &self.kind {
            Kind::Empty(status) | Kind::Message(status, _) => Some(*status),
            Kind::Running(..) => None,
            Kind::Stream(_) | Kind::Frames(_) => Some(StatusCode::OK),
        }
    }

    /// The JSON-RPC message, where it is decided already.
    pub fn message(&self) -> Option<&[u8]> {
        match &self.kind {
            Kind::Message(_, text) => Some(text),
            Kind::Empty(_) | Kind::Running(..) | Kind::Stream(_) | Kind::Frames(_) => None,
        }
    }

    pub(super) async fn into_response(
        self,
        clock: &Arc<dyn Clock>,
        keep_alive: Duration,
        kept: &Arc<KeptTasks>,
    ) -> Response<Body> {
        let mut response = match self.kind {
            Kind::Empty(status) => response(status, Body::empty()),
            Kind::Message(status, text) => json(status, text),
            Kind::Stream(exchange) => running::stream(Source::Unasked(exchange), clock, keep_alive),
            Kind::Frames(frames) => running::stream(Source::Frames(frames), clock, keep_alive),
            Kind::Running(mut running, on_drop) => {
                if on_drop == OnDrop::Keep {
                    running.keep_in(kept);
                }
                running.respond(clock, keep_alive).await
            }
        };
        response.headers_mut().extend(self.headers);
        response
    }

    fn of(kind: Kind) -> Self {
        Self {
            kind,
            headers: HeaderMap::new(),
        }
    }
}

impl From<Refusal> for HttpAnswer {
    fn from(refusal: Refusal) -> Self {
        Self::refusal(&refusal, &ErrorId::Omitted)
    }
}

impl fmt::Debug for HttpAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Empty(_) => "empty",
            Kind::Message(..) => "message",
            Kind::Running(..) => "exchange",
            Kind::Stream(_) | Kind::Frames(_) => "stream",
        };
        // Headers may hold the id of a session.
        f.debug_struct("HttpAnswer")
            .field("kind", &kind)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

/// The answer to one message of a batch.
pub struct BatchItem(pub(super) Item);

pub(super) enum Item {
    Open(RequestId, Pin<Box<dyn Exchange>>),
    Done(Vec<u8>),
}

impl BatchItem {
    /// The exchange of a request.
    pub fn exchange(id: RequestId, exchange: Pin<Box<dyn Exchange>>) -> Self {
        Self(Item::Open(id, exchange))
    }

    /// A JSON-RPC error.
    pub fn error(id: &ErrorId, error: &ErrorObject) -> Self {
        let mut text = Vec::new();
        write_error(id, error, &mut text);
        Self(Item::Done(text))
    }
}

impl fmt::Debug for BatchItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Item::Open(..) => "BatchItem(exchange)",
            Item::Done(_) => "BatchItem(error)",
        })
    }
}

pub(super) fn response(status: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

pub(super) fn json(status: StatusCode, text: Bytes) -> Response<Body> {
    let mut response = response(status, Body::full(text));
    let json = HeaderValue::from_static(JSON);
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
