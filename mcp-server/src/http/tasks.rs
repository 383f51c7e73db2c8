//! What runs on beside the requests: it ends by itself, or with the server.

use std::{
    future::Future,
    sync::{Mutex, PoisonError},
};

use tokio::{runtime::Handle, task::JoinSet};

/// Tasks that end when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Tasks(Mutex<JoinSet<()>>);

impl Tasks {
    /// Runs `task`. Without a runtime nothing can run: the server is coming down.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        if Handle::try_current().is_err() {
            return;
        }
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        #[expect(clippy::disallowed_methods, reason = "this set owns it")]
        tasks.spawn(task);
    }
}
