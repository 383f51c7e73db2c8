//! The task that ends sessions which were idle for too long.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::task::JoinSet;

use super::app::{Inner, close};

/// Sessions end up to this much late, so that many are ended at once.
const STEP: Duration = Duration::from_secs(1);

/// The task, and whether it goes on.
#[derive(Debug, Default)]
pub(super) struct Sweeper {
    tasks: JoinSet<()>,
    is_sweeping: bool,
}

/// Starts sweeping, unless that goes on already. It ends when no session is left, or with the app.
pub(super) fn start(app: &Arc<Inner>) {
    let mut sweeper = app.sweeper();
    if !sweeper.is_sweeping {
        sweeper.is_sweeping = true;
        while sweeper.tasks.try_join_next().is_some() {}
        #[expect(clippy::disallowed_methods, reason = "the app's set owns it")]
        sweeper.tasks.spawn(sweep(Arc::downgrade(app)));
    }
}

async fn sweep(app: Weak<Inner>) {
    while let Some(inner) = app.upgrade() {
        let now = inner.settings.clock.now();
        let expired = inner.table().expire(now);
        expired.into_iter().for_each(close);
        let next = {
            // Whoever opens a session from here on finds that nobody sweeps, and starts anew.
            let mut sweeper = inner.sweeper();
            let next = inner.table().poll_timeout(now);
            sweeper.is_sweeping = next.is_some();
            next
        };
        let Some(next) = next else {
            return;
        };
        let wait = inner.settings.clock.sleep_until(next.max(now + STEP));
        drop(inner);
        wait.await;
    }
}
