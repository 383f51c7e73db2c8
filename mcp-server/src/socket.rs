//! Hosting on sockets, a message a line: a Unix domain socket, or a TCP port.

mod accept;
mod opening;
mod tcp;
#[cfg(unix)]
mod unix;

use std::{fmt, future::Future, io, sync::Arc};

use mcp_transport::clock::{Clock, SystemClock};
use tokio::net::TcpListener;

use self::tcp::Tcp;
use crate::core::Core;

/// A server that is to be hosted on sockets. Each connection is one as on stdio, with an era of its own.
///
/// ```no_run
/// # use mcp_server::Server;
/// # async fn run() -> std::io::Result<()> {
/// let server = Server::new("ops", "1.0.0");
/// let stop = std::future::pending(); // or what waits for a signal
/// server.sockets().serve_unix("/run/ops/mcp.sock", stop).await
/// # }
/// ```
///
/// There are at most [`Limits::connections`] at once, and one whose first line is not complete within
/// [`Limits::head_time`] is closed. After it a client may be silent as long as it likes. On shutdown nothing more is
/// accepted or read, and calls in flight get [`Limits::drain_time`] to finish.
///
/// [`Limits::connections`]: crate::Limits::connections
/// [`Limits::head_time`]: crate::Limits::head_time
/// [`Limits::drain_time`]: crate::Limits::drain_time
#[derive(Clone)]
pub struct SocketHost {
    core: Arc<Core>,
    clock: Arc<dyn Clock>,
    beyond_loopback: bool,
    #[cfg(unix)]
    mode: u32,
}

impl SocketHost {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self {
            core,
            clock: Arc::new(SystemClock),
            beyond_loopback: false,
            #[cfg(unix)]
            mode: 0o600,
        }
    }

    /// Sets the clock that deadlines go by.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Sets who may connect to a Unix socket, as permission bits of its file: 0o600, its owner alone, by default.
    #[cfg(unix)]
    #[must_use]
    pub fn mode(self, mode: u32) -> Self {
        Self { mode, ..self }
    }

    /// Lets a TCP listener be on other addresses than loopback. Whoever reaches the port may call every tool: nothing
    /// on this wire says who a client is.
    #[must_use]
    pub fn beyond_loopback(self) -> Self {
        Self {
            beyond_loopback: true,
            ..self
        }
    }

    /// Serves on a Unix domain socket at `path` until `shutdown` is ready.
    ///
    /// The file appears with its permissions, in the place of one that a server has left which is no more; it is removed
    /// at the end. Its directory should be one that only those can write to who may replace the server.
    ///
    /// # Errors
    /// [`io::ErrorKind::AddrInUse`] when another server listens there, [`io::ErrorKind::AlreadyExists`] when the file is
    /// no socket, and whatever keeps the socket from being made.
    #[cfg(unix)]
    pub async fn serve_unix(
        &self,
        path: impl AsRef<std::path::Path>,
        shutdown: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let listener = unix::Unix::bind(path.as_ref(), self.mode).await?;
        tracing::info!(path = %path.as_ref().display(), "serving MCP on a Unix socket");
        self.accept(listener, shutdown).await;
        Ok(())
    }

    /// Serves on `listener` until `shutdown` is ready. There are at most
    /// [`Limits::connections_per_peer`](crate::Limits::connections_per_peer) from one address, loopback excepted.
    ///
    /// A connection that does not begin with a JSON object is closed before anything is answered: a web page can make a
    /// browser send a form to a local port, but not make it leave out the HTTP before that.
    ///
    /// # Errors
    /// When `listener` is not on loopback and [`Self::beyond_loopback`] was not called.
    pub async fn serve_tcp(
        &self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let address = listener.local_addr()?;
        if !address.ip().to_canonical().is_loopback() && !self.beyond_loopback {
            let error = format!(
                "{address} can be reached from other machines, and whoever reaches it may call every tool: bind \
                 127.0.0.1, or say `Server::sockets().beyond_loopback()`"
            );
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, error));
        }
        tracing::info!(%address, "serving MCP on a TCP port");
        let limits = &self.core.limits;
        self.accept(Tcp::new(listener, limits), shutdown).await;
        Ok(())
    }

    async fn accept(&self, listener: impl accept::Listener, shutdown: impl Future<Output = ()>) {
        let cut = accept::run(
            Arc::clone(&self.core),
            listener,
            Arc::clone(&self.clock),
            shutdown,
        )
        .await;
        if cut > 0 {
            tracing::warn!(connections = cut, "cut after the drain time");
        }
    }
}

impl fmt::Debug for SocketHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SocketHost")
            .field("beyond_loopback", &self.beyond_loopback)
            .finish_non_exhaustive()
    }
}
