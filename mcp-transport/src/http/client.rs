//! The HTTP client: each request is a POST, whose answer is one JSON message or a stream of events.
//!
//! Which era a request belongs to follows from its `_meta`. A modern one carries its own headers and is cancelled by
//! dropping its connection; a legacy one lives in the session that `initialize` began and is cancelled by a
//! notification. On a legacy session `subscriptions/listen` opens the standalone GET stream.

mod body;
mod connector;
mod failure;
mod head;
mod redirect;
mod renew;
mod settings;
mod side;
mod sieve;
pub mod sse;
mod stream;
#[cfg(test)]
mod tests;
mod tls;

use std::{
    fmt,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use ::http::{HeaderMap, HeaderValue, Method, Response, header};
use bytes::Bytes;
use mcp_errors::{Failure, FailureKind};
use mcp_types::{RawJson, RequestId};
use reqwest::{Body, Url};
use tokio::sync::Semaphore;

pub use self::{
    failure::{HttpAnswer, SessionLost, Unreachable},
    settings::{HeaderProvider, HttpClientBuilder, Redirects},
};
use self::{head::Session, renew::Renewal, side::Side, stream::HttpExchange};
use crate::{
    clock::Clock,
    exchange::{Ended, Endpoint, Exchange, Full, Notification, Request},
    message,
    proto::limits::Limits,
};

/// A client of one Streamable HTTP endpoint. Clones share its connections and its session.
///
/// Redirects are followed only to the same origin (307 and 308), and answers are bounded by [`Limits`]. It waits for an
/// answer as long as its caller does; what has a deadline here is connecting, the body of a refusal and what follows an
/// answer. Dropping it ends no legacy session: [`Self::close`] does.
///
/// A request is repeated only where a legacy session was lost. A 404 says that the server ran nothing, so another
/// session is begun as the first was, once for all calls, and the call is sent again, once; after a 400 that only looks
/// like a loss a ping asks first, and only what changes nothing is sent again. Calls that are still open in the old
/// session get [`Limits::farewell_time`] for their answer and then fail, with [`SessionLost`]; a stream of
/// `subscriptions/listen` goes on in the new one.
#[derive(Clone)]
pub struct HttpClient {
    core: Arc<Core>,
    side: Arc<Side>,
}

/// What requests share.
struct Core {
    http: reqwest::Client,
    url: Url,
    /// What is said of content codings.
    coding: HeaderValue,
    headers: HeaderMap,
    provider: Option<Arc<dyn HeaderProvider>>,
    redirects: Redirects,
    limits: Limits,
    clock: Arc<dyn Clock>,
    session: Mutex<Session>,
    renewal: Renewal,
    next: AtomicI64,
    /// Answers that are read to their end although they have been given.
    lingering: Arc<Semaphore>,
}

/// A request that was answered.
struct Sent {
    /// Where, after redirects.
    url: Url,
    /// The headers it went out with.
    headers: HeaderMap,
    answer: Response<Body>,
}

/// So many streams may go on after their answer, each for a moment; more are cut off.
const LINGERING: usize = 64;

impl HttpClient {
    /// A client of the endpoint at `url` with everything by default.
    ///
    /// # Errors
    /// As [`HttpClientBuilder::build`].
    pub fn new(url: &str) -> Result<Self, Failure> {
        Self::builder(url).build()
    }

    /// Settings for a client of the endpoint at `url`.
    pub fn builder(url: &str) -> HttpClientBuilder {
        HttpClientBuilder::new(url)
    }

    /// The endpoint, without credentials and query, as messages name it.
    pub fn url(&self) -> String {
        self.core.place()
    }

    /// How often a lost legacy session was replaced by another. What was set up in the old one, such as resource
    /// subscriptions and the log level, is not in the new one.
    pub fn renewals(&self) -> u64 {
        self.core.renewal.count()
    }

    /// Ends the legacy session, if there is one, with a DELETE that gets [`Limits::farewell_time`] and whose failure
    /// changes nothing.
    pub async fn close(&self) {
        let mut headers = self.core.base_headers(None);
        headers.remove(header::CONTENT_TYPE);
        let ends = self.core.lock().end(&mut headers);
        if ends {
            let send = self.core.send(Method::DELETE, headers, None);
            let deadline = self.core.clock.deadline(self.core.limits.farewell_time);
            tokio::select! {
                _ = send => {}
                () = self.core.clock.sleep_until(deadline) => {}
            }
        }
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient")
            .field("url", &self.url())
            .finish_non_exhaustive()
    }
}

impl Endpoint for HttpClient {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        let modern = request.meta.is_claim();
        if !modern && request.method == "subscriptions/listen" {
            return Box::pin(HttpExchange::listen(self.clone(), request.headers()));
        }
        match modern {
            true => self.open_modern(&request),
            false => self.post_legacy(request),
        }
        .map_or_else(
            |failure| Ended::boxed(Err(failure)),
            |exchange| -> Pin<Box<dyn Exchange>> { Box::pin(exchange) },
        )
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.side.notify(
            &self.core,
            message::write_notification(&notification),
            &notification.method,
        )
    }
}

impl HttpClient {
    fn open_modern(&self, request: &Request) -> Result<HttpExchange, Failure> {
        let id = self.core.next_id();
        let body = message::write_request(&id, request)?;
        let mut headers = self.core.base_headers(request.headers());
        self.core.lock().modern(request, &mut headers)?;
        Ok(HttpExchange::modern(self.clone(), id, headers, body))
    }

    fn post_legacy(&self, request: Request) -> Result<HttpExchange, Failure> {
        let id = self.core.next_id();
        let body = message::write_request(&id, &request)?;
        let mut headers = self.core.base_headers(request.headers());
        self.core.lock().legacy(&request.method, &mut headers);
        Ok(HttpExchange::legacy(
            self.clone(),
            request,
            id,
            headers,
            body,
        ))
    }
}

impl Core {
    fn next_id(&self) -> RequestId {
        RequestId::Number(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Sends one request and follows redirects that may be followed.
    async fn send(
        &self,
        method: Method,
        headers: HeaderMap,
        body: Option<Bytes>,
    ) -> Result<Sent, Failure> {
        self.send_following(&redirect::KEEPING, method, headers, body)
            .await
    }

    /// The same for redirects of the statuses `followed`.
    async fn send_following(
        &self,
        followed: &[u16],
        method: Method,
        headers: HeaderMap,
        body: Option<Bytes>,
    ) -> Result<Sent, Failure> {
        let followed = match self.redirects {
            Redirects::SameOrigin => followed,
            Redirects::None => &[],
        };
        let mut url = self.url.clone();
        for _ in 0..=redirect::HOPS {
            let mut request = reqwest::Request::new(method.clone(), url.clone());
            *request.headers_mut() = headers.clone();
            *request.body_mut() = body.clone().map(Body::from);
            let answer = self
                .http
                .execute(request)
                .await
                .map_err(|error| failure::network(error, &self.place()))?;
            match redirect::follow(&url, followed, answer.status(), answer.headers()) {
                Some(target) => url = target?,
                None => {
                    return Ok(Sent {
                        url,
                        headers,
                        answer: answer.into(),
                    });
                }
            }
        }
        let detail = format!(
            "{} redirects more than {} times",
            self.place(),
            redirect::HOPS
        );
        Err(Failure::new(FailureKind::Redirected, detail))
    }

    /// The headers of every request: those of the client, name by name replaced by those of the provider and then by
    /// those of the call, none of them the transport's own.
    fn base_headers(&self, call: Option<&HeaderMap>) -> HeaderMap {
        let mut headers = self.headers.clone();
        if let Some(provider) = &self.provider {
            head::overlay(&mut headers, &provider.headers());
        }
        if let Some(call) = call {
            head::overlay(&mut headers, call);
        }
        headers.insert(header::ACCEPT, head::ACCEPT_BOTH);
        headers.insert(header::ACCEPT_ENCODING, self.coding.clone());
        headers.insert(header::CONTENT_TYPE, head::CONTENT_TYPE_JSON);
        headers
    }

    /// Takes up the session that the legacy `initialize` in `request` began.
    fn begin_session(&self, request: Request, headers: &HeaderMap, result: &RawJson) {
        let replaced = self.lock().begin(headers, result);
        self.renewal.begun(request, replaced);
    }

    fn lock(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self) -> String {
        redirect::shown(&self.url)
    }
}
