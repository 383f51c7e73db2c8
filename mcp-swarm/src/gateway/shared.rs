//! What all layers and operations of one gateway share: the session machine, and whoever it tells things to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use mcp_server::Session;
use mcp_transport::Clock;
use serde_json::value::RawValue;

use super::catalogue::Catalogue;
use super::error::GatewayError;
use super::timer::Timer;
use super::upstream::{Address, Upstream};
use super::wait::Signal;
use crate::codes::SwarmCode;
use crate::proto::exposure::{Face, Shown};
use crate::proto::handoff::{Event, Generation, Limits, Principal, SessionKey, Sessions};
use crate::proto::namespace::DomainName;
use crate::proto::registry::Registry;
use crate::proto::token::KeyRing;
use crate::store::HandoffStateStore;

/// One gateway.
pub(super) struct Shared {
    pub(super) face: Face,
    pub(super) version: Box<str>,
    pub(super) registry: Registry,
    pub(super) addresses: HashMap<DomainName, Address>,
    pub(super) keys: KeyRing,
    pub(super) token_ttl: Duration,
    pub(super) store: Arc<dyn HandoffStateStore>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) limits: Limits,
    pub(super) call_timeout: Duration,
    pub(super) catalogue: Catalogue,
    pub(super) timer: Timer,
    pub(super) sessions: Mutex<Sessions<Arc<Tunnel>>>,
    /// Who connects, to be told to stop.
    pub(super) attempts: Mutex<HashMap<Generation, Arc<Signal>>>,
    /// The legacy clients that have ever handed over, until they go.
    pub(super) clients: Mutex<HashMap<u64, Session>>,
}

/// What a session is handed over to.
#[derive(Debug)]
pub(super) struct Tunnel {
    pub(super) upstream: Arc<Upstream>,
    pub(super) state: Option<Box<RawValue>>,
    /// What a legacy client sees, as last listed.
    pub(super) swapped: RwLock<Arc<Shown>>,
}

/// Who asks, and for which conversation.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub(super) key: SessionKey,
    pub(super) principal: Principal,
}

impl Shared {
    /// Acts on the sessions, and does what comes of it.
    pub(super) fn sessions<R>(
        &self,
        act: impl FnOnce(&mut Sessions<Arc<Tunnel>>, Instant) -> R,
    ) -> R {
        let (result, retired) = self.act(act);
        for tunnel in retired {
            super::timer::close(tunnel.upstream.clone());
        }
        result
    }

    /// The same, but the tunnels that nobody uses any more are the caller's to close.
    pub(super) fn act<R>(
        &self,
        act: impl FnOnce(&mut Sessions<Arc<Tunnel>>, Instant) -> R,
    ) -> (R, Vec<Arc<Tunnel>>) {
        let now = self.clock.now();
        let mut sessions = lock(&self.sessions);
        let before = sessions.poll_timeout();
        let result = act(&mut sessions, now);
        let events: Vec<_> = std::iter::from_fn(|| sessions.poll_event()).collect();
        let after = sessions.poll_timeout();
        drop(sessions);
        let handled = events.into_iter().filter_map(|event| self.handle(event));
        let retired = handled.collect();
        if after != before {
            self.timer.poke();
        }
        (result, retired)
    }

    fn handle(&self, event: Event<Arc<Tunnel>>) -> Option<Arc<Tunnel>> {
        match event {
            Event::Changed { key } => {
                let session = key.legacy_session();
                let client = session.and_then(|session| lock(&self.clients).get(&session).cloned());
                if let Some(client) = client {
                    client.tools_changed();
                }
            }
            Event::Abandoned { generation, why } => {
                let signal = lock(&self.attempts).get(&generation).cloned();
                if let Some(signal) = signal {
                    signal.raise(why);
                }
            }
            Event::Retired { tunnel } => return Some(tunnel),
        }
        None
    }

    /// Ends a legacy client's session when the client goes. Once a client is enough.
    pub(super) fn follow(self: &Arc<Self>, session: &Session) {
        let number = session.key();
        if lock(&self.clients)
            .insert(number, session.clone())
            .is_some()
        {
            return;
        }
        let shared = Arc::downgrade(self);
        session.on_close(move || {
            if let Some(shared) = shared.upgrade() {
                lock(&shared.clients).remove(&number);
                let key = SessionKey::legacy(number);
                shared.sessions(|sessions, now| sessions.disconnected(&key, now));
            }
        });
    }

    /// Where `domain` is.
    pub(super) fn address(&self, domain: &DomainName) -> Result<&Address, GatewayError> {
        self.addresses.get(domain).ok_or_else(|| {
            GatewayError::new(
                SwarmCode::LookupFailed,
                format!("No specialist is registered as `{domain}`"),
            )
        })
    }

    /// The specialist that a tool of this name would be of, going by its prefix. A hint: nothing is routed by it.
    pub(super) fn namesake(&self, name: &str) -> Option<&DomainName> {
        self.registry
            .iter()
            .map(|entry| &entry.name)
            .find(|domain| name.starts_with(&self.face.prefix(domain)))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.timer.poke();
    }
}

/// Nothing that is locked here is ever left half changed.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
