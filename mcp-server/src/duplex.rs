//! Serves one connection over a byte stream, a message a line: stdin and stdout, a pipe, a socket.
//!
//! One task reads, judges, and polls each handler once; a handler that has to wait goes on in a task
//! of its own. One task writes. Cancellations and pings pass by whatever runs or waits.

mod lane;
mod reply;
#[cfg(test)]
mod tests;

use std::{future::poll_fn, io, pin::pin, sync::Arc, task::Poll};

use bytes::Bytes;
use mcp_errors::ProtocolError;
use mcp_transport::{
    Clock, Event, Extensions,
    proto::lines::Line,
    stdio::{LineReader, Outbound, SendError, outbound},
};
use mcp_types::{
    ErrorObject, Message, RequestId,
    jsonrpc::{self, Malformed, MalformedKind, NotificationMessage, RequestMessage},
    notification::CancelledParams,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{Semaphore, oneshot},
    task::JoinSet,
};

use self::{
    lane::{Job, Lane, lock, new_lane, poll_once, run, spawn},
    reply::{ReplyTo, error_line, notification_line, outcome_line},
};
use crate::{
    gate::Gate,
    listen::{self, SubscriptionId},
    proto::{
        dispatch::{Admission, Cancelled, Ticket},
        envelope,
        listen::Reached,
        storm::Storm,
    },
};

/// Serves `gate` until the reader ends, or `shutdown` is ready; calls in flight then get [`Limits::eof_drain_time`],
/// or [`Limits::drain_time`], to finish.
///
/// # Errors
/// Those of reading and writing, and when the peer takes nothing for [`Limits::idle_time`]. A peer that
/// closed its end has ended the connection, which is none.
///
/// [`Limits::idle_time`]: mcp_transport::proto::limits::Limits::idle_time
/// [`Limits::eof_drain_time`]: mcp_transport::proto::limits::Limits::eof_drain_time
/// [`Limits::drain_time`]: mcp_transport::proto::limits::Limits::drain_time
pub(crate) async fn serve<R, W>(
    gate: Gate,
    reader: R,
    writer: W,
    clock: Arc<dyn Clock>,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let limits = gate.core().limits.clone();
    let mut lines = LineReader::new(reader, limits.server_line);
    let (out, queue) = outbound(&limits);
    // Its owner is this future: dropping the set ends it.
    let mut writing = JoinSet::new();
    spawn(&mut writing, queue.write_to(writer));
    let mut duplex = Duplex {
        in_flight: new_lane(limits.running, limits.queued),
        listening: new_lane(gate.most_subscriptions(), 0),
        gate,
        out,
        clock: Arc::clone(&clock),
        storm: Storm::default(),
        stalled: false,
        tasks: JoinSet::new(),
        unasked: JoinSet::new(),
        batches: Arc::new(Semaphore::new(BATCHES)),
    };
    let mut shutdown = pin!(shutdown);
    let (read, patience) = loop {
        tokio::select! {
            line = lines.next() => match line {
                Ok(Some(line)) => duplex.handle_line(line).await,
                Ok(None) => break (Ok(()), limits.eof_drain_time),
                Err(error) => break (Err(error), limits.eof_drain_time),
            },
            () = &mut shutdown => break (Ok(()), limits.drain_time),
            Some(_) = duplex.tasks.join_next() => duplex.start_waiting().await,
            // Nobody reads any more.
            Some(written) = writing.join_next() => return ended(written.unwrap_or(Ok(()))),
        }
        if duplex.stalled {
            let error = "the peer has taken nothing for so long that the connection is given up";
            return Err(io::Error::new(io::ErrorKind::TimedOut, error));
        }
    };
    // Nobody is there to answer what is asked.
    if let Some(session) = duplex.gate.session() {
        session.pending().close();
    }
    duplex.gate.listens().close();
    let deadline = clock.deadline(patience);
    let finish = async {
        duplex.drain().await;
        duplex.out.finish().await;
        writing
            .join_next()
            .await
            .and_then(Result::ok)
            .unwrap_or(Ok(()))
    };
    let written = tokio::select! {
        written = finish => written,
        () = clock.sleep_until(deadline) => Ok(()),
    };
    read?;
    ended(written)
}

fn ended(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

struct Duplex {
    gate: Gate,
    in_flight: Lane,
    /// Subscriptions: they last, so they take no places of calls.
    listening: Lane,
    out: Outbound,
    clock: Arc<dyn Clock>,
    storm: Storm,
    /// The peer reads nothing.
    stalled: bool,
    /// Calls that wait for something, and answers that wait for room.
    tasks: JoinSet<()>,
    /// What the session tells unasked; at most one task.
    unasked: JoinSet<()>,
    /// A place for each batch some of whose answers are not there yet.
    batches: Arc<Semaphore>,
}

impl Duplex {
    async fn handle_line(&mut self, line: Line) {
        match line {
            Line::Text(text) => match jsonrpc::decode(&text) {
                Err(malformed) if malformed.kind == MalformedKind::Batch => {
                    self.handle_batch(&text, &malformed).await;
                }
                decoded => {
                    self.handle_message(decoded, ReplyTo::Line(self.out.clone()))
                        .await
                }
            },
            _ => {
                let limit = self.gate.core().limits.server_line;
                let detail = format!("Invalid request: a line holds at most {limit} bytes");
                let error = ProtocolError::invalid_request(detail).into();
                self.complain(ReplyTo::Line(self.out.clone()), &error).await;
            }
        }
    }

    async fn handle_message(&mut self, message: Result<Message, Malformed>, reply: ReplyTo) {
        match message {
            Ok(Message::Request(request)) => self.handle_request(request, reply).await,
            Ok(Message::Notification(notification)) => self.handle_notification(&notification),
            Ok(Message::Response(response)) => {
                if let Some(session) = self.gate.session() {
                    session.answer(response);
                }
            }
            Err(malformed) => {
                let Some(error) = malformed.answer() else {
                    return;
                };
                match malformed.id {
                    None => self.complain(reply, &error).await,
                    id => self.deliver(reply, self.error(id, &error)).await,
                }
            }
        }
    }

    /// A batch, where the connection has them: its answers go out as one array.
    async fn handle_batch(&mut self, text: &Bytes, malformed: &Malformed) {
        let limit = self.gate.core().limits.batch;
        let batch = match self.gate.era().takes_batches() {
            true => jsonrpc::decode_batch(text, limit),
            false => Err(malformed.clone()),
        };
        let messages = match batch {
            Ok(messages) => messages,
            Err(malformed) => {
                let Some(error) = malformed.answer() else {
                    return;
                };
                return self.complain(ReplyTo::Line(self.out.clone()), &error).await;
            }
        };
        let Ok(place) = Arc::clone(&self.batches).try_acquire_owned() else {
            let detail = format!("at most {BATCHES} batches may be in flight on one connection");
            let error = ProtocolError::at_capacity(detail, RETRY_AFTER);
            let line = self.error(None, &error.into());
            return self.deliver(ReplyTo::Line(self.out.clone()), line).await;
        };
        let mut answers = Vec::with_capacity(messages.len());
        for message in messages {
            let (sender, answer) = oneshot::channel();
            answers.push(answer);
            match message {
                Ok(Message::Request(request)) if request.method == "initialize" => {
                    let error = ProtocolError::invalid_request("initialize cannot be in a batch");
                    let line = self.error(Some(request.id), &error.into());
                    self.deliver(ReplyTo::Batch(sender), line).await;
                }
                message => self.handle_message(message, ReplyTo::Batch(sender)).await,
            }
        }
        let out = self.out.clone();
        let mut gathering = Box::pin(reply::gather(answers));
        match poll_fn(|cx| Poll::Ready(gathering.as_mut().poll(cx))).await {
            Poll::Ready(None) => {}
            Poll::Ready(Some(line)) => self.deliver(ReplyTo::Line(out), line).await,
            Poll::Pending => {
                spawn(&mut self.tasks, async move {
                    if let Some(line) = gathering.await {
                        let _closed = out.send(line).await;
                    }
                    drop(place);
                });
            }
        }
    }

    async fn handle_request(&mut self, request: RequestMessage, reply: ReplyTo) {
        let RequestMessage { id, method, params } = request;
        if lock(&self.in_flight).contains(&id) || lock(&self.listening).contains(&id) {
            let error = ProtocolError::duplicate_request_id();
            let line = self.error(Some(id), &error.into());
            return self.deliver(reply, line).await;
        }
        let meta = envelope::read_meta(&params);
        let passes = method == "initialize" || method == "ping";
        let listens = method == listen::METHOD;
        let session = self.gate.session().cloned();
        let mut ext = Extensions::new();
        SubscriptionId::put(method.as_str(), &id, &mut ext);
        let exchange = self.gate.open(method, params, meta, ext);
        let job = Job { exchange, reply };
        if passes {
            self.answer_now(&id, job).await;
            // Only a client that has its answer knows what it may hear.
            if self.gate.session() != session.as_ref() {
                self.tell_unasked();
            }
            return;
        }
        let lane = Arc::clone(match listens {
            true => &self.listening,
            false => &self.in_flight,
        });
        let admission = lock(&lane).handle_request(&id, job);
        match admission {
            Admission::Run(ticket, job) => self.start(&lane, id, ticket, job).await,
            Admission::Waits => {}
            Admission::Full(job) if listens => {
                let error = listen::full(Reached(self.gate.most_subscriptions()));
                let line = self.error(Some(id), &error);
                self.deliver(job.reply, line).await;
            }
            Admission::Duplicate(job) | Admission::Full(job) => {
                let limits = &self.gate.core().limits;
                let most = limits.running.saturating_add(limits.queued);
                let detail = format!("at most {most} requests may be in flight on one connection");
                let error = ProtocolError::at_capacity(detail, RETRY_AFTER);
                let line = self.error(Some(id), &error.into());
                self.deliver(job.reply, line).await;
            }
        }
    }

    fn handle_notification(&mut self, notification: &NotificationMessage) {
        if notification.method != "notifications/cancelled" {
            return;
        }
        let params = notification.params.decode::<CancelledParams>();
        let Some(id) = params.ok().and_then(|params| params.request_id) else {
            return;
        };
        // A request that waited is dropped here, out of the lock.
        for lane in [&self.in_flight, &self.listening] {
            let cancelled = lock(lane).handle_cancel(&id);
            if let Cancelled::Running(Some(handle)) = cancelled {
                handle.abort();
            }
        }
    }

    /// Answers what needs no handler, whatever else is in flight.
    async fn answer_now(&mut self, id: &RequestId, mut job: Job) {
        if let Poll::Ready(Event::Outcome(outcome)) = poll_once(&mut job.exchange).await {
            self.deliver(job.reply, outcome_line(id, outcome)).await;
        }
    }

    /// Polls a call in place, and goes on in a task if it has to wait.
    async fn start(&mut self, lane: &Lane, id: RequestId, ticket: Ticket, mut job: Job) {
        let mut said = 0;
        let unsent = loop {
            // Who talks without a pause must not keep cancellations from being read.
            if said == SAID_IN_PLACE {
                break None;
            }
            match poll_once(&mut job.exchange).await {
                Poll::Pending => break None,
                Poll::Ready(Event::Notification(notification)) => {
                    said += 1;
                    match self.out.try_send(notification_line(&notification)) {
                        Ok(()) => {}
                        Err(SendError::Full(line)) => break Some(line),
                        // Nobody reads any more: the connection is about to end.
                        Err(_) => return,
                    }
                }
                Poll::Ready(Event::Ask(ask, reply)) => {
                    said += 1;
                    reply.elsewhere();
                    match self.out.try_send(ask.to_message()) {
                        Ok(()) => {}
                        Err(SendError::Full(line)) => break Some(line),
                        Err(_) => return,
                    }
                }
                Poll::Ready(Event::Outcome(outcome)) => {
                    if !lock(lane).handle_answer(&id, ticket) {
                        return;
                    }
                    let line = outcome_line(&id, outcome);
                    match job.reply.try_send(line) {
                        Ok(()) => lock(lane).handle_sent(),
                        Err((reply, line)) => self.send_later(lane, reply, line),
                    }
                    return;
                }
                Poll::Ready(_) => {}
            }
        };
        let run = run(
            id.clone(),
            ticket,
            job,
            unsent,
            self.out.clone(),
            Arc::clone(lane),
        );
        let handle = spawn(&mut self.tasks, run);
        lock(lane).handle_spawned(&id, ticket, handle);
    }

    fn send_later(&mut self, lane: &Lane, reply: ReplyTo, line: Bytes) {
        let lane = Arc::clone(lane);
        spawn(&mut self.tasks, async move {
            reply.send(line).await;
            lock(&lane).handle_sent();
        });
    }

    async fn start_waiting(&mut self) {
        let lane = Arc::clone(&self.in_flight);
        loop {
            let next = lock(&lane).poll_waiting();
            let Some((id, ticket, job)) = next else {
                return;
            };
            self.start(&lane, id, ticket, job).await;
        }
    }

    /// Sends what the session has to say, instead of what the session before had.
    fn tell_unasked(&mut self) {
        self.unasked = JoinSet::new();
        if let Some(session) = self.gate.take_ended() {
            session.close();
        }
        let Some(session) = self.gate.session() else {
            return;
        };
        let mut exchange = self.gate.core().unasked(session);
        let out = self.out.clone();
        spawn(&mut self.unasked, async move {
            while let Event::Notification(notification) =
                poll_fn(|cx| exchange.as_mut().poll_event(cx)).await
            {
                if out.send(notification_line(&notification)).await.is_err() {
                    return;
                }
            }
        });
    }

    /// Waits until everything that came in is answered.
    async fn drain(&mut self) {
        self.start_waiting().await;
        while self.tasks.join_next().await.is_some() {
            self.start_waiting().await;
        }
    }

    /// Sends an error that belongs to no request, unless there were so many that the peer may be answering them.
    async fn complain(&mut self, reply: ReplyTo, error: &ErrorObject) {
        // Those of a batch come with its answers, as one line.
        if matches!(reply, ReplyTo::Batch(_)) || self.storm.admits(self.clock.now()) {
            let line = self.error(None, error);
            self.deliver(reply, line).await;
        }
    }

    /// Sends what needs no handler. While there is no room nothing is read, and a peer that makes none
    /// for long enough loses the connection: it would keep this process for ever.
    async fn deliver(&mut self, reply: ReplyTo, line: Bytes) {
        if let Err((reply, line)) = reply.try_send(line) {
            let patience = self.gate.core().limits.idle_time;
            let deadline = self.clock.deadline(patience);
            tokio::select! {
                () = reply.send(line) => {}
                () = self.clock.sleep_until(deadline) => self.stalled = true,
            }
        }
    }

    fn error(&self, id: Option<RequestId>, error: &ErrorObject) -> Bytes {
        error_line(&self.gate.era().error_id(id), error)
    }
}

/// How long a peer over its limit is asked to wait.
const RETRY_AFTER: std::time::Duration = std::time::Duration::from_secs(1);

/// How many batches of one connection may wait for answers.
const BATCHES: usize = 16;

/// How much a call may say while the reader polls it.
const SAID_IN_PLACE: usize = 16;
