//! Which step the current thread polls: a question within a step would wait for ever.

use std::{cell::Cell, future::poll_fn, pin::pin};

thread_local! {
    /// The call whose step is polled; 0 is none.
    static STEP_OF: Cell<usize> = const { Cell::new(0) };
}

/// Marks this thread as one that polls a step of `call`, as long as it lives.
pub(crate) struct Within(usize);

impl Within {
    fn enter(call: usize) -> Self {
        Self(STEP_OF.replace(call))
    }

    /// Whether a step of `call` is polled.
    pub(crate) fn is_in(call: usize) -> bool {
        STEP_OF.get() == call
    }

    /// Runs `effect` as a step of `call`.
    pub(crate) async fn run<T>(call: usize, effect: impl Future<Output = T>) -> T {
        let mut effect = pin!(effect);
        poll_fn(|cx| {
            let _within = Self::enter(call);
            effect.as_mut().poll(cx)
        })
        .await
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        STEP_OF.set(self.0);
    }
}
