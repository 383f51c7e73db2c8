//! A proxy on loopback whose TCP connections have faults.

use std::{
    fmt,
    future::poll_fn,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    task::Poll,
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use super::{FaultLog, Faults, FaultyStream};
use crate::clock::Clock;

/// A proxy between a client and a server: it takes connections on a port of 127.0.0.1 and passes their bytes on, with
/// faults as a plan says. The first connection has the stream number 0, and so on.
///
/// It knows nothing of HTTP, so it serves for TLS, lines or anything else on TCP just as well. A client that keeps its
/// connections sends on one of them until a fault ends it.
///
/// ```
/// # use std::{error::Error, sync::Arc, time::Duration};
/// # use mcp_transport::{clock::ManualClock, test_util::{Faults, FaultyProxy}};
/// # use tokio::{io::{AsyncReadExt, AsyncWriteExt}, net::{TcpListener, TcpStream}};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn Error>> {
/// let server = TcpListener::bind("127.0.0.1:0").await?;
/// let faults = Faults::seeded(7).chop(0.3);
/// let proxy = FaultyProxy::bind(server.local_addr()?, faults, Arc::new(ManualClock::new())).await?;
/// println!("tell the client {}", proxy.url("/mcp"));
/// let address = proxy.address();
/// let test = async {
///     let mut client = TcpStream::connect(address).await?;
///     let (mut served, _) = server.accept().await?;
///     client.write_all(&[b'x'; 4096]).await?;
///     let mut got = [0; 4096];
///     served.read_exact(&mut got).await
/// };
/// tokio::select! {
///     failed = proxy.run() => failed?,
///     passed = test => { passed?; }
/// }
/// # Ok(())
/// # }
/// ```
pub struct FaultyProxy {
    listener: TcpListener,
    address: SocketAddr,
    target: SocketAddr,
    faults: Faults,
    clock: Arc<dyn Clock>,
    log: FaultLog,
}

impl FaultyProxy {
    /// Takes a free port of 127.0.0.1. Connections wait until [`Self::run`]. Delays go by `clock`.
    ///
    /// # Errors
    /// When there is no port.
    pub async fn bind(
        target: SocketAddr,
        faults: Faults,
        clock: Arc<dyn Clock>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        Ok(Self {
            address: listener.local_addr()?,
            listener,
            target,
            faults,
            clock,
            log: FaultLog::new(),
        })
    }

    /// Counts its faults in `log`.
    #[must_use]
    pub fn logging(mut self, log: FaultLog) -> Self {
        self.log = log;
        self
    }

    /// What has gone wrong so far. A clone of it counts on while the proxy runs.
    pub fn log(&self) -> &FaultLog {
        &self.log
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of `path` behind it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Passes bytes on until it is dropped, and its connections with it.
    ///
    /// # Errors
    /// When no more connections can be accepted.
    pub async fn run(self) -> io::Result<()> {
        let mut connections = JoinSet::new();
        let mut number = 0;
        loop {
            let accepting = poll_fn(|cx| {
                while let Poll::Ready(Some(_)) = connections.poll_join_next(cx) {}
                self.listener.poll_accept(cx)
            });
            let (near, _) = accepting.await?;
            near.set_nodelay(true)?;
            let near = FaultyStream::new(near, self.faults.clone(), Arc::clone(&self.clock))
                .number(number)
                .logging(self.log.clone());
            number += 1;
            #[expect(clippy::disallowed_methods, reason = "the set ends it with the proxy")]
            connections.spawn(pass(near, self.target));
        }
    }
}

async fn pass(mut near: FaultyStream<TcpStream>, target: SocketAddr) -> io::Result<()> {
    let mut far = TcpStream::connect(target).await?;
    far.set_nodelay(true)?;
    // What ends early ends for both sides: they are dropped here.
    copy_bidirectional(&mut near, &mut far).await.map(drop)
}

impl fmt::Debug for FaultyProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultyProxy")
            .field("address", &self.address)
            .field("target", &self.target)
            .field("faults", &self.faults)
            .field("log", &self.log)
            .finish_non_exhaustive()
    }
}
