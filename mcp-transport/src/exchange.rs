//! The seam: endpoints, and the exchanges they open.
//!
//! A pipe of messages throws away which message belongs to which; an exchange keeps it. On HTTP it is
//! one POST, on stdio a multiplexer makes it from ids, in memory it is a call.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use ::http::Extensions;
use mcp_errors::Failure;
use mcp_types::{Method, RawJson, RawParams, RequestMeta};

use crate::ask::{Ask, AskReply};

/// Where requests can be sent: a wire with a server behind it, or a server.
pub trait Endpoint: Send + Sync {
    /// Opens the exchange of one request. This does not block; work starts when it is polled.
    ///
    /// Whether the request is modern follows from its [`RequestMeta::is_claim`]. On a legacy
    /// connection the exchange of `subscriptions/listen` yields what the server sends unasked.
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>>;

    /// Sends a notification, in order.
    ///
    /// # Errors
    /// When the queue is full or closed; the notification was not sent.
    fn notify(&self, notification: Notification) -> Result<(), Full>;
}

/// Notifications and, of a legacy server, asks; then exactly one outcome, then never polled again.
///
/// Dropping it cancels the request (a legacy HTTP session keeps it running instead).
pub trait Exchange: Send {
    /// The next event.
    fn poll_event(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event>;

    /// What came so far and is no answer, in words for whoever gives up waiting: events that are no messages, an answer
    /// to another request.
    fn noise(&self) -> Option<String> {
        None
    }
}

/// What comes out of an exchange.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// A notification that belongs to the request.
    Notification(Notification),
    /// A legacy server wants to know something before it goes on; at 2026-07-28 that is an outcome. Whoever
    /// cannot say drops the reply, and the server goes on without.
    Ask(Ask, AskReply),
    /// The end.
    Outcome(Result<Reply, Failure>),
}

/// One request, not yet on any wire.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// What is asked for.
    pub method: Method,
    /// With what. Its `_meta` is ignored: [`Request::meta`] stands for it.
    pub params: RawParams,
    /// Its `_meta`.
    pub meta: RequestMeta,
    /// What never reaches a message: HTTP headers ([`http::HeaderMap`]), the session, a principal.
    pub ext: Extensions,
}

impl Request {
    /// A request with empty `_meta`.
    pub fn new(method: impl Into<Method>, params: RawParams) -> Self {
        Self {
            method: method.into(),
            params,
            meta: RequestMeta::new(),
            ext: Extensions::new(),
        }
    }

    /// With this `_meta`.
    #[must_use]
    pub fn with_meta(mut self, meta: RequestMeta) -> Self {
        self.meta = meta;
        self
    }

    /// The HTTP headers that came, or shall go, with the request.
    pub fn headers(&self) -> Option<&http::HeaderMap> {
        self.ext.get()
    }
}

/// One notification.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Notification {
    /// What happened.
    pub method: Method,
    /// To what.
    pub params: RawParams,
}

impl Notification {
    /// A notification.
    pub fn new(method: impl Into<Method>, params: RawParams) -> Self {
        Self {
            method: method.into(),
            params,
        }
    }
}

/// A result as it stands on the wire: the method that asked decodes it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reply {
    /// The `result` member.
    pub result: RawJson,
    /// What never reaches a message: HTTP headers ([`http::HeaderMap`]) and status
    /// ([`http::StatusCode`]) of the answer.
    pub ext: Extensions,
}

impl Reply {
    /// A result.
    pub fn new(result: RawJson) -> Self {
        Self {
            result,
            ext: Extensions::new(),
        }
    }
}

/// A notification could not be queued.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Full;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the outgoing queue is full or closed; the notification was not sent")
    }
}

impl std::error::Error for Full {}

/// An exchange that has ended before it began: it yields one outcome.
#[derive(Debug)]
pub struct Ended(Option<Result<Reply, Failure>>);

impl Ended {
    /// Ends in `outcome`.
    pub fn new(outcome: Result<Reply, Failure>) -> Self {
        Self(Some(outcome))
    }

    /// The same, boxed as [`Endpoint::open`] returns it.
    pub fn boxed(outcome: Result<Reply, Failure>) -> Pin<Box<dyn Exchange>> {
        Box::pin(Self::new(outcome))
    }
}

impl Exchange for Ended {
    fn poll_event(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Event> {
        self.0.take().map_or(Poll::Pending, |outcome| {
            Poll::Ready(Event::Outcome(outcome))
        })
    }
}
