//! What the client talks over: how to make it, and how to end it.

use std::{fmt, sync::Arc, time::Duration};

use http::HeaderMap;
use mcp_errors::Failure;
#[cfg(feature = "http")]
use mcp_transport::http::client::HttpClient;
use mcp_transport::{Clock, Endpoint};

use crate::{proto::probe::Wire, wait};

/// How long a connection may take to end.
const FAREWELL: Duration = Duration::from_secs(10);

/// Where the server is.
#[derive(Clone)]
pub(crate) enum Target {
    /// Behind an endpoint that somebody else made.
    Endpoint(Arc<dyn Endpoint>),
    /// At a URL.
    #[cfg(feature = "http")]
    Url(Box<str>),
}

impl Target {
    pub(crate) fn wire(&self) -> Wire {
        match self {
            #[cfg(feature = "http")]
            Self::Url(_) => Wire::Http,
            Self::Endpoint(_) => Wire::Custom,
        }
    }

    /// Makes the wire. Nothing of the protocol is sent yet.
    #[cfg_attr(
        not(feature = "http"),
        expect(unused_variables, reason = "only drivers need headers and a clock")
    )]
    pub(crate) async fn dial(
        &self,
        headers: &HeaderMap,
        clock: &Arc<dyn Clock>,
    ) -> Result<Driver, Failure> {
        Ok(match self {
            Self::Endpoint(endpoint) => Driver::Endpoint(Arc::clone(endpoint)),
            #[cfg(feature = "http")]
            Self::Url(url) => {
                let client = HttpClient::builder(url)
                    .headers(headers.clone())
                    .clock(Arc::clone(clock))
                    .build()?;
                Driver::http(client)
            }
        })
    }
}

/// Names the server without what may be secret: a URL's user and query, a command's arguments.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Endpoint(_) => f.write_str("the given endpoint"),
            #[cfg(feature = "http")]
            Self::Url(url) => f.write_str(&shown(url)),
        }
    }
}

/// A URL without user, query and fragment.
#[cfg(any(feature = "http", test))]
fn shown(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let (scheme, rest) = url[..end].split_once("://").unwrap_or(("", &url[..end]));
    let authority = rest.find('/').unwrap_or(rest.len());
    let host = rest[..authority].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}://{}", &rest[host..])
}

/// A wire that stands.
pub(crate) enum Driver {
    Endpoint(Arc<dyn Endpoint>),
    #[cfg(feature = "http")]
    Http {
        endpoint: Arc<dyn Endpoint>,
        client: HttpClient,
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

    pub(crate) fn endpoint(&self) -> &Arc<dyn Endpoint> {
        match self {
            Self::Endpoint(endpoint) => endpoint,
            #[cfg(feature = "http")]
            Self::Http { endpoint, .. } => endpoint,
        }
    }

    /// Ends it cleanly. What does not end by itself within ten seconds is dropped.
    pub(crate) async fn close(&self, clock: &dyn Clock) {
        let end = async {
            match self {
                // It is its owner's.
                Self::Endpoint(_) => {}
                #[cfg(feature = "http")]
                Self::Http { client, .. } => client.close().await,
            }
        };
        let done = wait::until(clock, clock.now() + FAREWELL, end).await;
        if done.is_none() {
            tracing::warn!("the connection did not end within {FAREWELL:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_its_secrets() {
        let check = |url, expected| assert_eq!(shown(url), expected);
        check("https://a.example/mcp", "https://a.example/mcp");
        check(
            "https://u:p@a.example:1/m@x?key=1#f",
            "https://a.example:1/m@x",
        );
        check("http://a.example?key=1", "http://a.example");
        check("http://u@a.example", "http://a.example");
    }
}
