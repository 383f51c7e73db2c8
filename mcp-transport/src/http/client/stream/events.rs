//! An answer that is a stream of events, one of them the response.

use std::{
    mem,
    task::{Context, Poll, ready},
};

use ::http::{HeaderMap, Response, response::Parts};
use bytes::Bytes;
use mcp_errors::{Failure, FailureKind};
use mcp_types::{
    Message, RequestId,
    jsonrpc::{self, Malformed, MalformedKind},
};
use reqwest::Body;

use super::{
    super::{
        HttpClient,
        body::poll_piece,
        failure,
        sieve::{quote, sieve},
    },
    HttpExchange, State,
    whole::{answers_another, too_large},
};
use crate::{
    exchange::{Event, Exchange as _, Reply},
    message,
    proto::{
        answer::{EndpointAnnounced, outcome},
        limits::Limits,
        sse::{self, Decoder, TooLarge},
    },
};

pub(super) struct Stream {
    pub(super) body: Body,
    decoder: Decoder,
    /// Whether an event with data came.
    begun: bool,
    /// Events that were no message.
    garbage: usize,
    /// The beginning of the first of them.
    first: Bytes,
    /// The first response that was for another request.
    foreign: Option<RequestId>,
}

impl Stream {
    pub(super) fn new(body: Body, limits: &Limits) -> Self {
        let decoder = Decoder::new()
            .with_line_limit(limits.event.saturating_add(FIELD))
            .with_event_limit(limits.event);
        Self {
            body,
            decoder,
            begun: false,
            garbage: 0,
            first: Bytes::new(),
            foreign: None,
        }
    }

    /// What of an event may be a message: its data, unless it has another name.
    fn data(&mut self, event: sse::Event) -> Result<Option<Bytes>, EndpointAnnounced> {
        let data = event.data.filter(|data| !data.is_empty());
        let begins = data.is_some() && !self.begun;
        self.begun |= data.is_some();
        match event.name.as_deref() {
            None | Some("message") => Ok(data),
            Some("endpoint") if begins => Err(EndpointAnnounced),
            Some(_) => Ok(None),
        }
    }

    fn skip(&mut self, data: &Bytes, malformed: &Malformed) {
        tracing::debug!(%malformed, "an event of the stream is no message");
        if self.garbage == 0 {
            self.first = Bytes::copy_from_slice(&data[..data.len().min(KEPT)]);
        }
        self.garbage += 1;
    }

    /// What came in the place of an answer to the request `id`.
    pub(super) fn noise(&self, id: Option<&RequestId>, sent: &HeaderMap) -> Option<String> {
        let first = || quote(&sieve(&self.first, sent));
        let garbage = match self.garbage {
            0 => None,
            1 => Some(format!("1 event was no message: {}", first())),
            many => Some(format!(
                "{many} events were no messages, the first {}",
                first()
            )),
        };
        let foreign = self.foreign.as_ref().zip(id);
        let foreign = foreign.map(|(other, id)| answers_another(other, id));
        let noise: Vec<_> = garbage.into_iter().chain(foreign).collect();
        (!noise.is_empty()).then(|| noise.join("; "))
    }
}

/// What a line of the stream may have beside its data.
const FIELD: usize = 64;
/// So much of what is no message is kept to be quoted.
const KEPT: usize = 1024;
/// So much of a body is read at one go: a server that never stops must not hold up the task.
pub(super) const PIECES: usize = 4;

impl HttpExchange {
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
                let headers = self.headers.clone()?;
                let HttpClient { core, side } = &self.client;
                if request.method == "ping" {
                    side.answer(core, &request, headers);
                    return None;
                }
                let (ask, reply) = side.ask(core, request, headers);
                Some(Event::Ask(ask, reply))
            }
            Ok(Message::Response(response)) => {
                let id = self.id.as_ref()?;
                let other = response.id.clone().filter(|other| other != id);
                let Some(outcome) = outcome(response, id) else {
                    stream.foreign = stream.foreign.take().or(other);
                    return None;
                };
                let parts = mem::replace(parts, Response::new(()).into_parts().0);
                Some(Event::Outcome(match outcome {
                    Ok(result) => Ok(self.reply(parts, result)),
                    Err(error) => Err(Failure::peer(error)),
                }))
            }
            Err(malformed) => {
                let ours = malformed.kind == MalformedKind::Response
                    && malformed.id.is_some()
                    && malformed.id == self.id;
                if !ours {
                    stream.skip(data, &malformed);
                    return None;
                }
                let detail = format!(
                    "the answer of {} is no JSON-RPC response: {malformed}; {}",
                    self.client.core.place(),
                    quote(&sieve(&data[..data.len().min(KEPT)], &self.sent))
                );
                let failure = Failure::new(FailureKind::Malformed, detail);
                Some(Event::Outcome(Err(failure.with_source(malformed))))
            }
        }
    }

    /// The stream ended. A last event that only lacks its blank line still counts, if it is the answer.
    fn end_of_stream(&mut self) -> Result<Reply, Failure> {
        if let State::Streaming(_, stream) = &mut self.state {
            let decoder = mem::take(&mut stream.decoder);
            let pending = decoder.finish().ok().flatten().and_then(|event| event.data);
            if let Some(Event::Outcome(outcome)) = pending.and_then(|data| self.read_event(&data)) {
                return outcome;
            }
        }
        Err(self.lost())
    }

    /// The stream ended without an answer: what came instead tells why.
    fn lost(&self) -> Failure {
        let mut detail = format!(
            "the stream of {} ended without an answer",
            self.client.core.place()
        );
        if let Some(noise) = self.noise() {
            detail.push_str("; ");
            detail.push_str(&noise);
        }
        Failure::new(FailureKind::Lost, detail)
    }

    /// The server takes the POST for the GET of an HTTP+SSE client.
    fn announced(&self, parts: &Parts) -> Failure {
        let detail = format!(
            "{} answered with the stream of an HTTP+SSE server (2024-11-05), which announces where to post",
            self.client.core.place()
        );
        Failure::new(FailureKind::Malformed, detail)
            .with_http_status(parts.status.as_u16())
            .with_source(EndpointAnnounced)
    }

    pub(super) fn poll_stream(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        let mut pieces = 0;
        loop {
            let State::Streaming(parts, stream) = &mut self.state else {
                return Poll::Pending;
            };
            match stream.decoder.next_event() {
                Ok(Some(event)) => {
                    if let Some(place) = &mut self.resume {
                        place.saw(&event);
                    }
                    match stream.data(event) {
                        Ok(Some(data)) => {
                            if let Some(event) = self.read_event(&data) {
                                return Poll::Ready(event);
                            }
                        }
                        Err(EndpointAnnounced) if self.id.is_some() => {
                            let parts = mem::replace(parts, Response::new(()).into_parts().0);
                            return Poll::Ready(Event::Outcome(Err(self.announced(&parts))));
                        }
                        Ok(None) | Err(EndpointAnnounced) => {}
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
                        let failure = failure::broken(error, &self.client.core.place(), None);
                        return Poll::Ready(Event::Outcome(Err(failure)));
                    }
                    None => return Poll::Ready(Event::Outcome(self.end_of_stream())),
                },
                Err(TooLarge::Line(_) | TooLarge::Event(_) | TooLarge::Stream(_)) => {
                    let limit = self.client.core.limits.event;
                    let failure = too_large(&self.client.core.place(), limit);
                    return Poll::Ready(Event::Outcome(Err(failure)));
                }
            }
        }
    }
}
