//! A process in a job of its own, which ends with it: on Windows.

use std::{io, process::ExitStatus, time::Duration};

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use win32job::{ExtendedLimitInfo, Job};

/// No console window appears for a server.
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// A child in a job. Dropping it ends the job, and the system does when this process ends, however it does.
#[derive(Debug)]
pub(in super::super) struct Process {
    child: tokio::process::Child,
    id: u32,
    /// Whoever is in it ends when its one handle is closed.
    job: Option<Job>,
}

impl Process {
    /// Starts it. No guard is needed, so its grace is not looked at.
    ///
    /// What the child starts is in its job too, from the moment it was put there: right after its start, when it has
    /// hardly been loaded.
    pub(in super::super) fn spawn(
        command: &mut Command,
        _: Option<[Duration; 2]>,
    ) -> io::Result<Self> {
        let limits = &mut ExtendedLimitInfo::new();
        let job = Job::create_with_limit_info(limits.limit_kill_on_job_close())
            .map_err(io::Error::other)?;
        let child = command
            .creation_flags(CREATE_NO_WINDOW)
            .kill_on_drop(true)
            .spawn()?;
        let ended = || io::Error::other("the process ended while it was started");
        let id = child.id().ok_or_else(ended)?;
        let handle = child.raw_handle().ok_or_else(ended)?;
        job.assign_process(handle as isize)
            .map_err(io::Error::other)?;
        Ok(Self {
            child,
            id,
            job: Some(job),
        })
    }

    /// Its id.
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

    /// Waits for its end, and then ends what it left of its job. Cancel-safe.
    pub(in super::super) async fn wait(&mut self) -> Option<ExitStatus> {
        let status = self.child.wait().await.ok();
        self.job = None;
        status
    }

    /// A process without a console cannot be asked to end; the end of its input has asked it.
    pub(in super::super) fn terminate(&self) {}

    /// Ends the job.
    pub(in super::super) fn kill(&mut self) {
        self.job = None;
    }
}
