//! A call of a tool that becomes a task: planned, kept before it is answered, and handed over to what runs it.

use std::{future::poll_fn, sync::Arc, task::Poll};

use mcp_errors::{ProtocolError, ToolError};
use mcp_transport::Notification;
use mcp_types::{
    ErrorCode, ErrorObject, Outcome, Payload, RawJson, RawObject, RawParams, Revision,
    capability::ClientCapabilities,
    encode::At,
    notification::ProgressParams,
    task::{CreateTaskResult, EXTENSION},
    tool::CallToolResult,
    wire::encode_params,
};
use serde_json::Number;

use super::{
    AsTask, TaskId, TaskOutcome, TaskProfile, TaskRecord, TaskState, TaskStoreError, Transition,
    desk::ByTask,
    host::{Place, Shared, TaskHost, random_id},
    life::Life,
    run::{Runner, outcome_of},
};
use crate::{
    answer::{Answer, WrappedOutput},
    call::Call,
    failed::{invalid, of_tool},
    proto::task::{
        plan::{self, Facts, Plan},
        view::{self, Shown},
    },
    registry::Placed,
    service::{BoxFuture, Service},
    tools::Entry,
};

/// The member of `_meta` with the handle of a task.
const HANDLE: &str = "taskHandle";

impl TaskHost {
    /// Calls a tool, which `run` runs, as a task or not.
    ///
    /// # Errors
    /// When the call must be a task and is none, or the other way round, or asks for a time that is none.
    pub(crate) fn call(
        &self,
        entry: &Arc<Placed<Entry>>,
        call: Call,
        run: fn(&Arc<Placed<Entry>>, Call) -> BoxFuture<Answer>,
    ) -> Result<BoxFuture<Answer>, ErrorObject> {
        let asked = asked_ttl(&call);
        let policy = &self.0.policy;
        let plan = plan::plan(Facts {
            revision: call.revision(),
            declares: declares(&call),
            wants_task: asked.is_some(),
            support: &entry.task_support,
            inline_handles: policy.inline_handles,
        });
        let name = &entry.definition.name;
        let refused = |code, what| {
            Err(ErrorObject::new(
                code,
                format!("Tool `{name}` {what} run as a task"),
            ))
        };
        match plan {
            Plan::Plain => Ok(run(entry, call)),
            Plan::Forbidden => refused(ErrorCode::METHOD_NOT_FOUND, "does not"),
            Plan::Required if policy.task_required_is_invalid_request => Err(ErrorObject::new(
                ErrorCode::INVALID_REQUEST,
                "Task augmentation required",
            )),
            Plan::Required => refused(ErrorCode::METHOD_NOT_FOUND, "must"),
            Plan::Undeclared => Err(undeclared()),
            Plan::Task(profile) => {
                let asked = match (profile, asked) {
                    (TaskProfile::Legacy2025, Some(asked)) => asked?,
                    _ => AskedTtl::Any,
                };
                let start = Start {
                    shared: Arc::clone(&self.0),
                    profile,
                    ttl_ms: policy.ttl_ms(asked),
                    tool: name.as_str().into(),
                    wraps_output: entry.wraps_output,
                    life: Life::new(),
                };
                let (entry, begins_in_handler) = (Arc::clone(entry), entry.begins_in_handler);
                let service: Arc<dyn Service> = Arc::new(move |call: Call| run(&entry, call));
                Ok(
                    match begins_in_handler || profile == TaskProfile::InlineHandle {
                        true => Box::pin(start.when_told(service, call)),
                        false => Box::pin(start.at_once(service, call)),
                    },
                )
            }
        }
    }
}

/// Whether the client has declared the extension on this request.
pub(super) fn declares(call: &Call) -> bool {
    let capabilities = call.meta.client_capabilities();
    capabilities
        .extension(EXTENSION)
        .is_some_and(RawJson::is_object)
}

/// The client would have to declare the extension.
pub(super) fn undeclared() -> ErrorObject {
    let mut required = ClientCapabilities::default();
    if let Ok(empty) = RawJson::parse("{}") {
        required
            .extensions
            .get_or_insert_default()
            .set(EXTENSION, empty);
    }
    ProtocolError::missing_client_capability(required).into()
}

/// What a client of 2025-11-25 asks of its task.
#[derive(Clone, Copy)]
pub(super) enum AskedTtl {
    /// As long as the server likes.
    Any,
    /// For so many milliseconds.
    Millis(u64),
    /// For ever.
    Ever,
}

/// Whether the client asks for a task, and for how long it is to be kept.
fn asked_ttl(call: &Call) -> Option<Result<AskedTtl, ErrorObject>> {
    let task = call.params.get("task").filter(|text| *text != "null")?;
    let Ok(task) = serde_json::from_str::<RawObject>(task) else {
        return Some(Err(invalid("`task` must be an object")));
    };
    Some(match task.get("ttl").map(RawJson::decode::<Option<u64>>) {
        None => Ok(AskedTtl::Any),
        Some(Ok(None)) => Ok(AskedTtl::Ever),
        Some(Ok(Some(ttl))) => Ok(AskedTtl::Millis(ttl)),
        Some(Err(_)) => Err(invalid(
            "`task.ttl` must be a whole number of milliseconds, or null",
        )),
    })
}

/// A call that becomes a task.
struct Start {
    shared: Arc<Shared>,
    profile: TaskProfile,
    ttl_ms: u64,
    tool: Box<str>,
    wraps_output: bool,
    life: Arc<Life>,
}

/// What a task that begins is made of.
struct Begun {
    record: Arc<TaskRecord>,
    place: Place,
}

impl Start {
    /// The task begins before its handler does.
    async fn at_once(self, service: Arc<dyn Service>, mut call: Call) -> Answer {
        call.ext.insert(Arc::clone(&self.life));
        let begun = match self.create(&call).await {
            Ok(begun) => begun,
            Err(answer) => return *answer,
        };
        let given = call.clone();
        let handler = Box::pin(async move { service.call(given).await });
        self.hand_over(begun, handler, &call).await
    }

    /// The task begins when its handler says so; for one with a handle, when the handler first waits for anything but
    /// an answer. What it asks before is asked as in any call.
    async fn when_told(self, service: Arc<dyn Service>, mut call: Call) -> Answer {
        call.ext.insert(Arc::clone(&self.life));
        let at_first_wait = self.profile == TaskProfile::InlineHandle;
        let mut handler = service.call(call.clone());
        let early = poll_fn(|cx| match handler.as_mut().poll(cx) {
            Poll::Ready(answer) => Poll::Ready(Some(answer)),
            Poll::Pending if self.life.is_asked(cx) || at_first_wait => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        });
        let begun = match early.await {
            None => self.create(&call).await,
            Some(answer) => return self.done_early(answer, &call).await,
        };
        match begun {
            Ok(begun) => self.hand_over(begun, handler, &call).await,
            Err(answer) => *answer,
        }
    }

    /// The handler was done before its task began.
    async fn done_early(self, answer: Answer, call: &Call) -> Answer {
        let is_complete = matches!(answer.outcome, Ok(Outcome::Complete(_)));
        if self.profile == TaskProfile::Extension || !is_complete {
            return answer;
        }
        // The client has asked for a task, so it gets one.
        let begun = match self.create(call).await {
            Ok(begun) => begun,
            Err(answer) => return *answer,
        };
        let finish = Transition::Finish(outcome_of(answer));
        match self.shared.change(begun.record.id(), finish).await {
            Ok(super::Applied::Done(record)) => self.answer(&record),
            Ok(_) => Answer::error(ProtocolError::internal().into()),
            Err(error) => broken(&error),
        }
    }

    /// Keeps the task. Whoever asks for it from here on finds it.
    async fn create(&self, call: &Call) -> Result<Begun, Box<Answer>> {
        let shared = &self.shared;
        let Some(place) = shared.enter() else {
            return Err(self.no_room(shared.policy.caps.total));
        };
        let Some(id) = random_id() else {
            return Err(Box::new(Answer::error(ProtocolError::internal().into())));
        };
        let now = shared.now_ms();
        let poll = super::policy::millis(shared.policy.poll_interval);
        let owner = shared.owner_of(call);
        let record = TaskRecord::new(TaskId::new(id), owner, self.profile, self.tool.clone(), now)
            .with_ttl_ms(Some(self.ttl_ms))
            .with_poll_ms(Some(poll))
            .with_wrapped_output(self.wraps_output);
        match shared.store.create(record, now).await {
            Ok(record) => Ok(Begun { record, place }),
            Err(TaskStoreError::OwnerFull(most) | TaskStoreError::Full(most)) => {
                Err(self.no_room(most))
            }
            Err(error) => Err(Box::new(broken(&error))),
        }
    }

    /// Hands the handler over to what runs it, and answers.
    async fn hand_over(self, begun: Begun, handler: BoxFuture<Answer>, call: &Call) -> Answer {
        let Begun { record, place } = begun;
        let (shared, input) = (&self.shared, Arc::clone(call.input()));
        let desk = Arc::clone(&self.life.desk);
        let is_inline = self.profile == TaskProfile::InlineHandle;
        match self.profile {
            TaskProfile::InlineHandle => {
                // Its client has no way to answer, and hears the rest on the call's own stream.
                desk.mute();
                announce(&record, call).await;
            }
            // Nobody hears what it says any more.
            TaskProfile::Extension => input.outbox().close(),
            TaskProfile::Legacy2025 => {}
        }
        input.outlive(Arc::new(ByTask(desk)), !is_inline);
        self.life.begun(record.id());
        let runner = Runner {
            shared: Arc::clone(shared),
            watch: shared.watch(record.id()),
            life: Arc::clone(&self.life),
            handler: Some(handler),
            input,
            session: call
                .session()
                .filter(|_| self.profile == TaskProfile::Legacy2025)
                .cloned(),
            place,
            record: Arc::clone(&record),
        };
        let watch = shared.watch(record.id());
        if !(shared.spawner)(Box::pin(runner.run())) {
            tracing::error!(
                "there is no runtime to run a task on: call the server from one, or pass `TasksPolicy::with_spawner`"
            );
            let error = ErrorObject::from(ProtocolError::internal());
            let failed = Transition::Finish(TaskOutcome::Error(error.clone()));
            let _gone = shared.change(record.id(), failed).await;
            return Answer::error(error);
        }
        if !is_inline {
            return self.answer(&record);
        }
        let mut record = record;
        let time = shared
            .clock
            .deadline(std::time::Duration::from_millis(self.ttl_ms));
        let mut late = shared.clock.sleep_until(time);
        while !record.is_over() {
            let next = poll_fn(|cx| match watch.poll(cx) {
                Poll::Ready(record) => Poll::Ready(Some(record)),
                Poll::Pending if shared.is_stopped() => Poll::Ready(None),
                Poll::Pending => late.as_mut().poll(cx).map(|()| None),
            });
            match next.await {
                Some(newer) => record = newer,
                None => return Answer::error(not_found()),
            }
        }
        self.answer(&record)
    }

    /// What the call is answered with.
    fn answer(&self, record: &TaskRecord) -> Answer {
        match self.profile {
            TaskProfile::Legacy2025 => {
                let mut answer = Answer::new(CreateTaskResult::new(view::legacy(record)));
                answer.ext.insert(AsTask);
                answer
            }
            TaskProfile::Extension => {
                // What came of it has no place here.
                let task = view::extension(record, Shown::default());
                Answer::new(CreateTaskResult::new(task))
            }
            TaskProfile::InlineHandle => {
                let mut answer = outcome(record);
                if let Ok(Outcome::Complete(Payload::CallTool(result))) = &mut answer.outcome
                    && let Some(handle) = handle(record)
                {
                    let meta = result.meta.get_or_insert_default();
                    meta.set(HANDLE, handle);
                }
                answer
            }
        }
    }

    /// There are `most` tasks already.
    fn no_room(&self, most: usize) -> Box<Answer> {
        let said =
            format!("there are {most} tasks already, the most there may be; wait for one to end");
        let wait = self.shared.policy.poll_interval;
        Box::new(match self.profile {
            // It has asked for a task, and knows no result in its place.
            TaskProfile::Legacy2025 => Answer::error(ProtocolError::at_capacity(said, wait).into()),
            TaskProfile::Extension | TaskProfile::InlineHandle => {
                let most = u64::try_from(most).unwrap_or(u64::MAX);
                let error = ToolError::at_capacity(said)
                    .service(&*self.tool)
                    .concurrency(most, most)
                    .retry_after(wait);
                of_tool(error)
            }
        })
    }
}

/// What came of a task, as the call that made it would have been answered.
pub(super) fn outcome(record: &TaskRecord) -> Answer {
    let mut answer = match record.state() {
        TaskState::Done(TaskOutcome::Result(result)) => Answer::new(CallToolResult::clone(result)),
        TaskState::Done(TaskOutcome::Error(error)) => Answer::error(error.clone()),
        _ => Answer::error(cancelled(record.id())),
    };
    if record.wraps_output() {
        answer.ext.insert(WrappedOutput);
    }
    answer
}

fn cancelled(id: &TaskId) -> ErrorObject {
    let mut data = RawObject::new();
    if let Ok(id) = RawJson::from_serialize(id) {
        data.set("taskId", id);
    }
    let mut error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "Task was cancelled");
    error.data = RawJson::from_serialize(&data).ok();
    error
}

/// There is no such task, no longer, or for somebody else.
pub(super) fn not_found() -> ErrorObject {
    invalid("Task not found: it never was, its time is up, or it is somebody else's")
}

/// The store is at fault; the log hears how.
pub(super) fn broken(error: &TaskStoreError) -> Answer {
    tracing::error!(%error, source = ?std::error::Error::source(error), "the store of tasks failed");
    Answer::error(ProtocolError::internal().into())
}

fn handle(record: &TaskRecord) -> Option<RawJson> {
    RawJson::from_serialize(&At(&view::inline(record), Revision::LATEST)).ok()
}

/// Tells the client of the handle, before anything else.
async fn announce(record: &TaskRecord, call: &Call) {
    let Some(handle) = handle(record) else {
        return;
    };
    let mut meta = RawObject::new();
    meta.set(HANDLE, handle);
    let outbox = call.input().outbox();
    if let Some(token) = call.meta.progress_token() {
        let nothing = Number::from(0);
        let mut params = ProgressParams::new(token, nothing.clone());
        params.meta = Some(meta);
        let params = encode_params(&params, call.revision());
        let notification = Notification::new("notifications/progress", params);
        outbox.push_progress(&nothing, notification).await;
        return;
    }
    let mut task = view::inline(record);
    task.meta = Some(meta);
    let params: RawParams = encode_params(&task, call.revision());
    outbox
        .push(Notification::new("notifications/tasks", params))
        .await;
}
