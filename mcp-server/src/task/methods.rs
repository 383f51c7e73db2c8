//! `tasks/get`, `tasks/update`, `tasks/cancel` and `tasks/list`.

use std::sync::Arc;

use mcp_errors::ProtocolError;
use mcp_types::{
    ErrorObject, RawObject,
    lifecycle::EmptyResult,
    page::PaginatedParams,
    task::{CancelTaskResult, GetTaskResult, ListTasksResult},
};

use super::{
    Applied, Refused, TaskId, TaskProfile, TaskRecord, TaskStoreError, Transition,
    host::{Shared, TaskHost},
    start::{broken, declares, not_found, undeclared},
};
use crate::{
    answer::Answer,
    call::Call,
    failed::invalid,
    path::clipped,
    proto::task::{
        plan::{Sight, sight},
        view,
    },
    service::BoxFuture,
};

/// How many tasks a page has, if the server says nothing of pages.
const PAGE: usize = 100;

/// What cursors of the list of tasks are bound to.
const LIST: &str = "tasks";

/// Why a request of `tasks/*` fails.
pub(super) enum No {
    /// As the client is told.
    Said(ErrorObject),
    /// The store is at fault.
    Store(TaskStoreError),
}

impl From<ErrorObject> for No {
    fn from(error: ErrorObject) -> Self {
        Self::Said(error)
    }
}

impl From<TaskStoreError> for No {
    fn from(error: TaskStoreError) -> Self {
        Self::Store(error)
    }
}

impl TaskHost {
    /// Answers a request of `tasks/*`, which the revision of the call knows.
    pub(crate) fn serve(&self, call: Call) -> BoxFuture<Answer> {
        let shared = Arc::clone(&self.0);
        Box::pin(async move {
            let served = match call.method.as_str() {
                "tasks/get" => shared.get(&call).await,
                "tasks/update" => shared.update(&call).await,
                "tasks/cancel" => shared.cancel(&call).await,
                "tasks/list" => shared.list(&call).await,
                _ => shared.result(&call).await,
            };
            match served {
                Ok(answer) => answer,
                Err(No::Said(error)) => Answer::error(error),
                Err(No::Store(error)) => broken(&error),
            }
        })
    }
}

impl TaskHost {
    /// Those of `ids` whose news the sender of `call` may hear: it has declared the extension, and they are its own.
    pub(crate) async fn seen(&self, call: &Call, ids: Vec<String>) -> Vec<String> {
        let shared = &self.0;
        let mut seen = Vec::new();
        if !declares(call) {
            return seen;
        }
        let owner = shared.owner_of(call);
        for id in ids {
            let found = shared.store.get(TaskId::new(&*id), shared.now_ms()).await;
            match found {
                Ok(Some(record)) if record.owner().admits(&owner) => seen.push(id),
                Ok(_) => {}
                Err(error) => tracing::error!(%error, "the store of tasks failed"),
            }
        }
        seen
    }
}

impl Shared {
    async fn get(&self, call: &Call) -> Result<Answer, No> {
        let (record, profile) = self.find(call).await?;
        let task = match profile {
            TaskProfile::Legacy2025 => view::legacy(&record),
            TaskProfile::Extension => view::extension(&record, self.shown),
            TaskProfile::InlineHandle => view::inline(&record),
        };
        Ok(Answer::new(GetTaskResult::new(task)))
    }

    async fn update(&self, call: &Call) -> Result<Answer, No> {
        let responses = call.params.decode_member::<RawObject>("inputResponses");
        let (record, _) = self.find(call).await?;
        // Each answer is read where it is known what was asked: one to nothing may be anything.
        let Ok(Some(responses)) = responses else {
            return Err(
                invalid("`inputResponses` must be an object: answers by their keys").into(),
            );
        };
        match self
            .change(record.id(), Transition::Answer(responses))
            .await?
        {
            Applied::Missing => Err(not_found().into()),
            Applied::Refused(why @ Refused::TooManyBytes, _) => {
                Err(invalid(why.to_string()).into())
            }
            _ => Ok(Answer::new(EmptyResult::default())),
        }
    }

    async fn cancel(&self, call: &Call) -> Result<Answer, No> {
        let (record, profile) = self.find(call).await?;
        let record = match self.change(record.id(), Transition::Cancel).await? {
            Applied::Done(record) => record,
            Applied::Refused(Refused::Over, record)
                if profile != TaskProfile::Legacy2025 || self.policy.legacy_cancel_acknowledges =>
            {
                record
            }
            Applied::Refused(_, record) | Applied::Conflict(record) => {
                let status = view::status(&record, profile);
                let said = format!("Cannot cancel task: already in terminal status '{status}'");
                return Err(invalid(said).into());
            }
            Applied::Missing => return Err(not_found().into()),
        };
        // Since 2026-07-28 it is written as an acknowledgement alone.
        Ok(Answer::new(CancelTaskResult::new(view::legacy(&record))))
    }

    async fn list(&self, call: &Call) -> Result<Answer, No> {
        let params = call.params.decode::<PaginatedParams>();
        let params = params.map_err(|error| invalid(clipped(&error.to_string(), 400)))?;
        let after = params.cursor.as_deref().map(|cursor| {
            let place = self.cursors.open(LIST, cursor).ok_or_else(|| {
                let cursor = clipped(cursor, 100);
                invalid(format!("Invalid cursor: {cursor}; list from the start"))
            })?;
            Ok::<_, ErrorObject>((place.number, TaskId::new(place.name)))
        });
        let after = after.transpose()?;
        let size = self.page.unwrap_or(PAGE);
        let owner = self.owner_of(call);
        let now = self.now_ms();
        let mut records = self.store.list(owner, after, size + 1, now).await?;
        let is_last = records.len() <= size;
        records.truncate(size);
        let mut result = ListTasksResult::default();
        if let (false, Some(last)) = (is_last, records.last()) {
            let sealed = self
                .cursors
                .seal(LIST, last.created_ms(), last.id().as_str());
            let sealed = sealed.ok_or_else(|| ErrorObject::from(ProtocolError::internal()))?;
            result.next_cursor = Some(sealed);
        }
        result.tasks = records.iter().map(|record| view::legacy(record)).collect();
        Ok(Answer::new(result))
    }

    /// The task that a request names, and how it is shown to its sender.
    ///
    /// # Errors
    /// When it is not there for them.
    pub(super) async fn find(&self, call: &Call) -> Result<(Arc<TaskRecord>, TaskProfile), No> {
        let inline = self.policy.inline_handles;
        let sight = sight(
            call.method.as_str(),
            call.revision(),
            declares(call),
            inline,
        );
        if sight == Sight::Undeclared {
            return Err(undeclared().into());
        }
        let Ok(Some(id)) = call.params.decode_member::<Box<str>>("taskId") else {
            return Err(invalid("`taskId` must be the id of a task, a string").into());
        };
        let id = TaskId::new(id);
        let owner = self.owner_of(call);
        let found = self.store.get(id, self.now_ms()).await?;
        let found = found.filter(|record| record.owner().admits(&owner));
        let is_old = |record: &TaskRecord| {
            owner.is_principal() && record.origin() == TaskProfile::Legacy2025
        };
        match (sight, found) {
            (Sight::All(profile), Some(record)) => Ok((record, profile)),
            (Sight::Legacy | Sight::Handles, Some(record)) if is_old(&record) => {
                Ok((record, TaskProfile::Extension))
            }
            (Sight::Handles, Some(record)) if record.origin() == TaskProfile::InlineHandle => {
                Ok((record, TaskProfile::InlineHandle))
            }
            (Sight::All(_) | Sight::Handles, None) => Err(not_found().into()),
            _ => Err(undeclared().into()),
        }
    }
}
