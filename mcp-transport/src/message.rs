//! Requests and notifications of the seam to the bytes of one message, and back.

use bytes::Bytes;
use mcp_errors::{Failure, FailureKind};
use mcp_types::{
    RequestId, RequestMeta,
    jsonrpc::{self, NotificationMessage, RequestMessage},
};

use crate::exchange::{Notification, Request};

/// Writes a request, its `_meta` in place.
pub(crate) fn write_request(id: &RequestId, request: &Request) -> Result<Bytes, Failure> {
    let invalid = |error| {
        Failure::new(FailureKind::Invalid, "the request's _meta is no JSON").with_source(error)
    };
    let meta = match request.meta.is_empty() {
        true => None,
        false => Some(serde_json::to_string(&request.meta).map_err(invalid)?),
    };
    let mut text = Vec::with_capacity(256);
    jsonrpc::write_request(
        id,
        request.method.as_str(),
        &request.params,
        meta.as_deref(),
        &mut text,
    );
    Ok(text.into())
}

/// Writes a notification.
pub(crate) fn write_notification(notification: &Notification) -> Bytes {
    let mut text = Vec::new();
    jsonrpc::write_notification(
        notification.method.as_str(),
        &notification.params,
        &mut text,
    );
    text.into()
}

/// Writes the answer to a request of the peer.
#[cfg(feature = "client-stdio")]
pub(crate) fn write_answer(id: &RequestId, answer: &crate::ask::AskAnswer) -> Bytes {
    let mut text = Vec::new();
    match answer {
        Ok(result) => jsonrpc::write_result(id, result, &mut text),
        Err(error) => {
            jsonrpc::write_error(&jsonrpc::ErrorId::Known(id.clone()), error, &mut text);
        }
    }
    text.into()
}

/// Takes a request off its envelope. `_meta` that is no object counts as none.
pub(crate) fn read_request(message: RequestMessage) -> Request {
    let meta = RequestMeta::of(&message.params).unwrap_or_default();
    Request::new(message.method, message.params).with_meta(meta)
}

/// Takes a notification off its envelope.
pub(crate) fn read_notification(message: NotificationMessage) -> Notification {
    Notification::new(message.method, message.params)
}
