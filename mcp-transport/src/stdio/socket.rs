//! A server behind a socket, or behind any byte stream: spoken to in lines, and driven in the background.

#[cfg(test)]
mod tests;

use std::{
    fmt, io,
    pin::{Pin, pin},
    sync::Arc,
};

use mcp_errors::{Failure, FailureKind};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::watch,
};

use super::{
    closing::{Closing, closed_here},
    duplex::{Duplex, DuplexDriver, Noise, Reason},
};
use crate::{
    clock::Clock,
    exchange::{Endpoint, Exchange, Full, Notification, Request},
    proto::{address::SocketAddress, limits::Limits},
};

/// A connection to a server over a byte stream. Clones share it.
///
/// When the last clone is dropped, the connection is closed as by [`Self::close`], in the background; when the runtime
/// ends before, with it.
#[derive(Clone)]
pub struct StreamClient {
    duplex: Duplex,
    closing: Arc<Closing>,
    ended: watch::Receiver<bool>,
}

impl StreamClient {
    /// Connects to a server that listens on a socket, within [`Limits::connect_time`]. Needs a tokio runtime with IO and
    /// time.
    ///
    /// # Errors
    /// [`FailureKind::Unreachable`], with the `io::Error` as its source, if nobody answers there, and
    /// [`FailureKind::Timeout`] if it takes too long.
    pub async fn connect(
        address: &SocketAddress,
        limits: &Limits,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Failure> {
        let patience = limits.connect_time;
        let connecting = async {
            match address {
                SocketAddress::Tcp { host, port } => {
                    let stream = TcpStream::connect((host.as_str(), *port)).await?;
                    stream.set_nodelay(true)?;
                    let (reader, writer) = stream.into_split();
                    Ok(Self::new(reader, writer, limits, Arc::clone(&clock)))
                }
                #[cfg(unix)]
                SocketAddress::Unix(path) => {
                    let stream = tokio::net::UnixStream::connect(path).await?;
                    let (reader, writer) = stream.into_split();
                    Ok(Self::new(reader, writer, limits, Arc::clone(&clock)))
                }
                #[cfg(not(unix))]
                SocketAddress::Unix(_) => Err(io::ErrorKind::Unsupported.into()),
            }
        };
        tokio::select! {
            connected = connecting => connected.map_err(|error| unreachable(address, error)),
            () = clock.sleep_until(clock.deadline(patience)) => {
                let detail = format!("no connection to {address} within {patience:?}");
                Err(Failure::new(FailureKind::Timeout, detail))
            }
        }
    }

    /// A client over a stream that stands. Must be called in a tokio runtime.
    pub fn new<R, W>(reader: R, writer: W, limits: &Limits, clock: Arc<dyn Clock>) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (duplex, driver) = Duplex::new(reader, writer, limits);
        let closing = Arc::new(Closing::default());
        let (end, ended) = watch::channel(false);
        let run = Run {
            duplex: duplex.clone(),
            closing: closing.watch(),
            farewell: limits.farewell_time,
            clock,
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "ends with the stream, which ends with the last handle"
        )]
        tokio::spawn(async move {
            run.run(driver).await;
            end.send_replace(true);
        });
        Self {
            duplex,
            closing,
            ended,
        }
    }

    /// Ends the connection: calls in flight fail as closed at once, what is queued is still written, and the server has
    /// [`Limits::farewell_time`] to close its end.
    pub async fn close(&self) {
        self.closing.close();
        // The sender is gone with the runtime, and the connection with it.
        let _ = self.ended.clone().wait_for(|ended| *ended).await;
    }

    /// What the server sent and was no message.
    pub fn noise(&self) -> Noise {
        self.duplex.noise()
    }
}

impl fmt::Debug for StreamClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamClient")
            .field("duplex", &self.duplex)
            .field("ended", &*self.ended.borrow())
            .finish_non_exhaustive()
    }
}

impl Endpoint for StreamClient {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        self.duplex.open(request)
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.duplex.notify(notification)
    }
}

struct Run {
    duplex: Duplex,
    closing: watch::Receiver<bool>,
    farewell: std::time::Duration,
    clock: Arc<dyn Clock>,
}

impl Run {
    /// Moves the bytes until one side has closed.
    async fn run<R, W>(mut self, driver: DuplexDriver<R, W>)
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let (mut reading, writing) = driver.split();
        let mut writing = pin!(writing);
        let mut written = false;
        loop {
            tokio::select! {
                read = reading.run() => return self.lose(read),
                // Where the server reads no more, answers to earlier requests may still come.
                _ = &mut writing, if !written => written = true,
                // The sender is gone when nobody holds the client any more.
                () = async { drop(self.closing.wait_for(|closing| *closing).await) } => break,
            }
        }
        let reason: Reason = Arc::new(closed_here);
        self.duplex.end(&reason);
        let farewell = async {
            let write = async {
                if !written {
                    // A server that is gone is told nothing.
                    let _ = writing.await;
                }
            };
            tokio::join!(self.duplex.finish(), write);
            let _ = reading.run().await;
        };
        tokio::select! {
            () = farewell => {}
            () = self.clock.sleep_until(self.clock.deadline(self.farewell)) => {}
        }
    }

    fn lose(&self, read: io::Result<()>) {
        let why = match read {
            Ok(()) => "the server closed the connection".to_owned(),
            Err(error) => format!("the connection broke: {error}"),
        };
        let reason: Reason = Arc::new(move || Failure::new(FailureKind::Lost, why.clone()));
        self.duplex.end(&reason);
    }
}

fn unreachable(address: &SocketAddress, error: io::Error) -> Failure {
    let detail =
        format!("cannot connect to {address}: {error}; check that the server listens there");
    Failure::new(FailureKind::Unreachable, detail).with_source(error)
}
