//! What every host of a server shares: one request in, one exchange out, in either era.
//!
//! Hosts (memory, byte streams, HTTP) find out the era of a request; from there on it is here.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use mcp_errors::{Failure, ProtocolError};
use mcp_transport::{Event, Exchange, Reply, Request, exchange::Ended, proto::limits::Limits};
use mcp_types::{
    ErrorObject, Outcome, RawJson, RawParams, Revision,
    capability::Implementation,
    lifecycle::{DiscoverResult, EmptyResult, InitializeParams, InitializeResult},
    meta::LOG_LEVEL,
    wire::{Stamp, TextMirror, encode_outcome},
};

use crate::{
    exchange::Running,
    features::Features,
    input::InputHost,
    listen::{self, Listening, Listens},
    path::clipped,
    policy::EraPolicy,
    proto::envelope,
    service::Service,
    session::Session,
};

/// A server without its hosts.
pub(crate) struct Core {
    pub(crate) server: Arc<Implementation>,
    pub(crate) instructions: Option<String>,
    pub(crate) policy: EraPolicy,
    pub(crate) mirror: TextMirror,
    #[cfg_attr(
        not(any(feature = "stdio", feature = "http")),
        allow(dead_code, reason = "only hosts take bytes, and wait")
    )]
    pub(crate) limits: Limits,
    pub(crate) features: Features,
    pub(crate) input: Arc<InputHost>,
    /// The router, with the server-wide layers around it.
    pub(crate) root: Arc<dyn Service>,
}

impl Core {
    /// Serves a request whose era and version were judged to be modern already; `listens` has the places of those who
    /// listen where it came in.
    pub(crate) fn modern(&self, mut request: Request, listens: &Listens) -> Pin<Box<dyn Exchange>> {
        let revision = match envelope::version(&request.meta, &self.policy) {
            Ok(revision) => revision,
            Err(error) => return refused(error),
        };
        let checked = envelope::check_rest(&request.meta, &self.policy);
        if let Err(error) = checked.and_then(|()| envelope::check_log_level(&request.meta)) {
            return refused(error);
        }
        if !self.features.logging && request.meta.contains(LOG_LEVEL) {
            request.meta.set(LOG_LEVEL, RawJson::null());
        }
        match request.method.as_str() {
            "server/discover" => done(self.discover(), &self.stamp(revision).cacheable(true)),
            method if !self.features.offers(&request.method, revision, false) => {
                refused(envelope::method_not_found(method))
            }
            listen::METHOD => self.listen(request, revision, listens),
            _ => self.run(request, revision, None),
        }
    }

    /// A place for those who listen on one connection.
    pub(crate) fn listens(&self) -> Listens {
        Listens::of_connection(&self.features.listening, self.input.time().cloned())
    }

    fn listen(
        &self,
        mut request: Request,
        revision: Revision,
        listens: &Listens,
    ) -> Pin<Box<dyn Exchange>> {
        match listens.open(&self.features.hub, &mut request) {
            Ok(seat) => {
                let opening = self.run(request, revision, None);
                Box::pin(Listening::new(listens, seat, opening, revision))
            }
            Err(full) => Ended::boxed(Err(
                Failure::peer(full).with_http_status(listen::FULL_STATUS)
            )),
        }
    }

    /// Opens a legacy session: the revision is negotiated, and the encoded `InitializeResult` is the
    /// answer. `heard` says whether the client can be told something unasked.
    ///
    /// # Errors
    /// -32602 when the parameters are malformed, or the policy wants an exact version; -32022 when
    /// no legacy revision is served.
    pub(crate) fn initialize(
        &self,
        params: &RawParams,
        heard: bool,
    ) -> Result<(Session, RawJson), ErrorObject> {
        let params: InitializeParams = params.decode().map_err(|error| {
            let error = clipped(&error.to_string(), 400);
            let detail = format!("Invalid initialize parameters: {error}");
            ErrorObject::from(ProtocolError::invalid_params(detail))
        })?;
        let requested = params.protocol_version.as_str();
        let revision = self
            .policy
            .negotiate(requested)
            .ok_or_else(|| envelope::unsupported_version(requested, &self.policy))?;
        if self.policy.strict_initialize && revision.as_str() != requested {
            return Err(envelope::unsupported_initialize(requested, &self.policy));
        }
        let server = Implementation::clone(&self.server);
        let mut result = InitializeResult::new(revision, self.features.capabilities(heard), server);
        result.instructions.clone_from(&self.instructions);
        let result = encode(result.into(), &Stamp::new(revision))?;
        let session = Session::open(revision, &params);
        if heard {
            session.wishes().hear();
            let following = self.features.hub.follow(session.listener());
            session.on_close(move || drop(following));
        }
        Ok((session, result))
    }

    /// Serves a request of a legacy session.
    pub(crate) fn legacy(&self, session: &Session, mut request: Request) -> Pin<Box<dyn Exchange>> {
        let revision = session.revision();
        session.fill(&mut request.meta);
        if self.features.logging {
            request.meta.set_log_level(&session.wishes().log_level());
        } else if request.meta.contains(LOG_LEVEL) {
            request.meta.set(LOG_LEVEL, RawJson::null());
        }
        let heard = session.wishes().is_heard();
        match request.method.as_str() {
            "ping" => done(EmptyResult::default(), &Stamp::new(revision)),
            _ if self.features.offers(&request.method, revision, heard) => {
                self.run(request, revision, Some(session.clone()))
            }
            method => refused(envelope::method_not_found(method)),
        }
    }

    /// What the server tells a legacy session unasked; it ends when the session does.
    pub(crate) fn unasked(&self, session: &Session) -> Pin<Box<dyn Exchange>> {
        Box::pin(Unasked(Some(session.clone())))
    }

    fn run(
        &self,
        request: Request,
        revision: Revision,
        session: Option<Session>,
    ) -> Pin<Box<dyn Exchange>> {
        let (root, server) = (Arc::clone(&self.root), Arc::clone(&self.server));
        Box::pin(Running::new(
            root,
            request,
            revision,
            session,
            (server, self.mirror),
            &self.input,
        ))
    }

    fn discover(&self) -> DiscoverResult {
        let versions = self.policy.modern.iter().copied();
        // A modern client hears of changes through a subscription.
        let heard = self.features.listening.served;
        let mut result = DiscoverResult::new(versions, self.features.capabilities(heard));
        let hint = self.features.caching.server;
        result.ttl_ms = Some(hint.ttl_ms());
        result.cache_scope = Some(hint.scope);
        result.instructions.clone_from(&self.instructions);
        result
    }

    fn stamp(&self, revision: Revision) -> Stamp<'_> {
        Stamp::new(revision).by(&self.server)
    }
}

/// The exchange of a request that no handler sees, and that failed.
pub(crate) fn refused(error: ErrorObject) -> Pin<Box<dyn Exchange>> {
    Ended::boxed(Err(Failure::peer(error)))
}

/// The exchange of a request that no handler sees, and that succeeded.
pub(crate) fn done(outcome: impl Into<Outcome>, stamp: &Stamp<'_>) -> Pin<Box<dyn Exchange>> {
    match encode(outcome.into(), stamp) {
        Ok(result) => Ended::boxed(Ok(Reply::new(result))),
        Err(error) => refused(error),
    }
}

fn encode(outcome: Outcome, stamp: &Stamp<'_>) -> Result<RawJson, ErrorObject> {
    // Only complete outcomes are made here, which every revision has words for.
    encode_outcome(outcome, stamp).map_err(|_| ProtocolError::internal().into())
}

struct Unasked(Option<Session>);

impl Exchange for Unasked {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        let Some(session) = &self.0 else {
            return Poll::Pending;
        };
        match session.poll_unasked(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Some(notification)) => Poll::Ready(Event::Notification(notification)),
            Poll::Ready(None) => {
                let ended = encode(
                    EmptyResult::default().into(),
                    &Stamp::new(session.revision()),
                );
                self.0 = None;
                Poll::Ready(Event::Outcome(ended.map(Reply::new).map_err(Failure::peer)))
            }
        }
    }
}
