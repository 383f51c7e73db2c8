//! The accept loop: connections, their caps, and the way down.

use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    io,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use http::{Request, Response};
use hyper::body::Incoming;
use tokio::{net::TcpListener, sync::watch, task::JoinSet};
use tower_service::Service;

use super::connection::{BoxError, Terms, serve_connection};
use crate::{clock::Clock, peers::Peers, proto::limits::Limits};

/// How long the loop rests when the system has no more descriptors for connections.
const REST: Duration = Duration::from_millis(100);

/// What a server did until its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Served {
    /// Connections that were still at work when the drain time was over, and were cut.
    pub cut: usize,
}

/// Accepts connections on `listener` and serves them with `service`, until `shutdown` is ready.
///
/// Connections over a cap are closed at once. On shutdown nothing more is accepted, idle connections are
/// closed, and those at work get [`Limits::drain_time`] to end.
pub async fn serve<S, B>(
    listener: TcpListener,
    service: S,
    limits: Limits,
    clock: Arc<dyn Clock>,
    shutdown: impl Future<Output = ()>,
) -> Served
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
    let (stop, stopped) = watch::channel(false);
    let terms = Terms {
        limits: Arc::new(limits),
        clock: Arc::clone(&clock),
        stop: stopped,
    };
    let peers = Peers::default();
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    while let Some(accepted) = next(&listener, &mut connections, shutdown.as_mut()).await {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept");
                if is_about_us(&error) {
                    clock.sleep_until(clock.deadline(REST)).await;
                }
                continue;
            }
        };
        let place = match connections.len() < terms.limits.connections {
            true => peers.enter(peer.ip(), terms.limits.connections_per_peer),
            false => None,
        };
        let Some(place) = place else {
            tracing::debug!(%peer, "at capacity: connection closed");
            continue;
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "no TCP_NODELAY");
        }
        let serving = serve_connection(stream, service.clone(), terms.clone());
        #[expect(clippy::disallowed_methods, reason = "the loop's set owns it")]
        connections.spawn(async move {
            let _place = place;
            serving.await;
        });
    }
    drop(listener);
    stop.send_replace(true);
    drain(connections, &terms).await
}

/// The next connection; `None` on shutdown. Connections that have ended are forgotten meanwhile.
async fn next(
    listener: &TcpListener,
    connections: &mut JoinSet<()>,
    mut shutdown: std::pin::Pin<&mut impl Future<Output = ()>>,
) -> Option<io::Result<(tokio::net::TcpStream, std::net::SocketAddr)>> {
    poll_fn(|cx| {
        if shutdown.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        while let Poll::Ready(Some(_)) = connections.poll_join_next(cx) {}
        listener.poll_accept(cx).map(Some)
    })
    .await
}

async fn drain(mut connections: JoinSet<()>, terms: &Terms) -> Served {
    let mut deadline = terms
        .clock
        .sleep_until(terms.clock.deadline(terms.limits.drain_time));
    poll_fn(|cx| {
        while let Poll::Ready(ended) = connections.poll_join_next(cx) {
            if ended.is_none() {
                return Poll::Ready(());
            }
        }
        deadline.as_mut().poll(cx)
    })
    .await;
    let cut = connections.len();
    connections.shutdown().await;
    Served { cut }
}

/// Whether the error is about this process or machine, not about the one connection.
fn is_about_us(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}
