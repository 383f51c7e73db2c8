//! One connection within a process: a client's endpoint that is a server.

use std::{
    fmt,
    pin::Pin,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mcp_transport::{Endpoint, Exchange, Full, Notification, Request};

use crate::gate::Gate;

/// A connection to a [`Server`](crate::Server) in the same process. The first request decides its
/// era, as on a byte stream; dropping it ends its legacy session.
///
/// On a legacy connection the exchange of `subscriptions/listen` yields what the server sends unasked; on a modern one
/// it is a subscription, which ends with the connection.
pub struct Connection(Mutex<Gate>);

impl Connection {
    pub(crate) fn new(gate: Gate) -> Self {
        Self(Mutex::new(gate))
    }

    fn gate(&self) -> MutexGuard<'_, Gate> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Endpoint for Connection {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        let mut gate = self.gate();
        if let (Some(session), true) = (gate.session(), request.method == "subscriptions/listen") {
            return gate.core().unasked(session);
        }
        let Request {
            method,
            params,
            meta,
            ext,
            ..
        } = request;
        let exchange = gate.open(method, params, Ok(meta), ext);
        let ended = gate.take_ended();
        // Its hooks may come back here.
        drop(gate);
        if let Some(session) = ended {
            session.close();
        }
        exchange
    }

    /// Nothing a client notifies a server of changes anything here: a call is cancelled by dropping
    /// its exchange.
    fn notify(&self, _: Notification) -> Result<(), Full> {
        Ok(())
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gate = self.gate();
        f.debug_struct("Connection")
            .field("era", &gate.era())
            .field("session", &gate.session())
            .finish()
    }
}
