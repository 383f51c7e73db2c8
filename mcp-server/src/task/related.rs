//! What ties messages to a task, and answers to the request for one (2025-11-25).

use mcp_transport::Notification;
use mcp_types::{
    RawJson, RawObject, RawParams,
    task::{RELATED_TASK, RelatedTaskMetadata},
};

use super::TaskId;

/// Stands in an answer's extensions where a client of 2025-11-25 has asked for the task that it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AsTask;

/// What ties a message to a task (2025-11-25), among other members of its `_meta`.
pub(super) fn related(meta: &mut Option<RawObject>, id: &TaskId) {
    let related = RelatedTaskMetadata::new(id.as_str());
    if let Ok(related) = RawJson::from_serialize(&related) {
        meta.get_or_insert_default().set(RELATED_TASK, related);
    }
}

/// The same notification, tied to a task.
pub(super) fn tied(notification: Notification, id: &TaskId) -> Notification {
    let Ok(mut params) = notification.params.decode::<RawObject>() else {
        return notification;
    };
    let mut meta = params.decode("_meta");
    related(&mut meta, id);
    if let Ok(meta) = RawJson::from_serialize(&meta) {
        params.set("_meta", meta);
    }
    match RawParams::from_serialize(&params) {
        Ok(params) => Notification::new(notification.method.as_str(), params),
        Err(_) => notification,
    }
}
