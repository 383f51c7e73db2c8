//! What a POST, a GET and a DELETE mean: the judge's verdict, carried out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{StatusCode, request::Parts};
use mcp_transport::{
    Clock, Exchange, Extensions, Request,
    http::{
        HeaderMap, HeaderValue,
        server::{BatchItem, HttpAnswer, HttpApp},
    },
    proto::{
        headers::{MCP_SESSION_ID, single},
        http::Refusal,
    },
};
use mcp_types::{
    Era, ErrorCode, ErrorObject, Message, RawParams, RequestId, RequestMeta, Revision,
    capability::{ClientCapabilities, Implementation},
    jsonrpc::{ErrorId, Malformed, NotificationMessage, RequestMessage, decode_batch},
    lifecycle::InitializeParams,
    notification::CancelledParams,
};

use super::{
    Principal,
    handle::{Handle, Handled},
    sweep::{self, Sweeper},
};
use crate::{
    core::Core,
    policy::LegacyMode,
    proto::{
        envelope,
        http_era::{self, Facts, Named, Refused, Rules, Verdict},
        sessions::{Closed, Full, NotBegun, SessionId, SessionLimits, Sessions},
    },
    session::Session,
};

/// How long a client is asked to wait when a cap is reached.
const RETRY_AFTER: std::time::Duration = std::time::Duration::from_secs(5);

/// A server on HTTP.
pub(super) struct App(pub(super) Arc<Inner>);

pub(super) struct Inner {
    core: Arc<Core>,
    legacy: LegacyMode,
    pub(super) clock: Arc<dyn Clock>,
    table: Mutex<Sessions<Session, Handle>>,
    sweeper: Mutex<Sweeper>,
}

/// A session that lives as long as the requests of one POST, and runs its hooks then.
struct Transient(Session);

impl Drop for Transient {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A request of a known session.
struct InSession {
    id: SessionId,
    session: Session,
}

impl App {
    pub(super) fn new(
        core: Arc<Core>,
        legacy: LegacyMode,
        limits: SessionLimits,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self(Arc::new(Inner {
            core,
            legacy,
            clock,
            table: Mutex::new(Sessions::new(limits)),
            sweeper: Mutex::default(),
        }))
    }

    /// Ends the streams on which sessions listen; the sessions stay.
    pub(super) fn end_streams(&self) {
        let handles: Vec<Handle> = self.0.table().listening().cloned().collect();
        handles.iter().for_each(Handle::end);
    }

    /// Ends all sessions.
    pub(super) fn close_all(&self) {
        let all = self.0.table().close_all();
        all.into_iter().for_each(close);
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            policy: &self.0.core.policy,
            legacy: self.0.legacy,
        }
    }

    /// The session that the head names, if there are sessions.
    fn named(&self, head: &Parts) -> (Named, Option<InSession>) {
        if !self.has_sessions() {
            return (Named::Nothing, None);
        }
        let id = match single(&head.headers, &MCP_SESSION_ID) {
            Ok(None) => return (Named::Nothing, None),
            Ok(Some(id)) => id.to_str().ok().map(SessionId::sent),
            Err(_) => None,
        };
        let found = id.and_then(|id| {
            let now = self.0.clock.now();
            let mut table = self.0.table();
            let session = table.find(&id, principal(&head.extensions), now)?.clone();
            Some(InSession { id, session })
        });
        let named = found.as_ref().map_or(Named::Unknown, |found| {
            Named::Session(found.session.revision())
        });
        (named, found)
    }

    fn initialize(&self, id: &RequestId, params: &RawParams, ext: &Extensions) -> HttpAnswer {
        let (session, result) = match self.0.core.initialize(params, self.has_sessions()) {
            Ok(opened) => opened,
            Err(error) => {
                let status = http_era::handshake_status(&error);
                return HttpAnswer::error(status, &ErrorId::Known(id.clone()), &error);
            }
        };
        let answer = HttpAnswer::result(id, &result);
        if self.0.legacy != LegacyMode::Stateful {
            session.close();
            return answer;
        }
        let mut entropy = [0; 16];
        if getrandom::fill(&mut entropy).is_err() {
            session.close();
            let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "Internal error");
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            return HttpAnswer::error(status, &ErrorId::Known(id.clone()), &error);
        }
        let session_id = SessionId::from_entropy(entropy);
        let header = HeaderValue::from_str(session_id.as_str());
        let now = self.0.clock.now();
        let opened = self
            .0
            .table()
            .open(session_id, session.clone(), principal(ext), now);
        match (opened, header) {
            (Ok(()), Ok(header)) => {
                sweep::start(&self.0);
                answer.with_header(MCP_SESSION_ID, header)
            }
            (Err(full), _) => {
                session.close();
                at_capacity(full, id)
            }
            // An id is hexadecimal digits, which every header may hold.
            (Ok(()), Err(_)) => answer,
        }
    }

    /// A request of a session, as an exchange that the session can end.
    fn open(
        &self,
        at: &InSession,
        request: RequestMessage,
        ext: Extensions,
    ) -> Result<std::pin::Pin<Box<dyn Exchange>>, NotBegun> {
        let handle = Handle::default();
        let id = request.id.clone();
        self.0.table().begin(&at.id, id.clone(), handle.clone())?;
        let exchange = self
            .0
            .core
            .legacy(&at.session, legacy_request(request, ext));
        let (inner, session) = (Arc::clone(&self.0), at.id.clone());
        let over = move || {
            let now = inner.clock.now();
            inner.table().end(&session, &id, now);
        };
        Ok(Box::pin(Handled::new(exchange, handle, over)))
    }

    fn in_session(
        &self,
        at: &InSession,
        message: Result<Message, Malformed>,
        body: &Bytes,
        ext: Extensions,
    ) -> HttpAnswer {
        match message {
            Ok(Message::Request(request)) => {
                let id = request.id.clone();
                match self.open(at, request, ext) {
                    Ok(exchange) => HttpAnswer::exchange(id, exchange, Era::Legacy).kept(),
                    Err(not_begun) => refuse(not_begun, &id),
                }
            }
            Ok(Message::Notification(notification)) => {
                self.hear(at, &notification);
                HttpAnswer::empty(StatusCode::ACCEPTED)
            }
            // Nothing was asked, so a response answers nothing.
            Ok(Message::Response(_)) => HttpAnswer::empty(StatusCode::ACCEPTED),
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
                    self.hear(at, &notification);
                    None
                }
                Message::Response(_) => None,
            }),
        }
    }

    fn hear(&self, at: &InSession, notification: &NotificationMessage) {
        if notification.method != "notifications/cancelled" {
            return;
        }
        let cancelled = notification.params.decode::<CancelledParams>();
        let Some(request) = cancelled.ok().and_then(|params| params.request_id) else {
            return;
        };
        let handle = self.0.table().running(&at.id, &request).cloned();
        if let Some(handle) = handle {
            handle.end();
        }
    }

    fn stateless(
        &self,
        revision: Revision,
        message: Result<Message, Malformed>,
        body: &Bytes,
        ext: Extensions,
    ) -> HttpAnswer {
        let client = Implementation::new("unknown", "");
        let params = InitializeParams::new(revision, ClientCapabilities::default(), client);
        let session = Arc::new(Transient(Session::open(revision, &params)));
        let open = |request, ext| -> std::pin::Pin<Box<dyn Exchange>> {
            let request = legacy_request(request, ext);
            let exchange = self.0.core.legacy(&session.0, request);
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
        let messages = match decode_batch(body, self.0.core.limits.batch) {
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

impl HttpApp for App {
    fn has_sessions(&self) -> bool {
        self.rules().legacy_mode() == LegacyMode::Stateful
    }

    fn post(&self, head: Parts, message: Result<Message, Malformed>, body: &Bytes) -> HttpAnswer {
        let (session, at) = self.named(&head);
        let facts = Facts {
            headers: &head.headers,
            session,
            message: &message,
        };
        let verdict = http_era::judge(&facts, &self.rules());
        match (verdict, message, at) {
            (Verdict::Refused(refused), ..) => refused.into(),
            (Verdict::Modern(meta), Ok(Message::Request(message)), _) => {
                let mut request = Request::new(message.method, message.params).with_meta(meta);
                request.ext = extensions(head);
                HttpAnswer::exchange(message.id, self.0.core.modern(request), Era::Modern)
            }
            (Verdict::Initialize, Ok(Message::Request(message)), _) => {
                self.initialize(&message.id, &message.params, &head.extensions)
            }
            (Verdict::Session, message, Some(at)) => {
                self.in_session(&at, message, body, extensions(head))
            }
            (Verdict::Stateless(revision), message, _) => {
                self.stateless(revision, message, body, extensions(head))
            }
            // The judge gives these verdicts to requests and to known sessions alone.
            (
                Verdict::Accepted | Verdict::Modern(_) | Verdict::Initialize | Verdict::Session,
                ..,
            ) => HttpAnswer::empty(StatusCode::ACCEPTED),
        }
    }

    fn get(&self, head: Parts) -> HttpAnswer {
        let (named, at) = self.named(&head);
        if let Err(refused) = http_era::judge_session(&head.headers, named, &self.rules()) {
            return refused.into();
        }
        let handle = Handle::default();
        let listening = at.and_then(|at| {
            let (ticket, before) = self.0.table().listen(&at.id, handle.clone())?;
            Some((at, ticket, before))
        });
        let Some((at, ticket, before)) = listening else {
            // It ended while this was judged.
            let error = said(NotBegun::Unknown);
            return HttpAnswer::error(StatusCode::NOT_FOUND, &ErrorId::Omitted, &error);
        };
        if let Some(before) = before {
            before.end();
        }
        let exchange = self.0.core.unasked(&at.session);
        let (inner, id) = (Arc::clone(&self.0), at.id);
        let over = move || {
            let now = inner.clock.now();
            inner.table().unlisten(&id, ticket, now);
        };
        HttpAnswer::stream(Box::pin(Handled::new(exchange, handle, over)))
    }

    fn delete(&self, head: Parts) -> HttpAnswer {
        let (named, at) = self.named(&head);
        if let Err(refused) = http_era::judge_session(&head.headers, named, &self.rules()) {
            return refused.into();
        }
        let closed = at.and_then(|at| self.0.table().close(&at.id));
        if let Some(closed) = closed {
            close(closed);
        }
        HttpAnswer::empty(StatusCode::NO_CONTENT)
    }
}

impl Inner {
    pub(super) fn table(&self) -> MutexGuard<'_, Sessions<Session, Handle>> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn sweeper(&self) -> MutexGuard<'_, Sweeper> {
        self.sweeper.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let all = self.table().close_all();
        all.into_iter().for_each(close);
    }
}

/// Ends a session that has left the table, and what is at work in it. Not to be called under the lock: hooks
/// may do anything.
pub(super) fn close(closed: Closed<Session, Handle>) {
    let Closed { session, at_work } = closed;
    at_work.iter().for_each(Handle::end);
    session.close();
}

impl From<Refused> for HttpAnswer {
    fn from(refused: Refused) -> Self {
        Self::error(refused.status, &refused.id, &refused.error)
    }
}

fn principal(ext: &Extensions) -> Option<&str> {
    ext.get::<Principal>().map(|principal| &*principal.0)
}

/// What a handler may want to know of the head; headers hold secrets, and are never logged.
fn extensions(head: Parts) -> Extensions {
    let mut ext = head.extensions;
    ext.insert::<HeaderMap>(head.headers);
    ext
}

fn legacy_request(message: RequestMessage, ext: Extensions) -> Request {
    // A legacy peer's odd `_meta` is better ignored than refused.
    let meta: RequestMeta = envelope::read_meta(&message.params).unwrap_or_default();
    let mut request = Request::new(message.method, message.params).with_meta(meta);
    request.ext = ext;
    request
}

fn at_capacity(full: Full, id: &RequestId) -> HttpAnswer {
    let refusal = Refusal::Capacity {
        what: full.what,
        limit: full.limit,
        retry_after: RETRY_AFTER,
    };
    HttpAnswer::refusal(&refusal, &ErrorId::Known(id.clone()))
}

fn refuse(not_begun: NotBegun, id: &RequestId) -> HttpAnswer {
    let status = match not_begun {
        NotBegun::Full(full) => return at_capacity(full, id),
        NotBegun::Duplicate => StatusCode::BAD_REQUEST,
        NotBegun::Unknown => StatusCode::NOT_FOUND,
    };
    HttpAnswer::error(status, &ErrorId::Known(id.clone()), &said(not_begun))
}

fn said(not_begun: NotBegun) -> ErrorObject {
    let (code, text) = match not_begun {
        NotBegun::Unknown => (ErrorCode::INVALID_REQUEST, "Session not found".to_owned()),
        NotBegun::Duplicate => (
            ErrorCode::INVALID_REQUEST,
            "Duplicate request id".to_owned(),
        ),
        NotBegun::Full(full) => (
            ErrorCode::INTERNAL_ERROR,
            format!("At capacity: {} {}", full.limit, full.what),
        ),
    };
    ErrorObject::new(code, text)
}
