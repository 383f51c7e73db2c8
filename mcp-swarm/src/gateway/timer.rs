//! Ends what is over while nobody calls, and closes tunnels, where there is a runtime to do it on.
//!
//! Without the feature `http` there is none: then deadlines are seen at the next call, and a connection is dropped.

use std::sync::Arc;

use super::shared::Shared;
use super::upstream::Upstream;

/// Wakes the task that watches a gateway's deadlines. The task ends with the gateway.
#[derive(Debug, Default)]
pub(super) struct Timer {
    #[cfg(feature = "http")]
    inner: driver::Inner,
}

impl Timer {
    /// Something that is waited for has changed, or the gateway is gone.
    pub(super) fn poke(&self) {
        #[cfg(feature = "http")]
        self.inner.poke();
    }

    /// Sees to it that the gateway's deadlines are watched, if that can be done here.
    pub(super) fn start(shared: &Arc<Shared>) {
        #[cfg(feature = "http")]
        driver::start(shared);
        #[cfg(not(feature = "http"))]
        let _ = shared;
    }
}

/// Closes a connection that nobody uses any more.
pub(super) fn close(upstream: Arc<Upstream>) {
    #[cfg(feature = "http")]
    driver::close(upstream);
    #[cfg(not(feature = "http"))]
    drop(upstream);
}

#[cfg(feature = "http")]
mod driver {
    use std::future::{Future, poll_fn};
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::Poll;

    use tokio::runtime::Handle;
    use tokio::sync::Notify;

    use super::{Shared, Upstream};

    #[derive(Debug, Default)]
    pub(super) struct Inner {
        changed: Arc<Notify>,
        started: AtomicBool,
    }

    impl Inner {
        pub(super) fn poke(&self) {
            self.changed.notify_one();
        }
    }

    pub(super) fn start(shared: &Arc<Shared>) {
        let inner = &shared.timer.inner;
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if inner.started.swap(true, Ordering::Relaxed) {
            return;
        }
        let (weak, changed) = (Arc::downgrade(shared), inner.changed.clone());
        let clock = shared.clock.clone();
        #[expect(
            clippy::disallowed_methods,
            reason = "it ends with the gateway: it holds it weakly, and dropping the gateway wakes it"
        )]
        runtime.spawn(async move {
            while let Some(shared) = weak.upgrade() {
                let next = shared.sessions(|sessions, now| {
                    sessions.handle_timeout(now);
                    sessions.poll_timeout()
                });
                drop(shared);
                let mut changed = pin!(changed.notified());
                let mut due = next.map(|at| clock.sleep_until(at));
                poll_fn(|cx| {
                    let is_due = due
                        .as_mut()
                        .is_some_and(|due| due.as_mut().poll(cx).is_ready());
                    if is_due || changed.as_mut().poll(cx).is_ready() {
                        Poll::Ready(())
                    } else {
                        Poll::Pending
                    }
                })
                .await;
            }
        });
    }

    pub(super) fn close(upstream: Arc<Upstream>) {
        if let Ok(runtime) = Handle::try_current() {
            #[expect(
                clippy::disallowed_methods,
                reason = "it ends when the connection is closed, for which the client has a deadline"
            )]
            runtime.spawn(async move { upstream.close().await });
        }
    }
}
