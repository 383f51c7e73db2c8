//! How the handles of a connection tell its task that they have had enough of it.

use mcp_errors::{Failure, FailureKind};
use tokio::sync::watch;

/// Says to the task of a connection that it shall end, at the latest when it is dropped.
#[derive(Debug)]
pub(super) struct Closing(watch::Sender<bool>);

impl Closing {
    pub(super) fn close(&self) {
        self.0.send_replace(true);
    }

    pub(super) fn watch(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}

impl Default for Closing {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

/// Why calls failed then.
pub(super) fn closed_here() -> Failure {
    Failure::new(
        FailureKind::Closed,
        "the connection was closed on this side",
    )
}
