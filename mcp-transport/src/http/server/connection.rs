//! One connection: HTTP/1.1 on a socket that is watched for how long it waits.

use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    io,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

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
    B::Error: Into<BoxError>,
{
    let Terms {
        limits,
        clock,
        mut stop,
    } = terms;
    let shared = Arc::new(Shared {
        state: Mutex::new(State {
            watch: Watch::new(clock.now()),
            lingers: false,
        }),
        clock: Arc::clone(&clock),
    });
    let mut http = http1::Builder::new();
    http.header_read_timeout(None).max_header_size(limits.head);
    if limits.headers != Limits::default().headers {
        http.max_headers(limits.headers);
    }
    let mut connection = http.serve_connection(
        WatchedIo {
            io: TokioIo::new(stream),
            shared: Arc::clone(&shared),
        },
        WatchedService {
            service,
            shared: Arc::clone(&shared),
        },
    );
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
struct Alarm(Option<(std::time::Instant, Sleep)>);

impl Alarm {
    fn poll(&mut self, shared: &Shared, limits: &Limits, cx: &mut Context<'_>) -> Poll<Overdue> {
        loop {
            let Some((at, overdue)) = shared.state().watch.poll_timeout(limits) else {
                return Poll::Pending;
            };
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

async fn or_until(deadline: Sleep, work: impl Future<Output = io::Result<()>>) {
    let (mut deadline, mut work) = (deadline, pin!(work));
    poll_fn(|cx| match work.as_mut().poll(cx) {
        // The client is gone or has been told; either way this is the end.
        Poll::Ready(Ok(()) | Err(_)) => Poll::Ready(()),
        Poll::Pending => deadline.as_mut().poll(cx),
    })
    .await;
}

async fn say_timeout(mut stream: TcpStream) -> io::Result<()> {
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

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug)]
struct State {
    watch: Watch,
    lingers: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The socket, telling when bytes move.
#[derive(Debug)]
struct WatchedIo {
    io: TokioIo<TcpStream>,
    shared: Arc<Shared>,
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
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
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
struct WatchedService<S> {
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
        self.0.state().watch.handle_answered(now);
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
        self.shared.state().watch.handle_request();
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
                _at_work: at_work,
            }))
        })
    }
}

/// A body that ends the work on its request when it is dropped.
struct WatchedBody<B> {
    body: Pin<Box<B>>,
    _at_work: AtWork,
}

impl<B: http_body::Body> http_body::Body for WatchedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        self.body.as_mut().poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
