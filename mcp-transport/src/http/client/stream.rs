//! One exchange over HTTP: the request on its way, then a JSON body or a stream of events.

use std::{
    future::{Future, poll_fn},
    mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use ::http::{HeaderMap, Method as HttpMethod, Response, header, response::Parts};
use bytes::Bytes;
use mcp_errors::{Failure, FailureKind};
use mcp_types::{Message, Method, RawJson, RequestId, jsonrpc};
use reqwest::Body;

use super::{
    HttpClient,
    body::{Gather, Gathered, poll_piece},
    failure::{self, Verdict},
    head,
};
use crate::{
    exchange::{Event, Exchange, Reply},
    message,
    proto::{
        answer::{Head, outcome, read_body, read_head},
        sse::{Decoder, TooLarge},
    },
};

/// The exchange of one POST, or of the standalone GET.
pub(super) struct HttpExchange {
    client: HttpClient,
    state: State,
    /// The request that the answer is for; none on the standalone stream.
    id: Option<RequestId>,
    initializes: bool,
    /// A legacy request in flight is cancelled by a notification.
    cancels: bool,
    in_session: bool,
}

enum State {
    Sending(Pin<Box<dyn Future<Output = Result<Response<Body>, Failure>> + Send>>),
    Gathering(Head, Parts, Gather),
    Streaming(Parts, Box<Stream>),
    Done,
}

struct Stream {
    body: Body,
    decoder: Decoder,
    /// Events that were no message.
    garbage: usize,
}

impl HttpExchange {
    pub(super) fn post(
        client: HttpClient,
        method: &Method,
        id: RequestId,
        modern: bool,
        headers: HeaderMap,
        body: Bytes,
    ) -> Self {
        let (mark, sender) = (client.side.mark(), client.clone());
        let sending = async move {
            if !modern {
                sender.side.settled(mark).await;
            }
            sender
                .core
                .send(HttpMethod::POST, headers, Some(body))
                .await
        };
        let initializes = !modern && *method == "initialize";
        let in_session = !modern && !initializes && client.core.lock().has_id();
        let cancels = !modern && !initializes;
        Self {
            state: State::Sending(Box::pin(sending)),
            id: Some(id),
            initializes,
            cancels,
            in_session,
            client,
        }
    }

    /// The standalone stream of a legacy session.
    pub(super) fn listen(client: HttpClient) -> Self {
        let sender = client.clone();
        let mark = client.side.mark();
        let sending = async move {
            sender.side.settled(mark).await;
            let mut headers = sender.core.base_headers(None);
            headers.remove(header::CONTENT_TYPE);
            headers.insert(header::ACCEPT, head::ACCEPT_EVENTS);
            sender.core.lock().aside(None, &mut headers);
            sender.core.send(HttpMethod::GET, headers, None).await
        };
        let in_session = client.core.lock().has_id();
        Self {
            state: State::Sending(Box::pin(sending)),
            id: None,
            initializes: false,
            cancels: false,
            in_session,
            client,
        }
    }

    fn begin(&self, answer: Response<Body>) -> State {
        let (parts, body) = answer.into_parts();
        let limits = &self.client.core.limits;
        match read_head(parts.status, &parts.headers) {
            Head::Events => {
                let decoder = Decoder::new()
                    .with_line_limit(limits.event.saturating_add(FIELD))
                    .with_event_limit(limits.event);
                State::Streaming(
                    parts,
                    Box::new(Stream {
                        body,
                        decoder,
                        garbage: 0,
                    }),
                )
            }
            Head::Json => {
                State::Gathering(Head::Json, parts, Gather::new(body, limits.response_body))
            }
            head => State::Gathering(head, parts, Gather::new(body, limits.error_body)),
        }
    }

    fn conclude(&self, head: Head, parts: Parts, body: Gathered) -> Result<Reply, Failure> {
        let place = self.client.core.place();
        let core = &self.client.core;
        let verdict = Verdict {
            place: &place,
            limits: &core.limits,
            clock: &*core.clock,
            in_session: self.in_session,
        };
        let success = parts.status.is_success();
        let (kind, what) = match head {
            Head::Json if body.cut => return Err(too_large(&place, core.limits.response_body)),
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
        Err(verdict.answer(kind, what, parts, body.bytes))
    }

    fn reply(&self, parts: Parts, result: RawJson) -> Reply {
        if self.initializes {
            self.client.core.begin_session(&parts.headers, &result);
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
                self.client.side.answer(&self.client.core, &request);
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
            Err(_) => {
                stream.garbage += 1;
                None
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
        loop {
            let State::Streaming(_, stream) = &mut self.state else {
                return Poll::Pending;
            };
            match stream.decoder.next_event() {
                Ok(Some(event)) => {
                    let named = event.name.is_none_or(|name| name == "message");
                    let found = event.data.filter(|data| named && !data.is_empty());
                    if let Some(event) = found.and_then(|data| self.read_event(&data)) {
                        return Poll::Ready(event);
                    }
                }
                Ok(None) => match ready!(poll_piece(&mut stream.body, cx)) {
                    Some(Ok(piece)) => stream.decoder.push(&piece),
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

    /// Reads what follows the answer, so that the connection can be used again. What does not end soon by itself is
    /// cut off.
    fn finish(&mut self, cx: &mut Context<'_>) {
        self.cancels = false;
        let State::Streaming(_, stream) = mem::replace(&mut self.state, State::Done) else {
            return;
        };
        let mut body = stream.body;
        let Poll::Pending = poll_rest(&mut body, cx) else {
            return;
        };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let core = Arc::clone(&self.client.core);
        #[expect(
            clippy::disallowed_methods,
            reason = "ends with the body, or after a moment"
        )]
        runtime.spawn(async move {
            let deadline = core.clock.now() + core.limits.farewell_time;
            tokio::select! {
                () = poll_fn(|cx| poll_rest(&mut body, cx)) => {}
                () = core.clock.sleep_until(deadline) => {}
            }
        });
    }
}

fn poll_rest(body: &mut Body, cx: &mut Context<'_>) -> Poll<()> {
    while let Some(Ok(_)) = ready!(poll_piece(body, cx)) {}
    Poll::Ready(())
}

/// What a line of the stream may have beside its data.
const FIELD: usize = 64;

impl Exchange for HttpExchange {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        let this = &mut *self;
        loop {
            let outcome = match &mut this.state {
                State::Sending(sending) => match ready!(sending.as_mut().poll(cx)) {
                    Ok(answer) => {
                        this.state = this.begin(answer);
                        continue;
                    }
                    Err(failure) => Err(failure),
                },
                State::Gathering(_, _, gather) => {
                    let gathered = ready!(gather.poll(cx));
                    let State::Gathering(head, parts, _) =
                        mem::replace(&mut this.state, State::Done)
                    else {
                        return Poll::Pending;
                    };
                    match gathered {
                        Ok(body) => this.conclude(head, parts, body),
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
            this.finish(cx);
            return Poll::Ready(Event::Outcome(outcome));
        }
    }
}

impl Drop for HttpExchange {
    fn drop(&mut self) {
        if let (true, Some(id)) = (self.cancels, self.id.take()) {
            self.client.side.cancel(&self.client.core, id);
        }
    }
}

fn too_large(place: &str, limit: usize) -> Failure {
    let detail =
        format!("the answer of {place} is larger than {limit} bytes; raise the limit to take it");
    Failure::new(FailureKind::TooLarge, detail).with_executed(mcp_errors::Executed::Yes)
}
