//! What the client talks over: how to make it, and how to end it.

use std::{fmt, sync::Arc};

use http::HeaderMap;
use mcp_errors::Failure;
use mcp_transport::{Clock, Endpoint};

use crate::proto::probe::Wire;

/// Where the server is.
#[derive(Clone)]
pub(crate) enum Target {
    /// Behind an endpoint that somebody else made.
    Endpoint(Arc<dyn Endpoint>),
}

impl Target {
    pub(crate) fn wire(&self) -> Wire {
        match self {
            Self::Endpoint(_) => Wire::Custom,
        }
    }

    /// Makes the wire. Nothing of the protocol is sent yet.
    pub(crate) async fn dial(
        &self,
        _headers: &HeaderMap,
        _clock: &Arc<dyn Clock>,
    ) -> Result<Driver, Failure> {
        Ok(match self {
            Self::Endpoint(endpoint) => Driver::Endpoint(Arc::clone(endpoint)),
        })
    }
}

/// Names the server without what may be secret: a URL's user and query, a command's arguments.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Endpoint(_) => f.write_str("the given endpoint"),
        }
    }
}

/// A wire that stands.
pub(crate) enum Driver {
    Endpoint(Arc<dyn Endpoint>),
}

impl Driver {
    pub(crate) fn endpoint(&self) -> &Arc<dyn Endpoint> {
        match self {
            Self::Endpoint(endpoint) => endpoint,
        }
    }

    /// Ends it cleanly.
    pub(crate) async fn close(&self, _clock: &dyn Clock) {
        match self {
            Self::Endpoint(_) => {}
        }
    }
}
