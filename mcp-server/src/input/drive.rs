//! Runs a handler that may ask, inside its layers: they see a question that ends the round as an answer.

use std::{future::poll_fn, pin::pin, sync::Arc, task::Poll};

use mcp_errors::ProtocolError;
use mcp_types::{ErrorObject, Outcome};

use super::Input;
use crate::{
    answer::Answer,
    call::Call,
    proto::rounds::Rounds,
    service::{BoxFuture, Service},
};

/// How one run of a handler ended.
pub(crate) enum Run {
    /// With its answer.
    Answered(Answer),
    /// With questions.
    Asked,
    /// It cannot go on.
    Broken(ErrorObject),
}

impl Run {
    /// Polls `handler` until it has an answer, or waits for one to a question that ends the round. By then it is
    /// dropped. An answer that is there stands before a question.
    pub(crate) async fn of(input: &Input, handler: impl Future<Output = Answer>) -> Self {
        let mut handler = pin!(handler);
        poll_fn(|cx| {
            input.driven_by(cx.waker());
            let polled = handler.as_mut().poll(cx);
            match (input.poll_pause(), polled) {
                (Poll::Ready(Err(error)), _) => Poll::Ready(Self::Broken(error)),
                (_, Poll::Ready(answer)) => Poll::Ready(Self::Answered(answer)),
                (Poll::Ready(Ok(())), Poll::Pending) => Poll::Ready(Self::Asked),
                (Poll::Pending, Poll::Pending) => Poll::Pending,
            }
        })
        .await
    }
}

/// Runs the handler that `start` starts, as often as its questions need within this process. `may_require` says
/// whether it may give back what it asks.
pub(crate) async fn drive<F>(call: Call, may_require: bool, start: impl Fn(Call) -> F) -> Answer
where
    F: Future<Output = Answer>,
{
    let input = Arc::clone(call.input());
    if !input.can_ask() {
        return refuse_asks(&input, start(call).await);
    }
    if let Err(error) = input.enter(&call.ext) {
        return Answer::error(error);
    }
    let checks = input.host().policy().replay_check && !input.is_legacy();
    let kept = (checks || may_require).then(|| call.clone());
    let mut next = call;
    loop {
        let answer = match Run::of(&input, start(next)).await {
            Run::Answered(answer) => answer,
            Run::Broken(error) => {
                input.run_over();
                return Answer::error(error);
            }
            Run::Asked => {
                return match kept.filter(|_| checks) {
                    Some(call) => asks_again(&input, start(call)).await,
                    None => input.end_round(),
                };
            }
        };
        let (Ok(Outcome::InputRequired(required)), Some(call)) = (&answer.outcome, &kept) else {
            return input.finish(refuse_asks(&input, answer));
        };
        if !input.asks_live() {
            let mut asks = input.require(required, call.facts());
            // What layers are told of a handler's answer is told of this one.
            asks.ext.extend(answer.ext);
            return asks;
        }
        if let Err(answer) = input.require_live(required, call.facts()).await {
            return *answer;
        }
        next = call.clone();
    }
}

/// Runs a handler that has asked once more, which must come to the same.
async fn asks_again(input: &Input, handler: impl Future<Output = Answer>) -> Answer {
    let asked = input.open_prints();
    input.run_over();
    input.with_rounds(Rounds::run_again);
    input.outbox().mute(true);
    let run = Run::of(input, handler).await;
    input.outbox().mute(false);
    if matches!(run, Run::Asked) && input.open_prints() == asked {
        return input.end_round();
    }
    input.run_over();
    let asked: Vec<_> = asked.keys().collect();
    let method = input.method();
    tracing::error!(
        %method,
        ?asked,
        "a handler that was replayed did not ask the same again: what it asks must depend on its arguments, earlier \
         answers and steps alone"
    );
    Answer::error(ProtocolError::internal().into())
}

/// A question that may not stand here must not reach a client as it is.
fn refuse_asks(input: &Input, answer: Answer) -> Answer {
    let (Ok(Outcome::InputRequired(_)), false) = (&answer.outcome, input.can_ask()) else {
        return answer;
    };
    let method = input.method();
    tracing::error!(%method, "a handler of a method that cannot ask gave back what it asks");
    Answer::error(ProtocolError::internal().into())
}

/// A service of one's own whose questions end the round where they are asked, inside its layers. What it gives back
/// is its own.
pub(crate) fn pausing(inner: Arc<dyn Service>) -> Arc<dyn Service> {
    Arc::new(move |call: Call| -> BoxFuture<Answer> {
        let input = Arc::clone(call.input());
        let running = inner.call(call);
        Box::pin(async move {
            match Run::of(&input, running).await {
                Run::Answered(answer) => answer,
                Run::Asked => input.end_round(),
                Run::Broken(error) => {
                    input.run_over();
                    Answer::error(error)
                }
            }
        })
    })
}
