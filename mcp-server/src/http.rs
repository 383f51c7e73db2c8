//! Hosting on HTTP: both eras at one address.
//!
//! [`Server::serve_http`] binds an address and answers at `/mcp` and `/`; [`Server::http`] has the choices, and
//! [`Server::http_service`] fits into a router of your own:
//!
//! ```
//! # use mcp_server::Server;
//! let server = Server::new("ops", "1.0.0");
//! let app: axum::Router = axum::Router::new().nest_service("/mcp", server.http_service());
//! ```

mod app;
pub mod events;
mod handle;
mod health;
mod host;
mod in_session;
mod log;
mod pair;
mod refused;
mod resume;
mod service;
mod settings;
mod sweep;
mod tasks;
#[cfg(test)]
mod tests;

use std::{future, io, net::SocketAddr};

use tokio::net::{TcpListener, ToSocketAddrs};

pub use mcp_transport::proto::http::{AnyWithCredentials, BadEntry, Cors};

pub use self::{
    events::{EventKey, EventStore, EventStoreError, MemoryEventStore},
    host::HttpHost,
    resume::SseStream,
    service::HttpService,
};
pub use crate::principal::Principal;
use crate::server::Server;
pub use crate::{policy::LegacyMode, proto::sessions::SessionLimits};

impl Server {
    /// The choices of hosting on HTTP.
    pub fn http(&self) -> HttpHost {
        HttpHost::new(self.core())
    }

    /// Binds `address` and serves at `/mcp` and `/`, until the future is dropped.
    ///
    /// # Errors
    /// When the address cannot be bound, or is not on loopback while no host is allowed
    /// ([`HttpHost::allowed_hosts`] or `MCP_ALLOWED_HOSTS`), or one of the allow-lists cannot be read.
    pub async fn serve_http(&self, address: impl ToSocketAddrs) -> Result<(), HttpError> {
        self.http().serve(address).await
    }

    /// Serves on a listener, as [`Server::serve_http`] does.
    ///
    /// # Errors
    /// As [`Server::serve_http`].
    pub async fn serve_http_on(&self, listener: TcpListener) -> Result<(), HttpError> {
        self.http().serve_on(listener, future::pending()).await
    }

    /// The server as a tower service, for a route of an axum router or whatever takes one.
    ///
    /// It answers callers on loopback, and hosts and origins that `MCP_ALLOWED_HOSTS` and
    /// `MCP_ALLOWED_ORIGINS` name; a variable that cannot be read allows nothing more, and the log says so.
    /// [`HttpHost::service`] has the choices.
    pub fn http_service(&self) -> HttpService {
        let host = self.http();
        host.service().unwrap_or_else(|error| {
            tracing::error!(%error, "serving loopback only");
            host.loopback_service()
        })
    }
}

/// Why a server does not serve on HTTP.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct HttpError(#[from] Problem);

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("cannot bind the address: {0}")]
    Bind(#[source] io::Error),
    #[error(transparent)]
    Entry(#[from] BadEntry),
    #[error(
        "{address} is not on loopback, and no host is allowed: any web page could reach the server under a name of \
         its own. Say under which names clients reach it, in the program with \
         `.allowed_hosts(\"mcp.example.com\")` between `server.http()` and `.serve(\"{address}\")`, or in the \
         environment with `MCP_ALLOWED_HOSTS=mcp.example.com`; `*` allows every name"
    )]
    NoHosts { address: SocketAddr },
}

impl HttpError {
    /// Whether the address is not on loopback and no host is allowed.
    pub fn is_no_hosts(&self) -> bool {
        matches!(self.0, Problem::NoHosts { .. })
    }

    /// Whether the address could not be bound.
    pub fn is_bind(&self) -> bool {
        matches!(self.0, Problem::Bind(_))
    }
}
