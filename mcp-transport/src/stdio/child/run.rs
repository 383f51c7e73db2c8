//! The life of a child process, from its start to the end of its group.

use std::{fmt, future::Future, process::ExitStatus, sync::Arc, time::Duration};

use mcp_errors::{Failure, FailureKind};
use tokio::{
    process::{ChildStderr, ChildStdin, ChildStdout},
    sync::{Notify, watch},
};

use super::{Duplex, process::Process, stderr::Tail};
use crate::{
    clock::Clock,
    proto::limits::Limits,
    stdio::{
        closing::closed_here,
        duplex::{DuplexDriver, Reason},
    },
};

/// How a server process ended; the source of the failures that this caused.
#[derive(Clone)]
#[non_exhaustive]
pub struct ChildEnded {
    /// The program.
    pub program: String,
    /// Its exit status; `None` while it has closed its input or output but still runs.
    pub status: Option<ExitStatus>,
    /// The last line it wrote to stderr, which may hold secrets.
    pub last_line: Option<String>,
    closed: &'static str,
}

impl fmt::Display for ChildEnded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => write!(
                f,
                "the server process {:?} ended with {status}",
                self.program
            ),
            None => write!(
                f,
                "the server process {:?} closed its {}",
                self.program, self.closed
            ),
        }
    }
}

/// What the process wrote is not shown.
impl fmt::Debug for ChildEnded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildEnded")
            .field("program", &self.program)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for ChildEnded {}

pub(super) struct Run {
    pub(super) program: String,
    pub(super) process: Process,
    pub(super) duplex: Duplex,
    pub(super) tail: Tail,
    pub(super) closing: watch::Receiver<bool>,
    /// Whether calls were ended because this side closed.
    pub(super) closed: bool,
    pub(super) limits: Limits,
    pub(super) clock: Arc<dyn Clock>,
}

/// A process that closes its output is usually about to end: so long is waited for its status.
const LAST_WORDS: Duration = Duration::from_millis(500);

impl Run {
    /// Moves the bytes of the process until it is gone, and then says so to whoever waits.
    pub(super) async fn run(
        mut self,
        driver: DuplexDriver<ChildStdout, ChildStdin>,
        stderr: ChildStderr,
        ended: watch::Sender<Option<ExitStatus>>,
    ) {
        let (mut reading, writing) = driver.split();
        let tail = self.tail.clone();
        let (silent, deaf, quiet) = (Notify::new(), Notify::new(), Notify::new());
        let pump = async {
            let read = async {
                // A broken pipe is an end like any other.
                let _ = reading.run().await;
                silent.notify_one();
            };
            let _ = tokio::join!(read, tail.keep(stderr));
            quiet.notify_one();
        };
        let write = async {
            if writing.await.is_err() {
                deaf.notify_one();
            }
        };
        let mut status = None;
        {
            let life = async {
                status = self.supervise(&silent, &deaf).await;
                // What the process wrote before its end is still read; its group is gone, so this ends.
                self.within(LAST_WORDS, quiet.notified()).await;
            };
            tokio::pin!(pump, write, life);
            let (mut pumped, mut written) = (false, false);
            loop {
                tokio::select! {
                    () = &mut life => break,
                    () = &mut pump, if !pumped => pumped = true,
                    () = &mut write, if !written => written = true,
                }
            }
        }
        if !self.closed {
            self.lose(status, "streams");
        }
        ended.send_replace(status);
    }

    /// Waits for the end of the process, or for a reason to end it.
    async fn supervise(&mut self, silent: &Notify, deaf: &Notify) -> Option<ExitStatus> {
        let mut closing = self.closing.clone();
        let closed = tokio::select! {
            status = self.process.wait() => return status,
            () = silent.notified() => Some("output"),
            () = deaf.notified() => Some("input"),
            // The sender is gone when nobody holds the child any more.
            () = async { drop(closing.wait_for(|closing| *closing).await) } => None,
        };
        let Some(closed) = closed else {
            self.closed = true;
            let reason: Reason = Arc::new(closed_here);
            self.duplex.end(&reason);
            return self.end().await;
        };
        if let Some(status) = self.exit_within(LAST_WORDS).await {
            return Some(status);
        }
        self.lose(None, closed);
        self.end().await
    }

    /// Closes stdin, then asks, then kills.
    async fn end(&mut self) -> Option<ExitStatus> {
        let duplex = self.duplex.clone();
        let patience = self.limits.child_eof_time;
        let deadline = self.clock.deadline(patience);
        let sleep = self.clock.sleep_until(deadline);
        tokio::select! {
            status = async { tokio::join!(duplex.finish(), self.process.wait()).1 } => return status,
            () = sleep => {}
        }
        self.process.terminate();
        if let Some(status) = self.exit_within(self.limits.child_term_time).await {
            return Some(status);
        }
        self.process.kill();
        self.process.wait().await
    }

    async fn exit_within(&mut self, patience: Duration) -> Option<ExitStatus> {
        let sleep = self.clock.sleep_until(self.clock.deadline(patience));
        tokio::select! {
            status = self.process.wait() => status,
            () = sleep => None,
        }
    }

    async fn within(&self, patience: Duration, event: impl Future<Output = ()>) {
        tokio::select! {
            () = event => {}
            () = self.clock.sleep_until(self.clock.deadline(patience)) => {}
        }
    }

    fn lose(&self, status: Option<ExitStatus>, closed: &'static str) {
        let (program, last_line) = (self.program.clone(), self.tail.last_line());
        let ended = ChildEnded {
            program,
            status,
            last_line,
            closed,
        };
        let reason: Reason = Arc::new(move || {
            Failure::new(FailureKind::Lost, ended.to_string()).with_source(ended.clone())
        });
        self.duplex.end(&reason);
    }
}
