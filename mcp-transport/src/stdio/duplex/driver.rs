//! Moves the bytes of a duplex client, and hands each message to its exchange.

use std::{convert::Infallible, fmt, io, ops::Deref, sync::Arc};

use bytes::Bytes;
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::{
    ErrorCode, ErrorObject, Message, Method, RawJson, RequestId,
    jsonrpc::{
        self, Malformed, MalformedKind, NotificationMessage, ProgressToken, RequestMessage,
        ResponseMessage,
    },
    meta::SUBSCRIPTION_ID,
};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{Reason, Shared, cancellation};
use crate::{
    ask::{Ask, AskAnswer, AskReply},
    exchange::Reply,
    message,
    proto::{limits::Limits, lines::Line},
    stdio::{LineReader, Queue},
};

/// The moving part of a [`Duplex`](super::Duplex): [`Self::run`] it, in a task or beside the calls.
pub struct DuplexDriver<R, W> {
    shared: Ending,
    reader: LineReader<R>,
    writer: W,
    queue: Queue,
    line: usize,
    batch: usize,
}

impl<R, W> DuplexDriver<R, W>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    pub(super) fn new(
        shared: Arc<Shared>,
        reader: R,
        writer: W,
        queue: Queue,
        limits: &Limits,
    ) -> Self {
        let reader = LineReader::new(reader, limits.client_line);
        Self {
            shared: Ending(shared),
            reader,
            writer,
            queue,
            line: limits.client_line,
            batch: limits.batch,
        }
    }

    /// Reads and writes until the server's side ends; then every open exchange fails as lost.
    ///
    /// Where the server reads no more, further requests fail, and answers to earlier ones are still taken.
    ///
    /// # Errors
    /// What reading gave. A stream that cannot be written ends when it cannot be read any more.
    pub async fn run(self) -> io::Result<()> {
        let shared = Arc::clone(&self.shared.0);
        let (mut reading, writing) = self.split();
        let read = async {
            tokio::pin!(writing);
            let mut written = false;
            loop {
                tokio::select! {
                    ended = reading.run() => return ended,
                    _ = &mut writing, if !written => written = true,
                }
            }
        }
        .await;
        let reason: Reason =
            Arc::new(|| Failure::new(FailureKind::Lost, "the server closed the stream"));
        shared.end(&reason);
        read
    }

    /// The two directions, to be run by someone who decides himself when the stream is over.
    pub(crate) fn split(self) -> (Reading<R>, impl Future<Output = io::Result<()>>) {
        let Self {
            shared,
            reader,
            writer,
            queue,
            line,
            batch,
        } = self;
        (
            Reading {
                shared,
                reader,
                line,
                batch,
            },
            queue.write_to(writer),
        )
    }
}

impl<R, W> fmt::Debug for DuplexDriver<R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DuplexDriver").finish_non_exhaustive()
    }
}

/// The direction from the server.
pub(crate) struct Reading<R> {
    shared: Ending,
    reader: LineReader<R>,
    line: usize,
    batch: usize,
}

impl<R: AsyncRead + Unpin> Reading<R> {
    /// Reads and routes until the end, and sends the cancellations that found no room. Dropping it loses no line.
    pub(crate) async fn run(&mut self) -> io::Result<()> {
        let shared = Arc::clone(&self.shared.0);
        tokio::select! {
            ended = self.read() => ended,
            never = pay(&shared) => match never {},
        }
    }

    async fn read(&mut self) -> io::Result<()> {
        while let Some(line) = self.reader.next().await? {
            match line {
                Line::Text(text) => self.route(&text),
                Line::Overlong => self.overlong(),
            }
        }
        Ok(())
    }

    fn route(&self, text: &Bytes) {
        match jsonrpc::decode(text) {
            Ok(message) => self.message(message),
            Err(malformed) if malformed.kind == MalformedKind::Batch => {
                let elements = jsonrpc::decode_batch(text, self.batch);
                for element in elements.unwrap_or_else(|malformed| vec![Err(malformed)]) {
                    match element {
                        Ok(message) => self.message(message),
                        Err(malformed) => self.malformed(malformed, text),
                    }
                }
            }
            Err(malformed) => self.malformed(malformed, text),
        }
    }

    fn message(&self, message: Message) {
        match message {
            Message::Response(response) => self.response(response),
            Message::Notification(notification) => self.notification(notification),
            Message::Request(request) => self.request(request),
        }
    }

    fn response(&self, response: ResponseMessage) {
        let slot = match &response.id {
            Some(id) => self.shared.lock().mux.handle_response(id),
            None => self.shared.lock().mux.handle_anonymous(|slot| slot.opens),
        };
        if let Some(slot) = slot {
            slot.end(response.body.map(Reply::new).map_err(Failure::peer));
        }
    }

    fn notification(&self, message: NotificationMessage) {
        let progress = message.method == "notifications/progress";
        let token = progress.then(|| {
            message
                .params
                .decode_member::<ProgressToken>("progressToken")
                .ok()
                .flatten()
        });
        let subscription = subscription(&message);
        let mut state = self.shared.lock();
        let about = subscription
            .and_then(|id| state.mux.about(&id))
            .filter(|slot| slot.listens);
        let slot = match (about, token.flatten()) {
            (Some(slot), _) => Some(slot),
            (None, Some(token)) => state.mux.handle_progress(&token),
            (None, None) => state.listener.clone(),
        };
        drop(state);
        if let Some(slot) = slot {
            slot.push(message::read_notification(message));
        }
    }

    /// A server's request is always answered, so that it does not wait: a ping here, and what it asks by whoever
    /// waits for the latest call, or listens.
    fn request(&self, request: RequestMessage) {
        let RequestMessage { id, method, params } = request;
        let outbound = self.shared.outbound.clone();
        // A server that asks without reading its answers has to live without them.
        let answer = move |id: &RequestId, answer: AskAnswer| {
            let _unread = outbound.try_send(message::write_answer(id, &answer));
        };
        if let ("ping", Ok(empty)) = (method.as_str(), RawJson::parse("{}")) {
            return answer(&id, Ok(empty));
        }
        let state = self.shared.lock();
        let slot = state.mux.latest().or_else(|| state.listener.clone());
        drop(state);
        let ask = Ask::new(id.clone(), method.clone(), params);
        let reply = AskReply::new(move |answered| {
            answer(&id, answered.unwrap_or_else(|| Err(not_found(&method))));
        });
        if let Some(slot) = slot {
            slot.ask(ask, reply);
        }
    }

    /// An answer that breaks the rules ends its exchange; anything else is noise and stays unanswered.
    fn malformed(&self, malformed: Malformed, text: &Bytes) {
        let mut state = self.shared.lock();
        // A request that breaks the rules may have the same id as one of ours.
        let answered = malformed
            .id
            .as_ref()
            .filter(|_| malformed.kind == MalformedKind::Response);
        if let Some(slot) = answered.and_then(|id| state.mux.handle_response(id)) {
            drop(state);
            let detail = format!("the server's answer is no JSON-RPC response: {malformed}");
            slot.end(Err(
                Failure::new(FailureKind::Malformed, detail).with_source(malformed)
            ));
            return;
        }
        state.noise.lines += 1;
        let shown = &text[..text.len().min(256)];
        state
            .noise
            .first
            .get_or_insert_with(|| String::from_utf8_lossy(shown).into_owned());
    }

    fn overlong(&self) {
        let mut state = self.shared.lock();
        let slot = state.mux.handle_anonymous(|_| true);
        state.noise.lines += u64::from(slot.is_none());
        drop(state);
        if let Some(slot) = slot {
            let detail = format!(
                "the answer is larger than {} bytes; raise the line limit to take it",
                self.line
            );
            slot.end(Err(
                Failure::new(FailureKind::TooLarge, detail).with_executed(Executed::Yes)
            ));
        }
    }
}

/// The subscription that a notification belongs to: the one that it names, or that it ends.
fn subscription(message: &NotificationMessage) -> Option<RequestId> {
    let meta = message.params.object("_meta").ok().flatten();
    let named = meta.and_then(|meta| meta.decode_member(SUBSCRIPTION_ID).ok().flatten());
    let ended = || message.params.decode_member("requestId").ok().flatten();
    named.or_else(|| (message.method == "notifications/cancelled").then(ended)?)
}

/// Sends what is owed, in order, and ends the stream when the client is gone.
async fn pay(shared: &Shared) -> Infallible {
    loop {
        let (owed, abandoned) = {
            let mut state = shared.lock();
            (state.owed.pop_front(), state.abandoned)
        };
        match owed {
            // A stream that is closed takes nothing, and then there is nothing to tell.
            Some(id) => drop(shared.outbound.send(cancellation(&id)).await),
            None => {
                if abandoned {
                    shared.outbound.end();
                }
                shared.debt.notified().await;
            }
        }
    }
}

/// Whoever drives a stream ends it, also when he is dropped in the middle of it.
struct Ending(Arc<Shared>);

impl Deref for Ending {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        let reason: Reason =
            Arc::new(|| Failure::new(FailureKind::Lost, "the stream is driven no more"));
        self.end_if_open(&reason);
    }
}

/// What a server is told of a request that nobody answers.
fn not_found(method: &Method) -> ErrorObject {
    ErrorObject::new(
        ErrorCode::METHOD_NOT_FOUND,
        format!("Method not found: {method}"),
    )
}
