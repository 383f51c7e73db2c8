//! Progress and cancellation.

use serde_json::Number;

use crate::{
    jsonrpc::{ProgressToken, RequestId},
    raw::RawObject,
};

object! {
    /// How far a request has come: `notifications/progress`.
    pub struct ProgressParams {
        /// The token of the request it belongs to.
        progress_token: ProgressToken = "progressToken", required;
        /// How far; it only grows.
        progress: Number = "progress", required;
        /// How far it goes, if that is known.
        total: Option<Number> = "total", hint;
        /// What is being done.
        message: Option<String> = "message", hint, since V2025_03_26;
        /// Free members about the notification.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ProgressParams {
    /// `progress` under `token`.
    pub fn new(token: ProgressToken, progress: impl Into<Number>) -> Self {
        Self {
            progress_token: token,
            progress: progress.into(),
            total: None,
            message: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// The sender no longer wants the answer: `notifications/cancelled`.
    pub struct CancelledParams {
        /// The request in question; required but in the tasks of 2025-11-25.
        request_id: Option<RequestId> = "requestId", optional;
        /// Why, for a log.
        reason: Option<String> = "reason", hint;
        /// Free members about the notification.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl CancelledParams {
    /// Cancels `request`.
    pub fn new(request: RequestId) -> Self {
        Self {
            request_id: Some(request),
            reason: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}
