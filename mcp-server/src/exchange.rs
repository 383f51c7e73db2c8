//! A handler at work, seen from a transport: an exchange.

use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use mcp_errors::{Failure, ProtocolError, ToolErrorEnvelope};
use mcp_transport::{Event, Exchange, Reply, Request};
use mcp_types::{
    Outcome, Payload, Revision,
    capability::Implementation,
    wire::{Stamp, TextMirror, encode_outcome},
};

use crate::{
    answer::{Answer, WrappedOutput},
    call::Call,
    input::{Input, InputHost},
    service::{BoxFuture, Service},
    session::Session,
    task::AsTask,
};

/// The exchange of one call: what the handler says on the way, then its answer, written for the
/// revision of the call. Dropping it drops the handler.
pub(crate) struct Running {
    state: State,
    input: Arc<Input>,
    revision: Revision,
    cacheable: bool,
    server: Arc<Implementation>,
    mirror: TextMirror,
}

impl Running {
    /// Hands `request` to `service` when it is first polled.
    pub(crate) fn new(
        service: Arc<dyn Service>,
        request: Request,
        revision: Revision,
        session: Option<Session>,
        (server, mirror): (Arc<Implementation>, TextMirror),
        host: &Arc<InputHost>,
    ) -> Self {
        let cacheable = request.method.spec().is_some_and(|spec| spec.cacheable);
        let call = Call::new(request, revision, session, host);
        Self {
            input: Arc::clone(call.input()),
            state: State::Ready(service, Box::new(call)),
            revision,
            cacheable,
            server,
            mirror,
        }
    }

    fn outcome(&self, answer: Answer) -> Result<Reply, Failure> {
        let stamp = Stamp::new(self.revision)
            .cacheable(self.cacheable)
            .wrapped_output(answer.ext.get::<WrappedOutput>().is_some())
            .mirrored(self.mirror)
            .as_task(answer.ext.get::<AsTask>().is_some())
            .by(&self.server);
        let mut outcome = answer.outcome.map_err(Failure::peer)?;
        if let Outcome::Complete(Payload::CallTool(result)) = &mut outcome {
            *result = ToolErrorEnvelope::fit(mem::take(result), self.revision);
        }
        encode_outcome(outcome, &stamp)
            .map(Reply::new)
            .map_err(|error| {
                tracing::error!(%error, "a handler's outcome cannot be said to this peer");
                Failure::peer(ProtocolError::internal().into())
            })
    }
}

impl Exchange for Running {
    fn poll_event(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        let this = self.get_mut();
        let mut waits = false;
        loop {
            // What was said comes before the answer, and before a pause.
            if let Poll::Ready(Some(notification)) = this.input.outbox().poll_pop(cx) {
                return Poll::Ready(Event::Notification(notification));
            }
            if this.input.is_legacy()
                && let Poll::Ready((ask, reply)) = this.input.poll_outgoing(cx)
            {
                return Poll::Ready(Event::Ask(ask, reply));
            }
            if waits {
                return Poll::Pending;
            }
            match &mut this.state {
                State::Ready(..) => this.state.start(),
                State::Running(handler) => {
                    this.input.driven_by(cx.waker());
                    let polled = catch_unwind(AssertUnwindSafe(|| handler.as_mut().poll(cx)));
                    match polled {
                        Ok(Poll::Pending) => match this.input.poll_pause() {
                            Poll::Pending => waits = true,
                            // A layer asks, around the handler.
                            Poll::Ready(asked) => {
                                let paused = mem::replace(&mut this.state, State::Ended);
                                // What is left of it may panic.
                                let _ = catch_unwind(AssertUnwindSafe(|| drop(paused)));
                                let answer =
                                    asked.map_or_else(Answer::error, |()| this.input.end_round());
                                this.state = State::Answered(Box::new(answer));
                            }
                        },
                        Ok(Poll::Ready(answer)) => this.state = State::Answered(Box::new(answer)),
                        Err(_) => {
                            let broken = mem::replace(&mut this.state, State::Ended);
                            // What is left of the handler may panic once more.
                            let _again = catch_unwind(AssertUnwindSafe(|| drop(broken)));
                            this.state = State::Answered(Box::new(panicked()));
                        }
                    }
                }
                State::Answered(_) => {
                    let State::Answered(answer) = mem::replace(&mut this.state, State::Ended)
                    else {
                        return Poll::Pending;
                    };
                    return Poll::Ready(Event::Outcome(this.outcome(*answer)));
                }
                State::Ended => return Poll::Pending,
            }
        }
    }
}

enum State {
    Ready(Arc<dyn Service>, Box<Call>),
    Running(BoxFuture<Answer>),
    Answered(Box<Answer>),
    Ended,
}

impl State {
    fn start(&mut self) {
        if let Self::Ready(service, call) = mem::replace(self, Self::Ended) {
            let handler = catch_unwind(AssertUnwindSafe(|| service.call(*call)));
            *self = handler.map_or_else(|_| Self::Answered(Box::new(panicked())), Self::Running);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.input.exchange_over();
    }
}

/// The panic's text stays in the log, where the panic hook has put it.
fn panicked() -> Answer {
    tracing::error!("a handler panicked");
    Answer::error(ProtocolError::internal().into())
}
