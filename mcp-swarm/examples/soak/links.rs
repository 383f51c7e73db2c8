//! How clients reach the server: in memory, over HTTP behind a proxy each, or as a process each.

use std::{
    error::Error,
    fs, io,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    sync::Arc,
};

use mcp_client::{ChildCommand, Client, ConnectError};
use mcp_server::Server;
use mcp_transport::{
    clock::SystemClock,
    test_util::{FaultKind, FaultLog, FaultyEndpoint, FaultyProxy},
};
use mcp_types::Era;
use tokio::{net::TcpListener, sync::oneshot, task::JoinSet};

use crate::{
    child,
    ledger::Ledger,
    plan::{DEADLINE, Plan, Transport},
    tools::{Ran, server},
};

/// The server, and the way of each client to it.
pub(crate) struct Links {
    plan: Arc<Plan>,
    /// What went wrong on each way.
    logs: Vec<FaultLog>,
    wire: Wire,
}

enum Wire {
    Memory(Box<Server>),
    Http {
        urls: Vec<String>,
        proxies: JoinSet<io::Result<()>>,
        server: JoinSet<()>,
        stop: oneshot::Sender<()>,
    },
    Stdio(Folder),
}

impl Ran for Ledger {
    fn ran(&self, call: u64) {
        Self::ran(self, call);
    }

    fn waits(&self, more: i64) {
        self.waiting
            .fetch_add(more, std::sync::atomic::Ordering::Relaxed);
    }
}

impl Links {
    pub(crate) async fn open(
        plan: &Arc<Plan>,
        ledger: &Arc<Ledger>,
    ) -> Result<Self, Box<dyn Error>> {
        let logs: Vec<FaultLog> = (0..plan.cells).map(|_| FaultLog::new()).collect();
        let wire = match plan.transport {
            Transport::Memory => Wire::Memory(Box::new(server(Arc::clone(ledger)))),
            Transport::Stdio => Wire::Stdio(Folder::new()?),
            Transport::Http => serve(plan, server(Arc::clone(ledger)), &logs).await?,
        };
        Ok(Self {
            plan: Arc::clone(plan),
            logs,
            wire,
        })
    }

    /// A client of this number; each time it connects has faults of its own.
    pub(crate) async fn connect(&self, cell: u64, time: u64) -> Result<Client, ConnectError> {
        let era = if cell.is_multiple_of(2) {
            Era::Modern
        } else {
            Era::Legacy
        };
        let builder = Client::builder("soak", "1.0")
            .pin(era)
            .request_timeout(DEADLINE);
        match &self.wire {
            Wire::Memory(server) => {
                let mut plan = Plan::clone(&self.plan);
                plan.seed ^= (cell << 32) | time;
                let inner = Arc::new(server.connect());
                let faulty = FaultyEndpoint::new(inner, plan.faults(), Arc::new(SystemClock))
                    .logging(self.logs[cell as usize].clone());
                builder.connect_endpoint(Arc::new(faulty)).await
            }
            Wire::Http { urls, .. } => builder.connect(&urls[cell as usize]).await,
            Wire::Stdio(folder) => {
                let program = std::env::current_exe().unwrap_or_default();
                let number = (cell << 20 | time).to_string();
                let command = ChildCommand::new(program)
                    .arg(child::FLAG)
                    .arg(folder.faults(cell))
                    .arg(folder.ran())
                    .args([number, self.plan.seed.to_string()]);
                builder.connect_command(command).await
            }
        }
    }

    /// How many faults came on the way of this client after which a call may fail.
    pub(crate) fn breaking(&self, cell: u64) -> u64 {
        match &self.wire {
            Wire::Stdio(folder) => {
                let counts = folder.counts(cell);
                let kinds = FaultKind::ALL.into_iter().zip(counts);
                kinds
                    .filter(|(kind, _)| kind.breaks())
                    .map(|(_, count)| count)
                    .sum()
            }
            _ => self.logs[cell as usize].breaking(),
        }
    }

    /// What went wrong, by kind.
    pub(crate) fn faults(&self) -> [u64; FaultKind::ALL.len()] {
        let mut sum = [0; FaultKind::ALL.len()];
        for cell in 0..self.plan.cells {
            let counts = match &self.wire {
                Wire::Stdio(folder) => folder.counts(cell),
                _ => FaultKind::ALL.map(|kind| self.logs[cell as usize].count(kind)),
            };
            for (sum, count) in sum.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        sum
    }

    /// Takes everything down.
    ///
    /// # Errors
    /// What did not end as it should.
    pub(crate) async fn close(self, ledger: &Ledger) -> Result<(), String> {
        match self.wire {
            Wire::Memory(_) => {}
            Wire::Http {
                mut proxies,
                mut server,
                stop,
                ..
            } => {
                proxies.shutdown().await;
                let _gone = stop.send(());
                if !matches!(server.join_next().await, Some(Ok(()))) {
                    return Err("the server died".to_owned());
                }
            }
            Wire::Stdio(folder) => {
                let ran = fs::read(folder.ran()).map_err(|error| format!("the ledger: {error}"))?;
                for call in ran.chunks_exact(8) {
                    let call: [u8; 8] = call.try_into().unwrap_or_default();
                    ledger.ran(u64::from_le_bytes(call));
                }
            }
        }
        Ok(())
    }
}

async fn serve(plan: &Plan, server: Server, logs: &[FaultLog]) -> Result<Wire, Box<dyn Error>> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let target = listener.local_addr()?;
    let (stop, stopped) = oneshot::channel::<()>();
    let mut serving = JoinSet::new();
    let run = async move {
        let stopped = async { drop(stopped.await) };
        if let Err(error) = server.http().serve_on(listener, stopped).await {
            panic!("{error}");
        }
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "it is joined when the run is over"
    )]
    serving.spawn(run);
    let (mut urls, mut proxies) = (Vec::new(), JoinSet::new());
    for (cell, log) in logs.iter().enumerate() {
        let mut plan = plan.clone();
        plan.seed ^= (cell as u64) << 32;
        let proxy = FaultyProxy::bind(target, plan.faults(), Arc::new(SystemClock)).await?;
        let proxy = proxy.logging(log.clone());
        urls.push(proxy.url("/mcp"));
        #[expect(
            clippy::disallowed_methods,
            reason = "the set is shut down when the run is over"
        )]
        proxies.spawn(proxy.run());
    }
    Ok(Wire::Http {
        urls,
        proxies,
        server: serving,
        stop,
    })
}

/// Where the processes write down their calls and their faults; it is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("mcp-soak-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        fs::write(path.join("ran"), "")?;
        Ok(Self(path))
    }

    fn ran(&self) -> PathBuf {
        self.0.join("ran")
    }

    fn faults(&self, cell: u64) -> PathBuf {
        self.0.join(format!("faults-{cell}"))
    }

    /// One byte a fault.
    fn counts(&self, cell: u64) -> [u64; FaultKind::ALL.len()] {
        let mut counts = [0; FaultKind::ALL.len()];
        for kind in fs::read(self.faults(cell)).unwrap_or_default() {
            counts[usize::from(kind) % FaultKind::ALL.len()] += 1;
        }
        counts
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let path: &Path = &self.0;
        // It may be gone already, and nobody is there to be told.
        let _gone = fs::remove_dir_all(path);
    }
}
