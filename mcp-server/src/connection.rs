//! One connection within a process: a client's endpoint that is a server.

use std::{
    fmt,
    pin::Pin,
    sync::{Mutex, PoisonError},
};

use mcp_transport::{Endpoint, Exchange, Full, Notification, Request};

use crate::gate::Gate;

/// A connection to a [`Server`](crate::Server) in the same process. The first request decides its
/// era, as on a byte stream; dropping it ends its legacy session.
///
/// On a legacy connection the exchange of `subscriptions/listen` yields what the server sends unasked.
pub struct Connection(Mutex<Gate>);

impl Connection {
    pub(crate) fn new(gate: Gate) -> Self {
        Self(Mutex::new(gate))
    }
}

impl Endpoint for Connection {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        let mut gate = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        gate.open(method, params, Ok(meta), ext)
    }

    /// Nothing a client notifies a server of changes anything here: a call is cancelled by dropping
    /// its exchange.
    fn notify(&self, _: Notification) -> Result<(), Full> {
        Ok(())
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gate = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("Connection")
            .field("era", &gate.era())
            .field("session", &gate.session())
            .finish()
    }
}
