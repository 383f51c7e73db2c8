//! `tasks/result` (2025-11-25): waits until a task is over, and asks its client meanwhile what the task asks.

use std::{
    collections::HashMap,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use mcp_errors::ProtocolError;
use mcp_types::{
    ErrorCode, ErrorObject, Outcome, Payload, RawJson,
    elicitation::ElicitParams,
    input::{InputRequest, InputResponse, Question},
    roots::ListRootsParams,
};

use super::{
    Applied, Refused, TaskId, TaskRecord, TaskState, Transition,
    host::{Relay, Shared},
    methods::No,
    related::related,
    start::{not_found, outcome},
};
use crate::{
    answer::Answer,
    call::Call,
    input::{AskError, BackChannel},
    proto::task::answer_of,
    service::BoxFuture,
};

/// How often one `tasks/result` asks a question whose answers are none.
const MOST_TRIES: u32 = 3;

/// What came of a question.
type Reply = Result<InputResponse, AskError>;

enum Next {
    News(Arc<TaskRecord>),
    Replied(Box<str>, Reply),
}

impl Shared {
    pub(super) async fn result(self: &Arc<Self>, call: &Call) -> Result<Answer, No> {
        let (record, _) = self.find(call).await?;
        let id = record.id().clone();
        let watch = self.watch(&id);
        let now = self.now_ms();
        // It may have changed before it was watched.
        let found = self.store.get(id.clone(), now).await?;
        let mut record = found.ok_or_else(not_found)?;
        let left = record.expires_ms().map(|at| at.saturating_sub(now));
        let left = left.map_or(Duration::MAX, Duration::from_millis);
        let patience = left.min(self.policy.result_time);
        let mut late = self.clock.sleep_until(self.clock.deadline(patience));
        let channel = call.input().channel(call.facts()).ok().flatten();
        let mut asking = Asking::default();
        while !record.is_over() {
            let next = poll_fn(|cx| {
                if let Poll::Ready(newer) = watch.poll(cx) {
                    return Poll::Ready(Some(Next::News(newer)));
                }
                if self.is_stopped() || late.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(None);
                }
                if let Some(channel) = &channel {
                    asking.keep_up(self, &record, channel);
                }
                asking
                    .poll(cx)
                    .map(|(key, reply)| Some(Next::Replied(key, reply)))
            });
            match next.await {
                Some(Next::News(newer)) => record = newer,
                Some(Next::Replied(key, reply)) => {
                    self.hear(&id, key, reply).await?;
                }
                None if patience == left => return Err(not_found().into()),
                None => return Err(still_working(patience).into()),
            }
        }
        let mut answer = outcome(&record);
        if let Ok(Outcome::Complete(Payload::CallTool(result))) = &mut answer.outcome {
            related(&mut result.meta, &id);
        }
        Ok(answer)
    }

    /// Tells the task of a reply. An answer that it has no room for is a refusal, so that its handler hears of it.
    async fn hear(&self, id: &TaskId, key: Box<str>, reply: Reply) -> Result<(), No> {
        let Some(transition) = transition(key.clone(), reply) else {
            return Ok(());
        };
        if let Applied::Refused(why @ Refused::TooManyBytes, _) =
            self.change(id, transition).await?
        {
            let error = ErrorObject::new(ErrorCode::INVALID_PARAMS, why.to_string());
            self.change(id, Transition::Refuse { key, error }).await?;
        }
        Ok(())
    }
}

fn still_working(patience: Duration) -> ErrorObject {
    let seconds = patience.as_secs();
    let said = format!("The task still works after {seconds} s; ask again with tasks/result");
    ProtocolError::internal().with_message(said).into()
}

/// What the task hears of a reply; nothing if the question stays open.
fn transition(key: Box<str>, reply: Reply) -> Option<Transition> {
    match reply {
        Ok(answer) => Some(answer_of(&key, RawJson::from_serialize(&answer).ok()?)),
        Err(AskError::Refused(error)) => Some(Transition::Refuse { key, error }),
        Err(_) => None,
    }
}

/// The questions of a task that this request asks.
#[derive(Default)]
struct Asking {
    open: HashMap<Box<str>, (BoxFuture<Reply>, Relay)>,
    tries: HashMap<Box<str>, u32>,
}

impl Asking {
    /// Asks what is to be asked and nobody else asks, and takes back what is not to be asked any more.
    fn keep_up(
        &mut self,
        shared: &Arc<Shared>,
        record: &TaskRecord,
        channel: &Arc<dyn BackChannel>,
    ) {
        let TaskState::InputRequired(pending) = record.state() else {
            self.open.clear();
            return;
        };
        self.open.retain(|key, _| pending.get(key).is_some());
        for (key, request) in pending.iter() {
            let tries = self.tries.get(key).copied().unwrap_or_default();
            if tries >= MOST_TRIES || self.open.contains_key(key) {
                continue;
            }
            let Some(relay) = shared.relay(record.id(), key) else {
                continue;
            };
            let asked = channel.ask(key, tied(request.clone(), record.id()));
            self.tries.insert(key.into(), tries + 1);
            self.open.insert(key.into(), (asked, relay));
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<(Box<str>, Reply)> {
        let replied = self.open.iter_mut().find_map(|(key, (asked, _))| {
            let Poll::Ready(reply) = asked.as_mut().poll(cx) else {
                return None;
            };
            Some((key.clone(), reply))
        });
        match replied {
            Some((key, reply)) => {
                self.open.remove(&key);
                Poll::Ready((key, reply))
            }
            None => Poll::Pending,
        }
    }
}

/// The same question, tied to its task.
fn tied(mut request: InputRequest, id: &TaskId) -> InputRequest {
    match &mut request.question {
        Question::Elicit(params) => match &mut **params {
            ElicitParams::Form(params) => related(&mut params.meta, id),
            ElicitParams::Url(params) => related(&mut params.meta, id),
            _ => {}
        },
        Question::Sample(params) => related(&mut params.meta, id),
        Question::Roots(params) => {
            let params = params.get_or_insert_with(ListRootsParams::default);
            related(&mut params.meta, id);
        }
        _ => {}
    }
    request
}
