//! What follows an answer on its stream.

use std::{
    future::poll_fn,
    mem,
    sync::Arc,
    task::{Context, Poll, ready},
};

use reqwest::Body;

use super::{super::body::poll_piece, HttpExchange, PIECES, State};

impl HttpExchange {
    /// Reads what follows an answer, so that the connection can be used again. What does not end soon by itself is
    /// cut off, and so is what follows no answer.
    pub(super) fn finish(&mut self, answered: bool, cx: &mut Context<'_>) {
        self.flight.set_cancels(false);
        self.flight.recall();
        self.replaced = None;
        let state = mem::replace(&mut self.state, State::Done);
        let State::Streaming(_, stream) = state else {
            return;
        };
        let mut body = stream.body;
        if !answered || poll_rest(&mut body, cx).is_ready() {
            return;
        }
        let place = Arc::clone(&self.client.core.lingering).try_acquire_owned();
        let (Ok(runtime), Ok(place)) = (tokio::runtime::Handle::try_current(), place) else {
            return;
        };
        let core = Arc::clone(&self.client.core);
        #[expect(
            clippy::disallowed_methods,
            reason = "ends with the body, or after a moment"
        )]
        runtime.spawn(async move {
            let deadline = core.clock.deadline(core.limits.farewell_time);
            tokio::select! {
                () = poll_fn(|cx| poll_rest(&mut body, cx)) => {}
                () = core.clock.sleep_until(deadline) => {}
            }
            drop(place);
        });
    }
}

fn poll_rest(body: &mut Body, cx: &mut Context<'_>) -> Poll<()> {
    for _ in 0..PIECES {
        let Some(Ok(_)) = ready!(poll_piece(body, cx)) else {
            return Poll::Ready(());
        };
    }
    cx.waker().wake_by_ref();
    Poll::Pending
}
