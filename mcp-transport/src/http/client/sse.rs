//! The deprecated HTTP+SSE transport of 2024-11-05: one GET whose stream carries every answer, and a POST per message.
//!
//! The stream first announces where to post. Nothing of it can be taken up again: when it ends, the session is over,
//! every call in flight fails at once, and the caller connects and sends `initialize` anew.

mod connect;
mod exchange;
mod place;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ::http::HeaderMap;
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::{
    Message, RawJson, RequestId,
    jsonrpc::{self, NotificationMessage, ProgressToken, ResponseMessage},
};

use self::{
    connect::Stream,
    exchange::{Listening, SseExchange},
};
use super::{
    Core, HttpClient, HttpClientBuilder,
    sieve::{quote, sieve},
};
use crate::{
    exchange::{Ended, Endpoint, Exchange, Full, Notification, Reply, Request},
    message,
    proto::{mux::Mux, sse::Event},
    slot::Slot,
};

/// A client of one HTTP+SSE server. Clones share its stream; the last clone or exchange that goes ends it.
///
/// Requests of the server are answered: `ping` with an empty result, any other with -32601. Notifications other than
/// progress come out of the exchange of `subscriptions/listen`.
#[derive(Clone)]
pub struct SseClient(Arc<Handle>);

/// What keeps the reader of the stream alive.
struct Handle {
    shared: Arc<Shared>,
    reader: tokio::task::AbortHandle,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

struct Shared {
    /// What posts the messages.
    messages: HttpClient,
    state: Mutex<State>,
}

struct State {
    mux: Mux<RequestId, ProgressToken, Arc<Slot>>,
    listener: Option<Arc<Slot>>,
    /// Why the stream is over, for those who come later.
    end: Option<End>,
}

/// Why a stream is over.
#[derive(Clone)]
struct End {
    kind: FailureKind,
    detail: String,
}

impl End {
    fn failure(&self, executed: Executed) -> Failure {
        Failure::new(self.kind, self.detail.clone()).with_executed(executed)
    }
}

impl SseClient {
    /// Opens the stream of the server that `settings` are for and waits until it says where to post. Needs a tokio
    /// runtime, on which a task reads the stream.
    ///
    /// # Errors
    /// As [`HttpClientBuilder::build`]; a refusal as it came; [`FailureKind::Timeout`] when no endpoint is announced
    /// within [`Limits::connect_time`](crate::proto::limits::Limits::connect_time), [`FailureKind::Malformed`] when it
    /// is on another origin.
    pub async fn connect(settings: HttpClientBuilder) -> Result<Self, Failure> {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            let detail =
                "the HTTP+SSE client needs a tokio runtime to read its stream; call it in one";
            return Err(Failure::new(FailureKind::Invalid, detail));
        };
        let opened = connect::open(settings).await?;
        let limits = &opened.messages.core.limits;
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                mux: Mux::new(limits.in_flight),
                listener: None,
                end: None,
            }),
            messages: opened.messages,
        });
        for event in opened.early {
            shared.event(event);
        }
        let reading = Arc::clone(&shared);
        #[expect(
            clippy::disallowed_methods,
            reason = "ends with the stream, or with the last handle"
        )]
        let reader = runtime.spawn(reading.read(opened.stream));
        Ok(Self(Arc::new(Handle {
            reader: reader.abort_handle(),
            shared,
        })))
    }

    /// Where messages are posted, without credentials and query.
    pub fn message_url(&self) -> String {
        self.0.shared.messages.url()
    }

    /// Ends the stream and every call on it. The server is told nothing more: this transport has no DELETE.
    pub fn close(&self) {
        self.0.reader.abort();
        self.0.shared.end(&End {
            kind: FailureKind::Closed,
            detail: format!("the stream for {} was closed", self.message_url()),
        });
    }
}

impl fmt::Debug for SseClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.shared.lock();
        f.debug_struct("SseClient")
            .field("message_url", &self.message_url())
            .field("open", &state.mux.len())
            .field("ended", &state.end.is_some())
            .finish_non_exhaustive()
    }
}

impl Endpoint for SseClient {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        if request.meta.is_claim() {
            let detail = "a modern request cannot go over HTTP+SSE, which only 2024-11-05 has";
            return Ended::boxed(Err(Failure::new(FailureKind::Invalid, detail)));
        }
        if request.method == "subscriptions/listen" {
            return Box::pin(Listening::new(Arc::clone(&self.0)));
        }
        let id = self.0.shared.core().next_id();
        match message::write_request(&id, &request) {
            Ok(body) => Box::pin(SseExchange::new(Arc::clone(&self.0), id, &request, body)),
            Err(failure) => Ended::boxed(Err(failure)),
        }
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        if self.0.shared.lock().end.is_some() {
            return Err(Full);
        }
        self.0.shared.messages.notify(notification)
    }
}

impl Shared {
    fn core(&self) -> &Arc<Core> {
        &self.messages.core
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read(self: Arc<Self>, mut stream: Stream) {
        let end = loop {
            match stream.next(self.core()).await {
                Ok(Some(event)) => self.event(event),
                Ok(None) => {
                    break End {
                        kind: FailureKind::Lost,
                        detail: format!("the stream for {} ended", self.messages.url()),
                    };
                }
                Err(failure) => {
                    break End {
                        kind: failure.kind(),
                        detail: failure.to_string(),
                    };
                }
            }
        };
        self.end(&end);
    }

    /// Ends every exchange for `end`, and every later one; the first reason stands.
    fn end(&self, end: &End) {
        let mut state = self.lock();
        if state.end.is_some() {
            return;
        }
        let mut open = state.mux.close();
        open.extend(state.listener.take());
        state.end = Some(end.clone());
        drop(state);
        for slot in open {
            slot.end(Err(end.failure(Executed::Unknown)));
        }
    }

    /// Takes what the stream says; what is no message is passed over.
    fn event(&self, event: Event) {
        if event.name.is_some_and(|name| name != "message") {
            return;
        }
        let Some(data) = event.data.filter(|data| !data.is_empty()) else {
            return;
        };
        match jsonrpc::decode(&data) {
            Ok(Message::Response(response)) => self.response(response),
            Ok(Message::Notification(notification)) => self.notification(notification),
            Ok(Message::Request(request)) => {
                let HttpClient { core, side } = &self.messages;
                let headers = core.base_headers(None);
                let state = self.lock();
                let slot = state.mux.latest().or_else(|| state.listener.clone());
                drop(state);
                match slot.filter(|_| request.method != "ping") {
                    None => side.answer(core, &request, headers),
                    Some(slot) => {
                        let (ask, reply) = side.ask(core, request, headers);
                        slot.ask(ask, reply);
                    }
                }
            }
            Err(malformed) => {
                // An answer that cannot be read is still the end of its call.
                let id = malformed.id.as_ref();
                let slot = id.and_then(|id| self.lock().mux.handle_response(id));
                if let Some(slot) = slot {
                    let sent = self.core().base_headers(None);
                    let data = &data[..data.len().min(self.core().limits.error_body)];
                    let detail = format!(
                        "the answer is no JSON-RPC response: {malformed}; {}",
                        quote(&sieve(data, &sent))
                    );
                    let failure = Failure::new(FailureKind::Malformed, detail);
                    slot.end(Err(failure.with_source(malformed)));
                }
            }
        }
    }

    fn response(&self, response: ResponseMessage) {
        let slot = match &response.id {
            Some(id) => self.lock().mux.handle_response(id),
            None => self.lock().mux.handle_anonymous(|slot| slot.opens),
        };
        if let Some(slot) = slot {
            slot.end(response.body.map(Reply::new).map_err(Failure::peer));
        }
    }

    fn notification(&self, message: NotificationMessage) {
        let progress = message.method == "notifications/progress";
        let token = progress.then(|| {
            let token = message
                .params
                .decode_member::<ProgressToken>("progressToken");
            token.ok().flatten()
        });
        let mut state = self.lock();
        let slot = match token.flatten() {
            Some(token) => state.mux.handle_progress(&token),
            None => state.listener.clone(),
        };
        drop(state);
        if let Some(slot) = slot {
            slot.push(message::read_notification(message));
        }
    }

    /// The revision that `initialize` agreed on goes with every later message.
    fn begun(&self, result: &RawJson) {
        self.core().lock().begin(&HeaderMap::new(), result);
    }
}
