//! One exchange over HTTP: the request on its way, then a JSON body or a stream of events.

mod again;
mod rest;
#[cfg(test)]
mod tests;

use std::{
    future::Future,
    mem,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use ::http::{HeaderMap, HeaderValue, Method as HttpMethod, Response, response::Parts};
use bytes::Bytes;
use mcp_errors::{Failure, FailureKind};
use mcp_types::{
    Message, RawJson, RequestId,
    jsonrpc::{self, MalformedKind},
};
use reqwest::Body;

use self::again::{Again, Place};
use super::{
    HttpClient,
    body::{Gather, Gathered, poll_piece},
    failure::{self, Verdict},
};
use crate::{
    clock::Sleep,
    exchange::{Event, Exchange, Reply, Request},
    message,
    proto::{
        answer::{Head, outcome, read_body, read_head},
        headers::MCP_SESSION_ID,
        sse::{Decoder, TooLarge},
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
    /// A legacy request in flight is cancelled by a notification.
    cancels: Arc<AtomicBool>,
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

type Sending = Pin<Box<dyn Future<Output = Result<Response<Body>, Failure>> + Send>>;

struct Gathering {
    head: Head,
    parts: Parts,
    gather: Gather,
    /// A body that only illustrates a status is not waited for longer than this.
    patience: Option<Sleep>,
}

struct Stream {
    body: Body,
    decoder: Decoder,
    /// Events that were no message.
    garbage: usize,
}

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
        let cancels = Arc::new(AtomicBool::new(false));
        let (sent, beside, bytes) = (Arc::clone(&cancels), headers.clone(), body.clone());
        let sending = async move {
            side.start(&core);
            side.settled(mark).await;
            // Before this there is nothing to cancel.
            sent.store(!initializes, Ordering::Relaxed);
            core.send(HttpMethod::POST, headers, Some(bytes)).await
        };
        let call = request.headers().cloned();
        let again = Again::new(request.method.clone(), call.clone(), body);
        let mut exchange = Self::new(client, Some(id), Box::pin(sending));
        exchange.session = beside.get(MCP_SESSION_ID).cloned();
        exchange.headers = Some(beside);
        exchange.cancels = cancels;
        if initializes {
            exchange.initialize = Some(request);
        } else {
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
        let sending = async move {
            side.settled(mark).await;
            get.send(&core).await
        };
        let mut exchange = Self::new(client, None, Box::pin(sending));
        exchange.headers = Some(beside);
        exchange.session = session;
        exchange.resume = Some(resume);
        exchange
    }

    fn new(client: HttpClient, id: Option<RequestId>, sending: Sending) -> Self {
        Self {
            client,
            state: State::Sending(sending),
            id,
            initialize: None,
            cancels: Arc::default(),
            headers: None,
            session: None,
            again: None,
            resume: None,
        }
    }

    fn begin(&mut self, answer: Response<Body>) -> State {
        let (parts, body) = answer.into_parts();
        let core = &self.client.core;
        let limits = &core.limits;
        let head = read_head(parts.status, &parts.headers);
        let (limit, patience) = match head {
            Head::Events => {
                if let Some(place) = &mut self.resume {
                    place.opened(core.clock.now());
                }
                let decoder = Decoder::new()
                    .with_line_limit(limits.event.saturating_add(FIELD))
                    .with_event_limit(limits.event);
                let stream = Stream {
                    body,
                    decoder,
                    garbage: 0,
                };
                return State::Streaming(parts, Box::new(stream));
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

    fn conclude(&self, head: Head, parts: Parts, body: &Gathered) -> Result<Reply, Failure> {
        let place = self.client.core.place();
        let core = &self.client.core;
        let verdict = Verdict {
            place: &place,
            limits: &core.limits,
            clock: &*core.clock,
            in_session: self.session.is_some() && self.may_lose_session(),
            resumes: self.id.is_some() && self.reopened(),
        };
        let success = parts.status.is_success();
        let (kind, what) = match head {
            Head::Json if body.cut && success => {
                return Err(too_large(&place, core.limits.response_body));
            }
            Head::Json => match self.id.as_ref().and_then(|id| read_body(&body.bytes, id)) {
                Some(Ok(result)) => return Ok(self.reply(parts, result)),
                Some(Err(error)) => return Err(verdict.peer(error, &parts)),
                None if success => (
                    FailureKind::Malformed,
                    "the answer is no MCP message for this request",
                ),
                None => (FailureKind::Http, "the request was refused"),
            },
            Head::Denied => (FailureKind::Unauthorized, "the request is not authorized"),
            Head::Coded => (
                FailureKind::Malformed,
                "the answer has a content coding that was not asked for",
            ),
            Head::Empty => (FailureKind::Malformed, "the answer to the request is empty"),
            Head::Foreign => (
                FailureKind::Malformed,
                "the answer is no MCP message; is this an MCP endpoint?",
            ),
            Head::Redirect | Head::Events | Head::Bare => {
                (FailureKind::Http, "the request was refused")
            }
        };
        Err(verdict.answer(kind, what, parts, &body.bytes))
    }

    fn reply(&self, parts: Parts, result: RawJson) -> Reply {
        if let Some(request) = &self.initialize {
            let core = &self.client.core;
            core.begin_session(request.clone(), &parts.headers, &result);
        }
        let mut reply = Reply::new(result);
        reply.ext.insert(parts.status);
        reply.ext.insert(parts.headers);
        reply
    }

    /// What one event of the stream means; `None` if nothing to the caller.
    fn read_event(&mut self, data: &Bytes) -> Option<Event> {
        let message = jsonrpc::decode(data);
        let State::Streaming(parts, stream) = &mut self.state else {
            return None;
        };
        match message {
            Ok(Message::Notification(message)) => {
                Some(Event::Notification(message::read_notification(message)))
            }
            Ok(Message::Request(request)) => {
                // A modern server cannot ask, so nobody would take an answer.
                if let Some(headers) = self.headers.clone() {
                    let HttpClient { core, side } = &self.client;
                    side.answer(core, &request, headers);
                }
                None
            }
            Ok(Message::Response(response)) => {
                let outcome = outcome(response, self.id.as_ref()?)?;
                let parts = mem::replace(parts, Response::new(()).into_parts().0);
                Some(Event::Outcome(match outcome {
                    Ok(result) => Ok(self.reply(parts, result)),
                    Err(error) => Err(Failure::peer(error)),
                }))
            }
            Err(malformed) => {
                stream.garbage += 1;
                let ours = malformed.kind == MalformedKind::Response
                    && malformed.id.is_some()
                    && malformed.id == self.id;
                ours.then(|| {
                    let place = self.client.core.place();
                    let detail =
                        format!("the answer of {place} is no JSON-RPC response: {malformed}");
                    let failure = Failure::new(FailureKind::Malformed, detail);
                    Event::Outcome(Err(failure.with_source(malformed)))
                })
            }
        }
    }

    /// The stream ended. A last event that only lacks its blank line still counts, if it is the answer.
    fn end_of_stream(&mut self) -> Result<Reply, Failure> {
        let State::Streaming(_, stream) = &mut self.state else {
            return Err(self.lost(0));
        };
        let (decoder, garbage) = (mem::take(&mut stream.decoder), stream.garbage);
        let pending = decoder.finish().ok().flatten().and_then(|event| event.data);
        match pending.and_then(|data| self.read_event(&data)) {
            Some(Event::Outcome(outcome)) => outcome,
            _ => Err(self.lost(garbage)),
        }
    }

    fn lost(&self, garbage: usize) -> Failure {
        let place = self.client.core.place();
        let noise = if garbage > 0 {
            format!(" and {garbage} events that are no messages")
        } else {
            String::new()
        };
        Failure::new(
            FailureKind::Lost,
            format!("the stream of {place} ended without an answer{noise}"),
        )
    }

    fn poll_stream(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        let mut pieces = 0;
        loop {
            let State::Streaming(_, stream) = &mut self.state else {
                return Poll::Pending;
            };
            match stream.decoder.next_event() {
                Ok(Some(event)) => {
                    if let Some(place) = &mut self.resume {
                        place.saw(&event);
                    }
                    let named = event.name.is_none_or(|name| name == "message");
                    let found = event.data.filter(|data| named && !data.is_empty());
                    if let Some(event) = found.and_then(|data| self.read_event(&data)) {
                        return Poll::Ready(event);
                    }
                }
                // Whoever has a deadline must get to look at it.
                Ok(None) if pieces == PIECES => {
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Ok(None) => match ready!(poll_piece(&mut stream.body, cx)) {
                    Some(Ok(piece)) => {
                        pieces += 1;
                        stream.decoder.push(&piece);
                    }
                    Some(Err(error)) => {
                        let failure = failure::broken(error, &self.client.core.place());
                        return Poll::Ready(Event::Outcome(Err(failure)));
                    }
                    None => return Poll::Ready(Event::Outcome(self.end_of_stream())),
                },
                Err(TooLarge::Line(_) | TooLarge::Event(_) | TooLarge::Stream(_)) => {
                    let limit = self.client.core.limits.event;
                    return Poll::Ready(Event::Outcome(Err(too_large(
                        &self.client.core.place(),
                        limit,
                    ))));
                }
            }
        }
    }
}

/// So much of a body is read at one go: a server that never stops must not hold up the task.
const PIECES: usize = 4;

impl Gathering {
    /// The body, or what there is of it where that is enough: a status tells by itself that a request was refused.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Gathered, reqwest::Error>> {
        let refused = self.head != Head::Json || !self.parts.status.is_success();
        match self.gather.poll(cx) {
            Poll::Ready(Err(_)) if refused => Poll::Ready(Ok(self.gather.give_up())),
            Poll::Ready(gathered) => Poll::Ready(gathered),
            Poll::Pending => {
                let Some(patience) = &mut self.patience else {
                    return Poll::Pending;
                };
                ready!(patience.as_mut().poll(cx));
                Poll::Ready(Ok(self.gather.give_up()))
            }
        }
    }
}

/// What a line of the stream may have beside its data.
const FIELD: usize = 64;

impl Exchange for HttpExchange {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        let this = &mut *self;
        loop {
            let outcome = match &mut this.state {
                State::Waiting(sleep) => {
                    ready!(sleep.as_mut().poll(cx));
                    this.reopen();
                    continue;
                }
                State::Sending(sending) => match ready!(sending.as_mut().poll(cx)) {
                    Ok(answer) => {
                        this.state = this.begin(answer);
                        continue;
                    }
                    Err(failure) => Err(failure),
                },
                State::Gathering(gathering) => {
                    let gathered = ready!(gathering.poll(cx));
                    let state = mem::replace(&mut this.state, State::Done);
                    let State::Gathering(gathering) = state else {
                        return Poll::Pending;
                    };
                    let Gathering { head, parts, .. } = *gathering;
                    match gathered {
                        Ok(body) => this.conclude(head, parts, &body),
                        Err(error) => Err(failure::broken(error, &this.client.core.place())
                            .with_http_status(parts.status.as_u16())),
                    }
                }
                State::Streaming(parts, _) => {
                    let status = parts.status.as_u16();
                    match ready!(this.poll_stream(cx)) {
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
            let Some(outcome) = this.another_way(outcome) else {
                continue;
            };
            // The peer's error is an answer too.
            let answered = outcome
                .as_ref()
                .map_or_else(|failure| failure.peer_error().is_some(), |_| true);
            this.finish(answered, cx);
            return Poll::Ready(Event::Outcome(outcome));
        }
    }
}

impl Drop for HttpExchange {
    fn drop(&mut self) {
        let cancels = self.cancels.load(Ordering::Relaxed);
        if let (true, Some(id), Some(headers)) = (cancels, self.id.take(), self.headers.take()) {
            let HttpClient { core, side } = &self.client;
            let mut headers = headers;
            // The request may go on in another session than it began in.
            core.lock().tag(&mut headers);
            side.cancel(core, id, headers);
        }
    }
}

fn too_large(place: &str, limit: usize) -> Failure {
    let detail =
        format!("the answer of {place} is larger than {limit} bytes; raise the limit to take it");
    Failure::new(FailureKind::TooLarge, detail).with_executed(mcp_errors::Executed::Yes)
}
