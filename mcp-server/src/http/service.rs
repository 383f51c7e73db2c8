//! A server as a tower service.

use std::{
    convert::Infallible,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Buf;
use http::{Request, Response};
use mcp_transport::http::server::{self as transport, Body};
use tower_service::Service;

use super::app::App;

/// A server as a tower service over `http` types. Clones share their legacy sessions, which end with the last
/// of them.
#[derive(Clone)]
pub struct HttpService {
    service: transport::HttpService<App>,
    app: Arc<App>,
}

impl HttpService {
    pub(super) fn new(service: transport::HttpService<App>, app: Arc<App>) -> Self {
        Self { service, app }
    }

    /// Ends the streams on which clients wait for news: subscriptions with their result, and those of legacy sessions,
    /// which stay. Subscriptions that come later end as soon as they are acknowledged.
    ///
    /// It is for a router of one's own, whose graceful shutdown would wait for them;
    /// [`HttpHost::serve_on`](super::HttpHost::serve_on) does it by itself.
    pub fn end_streams(&self) {
        self.app.end_streams();
    }

    pub(super) fn app(&self) -> &Arc<App> {
        &self.app
    }
}

impl<B> Service<Request<B>> for HttpService
where
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
        self.service.call(request)
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.service.fmt(f)
    }
}
