//! The accept loop: connections, their cap, and the way down.

use std::{
    future::{Future, poll_fn},
    io,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use mcp_transport::Clock;
use tokio::{
    io::{AsyncRead, AsyncWrite, split},
    sync::watch,
    task::JoinSet,
};

use super::opening::Opening;
use crate::{core::Core, duplex, gate::Gate};

/// How long the loop rests when the system has no more descriptors for connections.
const REST: Duration = Duration::from_millis(100);

/// Where connections come from.
pub(super) trait Listener: Sized + Send + 'static {
    /// A connection's byte stream.
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// A place among the connections of its peer, until it is dropped.
    type Place: Send + 'static;

    /// Whether a connection must begin with a JSON object.
    const STRICT: bool;

    /// The next connection; without a place where its peer has too many.
    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<Accepted<Self>>;
}

/// A connection, and its place if it has one.
pub(super) type Accepted<L> = io::Result<(<L as Listener>::Stream, Option<<L as Listener>::Place>)>;

/// Serves the connections of `listener` until `shutdown` is ready, and waits for those at work. Gives how many had to be
/// cut.
pub(super) async fn run<L: Listener>(
    core: Arc<Core>,
    listener: L,
    clock: Arc<dyn Clock>,
    shutdown: impl Future<Output = ()>,
) -> usize {
    let (stop, stopped) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    while let Some(accepted) = next(&listener, &mut connections, shutdown.as_mut()).await {
        let (stream, place) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept");
                if is_about_us(&error) {
                    clock.sleep_until(clock.deadline(REST)).await;
                }
                continue;
            }
        };
        let Some(place) = place.filter(|_| connections.len() < core.limits.connections) else {
            tracing::debug!("at capacity: connection closed");
            continue;
        };
        let serving = serve::<L>(
            Arc::clone(&core),
            stream,
            Arc::clone(&clock),
            stopped.clone(),
        );
        #[expect(clippy::disallowed_methods, reason = "the loop's set owns it")]
        connections.spawn(async move {
            let _place = place;
            if let Err(error) = serving.await {
                tracing::debug!(%error, "a connection ended");
            }
        });
    }
    drop(listener);
    stop.send_replace(true);
    drain(connections, &*clock, core.limits.drain_time).await
}

async fn serve<L: Listener>(
    core: Arc<Core>,
    stream: L::Stream,
    clock: Arc<dyn Clock>,
    mut stopped: watch::Receiver<bool>,
) -> io::Result<()> {
    let (reader, writer) = split(stream);
    let deadline = clock.sleep_until(clock.deadline(core.limits.head_time));
    let reader = Opening::new(reader, deadline, L::STRICT);
    // The sender is gone when the loop was dropped, and this task with it.
    let shutdown = async { drop(stopped.wait_for(|stopped| *stopped).await) };
    duplex::serve(Gate::new(core), reader, writer, clock, shutdown).await
}

/// The next connection; `None` on shutdown. Connections that have ended are forgotten meanwhile.
async fn next<L: Listener>(
    listener: &L,
    connections: &mut JoinSet<()>,
    mut shutdown: Pin<&mut impl Future<Output = ()>>,
) -> Option<Accepted<L>> {
    poll_fn(|cx| {
        if shutdown.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        while let Poll::Ready(Some(_)) = connections.poll_join_next(cx) {}
        listener.poll_accept(cx).map(Some)
    })
    .await
}

/// Each connection ends by itself in time, unless it waits for a peer that takes nothing.
async fn drain(mut connections: JoinSet<()>, clock: &dyn Clock, patience: Duration) -> usize {
    let mut deadline = clock.sleep_until(clock.deadline(patience));
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
    cut
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
