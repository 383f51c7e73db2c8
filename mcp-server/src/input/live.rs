//! Questions to a legacy client: a request of the server's own, and its answer.

use std::{future::poll_fn, sync::Arc, task::Poll};

use mcp_transport::{Ask, Notification};
use mcp_types::{
    RawParams,
    elicitation::ElicitParams,
    input::{InputRequest, InputResponse, Question},
    notification::CancelledParams,
    wire::encode_ask,
};

use super::{
    AskError, Input,
    pending::{OpenAsk, Pending},
};
use crate::{service::BoxFuture, session::Session};

/// A way to ask the client while a call waits.
///
/// Legacy connections have one of their own. Where a call has none, its questions end the round
/// ([`InputRequired`](mcp_types::input::InputRequired)).
pub trait BackChannel: Send + Sync {
    /// Asks `request`, which the call knows as `key`. Dropping the future takes the question back.
    fn ask(&self, key: &str, request: InputRequest) -> BoxFuture<Result<InputResponse, AskError>>;
}

/// The way back on a legacy connection: the stream of the call that asks.
pub(super) struct Live {
    pub(super) session: Session,
    pub(super) input: Arc<Input>,
}

impl BackChannel for Live {
    fn ask(&self, _: &str, request: InputRequest) -> BoxFuture<Result<InputResponse, AskError>> {
        let (session, input) = (self.session.clone(), Arc::clone(&self.input));
        Box::pin(ask(session, input, request))
    }
}

async fn ask(
    session: Session,
    input: Arc<Input>,
    mut request: InputRequest,
) -> Result<InputResponse, AskError> {
    let clock = Arc::clone(input.host().clock().ok_or(AskError::NoBackChannel)?);
    let open = Pending::open(session.pending())?;
    let asked = Asked {
        open,
        input,
        session,
    };
    let input = &asked.input;
    name(&mut request, &asked);
    let params = encode_ask(&request, asked.session.revision())?;
    let ask = Ask::new(asked.open.id(), request.method(), params);
    input.send(ask, asked.open.reply());
    let mut sleep = clock.sleep_until(clock.deadline(input.host().policy().ask_time));
    let answer = poll_fn(|cx| match asked.open.poll(cx) {
        Poll::Ready(answer) => Poll::Ready(Some(answer)),
        Poll::Pending => sleep.as_mut().poll(cx).map(|()| None),
    })
    .await;
    let answer = answer.unwrap_or(Err(AskError::TimedOut))?;
    let raw = answer.map_err(AskError::Refused)?;
    // What is no answer at all is told apart by whoever knows the question.
    Ok(InputResponse::read(&raw, &request).unwrap_or(InputResponse::Other(raw)))
}

/// At 2025-11-25 an elicitation by an address has a name.
fn name(request: &mut InputRequest, asked: &Asked) {
    if let Question::Elicit(params) = &mut request.question
        && let ElicitParams::Url(params) = &mut **params
        && params.elicitation_id.is_none()
    {
        let (session, id) = (asked.session.key(), asked.open.id());
        params.elicitation_id = Some(format!("elicitation-{session}-{id}"));
    }
}

/// A question on its way. If nobody wants the answer any more, the client hears so.
struct Asked {
    open: OpenAsk,
    input: Arc<Input>,
    session: Session,
}

impl Drop for Asked {
    fn drop(&mut self) {
        let id = self.open.id();
        if !self.open.give_up() || self.input.take_back(&id) {
            return;
        }
        let params = CancelledParams::new(id);
        let params = RawParams::from_serialize(&params).unwrap_or_default();
        let cancelled = Notification::new("notifications/cancelled", params);
        // On the stream of the call, or where the session hears everything else, if the call is over.
        if self.input.outbox().try_push(cancelled.clone()).is_err() {
            let _full = self.session.notify(cancelled);
        }
    }
}
