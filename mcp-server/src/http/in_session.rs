//! Messages of legacy clients: of a session, or alone.

use std::{pin::Pin, sync::Arc};

use bytes::Bytes;
use http::StatusCode;
use mcp_transport::{
    Exchange, Extensions, Request,
    http::server::{BatchItem, HttpAnswer},
};
use mcp_types::{
    Era, ErrorCode, ErrorObject, Message, RequestMeta, Revision,
    jsonrpc::{ErrorId, Malformed, NotificationMessage, RequestMessage, decode_batch},
    notification::CancelledParams,
};

use super::{
    app::{App, InSession},
    handle::{Handle, Handled},
    refused::{refuse, said},
};
use crate::{
    proto::{
        envelope,
        sessions::{NotBegun, SessionId},
    },
    session::Session,
};

/// A session that lives as long as the requests of one POST, and runs its hooks then.
struct Transient(Session);

impl Drop for Transient {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl App {
    /// A request of a session, as an exchange that the session can end.
    pub(super) fn open(
        &self,
        at: &InSession,
        request: RequestMessage,
        ext: Extensions,
    ) -> Result<Pin<Box<dyn Exchange>>, NotBegun> {
        let handle = Handle::default();
        let id = request.id.clone();
        self.inner
            .table()
            .begin(&at.id, id.clone(), handle.clone())?;
        let request = legacy_request(request, ext);
        let exchange = self.inner.core.legacy(&at.session, request);
        let (inner, session) = (Arc::clone(&self.inner), at.id.clone());
        let over = move || {
            let now = inner.settings.clock.now();
            inner.table().end(&session, &id, now);
        };
        Ok(Box::pin(Handled::new(exchange, handle, over)))
    }

    pub(super) fn in_session(
        &self,
        at: &InSession,
        message: Result<Message, Malformed>,
        body: &Bytes,
        ext: Extensions,
    ) -> HttpAnswer {
        match message {
            Ok(Message::Request(request)) => {
                if let Some(log) = &at.log {
                    return self.resumable(at, log, request, ext);
                }
                let id = request.id.clone();
                match self.open(at, request, ext) {
                    Ok(exchange) => HttpAnswer::exchange(id, exchange, Era::Legacy).kept(),
                    Err(not_begun) => refuse(not_begun, &id),
                }
            }
            Ok(Message::Notification(notification)) => {
                self.hear(&at.id, &notification);
                HttpAnswer::empty(StatusCode::ACCEPTED)
            }
            Ok(Message::Response(response)) => {
                at.session.answer(response);
                HttpAnswer::empty(StatusCode::ACCEPTED)
            }
            Err(_) => self.batch(body, |message| match message {
                Message::Request(request) => {
                    let id = request.id.clone();
                    let opened = self.open(at, request, ext.clone());
                    Some(opened.map_or_else(
                        |not_begun| BatchItem::error(&ErrorId::Known(id.clone()), &said(not_begun)),
                        |exchange| BatchItem::exchange(id.clone(), exchange),
                    ))
                }
                Message::Notification(notification) => {
                    self.hear(&at.id, &notification);
                    None
                }
                Message::Response(response) => {
                    at.session.answer(response);
                    None
                }
            }),
        }
    }

    /// Of what a client tells, that a request is cancelled is for the host.
    pub(super) fn hear(&self, session: &SessionId, notification: &NotificationMessage) {
        if notification.method != "notifications/cancelled" {
            return;
        }
        let cancelled = notification.params.decode::<CancelledParams>();
        let Some(request) = cancelled.ok().and_then(|params| params.request_id) else {
            return;
        };
        let handle = self.inner.table().running(session, &request).cloned();
        if let Some(handle) = handle {
            handle.end();
        }
    }

    pub(super) fn stateless(
        &self,
        revision: Revision,
        message: Result<Message, Malformed>,
        body: &Bytes,
        ext: Extensions,
    ) -> HttpAnswer {
        let session = Arc::new(Transient(Session::transient(revision)));
        let open = |request, ext| -> Pin<Box<dyn Exchange>> {
            let request = legacy_request(request, ext);
            let exchange = self.inner.core.legacy(&session.0, request);
            let session = Arc::clone(&session);
            Box::pin(Handled::new(exchange, Handle::default(), || drop(session)))
        };
        match message {
            Ok(Message::Request(request)) => {
                let id = request.id.clone();
                HttpAnswer::exchange(id, open(request, ext), Era::Legacy).kept()
            }
            Ok(Message::Notification(_) | Message::Response(_)) => {
                HttpAnswer::empty(StatusCode::ACCEPTED)
            }
            Err(_) => self.batch(body, |message| match message {
                Message::Request(request) => {
                    let id = request.id.clone();
                    Some(BatchItem::exchange(id, open(request, ext.clone())))
                }
                Message::Notification(_) | Message::Response(_) => None,
            }),
        }
    }

    fn batch(
        &self,
        body: &Bytes,
        mut each: impl FnMut(Message) -> Option<BatchItem>,
    ) -> HttpAnswer {
        let messages = match decode_batch(body, self.inner.core.limits.batch) {
            Ok(messages) => messages,
            Err(malformed) => {
                let error = malformed.answer();
                let error = error.unwrap_or_else(|| {
                    ErrorObject::new(ErrorCode::INVALID_REQUEST, malformed.to_string())
                });
                return HttpAnswer::error(StatusCode::BAD_REQUEST, &ErrorId::Null, &error);
            }
        };
        let items = messages.into_iter().filter_map(|message| match message {
            Ok(Message::Request(request)) if request.method == "initialize" => {
                let text = "Invalid request: initialize is not allowed in a batch";
                let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, text);
                Some(BatchItem::error(&ErrorId::Known(request.id), &error))
            }
            Ok(message) => each(message),
            Err(malformed) => {
                let error = malformed.answer()?;
                let id = malformed.id.map_or(ErrorId::Null, ErrorId::Known);
                Some(BatchItem::error(&id, &error))
            }
        });
        HttpAnswer::batch(items).kept()
    }
}

fn legacy_request(message: RequestMessage, ext: Extensions) -> Request {
    // A legacy peer's odd `_meta` is better ignored than refused.
    let meta: RequestMeta = envelope::read_meta(&message.params).unwrap_or_default();
    let mut request = Request::new(message.method, message.params).with_meta(meta);
    request.ext = ext;
    request
}
