//! One exchange over HTTP: the request on its way, then a JSON body or a stream of events.

mod again;
mod events;
mod flight;
mod rest;
#[cfg(test)]
mod tests;
mod whole;

use std::{
    future::Future,
    mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use ::http::{HeaderMap, HeaderValue, Method as HttpMethod, response::Parts};
use bytes::Bytes;
use mcp_errors::{Failure, FailureKind};
use mcp_types::{RawJson, RequestId};

use self::{
    again::{Again, Place},
    events::{PIECES, Stream},
    flight::{Flight, Replaced, replaced},
    whole::Gathering,
};
use super::{HttpClient, Sent, body::Gather};
use crate::{
    clock::Sleep,
    exchange::{Event, Exchange, Reply, Request},
    proto::{
        answer::{Head, read_head},
        headers::MCP_SESSION_ID,
    },
};

/// The exchange of one POST, or of the standalone GET.
pub(super) struct HttpExchange {
    client: HttpClient,
    state: State,
    /// The request that the answer is for; none on the standalone stream.
    id: Option<RequestId>,
    /// The legacy `initialize` that this is.
    initialize: Option<Request>,
    flight: Arc<Flight>,
    /// Ends when another session took the place of its own.
    replaced: Option<Replaced>,
    /// The headers that the last request went out with.
    sent: HeaderMap,
    /// What a message beside a legacy request repeats of its headers; a modern one has none beside it.
    headers: Option<HeaderMap>,
    /// The session that the request named.
    session: Option<HeaderValue>,
    /// A legacy request that can be sent once more.
    again: Option<Again>,
    /// Where a legacy stream is, so that it can be taken up where it broke.
    resume: Option<Place>,
}

enum State {
    /// Until the stream is taken up again.
    Waiting(Sleep),
    Sending(Sending),
    Gathering(Box<Gathering>),
    Streaming(Parts, Box<Stream>),
    Done,
}

type Sending = Pin<Box<dyn Future<Output = Result<Sent, Failure>> + Send>>;

impl HttpExchange {
    pub(super) fn modern(
        client: HttpClient,
        id: RequestId,
        headers: HeaderMap,
        body: Bytes,
    ) -> Self {
        let core = Arc::clone(&client.core);
        let sending = async move { core.send(HttpMethod::POST, headers, Some(body)).await };
        Self::new(client, Some(id), Box::pin(sending))
    }

    /// `headers` and `body` are what `request` becomes on the wire.
    pub(super) fn legacy(
        client: HttpClient,
        request: Request,
        id: RequestId,
        headers: HeaderMap,
        body: Bytes,
    ) -> Self {
        let initializes = request.method == "initialize";
        let (mark, HttpClient { core, side }) = (client.side.mark(), client.clone());
        let flight = Arc::<Flight>::default();
        let (leaving, beside, bytes) = (Arc::clone(&flight), headers.clone(), body.clone());
        let sending = async move {
            side.start(&core);
            side.settled(mark).await;
            // Before this there is nothing to cancel.
            leaving.set_cancels(!initializes);
            leaving.leave(&core);
            core.send(HttpMethod::POST, headers, Some(bytes)).await
        };
        let call = request.headers().cloned();
        let again = Again::new(request.method.clone(), call.clone(), body);
        let mut exchange = Self::new(client, Some(id), Box::pin(sending));
        exchange.session = beside.get(MCP_SESSION_ID).cloned();
        exchange.headers = Some(beside);
        exchange.flight = flight;
        if initializes {
            exchange.initialize = Some(request);
        } else {
            exchange.watch_session();
            exchange.again = Some(again);
            exchange.resume = Some(Place::of_answer(call));
        }
        exchange
    }

    /// The standalone stream of a legacy session.
    pub(super) fn listen(client: HttpClient, call: Option<&HeaderMap>) -> Self {
        let HttpClient { core, side } = client.clone();
        let mark = side.mark();
        let beside = core.base_headers(call);
        let resume = Place::of_session(call.cloned());
        let get = resume.get(&core);
        let session = get.session.clone();
        let flight = Arc::<Flight>::default();
        let leaving = Arc::clone(&flight);
        let sending = async move {
            side.settled(mark).await;
            leaving.leave(&core);
            get.send(&core).await
        };
        let mut exchange = Self::new(client, None, Box::pin(sending));
        exchange.headers = Some(beside);
        exchange.session = session;
        exchange.resume = Some(resume);
        exchange.flight = flight;
        exchange.watch_session();
        exchange
    }

    /// The same without another session or another connection where one is lost.
    pub(super) fn without_another_way(mut self) -> Self {
        (self.again, self.resume) = (None, None);
        self
    }

    fn watch_session(&mut self) {
        if self.session.is_some() {
            self.replaced = Some(replaced(&self.client.core, &self.flight));
        }
    }

    fn new(client: HttpClient, id: Option<RequestId>, sending: Sending) -> Self {
        Self {
            client,
            state: State::Sending(sending),
            id,
            initialize: None,
            flight: Arc::default(),
            replaced: None,
            sent: HeaderMap::new(),
            headers: None,
            session: None,
            again: None,
            resume: None,
        }
    }

    fn begin(&mut self, sent: Sent) -> State {
        self.sent = sent.headers;
        let (parts, body) = sent.answer.into_parts();
        let core = &self.client.core;
        let limits = &core.limits;
        let head = read_head(parts.status, &parts.headers);
        let (limit, patience) = match head {
            Head::Events => {
                if let Some(place) = &mut self.resume {
                    place.opened(core.clock.now());
                }
                return State::Streaming(parts, Box::new(Stream::new(body, limits)));
            }
            Head::Json => (limits.response_body, None),
            // There is no body, whatever follows.
            Head::Empty => (0, Some(core.clock.now())),
            _ => (
                limits.error_body,
                Some(core.clock.deadline(limits.farewell_time)),
            ),
        };
        State::Gathering(Box::new(Gathering {
            head,
            parts,
            gather: Gather::new(body, limit),
            patience: patience.map(|deadline| core.clock.sleep_until(deadline)),
        }))
    }

    fn reply(&self, parts: Parts, result: RawJson) -> Reply {
        if let Some(request) = &self.initialize {
            let core = &self.client.core;
            core.begin_session(request.clone(), &parts.headers, &result);
        } else if self.session.is_some() {
            self.client.core.lock().prove();
        }
        let mut reply = Reply::new(result);
        reply.ext.insert(parts.status);
        reply.ext.insert(parts.headers);
        reply
    }
}

impl Exchange for HttpExchange {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        let this = &mut *self;
        if let Poll::Ready(event) = this.poll_answer(cx) {
            return Poll::Ready(event);
        }
        if matches!(this.state, State::Done) {
            return Poll::Pending;
        }
        let failure = ready!(this.poll_replaced(cx));
        this.finish(false, cx);
        Poll::Ready(Event::Outcome(Err(failure)))
    }

    fn noise(&self) -> Option<String> {
        match &self.state {
            State::Streaming(_, stream) => stream.noise(self.id.as_ref(), &self.sent),
            _ => None,
        }
    }
}

impl HttpExchange {
    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        loop {
            let outcome = match &mut self.state {
                State::Waiting(sleep) => {
                    ready!(sleep.as_mut().poll(cx));
                    self.reopen();
                    continue;
                }
                State::Sending(sending) => match ready!(sending.as_mut().poll(cx)) {
                    Ok(sent) => {
                        self.state = self.begin(sent);
                        continue;
                    }
                    Err(failure) => Err(failure),
                },
                State::Gathering(gathering) => {
                    let gathered = ready!(gathering.poll(cx));
                    match mem::replace(&mut self.state, State::Done) {
                        State::Gathering(gathering) => self.conclude(*gathering, gathered),
                        _ => return Poll::Pending,
                    }
                }
                State::Streaming(parts, _) => {
                    let status = parts.status.as_u16();
                    match ready!(self.poll_stream(cx)) {
                        // That there was a head tells a cut answer from a connection that never answered.
                        Event::Outcome(Err(failure)) if failure.kind() == FailureKind::Lost => {
                            Err(failure.with_http_status(status))
                        }
                        Event::Outcome(outcome) => outcome,
                        event => return Poll::Ready(event),
                    }
                }
                State::Done => return Poll::Pending,
            };
            let Some(outcome) = self.another_way(outcome) else {
                continue;
            };
            // The peer's error is an answer too.
            let answered = outcome
                .as_ref()
                .map_or_else(|failure| failure.peer_error().is_some(), |_| true);
            self.finish(answered, cx);
            return Poll::Ready(Event::Outcome(outcome));
        }
    }
}

impl Drop for HttpExchange {
    fn drop(&mut self) {
        let cancels = self.flight.cancels();
        if let (true, Some(id), Some(headers)) = (cancels, self.id.take(), self.headers.take()) {
            let HttpClient { core, side } = &self.client;
            let mut headers = headers;
            // The request may go on in another session than it began in.
            core.lock().tag(&mut headers);
            side.cancel(core, id, headers);
        }
    }
}
