//! A client over one duplex byte stream: many exchanges share it, told apart by their ids.

mod driver;
mod exchange;
#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    fmt,
    ops::Deref,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use bytes::Bytes;
use mcp_errors::Failure;
use mcp_types::{RawParams, RequestId, jsonrpc::ProgressToken, notification::CancelledParams};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Notify,
};

pub use self::driver::DuplexDriver;
use self::exchange::{DuplexExchange, Listening};
use super::{Outbound, outbound};
use crate::{
    exchange::{Ended, Endpoint, Exchange, Full, Notification, Request},
    message,
    proto::{limits::Limits, mux::Mux},
    slot::Slot,
};

/// The client's end of a byte stream with a server at the other. Clones share the stream.
///
/// Lines that are no message are skipped and counted, never answered. A request of the server is answered: `ping` with
/// an empty result, any other by whoever waits for the latest call or listens ([`Event::Ask`](crate::Event::Ask)), and
/// with -32601 if nobody does. Notifications other than progress come out of the exchange of a legacy
/// `subscriptions/listen`.
///
/// When the last clone and the last exchange are gone, the stream to the server is ended. When the driver is gone,
/// every exchange fails as lost.
#[derive(Clone)]
pub struct Duplex(Arc<Handle>);

/// What this side has of the stream; the driver has none of it.
struct Handle(Arc<Shared>);

impl Deref for Handle {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.lock().abandoned = true;
        self.debt.notify_one();
    }
}

struct Shared {
    outbound: Outbound,
    next: AtomicI64,
    state: Mutex<State>,
    most_owed: usize,
    /// Says that there is something in [`State::owed`], or that the client is gone.
    debt: Notify,
}

struct State {
    mux: Mux<RequestId, ProgressToken, Arc<Slot>>,
    listener: Option<Arc<Slot>>,
    /// Requests to be cancelled once there is room; at most as many as can be open.
    owed: VecDeque<RequestId>,
    /// Whether nobody can send any more.
    abandoned: bool,
    noise: Noise,
    /// Why the stream is over, for those who come later.
    end: Option<Reason>,
}

/// What came over the stream and was no message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Noise {
    /// How many lines.
    pub lines: u64,
    /// The first of them, at most 256 bytes of it.
    pub first: Option<String>,
}

impl Duplex {
    /// A client over `reader` and `writer`, and the driver that moves its bytes: it must be run.
    pub fn new<R, W>(reader: R, writer: W, limits: &Limits) -> (Self, DuplexDriver<R, W>)
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let (outbound, queue) = outbound(limits);
        let state = State {
            mux: Mux::new(limits.in_flight),
            listener: None,
            owed: VecDeque::new(),
            abandoned: false,
            noise: Noise::default(),
            end: None,
        };
        let shared = Arc::new(Shared {
            outbound,
            next: AtomicI64::new(1),
            state: Mutex::new(state),
            most_owed: limits.in_flight,
            debt: Notify::new(),
        });
        let driver = DuplexDriver::new(Arc::clone(&shared), reader, writer, queue, limits);
        (Self(Arc::new(Handle(shared))), driver)
    }

    /// What came over the stream and was no message.
    pub fn noise(&self) -> Noise {
        self.0.lock().noise.clone()
    }

    /// How many answers and progress notifications belonged to no open exchange.
    pub fn stray(&self) -> u64 {
        self.0.lock().mux.stray()
    }

    /// Ends every exchange for `reason`, and every later one.
    pub(super) fn end(&self, reason: &Reason) {
        self.0.end(reason);
    }

    /// Lets the writer finish after what is queued.
    pub(super) async fn finish(&self) {
        self.0.outbound.finish().await;
    }
}

impl fmt::Debug for Duplex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.lock();
        f.debug_struct("Duplex")
            .field("open", &state.mux.len())
            .field("noise", &state.noise)
            .finish_non_exhaustive()
    }
}

impl Endpoint for Duplex {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        if !request.meta.is_claim() && request.method == "subscriptions/listen" {
            return Box::pin(Listening::new(Arc::clone(&self.0)));
        }
        let id = RequestId::Number(self.0.next.fetch_add(1, Ordering::Relaxed));
        match message::write_request(&id, &request) {
            Ok(text) => Box::pin(DuplexExchange::new(Arc::clone(&self.0), id, &request, text)),
            Err(failure) => Ended::boxed(Err(failure)),
        }
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.0
            .outbound
            .try_send(message::write_notification(&notification))
            .map_err(|_| Full)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, reason: &Reason) {
        let mut state = self.lock();
        let mut open = state.mux.close();
        open.extend(state.listener.take());
        state.end = Some(Arc::clone(reason));
        drop(state);
        for slot in open {
            slot.end(Err(reason()));
        }
    }

    /// Ends what has not ended yet.
    fn end_if_open(&self, reason: &Reason) {
        if self.lock().end.is_none() {
            self.end(reason);
        }
    }

    /// Tells the server that nobody waits for the answer to `id`: now, or when there is room.
    fn cancel(&self, id: RequestId) {
        let mut state = self.lock();
        if state.owed.is_empty() && self.outbound.try_send(cancellation(&id)).is_ok() {
            return;
        }
        if state.owed.len() < self.most_owed {
            state.owed.push_back(id);
        }
        drop(state);
        self.debt.notify_one();
    }
}

fn cancellation(id: &RequestId) -> Bytes {
    let params = RawParams::from_serialize(&CancelledParams::new(id.clone())).unwrap_or_default();
    message::write_notification(&Notification::new("notifications/cancelled", params))
}

/// Makes the failure of each exchange of a stream that is over.
pub(super) type Reason = Arc<dyn Fn() -> Failure + Send + Sync>;
