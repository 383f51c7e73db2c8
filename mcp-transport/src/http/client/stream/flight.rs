//! Which session a legacy request is on its way in, so that it does not outlive it.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
};

use mcp_errors::{Executed, Failure, FailureKind};

use super::{
    super::{Core, SessionLost},
    HttpExchange, Place, State,
};

/// What an exchange and the future that sends its request share.
pub(super) struct Flight {
    /// Whether a notification is to cancel it.
    cancels: AtomicBool,
    /// The generation of the session that it went out in.
    generation: AtomicU64,
}

/// Not on its way, or in no session.
const NOWHERE: u64 = u64::MAX;

impl Default for Flight {
    fn default() -> Self {
        Self {
            cancels: AtomicBool::new(false),
            generation: AtomicU64::new(NOWHERE),
        }
    }
}

impl Flight {
    /// It goes out now.
    pub(super) fn leave(&self, core: &Core) {
        let generation = core.renewal.generation();
        self.generation.store(generation, Ordering::Relaxed);
    }

    /// It will go out again.
    pub(super) fn recall(&self) {
        self.generation.store(NOWHERE, Ordering::Relaxed);
    }

    pub(super) fn set_cancels(&self, cancels: bool) {
        self.cancels.store(cancels, Ordering::Relaxed);
    }

    pub(super) fn cancels(&self) -> bool {
        self.cancels.load(Ordering::Relaxed)
    }

    /// Whether another session has taken the place of its own.
    fn is_behind(&self, generation: u64) -> bool {
        let own = self.generation.load(Ordering::Relaxed);
        own != NOWHERE && own < generation
    }
}

/// Ends when another session took the place of that of a request, and what was still to come in it had time to.
pub(super) type Replaced = Pin<Box<dyn Future<Output = ()> + Send>>;

pub(super) fn replaced(core: &Arc<Core>, flight: &Arc<Flight>) -> Replaced {
    let (core, flight) = (Arc::clone(core), Arc::clone(flight));
    Box::pin(async move {
        let behind = |generation: &u64| flight.is_behind(*generation);
        core.renewal.replaced(behind).await;
        // An answer, or the refusal that lets the request go out again, may be on its way.
        let deadline = core.clock.deadline(core.limits.farewell_time);
        core.clock.sleep_until(deadline).await;
    })
}

impl HttpExchange {
    /// Ends a call whose session was replaced; the standalone stream goes on in the new one.
    pub(super) fn poll_replaced(&mut self, cx: &mut Context<'_>) -> Poll<Failure> {
        loop {
            let Some(waiting) = &mut self.replaced else {
                return Poll::Pending;
            };
            ready!(waiting.as_mut().poll(cx));
            let core = Arc::clone(&self.client.core);
            let behind = self.flight.is_behind(core.renewal.generation());
            if behind && self.id.is_some() {
                self.replaced = None;
                let detail = format!(
                    "{} lost the session that the call went out in, and another has taken its place",
                    core.place()
                );
                let lost = SessionLost::new(Executed::Unknown);
                return Poll::Ready(Failure::new(FailureKind::Lost, detail).with_source(lost));
            }
            self.replaced = Some(replaced(&core, &self.flight));
            if behind {
                let call = self.resume.take().and_then(Place::into_call);
                self.resume = Some(Place::of_session(call));
                self.state = State::Done;
                self.reopen();
                cx.waker().wake_by_ref();
            }
        }
    }
}
