//! One connection: HTTP on a socket that is watched for how long it waits.

use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    io,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker, ready},
};

use bytes::BytesMut;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body::{Frame, SizeHint};
use hyper::{
    body::Incoming,
    rt::{Read, ReadBufCursor, Write},
    server::conn::http1,
};
use hyper_util::rt::TokioIo;
use mcp_types::{ErrorCode, ErrorObject, jsonrpc::ErrorId};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::watch::Receiver,
};
use tower_service::Service;

use super::{
    answer::HttpAnswer,
    taking::{Taking, WatchedData},
    watch::{Overdue, Watch},
};
use crate::{
    clock::{Clock, Sleep},
    proto::limits::Limits,
};

/// What a service may fail with while it writes a body.
pub(super) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What every connection of a server shares.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pub(super) limits: Arc<Limits>,
    pub(super) clock: Arc<dyn Clock>,
    /// Turns true when the server shuts down.
    pub(super) stop: Receiver<bool>,
}

/// Serves one connection to its end.
pub(super) async fn serve_connection<S, B>(stream: TcpStream, service: S, terms: Terms)
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    let shared = Arc::new(Shared {
        state: Mutex::new(State {
            watch: Watch::new(terms.clock.now()),
            lingers: false,
            waits: None,
            called: None,
        }),
        clock: Arc::clone(&terms.clock),
    });
    let io = WatchedIo {
        read: BytesMut::new(),
        io: TokioIo::new(stream),
        shared: Arc::clone(&shared),
    };
    let service = WatchedService { service, shared };
    #[cfg(feature = "http2")]
    let io = match super::http2::opening(io, &terms).await {
        super::http2::Opening::Http1(io) => io,
        super::http2::Opening::Http2(io) => {
            return super::http2::serve(io, service, terms).await;
        }
        super::http2::Opening::Gone => return,
    };
    serve_http1(io, service, terms).await;
}

async fn serve_http1<S, B>(io: WatchedIo, service: WatchedService<S>, terms: Terms)
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
    B: http_body::Body + Send + 'static,
    B::Error: Into<BoxError>,
{
    let Terms {
        limits,
        clock,
        mut stop,
    } = terms;
    let shared = Arc::clone(&io.shared);
    let mut http = http1::Builder::new();
    http.header_read_timeout(None).max_header_size(limits.head);
    if limits.headers != Limits::default().headers {
        http.max_headers(limits.headers);
    }
    let mut connection = http.serve_connection(io, service);
    let mut stopped = pin!(stop.wait_for(|stop| *stop));
    let (mut is_stopping, mut alarm) = (false, Alarm::default());
    let overdue = poll_fn(|cx| {
        if !is_stopping && stopped.as_mut().poll(cx).is_ready() {
            is_stopping = true;
            Pin::new(&mut connection).graceful_shutdown();
        }
        if connection.poll_without_shutdown(cx).is_ready() {
            return Poll::Ready(None);
        }
        alarm.poll(&shared, &limits, cx).map(Some)
    })
    .await;
    let stream = connection.into_parts().io.io.into_inner();
    // Whatever happens here, it does not take long.
    let farewell = clock.sleep_until(clock.deadline(limits.farewell_time));
    let lingers = shared.state().lingers;
    match overdue {
        Some(Overdue::Head) => or_until(farewell, say_timeout(stream)).await,
        None if lingers => or_until(farewell, linger(stream)).await,
        _ => {}
    }
}

/// Waits for the next moment at which a connection is overdue; armed anew only when it comes sooner.
#[derive(Default)]
pub(super) struct Alarm(Option<(std::time::Instant, Sleep)>);

impl Alarm {
    pub(super) fn poll(
        &mut self,
        shared: &Shared,
        limits: &Limits,
        cx: &mut Context<'_>,
    ) -> Poll<Overdue> {
        loop {
            let mut state = shared.state();
            let Some((at, overdue)) = state.watch.poll_timeout(limits) else {
                // Requests are worked on, and answered, by other tasks.
                if state.watch.is_multiplexed() {
                    state.waits = Some(cx.waker().clone());
                }
                return Poll::Pending;
            };
            drop(state);
            let (armed, sleep) = match &mut self.0 {
                Some((armed, sleep)) if *armed <= at => (*armed, sleep),
                slot => {
                    let (_, sleep) = slot.insert((at, shared.clock.sleep_until(at)));
                    (at, sleep)
                }
            };
            ready!(sleep.as_mut().poll(cx));
            self.0 = None;
            if armed >= at {
                return Poll::Ready(overdue);
            }
        }
    }
}

pub(super) async fn or_until(deadline: Sleep, work: impl Future<Output = io::Result<()>>) {
    let (mut deadline, mut work) = (deadline, pin!(work));
    poll_fn(|cx| match work.as_mut().poll(cx) {
        // The client is gone or has been told; either way this is the end.
        Poll::Ready(Ok(()) | Err(_)) => Poll::Ready(()),
        Poll::Pending => deadline.as_mut().poll(cx),
    })
    .await;
}

pub(super) async fn say_timeout(mut stream: TcpStream) -> io::Result<()> {
    let error = ErrorObject::new(
        ErrorCode::INVALID_REQUEST,
        "The head of the request was not complete in time.",
    );
    let answer = HttpAnswer::error(StatusCode::REQUEST_TIMEOUT, &ErrorId::Omitted, &error);
    let body = answer.message().unwrap_or_default();
    let head = format!(
        "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await?;
    stream.shutdown().await
}

/// Reads on for a moment after the answer to a body that was refused: to close at once would reset the
/// connection, and the client might never see the answer.
async fn linger(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let mut scratch = [0; 4096];
    while stream.read(&mut scratch).await? > 0 {}
    Ok(())
}

/// What is known of a connection.
#[derive(Debug)]
pub(super) struct Shared {
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) watch: Watch,
    lingers: bool,
    /// Who is to hear when nothing is worked on any more.
    waits: Option<Waker>,
    /// The stream that was called last and does not run yet, where the connection has many.
    pub(super) called: Option<Arc<Taking>>,
}

impl Shared {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The socket, telling when bytes move.
#[derive(Debug)]
pub(super) struct WatchedIo {
    /// What was read already.
    pub(super) read: BytesMut,
    pub(super) io: TokioIo<TcpStream>,
    pub(super) shared: Arc<Shared>,
}

impl WatchedIo {
    fn wrote<T>(&self, poll: Poll<T>) -> Poll<T> {
        let mut state = self.shared.state();
        state
            .watch
            .handle_write(poll.is_pending(), self.shared.clock.now());
        poll
    }
}

impl Read for WatchedIo {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.read.is_empty() {
            let count = self.read.len().min(buf.remaining());
            buf.put_slice(&self.read.split_to(count));
            return Poll::Ready(Ok(()));
        }
        ready!(Pin::new(&mut self.io).poll_read(cx, buf))?;
        let mut state = self.shared.state();
        state.watch.handle_read(self.shared.clock.now());
        Poll::Ready(Ok(()))
    }
}

impl Write for WatchedIo {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.io).poll_write(cx, buf);
        self.wrote(poll)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.io).poll_write_vectored(cx, bufs);
        self.wrote(poll)
    }
}

/// The service, telling when a request is at work.
#[derive(Clone)]
pub(super) struct WatchedService<S> {
    service: S,
    shared: Arc<Shared>,
}

// It is never polled in place, only called.
impl<S> Unpin for WatchedService<S> {}

/// A request at work, until it is dropped.
struct AtWork(Arc<Shared>);

impl Drop for AtWork {
    fn drop(&mut self) {
        let now = self.0.clock.now();
        let waits = {
            let mut state = self.0.state();
            state.watch.handle_answered(now);
            state.waits.take()
        };
        if let Some(waits) = waits {
            waits.wake();
        }
    }
}

impl<S, B> hyper::service::Service<Request<Incoming>> for WatchedService<S>
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
    B: http_body::Body + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<WatchedBody<B>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let taking = {
            let mut state = self.shared.state();
            state.watch.handle_request();
            let is_one = state.watch.is_multiplexed();
            state.called = is_one.then(|| Arc::new(Taking::new(&self.shared.clock)));
            state.called.clone()
        };
        let at_work = AtWork(Arc::clone(&self.shared));
        let mut service = self.service.clone();
        Box::pin(async move {
            poll_fn(|cx| service.poll_ready(cx)).await?;
            let response = service.call(request).await?;
            let closes = response.headers().get(header::CONNECTION);
            if closes.is_some_and(|value| value == HeaderValue::from_static("close")) {
                at_work.0.state().lingers = true;
            }
            Ok(response.map(|body| WatchedBody {
                body: Box::pin(body),
                taking,
                _at_work: at_work,
            }))
        })
    }
}

/// A body that ends the work on its request when it is dropped.
pub(super) struct WatchedBody<B> {
    body: Pin<Box<B>>,
    taking: Option<Arc<Taking>>,
    _at_work: AtWork,
}

impl<B: http_body::Body> http_body::Body for WatchedBody<B> {
    type Data = WatchedData<B::Data>;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, B::Error>>> {
        if let Some(taking) = &self.taking {
            ready!(taking.poll_taken(cx));
        }
        let frame = ready!(self.body.as_mut().poll_frame(cx));
        let watched = |data| WatchedData::new(data, self.taking.clone());
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(watched))))
    }

    fn is_end_stream(&self) -> bool {
        let is_taken = self.taking.as_ref().is_none_or(|taking| taking.is_taken());
        is_taken && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
