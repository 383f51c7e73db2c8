//! Runs a task's handler to its end, whatever that is, and keeps the store in step.

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use mcp_errors::ProtocolError;
use mcp_transport::{Notification, clock::Sleep};
use mcp_types::{
    ErrorObject, Outcome, Payload, Revision,
    task::TaskStatus,
    tool::CallToolResult,
    wire::{Stamp, encode_outcome, encode_params},
};

use super::{
    Applied, Refused, TaskOutcome, TaskProfile, TaskRecord, Transition,
    host::{Place, Shared, Watch},
    life::Life,
    related::tied,
};
use crate::{
    answer::Answer, input::Input, proto::task::view, service::BoxFuture, session::Session,
};

/// One task that runs here.
pub(super) struct Runner {
    pub(super) shared: Arc<Shared>,
    pub(super) record: Arc<TaskRecord>,
    pub(super) watch: Watch,
    pub(super) life: Arc<Life>,
    pub(super) handler: Option<BoxFuture<Answer>>,
    pub(super) input: Arc<Input>,
    /// Where what the handler says is told, once nobody reads the call any more.
    pub(super) session: Option<Session>,
    #[expect(dead_code, reason = "it is kept while the task runs")]
    pub(super) place: Place,
}

/// What happens next to a task that runs.
enum Next {
    /// Its handler has an answer.
    Answered(Answer),
    /// Its handler broke.
    Panicked,
    /// Its handler asks, or says something of itself.
    Posted(Transition),
    /// There is a new version.
    News(Arc<TaskRecord>),
    /// Its time is up, or the server is gone.
    Ended,
}

impl Runner {
    /// Runs it to its end.
    pub(super) async fn run(mut self) {
        let left = self.record.expires_ms().map(|at| {
            let left = at.saturating_sub(self.shared.now_ms());
            Duration::from_millis(left)
        });
        let mut end = left.map(|left| self.sleep(left));
        let mut told = TaskStatus::Working;
        loop {
            match poll_fn(|cx| self.poll_next(&mut end, cx)).await {
                Next::Answered(answer) => {
                    let outcome = outcome_of(answer);
                    self.apply(Transition::Finish(outcome)).await;
                    break;
                }
                Next::Panicked => {
                    tracing::error!(tool = self.record.tool(), "the handler of a task panicked");
                    let error = ProtocolError::internal().into();
                    self.apply(Transition::Finish(TaskOutcome::Error(error)))
                        .await;
                    break;
                }
                Next::Posted(transition) => self.apply(transition).await,
                Next::News(record) => self.heard(record),
                Next::Ended => break,
            }
            self.tell(&mut told);
            if !self.record.is_over() {
                continue;
            }
            // It was cancelled: whoever wants to end by itself may, for a while.
            self.life.cancel();
            self.life.desk.close();
            if !self.life.is_watched() {
                break;
            }
            end = Some(self.sleep(self.shared.policy.cancel_grace));
            poll_fn(|cx| self.poll_rest(&mut end, cx)).await;
            break;
        }
        self.tell(&mut told);
        self.leave();
    }

    fn poll_next(&mut self, end: &mut Option<Sleep>, cx: &mut Context<'_>) -> Poll<Next> {
        self.forward(cx);
        if let Poll::Ready(record) = self.watch.poll(cx) {
            return Poll::Ready(Next::News(record));
        }
        let is_late = |end: &mut Sleep| end.as_mut().poll(cx).is_ready();
        if self.shared.is_stopped() || end.as_mut().is_some_and(is_late) {
            return Poll::Ready(Next::Ended);
        }
        let polled = self.poll_handler(cx);
        self.forward(cx);
        if let Poll::Ready(ended) = polled {
            return Poll::Ready(ended.map_or(Next::Panicked, Next::Answered));
        }
        self.life.desk.poll_posted(cx).map(Next::Posted)
    }

    /// Whatever the handler still does.
    fn poll_rest(&mut self, end: &mut Option<Sleep>, cx: &mut Context<'_>) -> Poll<()> {
        // Wakes when the server ends.
        let _late = self.watch.poll(cx);
        let is_late = |end: &mut Sleep| end.as_mut().poll(cx).is_ready();
        if self.shared.is_stopped() || end.as_mut().is_some_and(is_late) {
            return Poll::Ready(());
        }
        self.poll_handler(cx).map(drop)
    }

    /// The answer of the handler; nothing if it broke.
    fn poll_handler(&mut self, cx: &mut Context<'_>) -> Poll<Option<Answer>> {
        let Some(handler) = &mut self.handler else {
            return Poll::Pending;
        };
        match catch_unwind(AssertUnwindSafe(|| handler.as_mut().poll(cx))) {
            Ok(polled) => polled.map(Some),
            Err(_) => Poll::Ready(None),
        }
    }

    /// Tells the session what the handler says: nobody reads the call any more.
    fn forward(&self, cx: &mut Context<'_>) {
        let Some(session) = &self.session else {
            return;
        };
        while let Poll::Ready(Some(notification)) = self.input.outbox().poll_pop(cx) {
            // One that does not listen misses it.
            let _full = session.notify(tied(notification, self.record.id()));
        }
    }

    async fn apply(&mut self, transition: Transition) {
        let key = match &transition {
            Transition::Ask { key, .. } => Some(key.clone()),
            _ => None,
        };
        let applied = self.shared.change(self.record.id(), transition).await;
        let refused = match applied {
            Ok(Applied::Done(record)) => {
                self.heard(record);
                return;
            }
            Ok(Applied::Refused(why, record)) => {
                self.heard(record);
                why
            }
            Ok(Applied::Missing | Applied::Conflict(_)) => Refused::Over,
            Err(error) => {
                tracing::error!(%error, tool = self.record.tool(), "a task could not be kept");
                Refused::Over
            }
        };
        if let Some(key) = key {
            self.life.desk.refuse(&key, refused);
        }
    }

    fn heard(&mut self, record: Arc<TaskRecord>) {
        if record.version() >= self.record.version() {
            self.life.desk.deliver(&record);
            self.record = record;
        }
    }

    /// Tells the legacy client that has asked for the task how it stands, if that has changed.
    fn tell(&self, told: &mut TaskStatus) {
        let Some(session) = &self.session else {
            return;
        };
        let status = view::status(&self.record, TaskProfile::Legacy2025);
        if status == *told {
            return;
        }
        *told = status;
        let task = view::legacy(&self.record);
        let params = encode_params(&task, Revision::V2025_11_25);
        let notification = Notification::new("notifications/tasks/status", params);
        // Clients poll, and need no notification.
        let _full = session.notify(notification);
    }

    /// Drops what is left of the handler, which may panic, and closes what it used.
    fn leave(mut self) {
        self.life.desk.close();
        let handler = self.handler.take();
        if catch_unwind(AssertUnwindSafe(|| drop(handler))).is_err() {
            tracing::error!(tool = self.record.tool(), "what is left of a task panicked");
        }
    }

    fn sleep(&self, time: Duration) -> Sleep {
        let clock = &self.shared.clock;
        clock.sleep_until(clock.deadline(time))
    }
}

impl Drop for Runner {
    /// Also where the runtime drops it.
    fn drop(&mut self) {
        self.life.desk.close();
        self.input.close();
        self.input.outbox().close();
    }
}

/// What comes of a task whose handler gave `answer`.
pub(super) fn outcome_of(answer: Answer) -> TaskOutcome {
    match answer.outcome.and_then(result_of) {
        Ok(result) => TaskOutcome::Result(Box::new(result)),
        Err(error) => TaskOutcome::Error(error),
    }
}

fn result_of(outcome: Outcome) -> Result<CallToolResult, ErrorObject> {
    let internal = || ErrorObject::from(ProtocolError::internal());
    match outcome {
        Outcome::Complete(Payload::CallTool(result)) => Ok(result),
        Outcome::Complete(payload) => {
            let stamp = Stamp::new(Revision::LATEST);
            let written = encode_outcome(Outcome::Complete(payload), &stamp);
            let result = written.ok().and_then(|written| written.decode().ok());
            result.ok_or_else(internal)
        }
        _ => {
            tracing::error!("the handler of a task gave back what is no result");
            Err(internal())
        }
    }
}
