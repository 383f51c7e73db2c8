//! A process with a group of its own, which ends with it: on Unix.

use std::{io, process::ExitStatus, time::Duration};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use super::guard::Ward;

/// A child that leads a process group. Dropping it kills the group.
#[derive(Debug)]
pub(in super::super) struct Process {
    child: tokio::process::Child,
    id: u32,
    ended: bool,
    /// Ends the group should this process end without doing so.
    ward: Option<Ward>,
}

impl Process {
    /// Starts it; `grace` is what the guard grants its group after the end of its input, and after SIGTERM.
    pub(in super::super) fn spawn(
        command: &mut Command,
        grace: Option<[Duration; 2]>,
    ) -> io::Result<Self> {
        if grace.is_some() {
            Ward::prepare();
        }
        let child = command.process_group(0).kill_on_drop(true).spawn()?;
        let id = child
            .id()
            .ok_or_else(|| io::Error::other("the process ended while it was started"))?;
        let ward = grace.map(|[eof, term]| Ward::new(id, eof, term));
        Ok(Self {
            child,
            id,
            ended: false,
            ward,
        })
    }

    /// Its id, which is that of its group too.
    pub(in super::super) fn id(&self) -> u32 {
        self.id
    }

    /// Its standard streams, once.
    pub(in super::super) fn take_streams(
        &mut self,
    ) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        Some((
            self.child.stdin.take()?,
            self.child.stdout.take()?,
            self.child.stderr.take()?,
        ))
    }

    /// Waits for its end, and then kills what it left of its group. Cancel-safe.
    pub(in super::super) async fn wait(&mut self) -> Option<ExitStatus> {
        let status = self.child.wait().await.ok();
        if !self.ended {
            self.kill();
            self.ended = true;
            self.ward = None;
        }
        status
    }

    /// Asks the group to end.
    pub(in super::super) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Ends the group.
    pub(in super::super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = i32::try_from(self.id).ok().and_then(Pid::from_raw) {
            // It fails where nobody is left to get it.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.ended {
            self.kill();
        }
    }
}
