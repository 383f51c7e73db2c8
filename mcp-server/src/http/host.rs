//! The choices of hosting on HTTP, and the way from them to a running server.

use std::{fmt, future::Future, sync::Arc, time::Duration};

use axum::Router;
use http::StatusCode;
use mcp_transport::{
    Clock,
    http::server::{self as transport, serve},
    proto::http::{AllowList, BadEntry, Cors},
};
use mcp_types::{
    ErrorCode, ErrorObject,
    jsonrpc::{ErrorId, write_error},
};
use tokio::net::{TcpListener, ToSocketAddrs};

use super::{
    HttpError, Problem, app::App, events::EventStore, health::Health, service::HttpService,
    settings::Settings,
};
use crate::{core::Core, policy::LegacyMode, proto::sessions::SessionLimits};

/// A server that is to be hosted on HTTP.
///
/// ```no_run
/// # use mcp_server::Server;
/// # async fn run() -> Result<(), mcp_server::http::HttpError> {
/// let server = Server::new("ops", "1.0.0");
/// server.http().allowed_hosts("mcp.example.com").serve("0.0.0.0:8080").await
/// # }
/// ```
#[derive(Clone)]
pub struct HttpHost {
    core: Arc<Core>,
    hosts: Option<String>,
    origins: Option<String>,
    cors: Option<Cors>,
    settings: Settings,
}

impl HttpHost {
    pub(super) fn new(core: Arc<Core>) -> Self {
        Self {
            core,
            hosts: None,
            origins: None,
            cors: None,
            settings: Settings::default(),
        }
    }

    /// Allows hosts beside the loopback names: `mcp.example.com`, `mcp.example.com:8443`, several with commas,
    /// or `*` for every one. Stands before `MCP_ALLOWED_HOSTS`.
    #[must_use]
    pub fn allowed_hosts(mut self, hosts: impl Into<String>) -> Self {
        add(&mut self.hosts, hosts.into());
        self
    }

    /// Allows web origins beside those of loopback: `https://app.example.com`, several with commas, or `*`
    /// for every one. Stands before `MCP_ALLOWED_ORIGINS`.
    #[must_use]
    pub fn allowed_origins(mut self, origins: impl Into<String>) -> Self {
        add(&mut self.origins, origins.into());
        self
    }

    /// Lets web pages of some origins call the server and read its answers: they are allowed as with
    /// [`Self::allowed_origins`], and browsers are told so. Without it no answer speaks of CORS.
    ///
    /// ```
    /// # use mcp_server::{Server, http::Cors};
    /// let server = Server::new("ops", "1.0.0");
    /// let cors = Cors::for_origins("https://app.example.com")?;
    /// let service = server.http().cors(cors).service()?;
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cors(self, cors: Cors) -> Self {
        let cors = Some(cors);
        Self { cors, ..self }
    }

    /// Sets how legacy clients are served.
    #[must_use]
    pub fn legacy(self, legacy: LegacyMode) -> Self {
        self.set(|settings| settings.legacy = legacy)
    }

    /// Sets how many legacy sessions there may be, and how long they may be idle.
    #[must_use]
    pub fn sessions(self, sessions: SessionLimits) -> Self {
        self.set(|settings| settings.sessions = sessions)
    }

    /// Sets the clock that deadlines go by.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        self.set(|settings| settings.clock = clock)
    }

    /// Answers probes of a load balancer or an orchestrator as well, under any `Host`: `GET /healthz` is 200 while the
    /// process lives, `GET /readyz` until [`Self::serve_on`] is told to shut down; from then on nothing new is accepted, and
    /// on what is still open it is 503. It is for
    /// [`Self::serve`] and [`Self::serve_on`]; a router of your own has routes of its own.
    #[must_use]
    pub fn health(self, answer: bool) -> Self {
        self.set(|settings| settings.health = answer)
    }

    /// Serves clients of the deprecated HTTP+SSE transport of 2024-11-05 as well, or no longer: their stream is at
    /// `sse` beside or below the address of the server, and their messages go to `messages` beside that. Needs
    /// [`LegacyMode::Stateful`], which is the default.
    ///
    /// Each stream is a session, and counts as one; it ends with the stream. [`Self::serve`] answers at `/sse` and
    /// `/mcp/sse`. In a router of your own nest the service (`nest_service("/tools", …)` gives `/tools/sse`).
    #[must_use]
    pub fn legacy_sse(self, serve: bool) -> Self {
        self.set(|settings| settings.pair = serve)
    }

    /// Sets where clients of HTTP+SSE are told to post, for a server behind a proxy that shortens paths: such as
    /// `/gateway/ops/messages`. The proxy must bring it to `messages` beside the stream.
    #[must_use]
    pub fn legacy_sse_messages(self, path: impl Into<String>) -> Self {
        let path: String = path.into();
        self.set(|settings| settings.messages = Some(path))
    }

    /// Keeps the events of legacy sessions' streams in `store`: a client whose connection broke takes the stream up
    /// again with `Last-Event-ID` and gets what it missed, and [`SseStream`](super::SseStream) lets a handler close
    /// the stream meanwhile. Each answer to a session's request is a stream of events then.
    ///
    /// ```
    /// # use mcp_server::{Server, http::MemoryEventStore};
    /// # let server = Server::new("ops", "1.0.0");
    /// let host = server.http().event_store(MemoryEventStore::new());
    /// ```
    #[must_use]
    pub fn event_store(self, store: impl EventStore) -> Self {
        self.set(|settings| settings.store = Some(Arc::new(store)))
    }

    /// Sets after which time a client comes back to a stream that has ended early, where there is an event store: 1 s
    /// by default.
    #[must_use]
    pub fn sse_retry(self, after: Duration) -> Self {
        self.set(|settings| settings.retry = after)
    }

    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// The server as a tower service: for [`axum::Router::nest_service`], or any other router.
    ///
    /// # Errors
    /// When an allow-list cannot be read.
    pub fn service(&self) -> Result<HttpService, HttpError> {
        let allow = self.allow().map_err(Problem::from)?;
        Ok(self.service_for(allow))
    }

    /// Binds `address` and serves at `/mcp` and `/`, until the future is dropped.
    ///
    /// # Errors
    /// When the address cannot be bound, or as [`Self::serve_on`].
    pub async fn serve(&self, address: impl ToSocketAddrs) -> Result<(), HttpError> {
        let listener = TcpListener::bind(address).await.map_err(Problem::Bind)?;
        self.serve_on(listener, std::future::pending()).await
    }

    /// Serves on `listener` at `/mcp` and `/`, until `shutdown` is ready: then nothing more is accepted, calls
    /// in flight get the drain time to end, and legacy sessions are closed.
    ///
    /// # Errors
    /// When `listener` is not on loopback and no host is allowed, or an allow-list cannot be read.
    pub async fn serve_on(
        &self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), HttpError> {
        let address = listener.local_addr().map_err(Problem::Bind)?;
        let allow = self.allow().map_err(Problem::from)?;
        if !address.ip().to_canonical().is_loopback() && !allow.names_hosts() {
            return Err(Problem::NoHosts { address }.into());
        }
        let service = self.service_for(allow);
        let app = Arc::clone(service.app());
        let paths: &[&str] = match self.settings.pair {
            true => &[
                "/mcp",
                "/mcp/",
                "/",
                "/sse",
                "/messages",
                "/mcp/sse",
                "/mcp/messages",
            ],
            false => &["/mcp", "/mcp/", "/"],
        };
        let router: Router = paths
            .iter()
            .fold(Router::new(), |router, path| {
                router.route_service(path, service.clone())
            })
            .fallback(not_found);
        let health = Health::default();
        let router = match self.settings.health {
            true => health.clone().routes(router),
            false => router,
        };
        tracing::info!(%address, "serving MCP at /mcp");
        let limits = self.core.limits.clone();
        let shutdown = async {
            shutdown.await;
            health.drain();
            // Streams that wait for news would wait out the whole drain time.
            app.end_streams();
        };
        let clock = Arc::clone(&self.settings.clock);
        let served = serve(listener, router, limits, clock, shutdown).await;
        app.close_all();
        if served.cut > 0 {
            tracing::warn!(connections = served.cut, "cut after the drain time");
        }
        Ok(())
    }

    pub(super) fn loopback_service(&self) -> HttpService {
        self.service_for(AllowList::loopback())
    }

    fn service_for(&self, allow: AllowList) -> HttpService {
        self.core.input.warn_without_keys();
        let app = Arc::new(App::new(Arc::clone(&self.core), self.settings.clone()));
        let service = transport::HttpService::new(Arc::clone(&app))
            .with_allow(allow)
            .with_limits(self.core.limits.clone())
            .with_clock(Arc::clone(&self.settings.clock));
        HttpService::new(service, app)
    }

    fn allow(&self) -> Result<AllowList, BadEntry> {
        let listed = |own: &Option<String>, variable: &str| {
            let own = own.clone();
            own.or_else(|| std::env::var(variable).ok())
                .unwrap_or_default()
        };
        let allow = AllowList::loopback()
            .with_hosts(&listed(&self.hosts, "MCP_ALLOWED_HOSTS"))?
            .with_origins(&listed(&self.origins, "MCP_ALLOWED_ORIGINS"))?;
        Ok(match &self.cors {
            Some(cors) => allow.with_cors(cors.clone()),
            None => allow,
        })
    }
}

impl fmt::Debug for HttpHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpHost")
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .field("cors", &self.cors)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

fn add(list: &mut Option<String>, entries: String) {
    match list {
        Some(list) => {
            list.push(',');
            list.push_str(&entries);
        }
        None => *list = Some(entries),
    }
}

async fn not_found() -> (StatusCode, [(http::HeaderName, &'static str); 1], Vec<u8>) {
    let error = ErrorObject::new(
        ErrorCode::INVALID_REQUEST,
        "Nothing is served at this path. Use POST /mcp.",
    );
    let mut text = Vec::new();
    write_error(&ErrorId::Omitted, &error, &mut text);
    let json = (http::header::CONTENT_TYPE, "application/json");
    (StatusCode::NOT_FOUND, [json], text)
}
