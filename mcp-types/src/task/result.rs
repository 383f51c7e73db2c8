//! Results about tasks: the two dialects put the same task into different places.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Task;
use crate::{
    encode::{At, Encode},
    outcome::{COMPLETE, TASK},
    page::PaginatedParams,
    raw::{RawJson, RawObject, inner},
    revision::{Era, Revision},
};

/// Which page of tasks (2025-11-25).
pub type ListTasksParams = PaginatedParams;

/// A task in the place of a result: `{"task": {…}}` at 2025-11-25, and flat, with the `resultType` `task`, at
/// 2026-07-28.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "wire structs are open")]
pub struct CreateTaskResult {
    /// The task, without what came of it.
    pub task: Task,
    /// Free members about the result.
    pub meta: Option<RawObject>,
    /// Every other member of the result of 2025-11-25, kept as it came and written back.
    pub extra: RawObject,
}

impl CreateTaskResult {
    /// For a task that was created just now, and is stored.
    pub fn new(task: Task) -> Self {
        Self {
            task: task.without_payload(),
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl Encode for CreateTaskResult {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        let mut task = self.task.clone().without_payload();
        if at.era() == Era::Modern {
            task.meta = self.meta.clone().or(task.meta);
            let mut object = flat(&task, at, Some(TASK)).map_err(serde::ser::Error::custom)?;
            for (name, value) in self.extra.iter() {
                object.set(name, value.clone());
            }
            return object.serialize(serializer);
        }
        let mut object = self.extra.clone();
        let task = RawJson::from_serialize(&At(&task, at)).map_err(serde::ser::Error::custom)?;
        object.set("task", task);
        if let Some(meta) = &self.meta {
            let meta = RawJson::from_serialize(meta).map_err(serde::ser::Error::custom)?;
            object.set("_meta", meta);
        }
        object.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CreateTaskResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut object = RawObject::deserialize(deserializer)?;
        object.remove("resultType");
        let meta = object.remove("_meta").and_then(|meta| meta.decode().ok());
        if let Some(task) = object.remove("task") {
            return Ok(Self {
                task: task.decode().map_err(inner)?,
                meta,
                extra: object,
            });
        }
        Ok(Self {
            task: unflatten(&object).map_err(inner)?,
            meta,
            extra: RawObject::new(),
        })
    }
}

/// The answer to `tasks/get`: the task, flat.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "wire structs are open")]
pub struct GetTaskResult {
    /// The task; what came of it stands in it at 2026-07-28.
    pub task: Task,
}

impl GetTaskResult {
    /// The task as it stands.
    pub const fn new(task: Task) -> Self {
        Self { task }
    }
}

impl Encode for GetTaskResult {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        let object = flat(&self.task, at, Some(COMPLETE)).map_err(serde::ser::Error::custom)?;
        object.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for GetTaskResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut object = RawObject::deserialize(deserializer)?;
        object.remove("resultType");
        let task = unflatten(&object).map_err(inner)?;
        Ok(Self { task })
    }
}

/// The answer to `tasks/cancel`: the task, flat, at 2025-11-25; no more than that it was heard at 2026-07-28.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "wire structs are open")]
pub struct CancelTaskResult {
    /// The task; 2025-11-25 has to have it.
    pub task: Option<Task>,
    /// Free members about the result (2026-07-28).
    pub meta: Option<RawObject>,
    /// Every other member of the result of 2026-07-28, kept as it came and written back.
    pub extra: RawObject,
}

impl CancelTaskResult {
    /// The task as it stands.
    pub const fn new(task: Task) -> Self {
        Self {
            task: Some(task),
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl Encode for CancelTaskResult {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        let object = match &self.task {
            Some(task) if at.era() == Era::Legacy => {
                flat(task, at, None).map_err(serde::ser::Error::custom)?
            }
            _ => {
                let mut object = self.extra.clone();
                if at.era() == Era::Modern {
                    put(&mut object, "resultType", COMPLETE).map_err(serde::ser::Error::custom)?;
                }
                if let Some(meta) = &self.meta {
                    put(&mut object, "_meta", meta).map_err(serde::ser::Error::custom)?;
                }
                object
            }
        };
        object.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CancelTaskResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut object = RawObject::deserialize(deserializer)?;
        object.remove("resultType");
        if object.contains("taskId") {
            let task = unflatten(&object).map_err(inner)?;
            return Ok(Self::new(task));
        }
        Ok(Self {
            task: None,
            meta: object.remove("_meta").and_then(|meta| meta.decode().ok()),
            extra: object,
        })
    }
}

object! {
    /// One page of tasks (2025-11-25).
    #[derive(Default)]
    pub struct ListTasksResult {
        /// The tasks.
        tasks: Vec<Task> = "tasks", list;
        /// Where the next page starts; none on the last.
        next_cursor: Option<String> = "nextCursor", hint;
        /// Free members about the result.
        meta: Option<RawObject> = "_meta", hint;
    }
}

macro_rules! newest {
    ($($Name:ident),*) => { $(
        impl Serialize for $Name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.encode(Revision::LATEST, serializer)
            }
        }
    )* };
}

newest!(CreateTaskResult, GetTaskResult, CancelTaskResult);

/// The members of a task, after the `resultType` that its result has at 2026-07-28.
fn flat(task: &Task, at: Revision, result_type: Option<&str>) -> serde_json::Result<RawObject> {
    let mut object = RawObject::new();
    if let (Some(result_type), Era::Modern) = (result_type, at.era()) {
        put(&mut object, "resultType", result_type)?;
    }
    let members: RawObject = RawJson::from_serialize(&At(task, at))?.decode()?;
    for (name, value) in members.iter() {
        object.set(name, value.clone());
    }
    Ok(object)
}

fn unflatten(object: &RawObject) -> serde_json::Result<Task> {
    RawJson::from_serialize(object)?.decode()
}

fn put<T: Serialize + ?Sized>(
    object: &mut RawObject,
    name: &str,
    value: &T,
) -> serde_json::Result<()> {
    object.set(name, RawJson::from_serialize(value)?);
    Ok(())
}
