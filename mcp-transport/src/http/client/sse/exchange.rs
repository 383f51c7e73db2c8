//! One exchange over HTTP+SSE: the request in a POST, its answer on the stream.

use std::{
    future::Future,
    mem,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use ::http::{HeaderMap, Method, StatusCode};
use bytes::Bytes;
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::{ErrorObject, RawJson, RequestId, jsonrpc::ProgressToken};

use super::{
    super::{Core, HttpClient, SessionLost},
    End, Handle,
    connect::{gather, verdict},
};
use crate::{
    exchange::{Event, Exchange, Reply, Request},
    proto::{
        answer::{Head, read_body, read_head},
        mux::Refused,
    },
    slot::Slot,
};

/// A request and its answer.
pub(super) struct SseExchange {
    handle: Arc<Handle>,
    id: RequestId,
    token: Option<ProgressToken>,
    slot: Arc<Slot>,
    state: State,
    initializes: bool,
    /// Whether the POST is on its way.
    sent: Arc<AtomicBool>,
    headers: HeaderMap,
}

type Posting = Pin<Box<dyn Future<Output = Result<Option<Body>, Failure>> + Send>>;
/// An answer in the body of the POST, where it does not belong.
type Body = Result<RawJson, ErrorObject>;

enum State {
    Unsent(Posting),
    Posting(Posting),
    Posted,
    Done,
}

impl SseExchange {
    pub(super) fn new(handle: Arc<Handle>, id: RequestId, request: &Request, body: Bytes) -> Self {
        let HttpClient { core, side } = handle.shared.messages.clone();
        let initializes = request.method == "initialize";
        let mut headers = core.base_headers(request.headers());
        core.lock().legacy(&request.method, &mut headers);
        let sent = Arc::new(AtomicBool::new(false));
        let (mark, beside) = (side.mark(), headers.clone());
        let (on_its_way, asked) = (Arc::clone(&sent), id.clone());
        let posting = async move {
            side.start(&core);
            side.settled(mark).await;
            on_its_way.store(true, Ordering::Relaxed);
            post(&core, &asked, headers, body).await
        };
        Self {
            token: request.meta.progress_token(),
            slot: Arc::new(Slot::new(initializes)),
            state: State::Unsent(Box::pin(posting)),
            headers: beside,
            handle,
            id,
            initializes,
            sent,
        }
    }

    /// Enters the exchange, so that its answer finds it however soon it comes.
    fn enter(&self) -> Result<(), Failure> {
        let mut state = self.handle.shared.lock();
        if let Some(end) = &state.end {
            return Err(end.failure(Executed::No));
        }
        let (id, token) = (self.id.clone(), self.token.clone());
        let entered = state.mux.open(id, token, Arc::clone(&self.slot));
        entered.map_err(|refused| {
            let kind = match refused {
                Refused::Closed => FailureKind::Closed,
                Refused::Full { .. } => FailureKind::Full,
                Refused::Duplicate => FailureKind::Invalid,
            };
            Failure::new(kind, refused.to_string()).with_executed(Executed::No)
        })
    }

    /// What the POST said, if that ends the exchange.
    fn posted(&self, posted: Result<Option<Body>, Failure>) -> Option<Result<Reply, Failure>> {
        let shared = &self.handle.shared;
        let outcome = match posted {
            Ok(None) => return None,
            Ok(Some(body)) => body.map(Reply::new).map_err(Failure::peer),
            Err(failure) => Err(failure),
        };
        shared.lock().mux.cancel(&self.id);
        if let Err(failure) = &outcome
            && SessionLost::of(failure).is_some()
        {
            self.handle.reader.abort();
            shared.end(&End {
                kind: FailureKind::Lost,
                detail: format!("the session is over: {failure}"),
            });
        }
        Some(outcome)
    }

    fn done(&mut self, outcome: Result<Reply, Failure>) -> Poll<Event> {
        self.state = State::Done;
        if let (true, Ok(reply)) = (self.initializes, &outcome) {
            self.handle.shared.begun(&reply.result);
        }
        Poll::Ready(Event::Outcome(outcome))
    }
}

impl Exchange for SseExchange {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        let this = &mut *self;
        loop {
            match mem::replace(&mut this.state, State::Done) {
                State::Unsent(posting) => match this.enter() {
                    Ok(()) => this.state = State::Posting(posting),
                    Err(failure) => return this.done(Err(failure)),
                },
                State::Posting(mut posting) => {
                    // The answer may be there before the POST is acknowledged.
                    if let Poll::Ready(event) = this.slot.poll(cx) {
                        this.state = State::Posting(posting);
                        return this.take(event);
                    }
                    let Poll::Ready(posted) = posting.as_mut().poll(cx) else {
                        this.state = State::Posting(posting);
                        return Poll::Pending;
                    };
                    match this.posted(posted) {
                        Some(outcome) => return this.done(outcome),
                        None => this.state = State::Posted,
                    }
                }
                State::Posted => {
                    this.state = State::Posted;
                    return match this.slot.poll(cx) {
                        Poll::Ready(event) => this.take(event),
                        Poll::Pending => Poll::Pending,
                    };
                }
                State::Done => return Poll::Pending,
            }
        }
    }
}

impl SseExchange {
    fn take(&mut self, event: Event) -> Poll<Event> {
        match event {
            Event::Outcome(outcome) => self.done(outcome),
            event => Poll::Ready(event),
        }
    }
}

impl Drop for SseExchange {
    fn drop(&mut self) {
        if matches!(self.state, State::Unsent(_) | State::Done) {
            return;
        }
        let shared = &self.handle.shared;
        let open = shared.lock().mux.cancel(&self.id).is_some();
        if open && !self.initializes && self.sent.load(Ordering::Relaxed) {
            let HttpClient { core, side } = &shared.messages;
            side.cancel(core, self.id.clone(), mem::take(&mut self.headers));
        }
    }
}

/// Posts one request. Its answer is due on the stream; where the body holds it, that counts too.
async fn post(
    core: &Core,
    id: &RequestId,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Option<Body>, Failure> {
    let sent = core.send(Method::POST, headers, Some(body)).await?;
    let (parts, body) = sent.answer.into_parts();
    let (head, success) = (
        read_head(parts.status, &parts.headers),
        parts.status.is_success(),
    );
    let limit = match head {
        Head::Json if success => core.limits.response_body,
        // What else a body says only matters where it explains a refusal.
        _ => core.limits.error_body,
    };
    let body = gather(core, body, limit).await;
    let said = (head == Head::Json)
        .then(|| read_body(&body.bytes, id))
        .flatten();
    if success {
        return Ok(said);
    }
    let place = core.place();
    let verdict = verdict(core, &place, &sent.headers);
    if matches!(parts.status, StatusCode::NOT_FOUND | StatusCode::GONE) {
        let what = "the session is gone; connect again";
        let failure = verdict.answer(FailureKind::Http, what, parts, &body.bytes);
        let lost = SessionLost::new(Executed::No);
        return Err(failure.with_executed(Executed::No).with_source(lost));
    }
    Err(match (head, said) {
        (Head::Denied, _) => {
            let what = "the request is not authorized";
            verdict.answer(FailureKind::Unauthorized, what, parts, &body.bytes)
        }
        (_, Some(Err(error))) => verdict.peer(error, &parts),
        _ => verdict.answer(
            FailureKind::Http,
            "the request was refused",
            parts,
            &body.bytes,
        ),
    })
}

/// The exchange that yields what the server sends unasked, from when it was opened.
pub(super) struct Listening {
    handle: Arc<Handle>,
    slot: Arc<Slot>,
}

impl Listening {
    /// Listens at once: what comes before the first poll waits. It takes over from an earlier one.
    pub(super) fn new(handle: Arc<Handle>) -> Self {
        let slot = Arc::new(Slot::new(false));
        let mut state = handle.shared.lock();
        let end = state.end.clone();
        let earlier = match end {
            Some(_) => None,
            None => state.listener.replace(Arc::clone(&slot)),
        };
        drop(state);
        if let Some(end) = end {
            slot.end(Err(end.failure(Executed::No)));
        }
        if let Some(earlier) = earlier {
            let detail = "another listener took over";
            earlier.end(Err(Failure::new(FailureKind::Cancelled, detail)));
        }
        Self { handle, slot }
    }
}

impl Exchange for Listening {
    fn poll_event(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        self.slot.poll(cx)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut state = self.handle.shared.lock();
        let listener = state.listener.as_ref();
        if listener.is_some_and(|listener| Arc::ptr_eq(listener, &self.slot)) {
            state.listener = None;
        }
    }
}
