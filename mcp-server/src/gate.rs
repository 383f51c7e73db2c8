//! One ordered connection: its era, and its legacy session if it has one.

use std::{pin::Pin, sync::Arc};

use mcp_transport::{Exchange, Extensions, Reply, Request, exchange::Ended};
use mcp_types::{
    ErrorObject, Method, RawParams, RequestMeta, Revision, lifecycle::EmptyResult, wire::Stamp,
};

use crate::{
    core::{self, Core},
    listen::Listens,
    proto::era::{Era, Verdict},
    session::Session,
};

/// Where the requests of one connection come in, in order. The session ends with it.
pub(crate) struct Gate {
    core: Arc<Core>,
    era: Era,
    session: Option<Session>,
    ended: Option<Session>,
    /// The subscriptions of the connection, which end with it.
    listens: Listens,
}

impl Gate {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self {
            listens: core.listens(),
            core,
            era: Era::Opening,
            session: None,
            ended: None,
        }
    }

    /// Judges a request and opens its exchange. `initialize` is negotiated here and now, so that what
    /// follows in the same write finds the session.
    pub(crate) fn open(
        &mut self,
        method: Method,
        params: RawParams,
        meta: Result<RequestMeta, ErrorObject>,
        ext: Extensions,
    ) -> Pin<Box<dyn Exchange>> {
        let verdict = self
            .era
            .handle_request(&method, &params, &meta, &self.core.policy);
        let mut request = Request::new(method, params).with_meta(meta.unwrap_or_default());
        request.ext = ext;
        match (verdict, &self.session) {
            (Verdict::Modern, _) => self.core.modern(request, &self.listens),
            (Verdict::Legacy, Some(session)) => self.core.legacy(session, request),
            (Verdict::Initialize, _) => self.initialize(&request.params),
            (Verdict::Refuse(error), _) => core::refused(error),
            (Verdict::Pong, _) | (Verdict::Legacy, None) => {
                core::done(EmptyResult::default(), &Stamp::new(Revision::LATEST_LEGACY))
            }
        }
    }

    /// What the connection's era is.
    pub(crate) fn era(&self) -> Era {
        self.era
    }

    /// The legacy session, once it is negotiated.
    pub(crate) fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// The session that a new one has replaced. It is the host's to close, under no lock.
    pub(crate) fn take_ended(&mut self) -> Option<Session> {
        self.ended.take()
    }

    /// The subscriptions of the connection.
    #[cfg(feature = "stdio")]
    pub(crate) fn listens(&self) -> &Listens {
        &self.listens
    }

    /// How many subscriptions the connection may have.
    #[cfg(feature = "stdio")]
    pub(crate) fn most_subscriptions(&self) -> usize {
        self.core.features.listening.per_connection
    }

    /// What is shared by all connections.
    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    fn initialize(&mut self, params: &RawParams) -> Pin<Box<dyn Exchange>> {
        match self.core.initialize(params, true) {
            Ok((session, result)) => {
                self.era.negotiated(session.revision());
                // The session before is over; its calls in flight go on.
                self.ended = self.session.replace(session);
                Ended::boxed(Ok(Reply::new(result)))
            }
            Err(error) => core::refused(error),
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let sessions = self.ended.iter().chain(&self.session);
        sessions.for_each(Session::close);
    }
}
