//! What the client talks over, and how it ends.

mod target;

use std::{sync::Arc, time::Duration};

#[cfg(feature = "http")]
use mcp_transport::http::client::{HttpClient, sse::SseClient};
#[cfg(feature = "stdio")]
use mcp_transport::stdio::{child::Child, socket::StreamClient};
use mcp_transport::{Clock, Endpoint};

pub(crate) use self::target::Target;
use crate::wait;

/// How long a connection may take to end.
const FAREWELL: Duration = Duration::from_secs(10);

/// A wire that stands.
pub(crate) enum Driver {
    Endpoint(Arc<dyn Endpoint>),
    #[cfg(feature = "http")]
    Http {
        endpoint: Arc<dyn Endpoint>,
        client: HttpClient,
    },
    #[cfg(feature = "http")]
    Sse {
        endpoint: Arc<dyn Endpoint>,
        client: SseClient,
    },
    #[cfg(feature = "stdio")]
    Child {
        endpoint: Arc<dyn Endpoint>,
        child: Child,
    },
    #[cfg(feature = "stdio")]
    Socket {
        endpoint: Arc<dyn Endpoint>,
        client: StreamClient,
    },
}

impl Driver {
    #[cfg(feature = "http")]
    fn http(client: HttpClient) -> Self {
        Self::Http {
            endpoint: Arc::new(client.clone()),
            client,
        }
    }

    #[cfg(feature = "http")]
    fn sse(client: SseClient) -> Self {
        Self::Sse {
            endpoint: Arc::new(client.clone()),
            client,
        }
    }

    #[cfg(feature = "stdio")]
    fn child(child: Child) -> Self {
        Self::Child {
            endpoint: Arc::new(child.clone()),
            child,
        }
    }

    #[cfg(feature = "stdio")]
    fn socket(client: StreamClient) -> Self {
        Self::Socket {
            endpoint: Arc::new(client.clone()),
            client,
        }
    }

    pub(crate) fn endpoint(&self) -> &Arc<dyn Endpoint> {
        match self {
            Self::Endpoint(endpoint) => endpoint,
            #[cfg(feature = "http")]
            Self::Http { endpoint, .. } | Self::Sse { endpoint, .. } => endpoint,
            #[cfg(feature = "stdio")]
            Self::Child { endpoint, .. } | Self::Socket { endpoint, .. } => endpoint,
        }
    }

    /// The last of what a child process wrote to stderr.
    pub(crate) fn stderr(&self) -> Option<String> {
        match self {
            Self::Endpoint(_) => None,
            #[cfg(feature = "http")]
            Self::Http { .. } | Self::Sse { .. } => None,
            #[cfg(feature = "stdio")]
            Self::Child { child, .. } => Some(child.stderr()),
            #[cfg(feature = "stdio")]
            Self::Socket { .. } => None,
        }
    }

    /// Ends it cleanly. What does not end by itself within ten seconds is dropped.
    pub(crate) async fn close(&self, clock: &dyn Clock) {
        self.close_within(FAREWELL, clock).await;
    }

    /// The same within `patience`; a process that needs longer ends in the background.
    pub(crate) async fn close_within(&self, patience: Duration, clock: &dyn Clock) {
        let end = async {
            match self {
                // It is its owner's.
                Self::Endpoint(_) => {}
                #[cfg(feature = "http")]
                Self::Http { client, .. } => client.close().await,
                #[cfg(feature = "http")]
                Self::Sse { client, .. } => client.close(),
                #[cfg(feature = "stdio")]
                Self::Child { child, .. } => {
                    child.close().await;
                }
                #[cfg(feature = "stdio")]
                Self::Socket { client, .. } => client.close().await,
            }
        };
        let done = wait::until(clock, clock.deadline(patience), end).await;
        if done.is_none() {
            tracing::debug!("the connection did not end within {patience:?}");
        }
    }
}
