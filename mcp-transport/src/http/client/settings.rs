//! Settings of an HTTP client.

use std::{
    fmt,
    sync::{Arc, Mutex, atomic::AtomicI64},
};

use ::http::{HeaderMap, header};
use mcp_errors::Failure;
use tokio::sync::Semaphore;

use super::{
    Core, HttpClient, LINGERING,
    connector::{Connector, Proxying},
    head, redirect,
    renew::Renewal,
    side::Side,
};
use crate::{
    clock::{Clock, SystemClock},
    proto::{http::shown_url, limits::Limits},
};

/// Which redirects are followed. Those that are not end the call with a
/// [`FailureKind::Redirected`](mcp_errors::FailureKind::Redirected) that names the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Redirects {
    /// 307 and 308, which keep method and body, to the same origin or from http to https of the same host; five at most.
    #[default]
    SameOrigin,
    /// None.
    None,
}

/// Gives headers for every HTTP request, such as a token that changes. It is asked in the middle of a call, so it must
/// not block.
pub trait HeaderProvider: Send + Sync {
    /// The headers of the next request. Those the transport sets itself are left out.
    fn headers(&self) -> HeaderMap;
}

impl<F: Fn() -> HeaderMap + Send + Sync> HeaderProvider for F {
    fn headers(&self) -> HeaderMap {
        self()
    }
}

/// Settings of an [`HttpClient`].
#[derive(Clone)]
pub struct HttpClientBuilder {
    url: String,
    headers: HeaderMap,
    provider: Option<Arc<dyn HeaderProvider>>,
    redirects: Redirects,
    renews: bool,
    pub(super) message_url: Option<String>,
    connector: Connector,
    limits: Limits,
    clock: Arc<dyn Clock>,
}

impl HttpClientBuilder {
    pub(super) fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            headers: HeaderMap::new(),
            provider: None,
            redirects: Redirects::default(),
            renews: true,
            message_url: None,
            connector: Connector::default(),
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
        }
    }

    /// Sends these headers with every request. Those the transport sets itself (`Accept`, `Content-Type`,
    /// `Content-Length`, `Host`, `Last-Event-ID` and `Mcp-*` but `Mcp-Param-*`) are left out.
    #[must_use]
    pub fn headers(mut self, headers: HeaderMap) -> Self {
        self.headers = headers;
        self
    }

    /// Asks `provider` for more headers before every HTTP request, also those of notifications, of the standalone stream
    /// and of what is sent again. They replace those of [`Self::headers`] by name; those of a call replace them.
    #[must_use]
    pub fn header_provider(mut self, provider: impl HeaderProvider + 'static) -> Self {
        self.provider = Some(Arc::new(provider));
        self
    }

    /// Says which redirects are followed: [`Redirects::SameOrigin`] by default.
    #[must_use]
    pub fn redirects(mut self, redirects: Redirects) -> Self {
        self.redirects = redirects;
        self
    }

    /// Whether a lost legacy session is replaced by another, which it is by default. Where not, calls fail with a
    /// [`SessionLost`](super::SessionLost) until the caller sends `initialize` again.
    #[must_use]
    pub fn renew_sessions(mut self, renew: bool) -> Self {
        self.renews = renew;
        self
    }

    /// Where a client of the HTTP+SSE transport ([`SseClient`](super::sse::SseClient)) posts its messages, whatever the
    /// server announces: for servers behind a gateway whose prefix they do not know. Other clients ignore it.
    #[must_use]
    pub fn message_url(mut self, url: &str) -> Self {
        self.message_url = Some(url.to_owned());
        self
    }

    /// Sends every request through the proxy at `url`, for loopback addresses too, in the place of those that the
    /// environment names (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, but for `NO_PROXY`). A user and password in it are
    /// the proxy's.
    #[must_use]
    pub fn proxy(mut self, url: &str) -> Self {
        self.connector.proxy = Proxying::Url(url.to_owned());
        self
    }

    /// Uses no proxy, whatever the environment says: for URLs that are not the user's own.
    #[must_use]
    pub fn no_proxy(mut self) -> Self {
        self.connector.proxy = Proxying::None;
        self
    }

    /// Trusts these certificate authorities, one or more certificates in PEM, beside those that the machine trusts.
    #[must_use]
    pub fn ca_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.connector.authorities = Some(pem.into());
        self
    }

    /// Shows this certificate to servers that ask who calls: the certificate, those of its chain and its private key, in
    /// PEM.
    #[must_use]
    pub fn client_certificate(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.connector.identity = Some(pem.into());
        self
    }

    /// Whether answers may be compressed with gzip. By default they may not, and one that is ends its call: what is
    /// small on the wire can be large in memory. Limits count what comes out.
    #[cfg(feature = "compression")]
    #[must_use]
    pub fn compression(mut self, compression: bool) -> Self {
        self.connector.gzip = compression;
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

    /// The URL, without credentials and query.
    #[must_use]
    pub fn shown_url(&self) -> String {
        shown_url(&self.url)
    }

    /// The same settings for another URL of the server; what the first URL has of credentials goes there too.
    pub(super) fn at(mut self, url: &str) -> Self {
        if let Ok((_, Some(credentials))) = redirect::parse(&self.url) {
            let headers = &mut self.headers;
            headers.entry(header::AUTHORIZATION).or_insert(credentials);
        }
        url.clone_into(&mut self.url);
        self
    }

    /// Makes the client. Nothing is connected yet.
    ///
    /// A user and password in the URL are sent as `Authorization: Basic`, unless the headers have an `Authorization`.
    /// Proxies of the environment are used, but never for a loopback address; see [`Self::proxy`]. TLS is rustls's, from
    /// 1.2 on, and trusts what the machine trusts. Small messages are sent at once (`TCP_NODELAY`).
    ///
    /// # Errors
    /// [`FailureKind::Invalid`](mcp_errors::FailureKind::Invalid) if the URL or the proxy's is not http or https, a
    /// certificate cannot be read, or the URL is https and the machine has no TLS roots.
    pub fn build(self) -> Result<HttpClient, Failure> {
        let (url, credentials) = redirect::parse(&self.url)?;
        let http = self.connector.build(&url, &self.limits)?;
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
            coding: self.connector.accept_encoding(),
            headers,
            provider: self.provider,
            redirects: self.redirects,
            limits: self.limits,
            clock: self.clock,
            session: Mutex::default(),
            renewal: Renewal::new(self.renews),
            next: AtomicI64::new(1),
            lingering: Arc::new(Semaphore::new(LINGERING)),
        };
        Ok(HttpClient {
            core: Arc::new(core),
            side,
        })
    }
}

/// Neither the URL's credentials and query nor the values of headers are shown.
impl fmt::Debug for HttpClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClientBuilder")
            .field("url", &shown_url(&self.url))
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("redirects", &self.redirects)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
