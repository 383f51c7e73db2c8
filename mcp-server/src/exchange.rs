//! A handler at work, seen from a transport: an exchange.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use mcp_errors::Failure;
use mcp_transport::{Event, Exchange, Reply, Request};
use mcp_types::{
    ErrorCode, ErrorObject, Outcome, Payload, Revision,
    capability::Implementation,
    content::ContentBlock,
    tool::CallToolResult,
    wire::{Stamp, encode_outcome},
};

use crate::{
    answer::Answer,
    call::Call,
    outbox::Outbox,
    service::{BoxFuture, Service},
    session::Session,
};

/// The exchange of one call: what the handler says on the way, then its answer, written for the
/// revision of the call. Dropping it drops the handler.
pub(crate) struct Running {
    handler: Option<BoxFuture<Answer>>,
    answer: Option<Answer>,
    outbox: Arc<Outbox>,
    revision: Revision,
    cacheable: bool,
    server: Arc<Implementation>,
}

impl Running {
    /// Hands `request` to `service`.
    pub(crate) fn start(
        service: &dyn Service,
        request: Request,
        revision: Revision,
        session: Option<Session>,
        server: Arc<Implementation>,
    ) -> Self {
        let cacheable = request.method.spec().is_some_and(|spec| spec.cacheable);
        let outbox = Arc::new(Outbox::default());
        let call = Call::new(request, revision, session, Arc::clone(&outbox));
        let handler = catch_unwind(AssertUnwindSafe(|| service.call(call)));
        let (handler, answer) = match handler {
            Ok(handler) => (Some(handler), None),
            Err(_) => (None, Some(panicked())),
        };
        Self {
            handler,
            answer,
            outbox,
            revision,
            cacheable,
            server,
        }
    }

    fn outcome(&self, answer: Answer) -> Result<Reply, Failure> {
        let stamp = Stamp::new(self.revision)
            .cacheable(self.cacheable)
            .by(&self.server);
        let mut outcome = answer.outcome.map_err(Failure::peer)?;
        if let Outcome::Complete(Payload::CallTool(result)) = &mut outcome {
            mirror(result, self.revision);
        }
        encode_outcome(outcome, &stamp)
            .map(Reply::new)
            .map_err(|error| {
                tracing::error!(%error, "a handler's outcome cannot be said to this peer");
                Failure::peer(ErrorObject::new(
                    ErrorCode::INTERNAL_ERROR,
                    "Internal error",
                ))
            })
    }
}

impl Exchange for Running {
    fn poll_event(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        let this = self.get_mut();
        loop {
            // What was said comes before the answer.
            match this.outbox.poll_pop(cx) {
                Poll::Ready(Some(notification)) => {
                    return Poll::Ready(Event::Notification(notification));
                }
                Poll::Ready(None) | Poll::Pending => {}
            }
            if let Some(answer) = this.answer.take() {
                return Poll::Ready(Event::Outcome(this.outcome(answer)));
            }
            let Some(handler) = &mut this.handler else {
                return Poll::Pending;
            };
            let polled = catch_unwind(AssertUnwindSafe(|| handler.as_mut().poll(cx)));
            let answer = match polled {
                Ok(poll) => ready!(poll),
                Err(_) => panicked(),
            };
            this.handler = None;
            this.answer = Some(answer);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.outbox.close();
    }
}

/// Says in content what a reader of `revision` would not see otherwise.
fn mirror(result: &mut CallToolResult, revision: Revision) {
    let Some(value) = &result.structured_content else {
        return;
    };
    // Before `structuredContent` the envelope of a failure travels as text, and clients look there.
    let unseen = revision < Revision::V2025_06_18 && result.failed() && value.is_object();
    if result.content.is_empty() || unseen {
        result.content.push(ContentBlock::text(value.as_str()));
    }
}

/// The panic's text stays in the log, where the panic hook has put it.
fn panicked() -> Answer {
    tracing::error!("a handler panicked");
    Answer::error(ErrorObject::new(
        ErrorCode::INTERNAL_ERROR,
        "Internal error",
    ))
}
