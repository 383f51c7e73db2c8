//! What a POST, a GET and a DELETE mean: the judge's verdict, carried out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{StatusCode, request::Parts};
use mcp_transport::{
    Exchange, Extensions, Request,
    http::{
        HeaderMap, HeaderValue,
        server::{HttpAnswer, HttpApp},
    },
    proto::{
        headers::{MCP_SESSION_ID, single},
        http::Place,
    },
};
use mcp_types::{
    Era, ErrorCode, ErrorObject, Message, RawParams, RequestId,
    jsonrpc::{ErrorId, Malformed},
};

use super::{
    Principal,
    handle::{Handle, Handled},
    log::Log,
    pair::Pair,
    refused::{at_capacity, gone},
    settings::Settings,
    sweep::{self, Sweeper},
    tasks::Tasks,
};
use crate::{
    core::Core,
    listen::{Listens, SubscriptionId},
    policy::LegacyMode,
    proto::{
        http_era::{self, Facts, Named, Rules, Verdict},
        pair,
        sessions::{Closed, Full, SessionId, Sessions},
    },
    session::Session,
};

/// A server on HTTP.
pub(super) struct App {
    pub(super) inner: Arc<Inner>,
    pub(super) tasks: Arc<Tasks>,
}

pub(super) struct Inner {
    pub(super) core: Arc<Core>,
    pub(super) settings: Settings,
    listens: Listens,
    table: Mutex<Sessions<Seat, Handle>>,
    sweeper: Mutex<Sweeper>,
}

/// Who has a place in the table.
#[derive(Clone)]
pub(super) enum Seat {
    /// A session of streamable HTTP, with its log where its streams can be taken up again.
    Session(Session, Option<Arc<Log>>),
    /// A stream of HTTP+SSE.
    Pair(Arc<Pair>),
}

/// A request of a known session.
pub(super) struct InSession {
    pub(super) id: SessionId,
    pub(super) session: Session,
    pub(super) log: Option<Arc<Log>>,
}

impl App {
    pub(super) fn new(core: Arc<Core>, settings: Settings) -> Self {
        let clock = Arc::clone(&settings.clock);
        let inner = Arc::new(Inner {
            listens: Listens::of_host(&core.features.listening, clock),
            core,
            table: Mutex::new(Sessions::new(settings.sessions.clone())),
            settings,
            sweeper: Mutex::default(),
        });
        let tasks = Arc::default();
        Self { inner, tasks }
    }

    /// Ends the streams on which clients listen, subscriptions with their result; sessions stay.
    pub(super) fn end_streams(&self) {
        let handles: Vec<Handle> = self.inner.table().listening().cloned().collect();
        handles.iter().for_each(Handle::end);
        self.inner.listens.close();
    }

    /// Ends all sessions.
    pub(super) fn close_all(&self) {
        let all = self.inner.table().close_all();
        all.into_iter().for_each(close);
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            policy: &self.inner.core.policy,
            legacy: self.inner.settings.legacy,
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
        let found = id.and_then(|id| match self.inner.find(&id, &head.extensions)? {
            Seat::Session(session, log) => Some(InSession { id, session, log }),
            Seat::Pair(_) => None,
        });
        let named = found.as_ref().map_or(Named::Unknown, |found| {
            Named::Session(found.session.revision())
        });
        (named, found)
    }

    fn initialize(&self, id: &RequestId, params: &RawParams, ext: &Extensions) -> HttpAnswer {
        let opened = self.inner.core.initialize(params, self.has_sessions());
        let (session, result) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let status = http_era::handshake_status(&error);
                return HttpAnswer::error(status, &ErrorId::Known(id.clone()), &error);
            }
        };
        let answer = HttpAnswer::result(id, &result);
        if self.inner.settings.legacy != LegacyMode::Stateful {
            session.close();
            return answer;
        }
        let id = ErrorId::Known(id.clone());
        let (Some(session_id), Some(name)) = (new_id(), new_id()) else {
            session.close();
            return no_entropy(&id);
        };
        let store = self.inner.settings.store.clone();
        let log = store.map(|store| {
            let (limits, clock) = (&self.inner.core.limits, &self.inner.settings.clock);
            let log = Log::new(name.as_str(), store, limits, Arc::clone(clock), &self.tasks);
            Arc::new(log)
        });
        let header = HeaderValue::from_str(session_id.as_str());
        let seat = Seat::Session(session.clone(), log);
        match (self.enter(&session_id, seat, ext, None), header) {
            (Ok(()), Ok(header)) => answer.with_header(MCP_SESSION_ID, header),
            (Err(full), _) => {
                session.close();
                at_capacity(full, &id)
            }
            // An id is hexadecimal digits, which every header may hold.
            (Ok(()), Err(_)) => answer,
        }
    }

    /// Gives a seat in the table, to one who listens if there is a handle of its stream.
    pub(super) fn enter(
        &self,
        id: &SessionId,
        seat: Seat,
        ext: &Extensions,
        stream: Option<Handle>,
    ) -> Result<(), Full> {
        let now = self.inner.settings.clock.now();
        {
            let mut table = self.inner.table();
            table.open(id.clone(), seat, principal(ext), now)?;
            if let Some(stream) = stream {
                table.listen(id, stream);
            }
        }
        sweep::start(&self.inner);
        Ok(())
    }

    /// What a session is told unasked, for the stream that `handle` ends; it takes over from the one before. `None` if
    /// the session is gone.
    pub(super) fn unasked(
        &self,
        at: InSession,
        handle: Handle,
    ) -> Option<std::pin::Pin<Box<dyn Exchange>>> {
        let (ticket, before) = self.inner.table().listen(&at.id, handle.clone())?;
        if let Some(before) = before {
            before.end();
        }
        let exchange = self.inner.core.unasked(&at.session);
        let (inner, id) = (Arc::clone(&self.inner), at.id);
        let over = move || {
            let now = inner.settings.clock.now();
            inner.table().unlisten(&id, ticket, now);
        };
        Some(Box::pin(Handled::new(exchange, handle, over)))
    }
}

impl HttpApp for App {
    fn has_sessions(&self) -> bool {
        self.rules().legacy_mode() == LegacyMode::Stateful
    }

    fn place(&self, head: &Parts) -> Place {
        match self.inner.settings.pair && self.has_sessions() {
            true => pair::place(head.uri.path()),
            false => Place::Endpoint,
        }
    }

    fn post(&self, head: Parts, message: Result<Message, Malformed>, body: &Bytes) -> HttpAnswer {
        if self.place(&head) == Place::Messages {
            return self.pair_message(head, message);
        }
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
                SubscriptionId::put(request.method.as_str(), &message.id, &mut request.ext);
                let exchange = self.inner.core.modern(request, &self.inner.listens);
                HttpAnswer::exchange(message.id, exchange, Era::Modern)
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
        if self.place(&head) == Place::Stream {
            return self.pair_stream(&head);
        }
        let (named, at) = self.named(&head);
        if let Err(refused) = http_era::judge_session(&head.headers, named, &self.rules()) {
            return refused.into();
        }
        let Some(at) = at else {
            return gone();
        };
        if let Some(log) = at.log.clone() {
            return self.listen(at, &log, &head.headers);
        }
        let unasked = self.unasked(at, Handle::default());
        unasked.map_or_else(gone, HttpAnswer::stream)
    }

    fn delete(&self, head: Parts) -> HttpAnswer {
        let (named, at) = self.named(&head);
        if let Err(refused) = http_era::judge_session(&head.headers, named, &self.rules()) {
            return refused.into();
        }
        let closed = at.and_then(|at| self.inner.table().close(&at.id));
        if let Some(closed) = closed {
            close(closed);
        }
        HttpAnswer::empty(StatusCode::NO_CONTENT)
    }
}

impl Inner {
    pub(super) fn table(&self) -> MutexGuard<'_, Sessions<Seat, Handle>> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn sweeper(&self) -> MutexGuard<'_, Sweeper> {
        self.sweeper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who has the seat of this id, if the caller may know.
    pub(super) fn find(&self, id: &SessionId, ext: &Extensions) -> Option<Seat> {
        let now = self.settings.clock.now();
        self.table().find(id, principal(ext), now).cloned()
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
pub(super) fn close(closed: Closed<Seat, Handle>) {
    let Closed { session, at_work } = closed;
    at_work.iter().for_each(Handle::end);
    match session {
        Seat::Session(session, log) => {
            session.close();
            if let Some(log) = log {
                log.close();
            }
        }
        Seat::Pair(pair) => pair.close(),
    }
}

/// An id that nobody can guess; `None` where the system has no randomness.
pub(super) fn new_id() -> Option<SessionId> {
    let mut entropy = [0; 16];
    getrandom::fill(&mut entropy).ok()?;
    Some(SessionId::from_entropy(entropy))
}

/// Without randomness there are no sessions.
pub(super) fn no_entropy(id: &ErrorId) -> HttpAnswer {
    let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "Internal error");
    HttpAnswer::error(StatusCode::INTERNAL_SERVER_ERROR, id, &error)
}

fn principal(ext: &Extensions) -> Option<&str> {
    ext.get::<Principal>().map(|principal| &*principal.0)
}

/// What a handler may want to know of the head; headers hold secrets, and are never logged.
pub(super) fn extensions(head: Parts) -> Extensions {
    let mut ext = head.extensions;
    ext.insert::<HeaderMap>(head.headers);
    ext
}
