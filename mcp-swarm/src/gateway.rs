//! The gateway: hands a live conversation to a specialist, lets it work, and gets it back.
//!
//! | file | decides nothing, but does |
//! |---|---|
//! | `layer` | stands around the gateway's own server and tells calls apart |
//! | `activate`, `back` | begin and end a handoff |
//! | `list`, `catalogue` | what clients see |
//! | `proxy`, `progress` | send calls on |
//! | `upstream`, `delegate` | connect to specialists, sign each request |
//! | `shared`, `guard`, `timer`, `wait` | drive the session machine ([`crate::proto::handoff`]) |

mod activate;
mod back;
mod builder;
mod catalogue;
mod delegate;
mod error;
mod guard;
mod layer;
mod list;
mod progress;
mod proxy;
mod shared;
#[cfg(test)]
mod tests;
mod timer;
mod upstream;
mod wait;

use std::fmt;
use std::sync::Arc;

pub use self::activate::Activated;
pub use self::builder::{BuildError, Builder};
pub use self::error::GatewayError;
pub use self::layer::GatewayLayer;
use self::shared::{Caller, Shared, Tunnel};
use crate::handoff::HandoffRequest;
use crate::proto::handoff::{Principal, SessionKey, Sessions, Unroutable};
use crate::proto::namespace::DomainName;

/// A gateway in front of specialists. Clones are the same gateway.
///
/// Its [`layer`](Self::layer) goes around the gateway's own server, server-wide. From then on a handler of that server
/// hands over by returning [`handoff`](crate::handoff()).
#[derive(Clone)]
pub struct SwarmGateway(Arc<Shared>);

impl SwarmGateway {
    /// A gateway of this name, which is in its tokens and in the return tool's name: 1 to 31 of `a`–`z`, `0`–`9`
    /// and `-`.
    pub fn builder(name: impl Into<String>) -> Builder {
        Builder::new(name)
    }

    fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    /// The layer for the gateway's own server.
    pub fn layer(&self) -> GatewayLayer {
        GatewayLayer::new(self.0.clone())
    }

    /// The name of the tool that ends a handoff.
    pub fn return_tool(&self) -> String {
        self.0.face.return_tool()
    }

    /// Whether the conversation is handed over, or about to be.
    pub fn has_active_handoff(&self, key: &SessionKey) -> bool {
        self.now(|sessions| sessions.has_active_handoff(key))
    }

    /// Whether a connection for the conversation is being made.
    pub fn is_connecting(&self, key: &SessionKey) -> bool {
        self.now(|sessions| sessions.is_connecting(key))
    }

    /// How many conversations are handed over, or about to be.
    pub fn session_count(&self) -> usize {
        self.now(|sessions| sessions.session_count())
    }

    /// How many connections are being made.
    pub fn connecting_count(&self) -> usize {
        self.now(|sessions| sessions.connecting_count())
    }

    /// Hands the conversation `key` over, without a client's call. A tunnel that was there stays until the new
    /// one is.
    ///
    /// # Errors
    /// [`GatewayError`] when it was not handed over.
    pub async fn activate_handoff(
        &self,
        key: SessionKey,
        principal: Principal,
        request: &HandoffRequest,
    ) -> Result<Activated, GatewayError> {
        let caller = Caller { key, principal };
        self.0.activate(&caller, None, request, None).await
    }

    /// Ends the conversation with the specialist, without a client's call. Gives the specialist's name.
    ///
    /// # Errors
    /// [`Unroutable`] when it is not handed over.
    pub fn return_to_gateway(
        &self,
        key: SessionKey,
        principal: Principal,
    ) -> Result<DomainName, Unroutable> {
        self.0.hand_back(&Caller { key, principal })
    }

    /// Ends all handoffs, for good, and closes their connections.
    pub async fn dispose(&self) {
        let ((), retired) = self.0.act(|sessions, now| sessions.dispose(now));
        let closing = retired
            .iter()
            .map(|tunnel| Box::pin(tunnel.upstream.close()) as _);
        wait::all(closing.collect()).await;
    }

    fn now<R>(&self, ask: impl FnOnce(&Sessions<Arc<Tunnel>>) -> R) -> R {
        self.0.sessions(|sessions, now| {
            sessions.handle_timeout(now);
            ask(sessions)
        })
    }
}

impl fmt::Debug for SwarmGateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SwarmGateway")
            .field("name", &self.0.face.gateway.as_str())
            .field("specialists", &self.0.addresses)
            .field("sessions", &self.session_count())
            .finish_non_exhaustive()
    }
}
