//! The streams of one session that can be taken up again: who writes them, who reads them, what the store holds.

use std::{
    collections::HashMap,
    fmt,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use mcp_transport::{
    Clock, Event, Exchange,
    http::server::{notification_text, response_text},
};
use mcp_types::RequestId;

use super::{
    events::{EventKey, EventStore, EventStoreError},
    tasks::Tasks,
};
use crate::proto::streams::{Cursor, EventId, Read, StreamLimits, Streams};

/// How long the store may take for one thing.
pub(super) const STORE_TIME: Duration = Duration::from_secs(5);

/// Streams that are over, and that a client can still ask for.
const FINISHED: usize = 64;

/// The streams of one session.
pub(super) struct Log {
    state: Mutex<State>,
    store: Arc<dyn EventStore>,
    session: Arc<str>,
    pub(super) clock: Arc<dyn Clock>,
    tasks: Weak<Tasks>,
}

struct State {
    streams: Streams,
    /// Who reads a stream and waits.
    readers: HashMap<u64, Waker>,
    appending: usize,
    is_closed: bool,
}

impl Log {
    /// The log of a session that the store knows as `session`.
    pub(super) fn new(
        session: impl Into<Arc<str>>,
        store: Arc<dyn EventStore>,
        limits: &mcp_transport::proto::limits::Limits,
        clock: Arc<dyn Clock>,
        tasks: &Arc<Tasks>,
    ) -> Self {
        let limits = StreamLimits {
            tail_events: limits.outbound_messages,
            tail_bytes: limits.outbound_bytes,
            finished: FINISHED,
        };
        Self {
            state: Mutex::new(State {
                streams: Streams::new(limits),
                readers: HashMap::new(),
                appending: 0,
                is_closed: false,
            }),
            store,
            session: session.into(),
            clock,
            tasks: Arc::downgrade(tasks),
        }
    }

    /// Uses the streams.
    pub(super) fn with<T>(&self, use_them: impl FnOnce(&mut Streams) -> T) -> T {
        use_them(&mut self.state().streams)
    }

    /// A reader for what comes after `id`, if that can be told; for the one before it the stream ends.
    pub(super) fn attach(&self, id: EventId) -> Option<Cursor> {
        self.change(id.stream, |streams| streams.attach(id))
    }

    /// Ends this reader, if it still reads.
    pub(super) fn detach(&self, cursor: &Cursor) {
        self.change(cursor.at.stream, |streams| streams.detach(cursor));
    }

    /// Ends whoever reads a stream; the stream goes on.
    pub(super) fn end_reader(&self, stream: u64) {
        self.change(stream, |streams| streams.end_reader(stream));
    }

    /// Changes a stream, of which its reader hears.
    fn change<T>(&self, stream: u64, change: impl FnOnce(&mut Streams) -> T) -> T {
        let mut state = self.state();
        let changed = change(&mut state.streams);
        let reader = state.readers.remove(&stream);
        drop(state);
        wake(reader);
        changed
    }

    /// Writes what `exchange` says to `stream` until its outcome; that too, if it answers a request.
    pub(super) async fn write(
        self: Arc<Self>,
        stream: u64,
        request: Option<RequestId>,
        exchange: Pin<Box<dyn Exchange>>,
    ) {
        let mut exchange = exchange;
        loop {
            let event = poll_fn(|cx| exchange.as_mut().poll_event(cx)).await;
            match (event, &request) {
                (Event::Notification(notification), _) => {
                    self.push(stream, notification_text(&notification), false)
                        .await;
                }
                // The answer comes with a POST of its own.
                (Event::Ask(ask, reply), _) => {
                    reply.elsewhere();
                    self.push(stream, ask.to_message().into(), false).await;
                }
                (Event::Outcome(outcome), Some(request)) => {
                    return self
                        .push(stream, response_text(request, &outcome), true)
                        .await;
                }
                _ => return,
            }
        }
    }

    /// Hands an event to the reader, and then to the store.
    async fn push(&self, stream: u64, event: Vec<u8>, ends: bool) {
        let event = Bytes::from(event);
        let (id, reader) = {
            let mut state = self.state();
            let mut id = state.streams.push(stream, &event, ends);
            if state.is_closed {
                // The store is to forget the session; who has fallen behind gets no more.
                id.take()
                    .into_iter()
                    .for_each(|id| state.streams.stored(id));
            }
            state.appending += usize::from(id.is_some());
            (id, state.readers.remove(&stream))
        };
        wake(reader);
        let Some(id) = id else {
            return;
        };
        // What is dropped in the middle is counted, too.
        let appended = Appended { log: self, id };
        let append = self.store.append(self.key(id), event);
        if let Err(error) = self.in_time(append).await {
            tracing::warn!(%error, "an event of a legacy stream is not kept");
        }
        drop(appended);
    }

    /// What the store has after `id`.
    pub(super) fn fetch(self: &Arc<Self>, id: EventId) -> Fetch {
        let log = Arc::clone(self);
        Box::pin(async move {
            let after = log.store.after(log.key(id));
            log.in_time(after).await
        })
    }

    /// What the reader does next; it is woken when there is more to do.
    pub(super) fn poll_read(&self, cursor: &mut Cursor, cx: &mut Context<'_>) -> Poll<Read> {
        let mut state = self.state();
        match state.streams.read(cursor) {
            Read::Wait => {
                state.readers.insert(cursor.at.stream, cx.waker().clone());
                Poll::Pending
            }
            read => Poll::Ready(read),
        }
    }

    /// The session is over: the store forgets it. Readers end with what they read, which the session ends.
    pub(super) fn close(&self) {
        let mut state = self.state();
        let was_closed = std::mem::replace(&mut state.is_closed, true);
        let is_idle = state.appending == 0;
        drop(state);
        if !was_closed && is_idle {
            self.forget();
        }
    }

    fn forget(&self) {
        let (store, session) = (Arc::clone(&self.store), Arc::clone(&self.session));
        let clock = Arc::clone(&self.clock);
        if let Some(tasks) = self.tasks.upgrade() {
            tasks.spawn(async move {
                if let Err(error) = in_time(&*clock, store.forget(&session)).await {
                    tracing::warn!(%error, "a session's events are not forgotten");
                }
            });
        }
    }

    fn key(&self, id: EventId) -> EventKey {
        EventKey::new(Arc::clone(&self.session), id.stream, id.number)
    }

    async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, EventStoreError>>,
    ) -> Result<T, EventStoreError> {
        in_time(&*self.clock, work).await
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

/// What comes from the store.
pub(super) type Fetch =
    Pin<Box<dyn Future<Output = Result<Vec<(u64, Bytes)>, EventStoreError>> + Send>>;

/// An event on its way to the store, until this is dropped.
struct Appended<'a> {
    log: &'a Log,
    id: EventId,
}

impl Drop for Appended<'_> {
    fn drop(&mut self) {
        let mut state = self.log.state();
        state.streams.stored(self.id);
        state.appending -= 1;
        let is_over = state.is_closed && state.appending == 0;
        let reader = state.readers.remove(&self.id.stream);
        drop(state);
        wake(reader);
        if is_over {
            self.log.forget();
        }
    }
}

async fn in_time<T>(
    clock: &dyn Clock,
    work: impl Future<Output = Result<T, EventStoreError>>,
) -> Result<T, EventStoreError> {
    let mut work = pin!(work);
    // A store in memory is done at once, and needs no timer.
    let mut deadline = None;
    poll_fn(|cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(done);
        }
        let deadline =
            deadline.get_or_insert_with(|| clock.sleep_until(clock.deadline(STORE_TIME)));
        let late = || EventStoreError::new(format!("no answer within {} s", STORE_TIME.as_secs()));
        deadline.as_mut().poll(cx).map(|()| Err(late()))
    })
    .await
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}
