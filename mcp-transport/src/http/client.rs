//! The HTTP client: each request is a POST, whose answer is one JSON message or a stream of events.
//!
//! Which era a request belongs to follows from its `_meta`. A modern one carries its own headers and is cancelled by
//! dropping its connection; a legacy one lives in the session that `initialize` began and is cancelled by a
//! notification. On a legacy session `subscriptions/listen` opens the standalone GET stream.

mod body;
mod failure;
mod head;
mod redirect;
mod side;
mod stream;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use ::http::{HeaderMap, Method, Response, header};
use bytes::Bytes;
use mcp_errors::{Failure, FailureKind};
use mcp_types::{RawJson, RequestId};
use reqwest::{Body, Url};
use tokio::sync::Semaphore;

pub use self::failure::{HttpAnswer, Unreachable};
use self::{head::Session, side::Side, stream::HttpExchange};
use crate::{
    clock::{Clock, SystemClock},
    exchange::{Ended, Endpoint, Exchange, Full, Notification, Request},
    message,
    proto::limits::Limits,
};

/// A client of one Streamable HTTP endpoint. Clones share its connections and its session.
///
/// Requests are not repeated, redirects are followed only to the same origin (307 and 308), and answers are bounded
/// by [`Limits`]. It waits for an answer as long as its caller does; what has a deadline here is connecting, the body
/// of a refusal and what follows an answer. Dropping it ends no legacy session: [`Self::close`] does.
#[derive(Clone)]
pub struct HttpClient {
    core: Arc<Core>,
    side: Arc<Side>,
}

/// What requests share.
struct Core {
    http: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    limits: Limits,
    clock: Arc<dyn Clock>,
    session: Mutex<Session>,
    next: AtomicI64,
    /// Answers that are read to their end although they have been given.
    lingering: Arc<Semaphore>,
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
        HttpClientBuilder {
            url: url.to_owned(),
            headers: HeaderMap::new(),
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
        }
    }

    /// The endpoint, without credentials and query, as messages name it.
    pub fn url(&self) -> String {
        self.core.place()
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
        let id = RequestId::Number(self.core.next.fetch_add(1, Ordering::Relaxed));
        let opened = message::write_request(&id, &request).and_then(|body| {
            let mut headers = self.core.base_headers(request.headers());
            let mut session = self.core.lock();
            match modern {
                true => session.modern(&request, &mut headers)?,
                false => session.legacy(&request.method, &mut headers),
            }
            Ok((headers, body))
        });
        match opened {
            Ok((headers, body)) => Box::pin(HttpExchange::post(
                self.clone(),
                &request.method,
                id,
                modern,
                headers,
                body,
            )),
            Err(failure) => Ended::boxed(Err(failure)),
        }
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.side.notify(
            &self.core,
            message::write_notification(&notification),
            &notification.method,
        )
    }
}

impl Core {
    /// Sends one request and follows redirects that may be followed.
    async fn send(
        &self,
        method: Method,
        headers: HeaderMap,
        body: Option<Bytes>,
    ) -> Result<Response<Body>, Failure> {
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
            match redirect::follow(&url, answer.status(), answer.headers()) {
                Some(target) => url = target?,
                None => return Ok(answer.into()),
            }
        }
        let detail = format!(
            "{} redirects more than {} times",
            self.place(),
            redirect::HOPS
        );
        Err(Failure::new(FailureKind::Redirected, detail))
    }

    /// The headers of every request: those of the client, name by name replaced by those of the call, none of them
    /// the transport's own.
    fn base_headers(&self, call: Option<&HeaderMap>) -> HeaderMap {
        let mut headers = self.headers.clone();
        for name in call.into_iter().flat_map(HeaderMap::keys) {
            headers.remove(name);
        }
        for (name, value) in call.into_iter().flatten() {
            if !head::is_reserved(name) {
                headers.append(name, value.clone());
            }
        }
        headers.insert(header::ACCEPT, head::ACCEPT_BOTH);
        // Some proxies compress where nobody forbids it.
        headers.insert(header::ACCEPT_ENCODING, head::IDENTITY);
        headers.insert(header::CONTENT_TYPE, head::CONTENT_TYPE_JSON);
        headers
    }

    /// Takes up the session that a legacy `initialize` began.
    fn begin_session(&self, headers: &HeaderMap, result: &RawJson) {
        self.lock().begin(headers, result);
    }

    fn lock(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self) -> String {
        redirect::shown(&self.url)
    }
}

/// Settings of an [`HttpClient`].
#[derive(Clone)]
pub struct HttpClientBuilder {
    url: String,
    headers: HeaderMap,
    limits: Limits,
    clock: Arc<dyn Clock>,
}

impl HttpClientBuilder {
    /// Sends these headers with every request. Those the transport sets itself (`Accept`, `Content-Type`,
    /// `Content-Length`, `Host`, `Last-Event-ID` and `Mcp-*` but `Mcp-Param-*`) are left out.
    #[must_use]
    pub fn headers(mut self, headers: HeaderMap) -> Self {
        self.headers = headers;
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Asks another clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Makes the client. Nothing is connected yet.
    ///
    /// A user and password in the URL are sent as `Authorization: Basic`, unless the headers have an `Authorization`.
    /// Proxies of the environment are used, but never for a loopback address.
    ///
    /// # Errors
    /// [`FailureKind::Invalid`] if the URL is not http or https, or is https and the machine has no TLS roots.
    pub fn build(self) -> Result<HttpClient, Failure> {
        let (url, credentials) = redirect::parse(&self.url)?;
        let http = connector(&url, &self.limits)?;
        let mut headers = self.headers;
        for name in headers
            .keys()
            .filter(|name| head::is_reserved(name))
            .cloned()
            .collect::<Vec<_>>()
        {
            headers.remove(name);
        }
        if let Some(credentials) = credentials {
            headers.entry(header::AUTHORIZATION).or_insert(credentials);
        }
        let side = Arc::new(Side::new(&self.limits));
        let core = Core {
            http,
            url,
            headers,
            limits: self.limits,
            clock: self.clock,
            session: Mutex::default(),
            next: AtomicI64::new(1),
            lingering: Arc::new(Semaphore::new(LINGERING)),
        };
        Ok(HttpClient {
            core: Arc::new(core),
            side,
        })
    }
}

/// What connects. The machine's TLS roots are only loaded where they may be needed, and only demanded for https: a
/// container without any still reaches its neighbours.
fn connector(url: &Url, limits: &Limits) -> Result<reqwest::Client, Failure> {
    let builder = || {
        let builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(limits.connect_time)
            .pool_idle_timeout(limits.idle_time);
        match redirect::is_loopback(url) {
            true => builder.no_proxy(),
            false => builder,
        }
    };
    let rootless = || builder().tls_certs_only([]).build();
    let built = match redirect::may_use_tls(url) {
        true => builder().build().or_else(|error| match url.scheme() {
            "https" => Err(error),
            _ => rootless(),
        }),
        false => rootless(),
    };
    built.map_err(|error| {
        let detail = "the HTTP client cannot be set up; check the TLS roots of this machine";
        Failure::new(FailureKind::Invalid, detail).with_source(error)
    })
}

/// Neither the URL's credentials and query nor the values of headers are shown.
impl fmt::Debug for HttpClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClientBuilder")
            .field("url", &redirect::masked(&self.url))
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
