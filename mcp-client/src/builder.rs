//! What a client is told before it connects.

use std::{fmt, sync::Arc, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue};
#[cfg(feature = "http")]
use mcp_transport::http::client::HttpClientBuilder;
#[cfg(feature = "stdio")]
use mcp_transport::stdio::child::ChildCommand;
use mcp_transport::{Clock, Endpoint, proto::limits::Limits};
use mcp_types::{
    Era, Revision,
    capability::{ClientCapabilities, Implementation},
};

use crate::{
    client::{Client, Parts},
    connection::Opening,
    driver::Target,
    error::ConnectError,
    headers,
    link::Identity,
    proto::{
        pages,
        probe::{Patience, Plan},
    },
};

/// How long one call may take, unless it says otherwise.
const REQUEST: Duration = Duration::from_secs(60);

/// Makes a [`Client`].
#[derive(Clone)]
#[must_use = "a builder does nothing until it connects"]
pub struct Builder {
    identity: Identity,
    pin: Option<Era>,
    revision: Option<Revision>,
    patience: Patience,
    request_timeout: Duration,
    list_limits: pages::Limits,
    headers: HeaderMap,
    bad_header: Option<String>,
    limits: Option<Limits>,
    clock: Option<Arc<dyn Clock>>,
}

impl Builder {
    pub(crate) fn new(client: Implementation) -> Self {
        Self {
            identity: Identity {
                client,
                capabilities: ClientCapabilities::default(),
            },
            pin: None,
            revision: None,
            patience: Patience::default(),
            request_timeout: REQUEST,
            list_limits: pages::Limits::default(),
            headers: HeaderMap::new(),
            bad_header: None,
            limits: None,
            clock: None,
        }
    }

    /// Speaks only this era; nothing else is tried.
    pub fn pin(mut self, era: Era) -> Self {
        self.pin = Some(era);
        self
    }

    /// Speaks only this revision, and so only its era.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }

    /// How long a connect may take in all; 30 s.
    pub fn connect_timeout(mut self, total: Duration) -> Self {
        self.patience.total = total;
        self
    }

    /// How long to wait for the answer to `server/discover`; 5 s.
    pub fn probe_timeout(mut self, slice: Duration) -> Self {
        self.patience.probe = slice;
        self
    }

    /// How long to wait for the answer to `initialize`; 30 s.
    pub fn initialize_timeout(mut self, slice: Duration) -> Self {
        self.patience.initialize = slice;
        self
    }

    /// How long a call may take, and a whole listing; 60 s.
    pub fn request_timeout(mut self, each: Duration) -> Self {
        self.request_timeout = each;
        self
    }

    /// How long a list may be; 1,000 pages and 100,000 items.
    pub fn list_limits(mut self, pages: usize, items: usize) -> Self {
        self.list_limits = pages::Limits { pages, items };
        self
    }

    /// Sends this HTTP header with every request. Over other transports it has no effect.
    ///
    /// A header that the transport owns (`content-type`, `mcp-method` and the like), or one that
    /// cannot be written, fails the connect.
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        match headers::parse(name.as_ref(), value.as_ref()) {
            Ok((name, value)) => self.insert(name, value),
            Err(why) => self.bad_header = Some(why),
        }
        self
    }

    /// What is taken from the server, kept and waited for, on whatever transport [`connect`](Self::connect) makes: the
    /// longest line, the largest body, the time to connect and so on.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Who tells the time: by default the machine's clock, which the features `http` and `stdio` bring.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Connects to a server, and finds out how it wants to be spoken to.
    ///
    /// What starts with `http://` or `https://` is a URL, and what starts with `unix://` or `tcp://` a socket on which a
    /// server speaks as on stdio: `unix:///run/ops.sock`, `tcp://127.0.0.1:7000`. Anything else is a command line that starts the
    /// server as a child process: words and quotes as in a shell, but no shell, so nothing is expanded. The
    /// child sees little of the environment; what it needs more, such as a key, stands before the program
    /// (`KEY=value npx -y server`), or is handed on by `connect_command`.
    ///
    /// # Errors
    /// When there is no such server; the error tells everything that was tried.
    #[cfg(any(feature = "http", feature = "stdio"))]
    pub async fn connect(self, target: impl AsRef<str>) -> Result<Client, ConnectError> {
        let target = Target::parse(target.as_ref())?;
        self.open(target).await
    }

    /// Connects to a server behind a URL, with HTTP settings of one's own: a proxy, certificate authorities, which
    /// redirects are followed, a header provider, limits. Headers, limits and clock that this builder was given stand in
    /// the place of those of `http`.
    ///
    /// # Errors
    /// When there is no such server; the error tells everything that was tried.
    #[cfg(feature = "http")]
    pub async fn connect_http(self, http: HttpClientBuilder) -> Result<Client, ConnectError> {
        self.open(Target::Url(Box::new(http))).await
    }

    /// Connects to a server that is started as a child process. Limits that this builder was given stand in the place of
    /// those of `command`.
    ///
    /// ```no_run
    /// # async fn connect() -> Result<(), Box<dyn std::error::Error>> {
    /// use mcp_client::{ChildCommand, Client};
    ///
    /// let command = ChildCommand::new("npx")
    ///     .args(["-y", "weather-server"])
    ///     .env("UNITS", "metric") // set for the server
    ///     .inherit("WEATHER_KEY"); // handed on from here
    /// let client = Client::builder("my-agent", "1.0").connect_command(command).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When it cannot be started or spoken to; the error tells everything that was tried.
    #[cfg(feature = "stdio")]
    pub async fn connect_command(self, command: ChildCommand) -> Result<Client, ConnectError> {
        self.open(Target::Command(Box::new(command))).await
    }

    /// Connects to a server behind an endpoint: one in memory, or a transport of your own.
    ///
    /// # Errors
    /// When the server cannot be spoken to; the error tells everything that was tried.
    pub async fn connect_endpoint(
        self,
        endpoint: Arc<dyn Endpoint>,
    ) -> Result<Client, ConnectError> {
        self.open(Target::Endpoint(endpoint)).await
    }

    async fn open(self, mut target: Target) -> Result<Client, ConnectError> {
        if let Some(limits) = &self.limits {
            target = target.with_limits(limits);
        }
        let local = |detail| ConnectError::local(target.to_string(), detail);
        if let Some(why) = self.bad_header {
            return Err(local(why));
        }
        let Some(clock) = self.clock.or_else(own_clock) else {
            return Err(local(
                "there is no clock: pass one with `clock`, or turn on the feature `http` or `stdio`"
                    .to_owned(),
            ));
        };
        let mut plan = Plan::new(target.wire());
        plan.pin = self.pin;
        plan.revision = self.revision;
        plan.patience = self.patience;
        let opening = Opening {
            target: &target,
            plan,
            identity: &self.identity,
            headers: &self.headers,
            clock: &clock,
        };
        let (driver, negotiation) = opening.run().await?;
        Ok(Client::new(Parts {
            driver,
            negotiation,
            identity: self.identity,
            headers: self.headers,
            request_timeout: self.request_timeout,
            list_limits: self.list_limits,
            clock,
        }))
    }

    fn insert(&mut self, name: HeaderName, mut value: HeaderValue) {
        // Whatever it is, it is nobody's business in a log.
        value.set_sensitive(true);
        self.headers.append(name, value);
    }
}

#[cfg(any(feature = "http", feature = "stdio"))]
fn own_clock() -> Option<Arc<dyn Clock>> {
    Some(Arc::new(mcp_transport::clock::SystemClock))
}

#[cfg(not(any(feature = "http", feature = "stdio")))]
fn own_clock() -> Option<Arc<dyn Clock>> {
    None
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("client", &self.identity.client)
            .field("pin", &self.pin)
            .field("revision", &self.revision)
            .field("patience", &self.patience)
            .field("request_timeout", &self.request_timeout)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
