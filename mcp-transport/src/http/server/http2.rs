//! HTTP/2 on a connection that begins with its preface, with limits on what floods it.

use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::Duration,
};

use http::{Request, Response};
use hyper::{body::Incoming, rt::Executor, server::conn::http2};
use tokio::{io::AsyncReadExt as _, task::JoinSet};
use tower_service::Service;

use super::{
    connection::{
        Alarm, BoxError, Shared, Terms, WatchedIo, WatchedService, or_until, say_timeout,
    },
    watch::Overdue,
};
use crate::proto::http::Preface;

/// Requests at once on one connection.
const STREAMS: u32 = 100;
/// Bytes of a request's headers, uncompressed.
const HEADER_LIST: u32 = 16 * 1024;
/// Requests that a client takes back before they are looked at.
const TAKEN_BACK: usize = 20;
/// Requests that end by an error of the client's.
const BROKEN: usize = 1024;

/// What a connection turned out to be.
pub(super) enum Opening {
    Http1(WatchedIo),
    Http2(WatchedIo),
    /// Over before that was clear.
    Gone,
}

/// Reads until the version is clear. A connection that does not say it in time is answered like a slow head.
pub(super) async fn opening(mut io: WatchedIo, terms: &Terms) -> Opening {
    let (mut alarm, mut stop) = (Alarm::default(), terms.stop.clone());
    let shared = Arc::clone(&io.shared);
    let overdue = {
        let mut reading = pin!(async {
            while Preface::of(&io.read) == Preface::Unclear {
                match io.io.inner_mut().read_buf(&mut io.read).await {
                    Ok(0) | Err(_) => return false,
                    Ok(_) => {}
                }
            }
            true
        });
        let mut stopped = pin!(stop.wait_for(|stop| *stop));
        poll_fn(|cx| {
            if let Poll::Ready(is_there) = reading.as_mut().poll(cx) {
                return Poll::Ready(Ok(is_there));
            }
            if stopped.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ok(false));
            }
            alarm.poll(&shared, &terms.limits, cx).map(Err)
        })
        .await
    };
    match overdue {
        Ok(true) if Preface::of(&io.read) == Preface::Http2 => Opening::Http2(io),
        Ok(true) => Opening::Http1(io),
        Ok(false) => Opening::Gone,
        Err(_) => {
            let farewell = terms.clock.deadline(terms.limits.farewell_time);
            let farewell = terms.clock.sleep_until(farewell);
            or_until(farewell, say_timeout(io.io.into_inner())).await;
            Opening::Gone
        }
    }
}

/// Serves a connection to its end.
pub(super) async fn serve<S, B>(io: WatchedIo, service: WatchedService<S>, terms: Terms)
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
    let Terms {
        limits,
        clock,
        mut stop,
    } = terms;
    let shared = Arc::clone(&io.shared);
    shared.state().watch.multiplex();
    let mut http = http2::Builder::new(Streams {
        all: Arc::default(),
        shared: Arc::clone(&shared),
        patience: limits.idle_time,
    });
    http.max_concurrent_streams(STREAMS)
        .max_header_list_size(HEADER_LIST)
        .max_pending_accept_reset_streams(TAKEN_BACK)
        .max_local_error_reset_streams(BROKEN);
    let mut connection = http.serve_connection(io, service);
    let mut stopped = pin!(stop.wait_for(|stop| *stop));
    let (mut is_stopping, mut alarm) = (false, Alarm::default());
    let overdue = poll_fn(|cx| {
        if !is_stopping && stopped.as_mut().poll(cx).is_ready() {
            is_stopping = true;
            Pin::new(&mut connection).graceful_shutdown();
        }
        if Pin::new(&mut connection).poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        alarm.poll(&shared, &limits, cx).map(Some)
    })
    .await;
    if let Some(Overdue::Head | Overdue::Idle) = overdue {
        Pin::new(&mut connection).graceful_shutdown();
        let farewell = clock.sleep_until(clock.deadline(limits.farewell_time));
        or_until(farewell, async {
            // Whatever it says, this was its end.
            let _ended = connection.await;
            Ok(())
        })
        .await;
    }
}

/// The requests of one connection, which end with it.
#[derive(Clone)]
struct Streams {
    all: Arc<Mutex<JoinSet<()>>>,
    shared: Arc<Shared>,
    /// How long a client may take nothing of an answer.
    patience: Duration,
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, stream: F) {
        let called = self.shared.state().called.take();
        let mut streams = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        while streams.try_join_next().is_some() {}
        #[expect(clippy::disallowed_methods, reason = "the connection's set owns it")]
        match called {
            Some(taking) => streams.spawn(taking.hold(stream, self.patience)),
            None => streams.spawn(stream),
        };
    }
}
