//! The servers under test: two specialists and a gateway in front of them.

use std::{
    net::Ipv4Addr,
    sync::{Arc, Mutex, PoisonError},
};

use mcp_server::{Args, Context, Server, Tool, schemars::JsonSchema};
use mcp_swarm::{
    Clearance, HandoffRequest, KeyRing, Secret, SwarmGateway, gateway::Builder, handoff,
    require_gateway_clearance,
};
use mcp_types::tool::CallToolResult;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::{net::TcpListener, sync::mpsc, task::JoinHandle};

/// The result of finance's tool `rich`.
pub(crate) const RICH: &str = r#"{
    "content": [
        {"type": "text", "text": "two pages", "annotations": {"audience": ["user"], "priority": 0.50}},
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png", "_meta": {"com.example/page": 1}},
        {"type": "resource_link", "uri": "file:///invoice.pdf", "name": "invoice.pdf", "size": 1000}
    ],
    "structuredContent": {"total": 118.00, "big": 12345678901234567890123, "z": null, "a": "\u0041"},
    "isError": false,
    "_meta": {"com.example/trace": {"id": 7, "at": [1, 2.50]}}
}"#;

/// What the specialists saw and did.
#[derive(Clone)]
pub(crate) struct Seen {
    /// The state that each call of `status` and `open` carried.
    states: Arc<Mutex<Vec<String>>>,
    /// `started` and `dropped`, from the tool `hang`.
    pub(crate) hang: mpsc::UnboundedSender<&'static str>,
}

impl Seen {
    fn new() -> (Self, mpsc::UnboundedReceiver<&'static str>) {
        let (hang, hung) = mpsc::unbounded_channel();
        let states = Arc::default();
        (Self { states, hang }, hung)
    }

    /// The carried states so far.
    pub(crate) fn states(&self) -> Vec<String> {
        self.states
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn note(&self, clearance: &Clearance) {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        states.push(clearance.state.as_str().to_owned());
    }
}

/// A server on a free port of 127.0.0.1, until it is dropped.
pub(crate) struct Running {
    pub(crate) url: String,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves on a free port.
pub(crate) async fn serve(server: Server) -> Running {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    #[expect(
        clippy::disallowed_methods,
        reason = "aborted when the handle is dropped"
    )]
    let task = tokio::spawn(async move {
        server.serve_http_on(listener).await.unwrap();
    });
    Running { url, task }
}

/// The gateway and its specialists.
pub(crate) struct House {
    pub(crate) gateway: SwarmGateway,
    /// The gateway's server.
    pub(crate) triage: Server,
    pub(crate) seen: Seen,
    /// What [`Seen::hang`] gets.
    pub(crate) hung: mpsc::UnboundedReceiver<&'static str>,
    _specialists: Vec<Running>,
}

impl House {
    /// Specialists behind HTTP.
    pub(crate) async fn over_http(furnish: impl FnOnce(Builder) -> Builder) -> Self {
        let (seen, hung) = Seen::new();
        let finance = serve(finance(secret(), &seen)).await;
        let support = serve(support(secret(), &seen)).await;
        let builder = SwarmGateway::builder("triage")
            .specialist("finance", &finance.url)
            .specialist("support", &support.url);
        Self::build(furnish(builder), seen, hung, vec![finance, support])
    }

    /// Specialists in this process.
    pub(crate) fn in_memory() -> Self {
        let (seen, hung) = Seen::new();
        let finance = finance(secret(), &seen);
        let support = support(secret(), &seen);
        let builder = SwarmGateway::builder("triage")
            .specialist_endpoint("finance", move || Arc::new(finance.connect()))
            .specialist_endpoint("support", move || Arc::new(support.connect()));
        Self::build(builder, seen, hung, Vec::new())
    }

    /// Finance at this address, and no support.
    pub(crate) fn only_finance(url: &str, furnish: impl FnOnce(Builder) -> Builder) -> Self {
        let (seen, hung) = Seen::new();
        let builder = SwarmGateway::builder("triage").specialist("finance", url);
        Self::build(furnish(builder), seen, hung, Vec::new())
    }

    fn build(
        builder: Builder,
        seen: Seen,
        hung: mpsc::UnboundedReceiver<&'static str>,
        specialists: Vec<Running>,
    ) -> Self {
        let gateway = builder.delegation_secret(secret()).build().unwrap();
        let triage = Server::new("triage", "1.0")
            .tool(Tool::new("route", route))
            .layer(gateway.layer());
        Self {
            gateway,
            triage,
            seen,
            hung,
            _specialists: specialists,
        }
    }
}

/// The secret that all share but those who are said not to.
pub(crate) fn secret() -> Secret {
    Secret::new("the secret that the whole house shares").unwrap()
}

#[derive(Deserialize, JsonSchema)]
struct Route {
    to: String,
    #[serde(default)]
    carry: Map<String, Value>,
}

async fn route(Args(Route { to, carry }): Args<Route>) -> HandoffRequest {
    handoff(format!("mcp://{to}-agent"))
        .reason("Asked for")
        .carry(&carry)
}

#[derive(Deserialize, JsonSchema)]
struct Status {
    invoice: String,
}

#[derive(Deserialize, JsonSchema)]
struct Open {
    subject: String,
}

/// Tools: `status {invoice}`, `rich`, `steps`, `hang`.
pub(crate) fn finance(keys: impl Into<KeyRing>, seen: &Seen) -> Server {
    let (noting, hanging) = (seen.clone(), seen.hang.clone());
    let status = move |Args(Status { invoice }): Args<Status>, clearance: Clearance| {
        noting.note(&clearance);
        async move { format!("Invoice {invoice} is paid; {} asks", clearance.issuer) }
    };
    let rich = async || serde_json::from_str::<CallToolResult>(RICH).unwrap();
    let hang = move || {
        let hanging = Hanging(hanging.clone());
        async move {
            let _dropped_with_the_call = hanging.start();
            std::future::pending::<String>().await
        }
    };
    Server::new("finance", "1.0")
        .tool(Tool::new("status", status).description("What became of an invoice"))
        .tool(Tool::new("rich", rich))
        .tool(Tool::new("steps", steps))
        .tool(Tool::new("hang", hang))
        .layer(require_gateway_clearance("finance", keys))
}

/// Tools: `open {subject}`.
pub(crate) fn support(keys: impl Into<KeyRing>, seen: &Seen) -> Server {
    let noting = seen.clone();
    let open = move |Args(Open { subject }): Args<Open>, clearance: Clearance| {
        noting.note(&clearance);
        async move { format!("A ticket is open: {subject}") }
    };
    Server::new("support", "1.0")
        .tool(Tool::new("open", open))
        .layer(require_gateway_clearance("support", keys))
}

async fn steps(cx: Context) -> &'static str {
    for (step, name) in (1..).zip(["one", "two", "three"]) {
        cx.progress(step, 3, name).await;
    }
    "all three"
}

/// Tells when a call that never ends began, and when it was dropped.
struct Hanging(mpsc::UnboundedSender<&'static str>);

impl Hanging {
    fn start(self) -> Self {
        self.0.send("started").unwrap();
        self
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        // The test may be over.
        let _over = self.0.send("dropped");
    }
}

/// Specialists that nobody watches.
pub(crate) fn unwatched() -> Seen {
    Seen::new().0
}
