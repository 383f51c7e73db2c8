//! A server as a child process: started clean, spoken to over its stdin and stdout, and never left behind.

mod command;
mod process;
mod run;
mod stderr;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::{fmt, pin::Pin, process::ExitStatus, sync::Arc};

use tokio::sync::watch;

use self::stderr::Tail;
pub use self::{
    command::{ChildCommand, INHERITED},
    run::ChildEnded,
};
use super::{
    closing::Closing,
    duplex::{Duplex, Noise},
};
use crate::exchange::{Endpoint, Exchange, Full, Notification, Request};

/// A running server process; [`ChildCommand`] starts one. Clones share it.
///
/// When the last clone is dropped, the process is shut down as by [`Self::close`], in the background; when the runtime
/// ends before that is done, its whole process group is killed. When this whole process ends before, however it does,
/// a guard outside of it ends the group ([`ChildCommand::unguarded`] tells more). What has left the group on purpose, as
/// a daemon does, is out of reach.
#[derive(Clone)]
pub struct Child {
    duplex: Duplex,
    closing: Arc<Closing>,
    ended: watch::Receiver<Option<ExitStatus>>,
    tail: Tail,
    id: u32,
}

impl Child {
    /// Ends the process: its stdin is closed; after [`Limits::child_eof_time`](crate::proto::limits::Limits) its group
    /// gets SIGTERM; after `child_term_time` more it is killed. Calls in flight fail as closed at once. On Windows its
    /// group is a job, which cannot be asked and is ended after both times.
    ///
    /// Gives the exit status, `None` if it could not be had.
    pub async fn close(&self) -> Option<ExitStatus> {
        self.closing.close();
        self.exited().await
    }

    /// Waits until the process ended, by itself or by [`Self::close`].
    pub async fn exited(&self) -> Option<ExitStatus> {
        let mut ended = self.ended.clone();
        let status = ended.wait_for(Option::is_some).await.ok()?;
        *status
    }

    /// The last of what the process wrote to stderr, at most `Limits::stderr` bytes.
    ///
    /// It may hold secrets: show it to a person, not to a model.
    pub fn stderr(&self) -> String {
        self.tail.text()
    }

    /// What the process wrote to stdout and was no message.
    pub fn noise(&self) -> Noise {
        self.duplex.noise()
    }

    /// The id of the process, which is that of its group.
    pub fn id(&self) -> u32 {
        self.id
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child")
            .field("id", &self.id)
            .field("ended", &*self.ended.borrow())
            .finish_non_exhaustive()
    }
}

impl Endpoint for Child {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        self.duplex.open(request)
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.duplex.notify(notification)
    }
}
