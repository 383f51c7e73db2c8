//! What a handler knows of the task that it runs as.

use std::sync::Arc;

use super::Context;
use crate::task::{Life, RunningTask};

impl Context {
    /// The task that the call runs as; `None` if its sender waits for the result, or the task has not begun.
    pub fn task(&self) -> Option<RunningTask> {
        self.extensions().get::<Arc<Life>>()?.task()
    }

    /// Begins the task, where the tool says that its handler does
    /// ([`Tool::task_begins_in_handler`](crate::Tool::task_begins_in_handler)): the call is answered with the task, and
    /// what the handler asks from here on waits in it. What was asked before was asked as in any call, so that a client
    /// that answers at once need not look after a task for it.
    ///
    /// Gives the task; `None`, at once, if the call is none.
    pub async fn begin_task(&self) -> Option<RunningTask> {
        let life = self.extensions().get::<Arc<Life>>()?;
        life.begin().await;
        life.task()
    }
}
