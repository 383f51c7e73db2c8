//! The HTTP server: heads and bodies to typed facts, and answers back to statuses, JSON and event streams.
//!
//! [`HttpService`] judges what HTTP itself can judge (method, Origin and Host, media types, sizes, deadlines,
//! JSON), asks an [`HttpApp`] what the rest means, and carries out its [`HttpAnswer`]. [`serve()`] accepts
//! connections for it, or for any other service such as a router around it.

mod accept;
mod answer;
mod body;
mod connection;
mod frames;
#[cfg(feature = "http2")]
mod http2;
mod kept;
mod reading;
mod running;
mod taking;
#[cfg(test)]
#[cfg(feature = "test-util")]
mod tests;
mod watch;

use std::{
    convert::Infallible,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Buf, Bytes};
use http::{HeaderValue, Method, Request, Response, StatusCode, header, request::Parts};
use mcp_types::{
    ErrorCode, ErrorObject, Message,
    jsonrpc::{self, ErrorId, Malformed},
};

pub use self::{
    accept::{Served, serve},
    answer::{BatchItem, HttpAnswer},
    body::Body,
    frames::Frames,
    running::{notification_text, response_text},
};
use self::{kept::KeptTasks, reading::read_body};
use crate::{
    clock::{Clock, SystemClock},
    proto::{
        http::{AllowList, Place, Refusal, accepts, check_caller, check_message, check_post},
        limits::Limits,
    },
};

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What a server makes of a request: its era, its session, its exchange. Judgement only, no IO: each method
/// returns at once.
pub trait HttpApp: Send + Sync + 'static {
    /// Whether there are legacy sessions, and so GET and DELETE.
    fn has_sessions(&self) -> bool;

    /// Which address the request is for; by its path, which a router may have shortened. By default there is one.
    fn place(&self, _: &Parts) -> Place {
        Place::Endpoint
    }

    /// Judges a POST whose head HTTP has nothing against and whose body is complete.
    ///
    /// `message` is what `body` says; a batch is `Err` with [`MalformedKind::Batch`], for which
    /// [`jsonrpc::decode_batch`] reads `body`.
    ///
    /// [`MalformedKind::Batch`]: mcp_types::jsonrpc::MalformedKind::Batch
    fn post(&self, head: Parts, message: Result<Message, Malformed>, body: &Bytes) -> HttpAnswer;

    /// Judges a GET: a legacy client wants the stream of what the server says unasked, or that of HTTP+SSE.
    fn get(&self, head: Parts) -> HttpAnswer;

    /// Judges a DELETE: a legacy client ends its session.
    fn delete(&self, head: Parts) -> HttpAnswer;
}

/// An [`HttpApp`] as a tower service: for [`serve()`], or for a route of any router over `http` types.
///
/// Its future must be polled on a tokio runtime. Clones share everything.
pub struct HttpService<A>(Arc<Inner<A>>);

struct Inner<A> {
    app: Arc<A>,
    allow: AllowList,
    limits: Limits,
    clock: Arc<dyn Clock>,
    keep_alive: Duration,
    path: String,
    kept: Arc<KeptTasks>,
}

impl<A: HttpApp> HttpService<A> {
    /// Serves `app` to callers on loopback, within the default limits.
    pub fn new(app: Arc<A>) -> Self {
        Self(Arc::new(Inner {
            app,
            allow: AllowList::loopback(),
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
            keep_alive: Duration::from_secs(15),
            path: "/mcp".to_owned(),
            kept: Arc::default(),
        }))
    }

    /// Sets who may call.
    #[must_use]
    pub fn with_allow(self, allow: AllowList) -> Self {
        self.set(|inner| inner.allow = allow)
    }

    /// Sets the limits; of them a service keeps those of the body.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        self.set(|inner| inner.limits = limits)
    }

    /// Sets the clock that deadlines and keep-alive comments go by.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        self.set(|inner| inner.clock = clock)
    }

    /// Sets how often a quiet stream carries a comment; after this time an answer that is still awaited
    /// becomes a stream. 15 s by default.
    #[must_use]
    pub fn with_keep_alive(self, interval: Duration) -> Self {
        self.set(|inner| inner.keep_alive = interval)
    }

    /// Sets the path that a 405 tells clients to POST to. `/mcp` by default.
    #[must_use]
    pub fn with_path(self, path: impl Into<String>) -> Self {
        self.set(|inner| inner.path = path.into())
    }

    fn set(self, change: impl FnOnce(&mut Inner<A>)) -> Self {
        let mut inner = match Arc::try_unwrap(self.0) {
            Ok(inner) => inner,
            Err(shared) => Inner {
                app: Arc::clone(&shared.app),
                allow: shared.allow.clone(),
                limits: shared.limits.clone(),
                clock: Arc::clone(&shared.clock),
                keep_alive: shared.keep_alive,
                path: shared.path.clone(),
                kept: Arc::clone(&shared.kept),
            },
        };
        change(&mut inner);
        Self(Arc::new(inner))
    }
}

impl<A: HttpApp> Inner<A> {
    async fn respond<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body,
        B::Data: Buf,
    {
        let (head, body) = request.into_parts();
        let (sessions, place) = (self.app.has_sessions(), self.app.place(&head));
        let shown = self.allow.cors().map(|cors| {
            let methods = place.methods(sessions);
            let preflight = cors.preflight(&head.method, &head.headers, methods);
            preflight.map_or_else(|| (false, cors.answer(&head.headers)), |said| (true, said))
        });
        let answer = match head.method {
            Method::OPTIONS if matches!(shown, Some((true, _))) => check_caller(&head, &self.allow)
                .map_or_else(HttpAnswer::from, |()| {
                    HttpAnswer::empty(StatusCode::NO_CONTENT)
                }),
            _ if !place.takes(&head.method, sessions) => self.no_method(place, sessions),
            Method::POST => self.post(place, head, body).await,
            Method::GET => self.get(head),
            _ => check_caller(&head, &self.allow)
                .map_or_else(HttpAnswer::from, |()| self.app.delete(head)),
        };
        let mut response = answer
            .into_response(&self.clock, self.keep_alive, &self.kept)
            .await;
        if let Some((_, headers)) = shown {
            response.headers_mut().extend(headers);
        }
        response
    }

    fn no_method(&self, place: Place, sessions: bool) -> HttpAnswer {
        let path = self.path.clone();
        match place {
            Place::Endpoint => Refusal::Method { path, sessions }.into(),
            // A JSON-RPC body would tell a client that its POST was understood, and that it need not try the stream.
            Place::Stream | Place::Messages => {
                let allow = HeaderValue::from_static(place.methods(sessions));
                HttpAnswer::empty(StatusCode::METHOD_NOT_ALLOWED).with_header(header::ALLOW, allow)
            }
        }
    }

    async fn post<B>(&self, place: Place, head: Parts, body: B) -> HttpAnswer
    where
        B: http_body::Body,
        B::Data: Buf,
    {
        let check = match place {
            Place::Messages => check_message,
            Place::Endpoint | Place::Stream => check_post,
        };
        if let Err(refusal) = check(&head, &self.allow, &self.limits) {
            return refusal.into();
        }
        match read_body(body, &self.limits, &*self.clock).await {
            Ok(mut body) => {
                // A mark that some senders put before their text (RFC 8259 section 8.1 lets it be ignored).
                if body.starts_with(BYTE_ORDER_MARK) {
                    body.advance(BYTE_ORDER_MARK.len());
                }
                self.app.post(head, jsonrpc::decode(&body), &body)
            }
            Err(unread) => unread.into(),
        }
    }

    fn get(&self, head: Parts) -> HttpAnswer {
        if let Err(refusal) = check_caller(&head, &self.allow) {
            return refusal.into();
        }
        if !accepts(&head.headers).events {
            let error = ErrorObject::new(
                ErrorCode::INVALID_REQUEST,
                "Accept must admit text/event-stream.",
            );
            return HttpAnswer::error(StatusCode::NOT_ACCEPTABLE, &ErrorId::Omitted, &error);
        }
        self.app.get(head)
    }
}

impl<A, B> tower_service::Service<Request<B>> for HttpService<A>
where
    A: HttpApp,
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let inner = Arc::clone(&self.0);
        Box::pin(async move { Ok(inner.respond(request).await) })
    }
}

impl<A> Clone for HttpService<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<A> fmt::Debug for HttpService<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService")
            .field("path", &self.0.path)
            .field("limits", &self.0.limits)
            .finish_non_exhaustive()
    }
}
