//! A gateway, two specialists and clients of both eras in one process, whose time is moved by hand.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use mcp_client::{Client, ListTools, Listener};
use mcp_server::{Args, Context, Json, Server, Tool, schemars::JsonSchema};
use mcp_transport::memory::Memory;
use mcp_transport::{Clock, Endpoint, clock::ManualClock};
use mcp_types::Era;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::gateway::{Builder, SwarmGateway};
use crate::{Clearance, HandoffRequest, MemoryStates, Secret, handoff, require_gateway_clearance};

pub(super) fn secret() -> Secret {
    Secret::new("0123456789abcdef0123456789abcdef").unwrap()
}

pub(super) struct World {
    pub(super) clock: ManualClock,
    pub(super) gateway: SwarmGateway,
    pub(super) server: Server,
    /// What the gateway's tool `both` waits for before it hands over.
    pub(super) second: Latch,
    /// What finance's tool `gated` waits for.
    pub(super) gate: Latch,
}

/// What specialists are made from.
pub(super) struct Parts {
    pub(super) clock: ManualClock,
    pub(super) gate: Latch,
    pub(super) store: Arc<MemoryStates>,
}

/// Lets everyone through once it is let go.
#[derive(Clone)]
pub(super) struct Latch(Arc<Semaphore>);

impl Latch {
    fn new() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    pub(super) fn let_go(&self) {
        self.0.add_permits(1);
    }

    async fn wait(&self) {
        let _permit = self.0.acquire().await.unwrap();
    }
}

#[derive(Deserialize, JsonSchema)]
struct Route {
    target: String,
    #[serde(default)]
    carry: Value,
}

impl Route {
    fn request(&self) -> HandoffRequest {
        let request = handoff(&self.target).reason("Invoice question");
        if self.carry.is_null() {
            request
        } else {
            request.carry(&self.carry)
        }
    }
}

async fn route(Args(route): Args<Route>) -> HandoffRequest {
    route.request()
}

async fn help() -> &'static str {
    "helped"
}

#[derive(Deserialize, JsonSchema)]
struct Status {
    n: i64,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    n: i64,
    carried: Value,
}

async fn status(Args(Status { n }): Args<Status>, clearance: Clearance) -> Json<Found> {
    let carried = clearance.state().unwrap();
    Json(Found { n, carried })
}

/// Never answers, but says that it has begun.
async fn slow(cx: Context) -> String {
    cx.progress(1, 3, "begun").await;
    std::future::pending().await
}

async fn steps(cx: Context) -> &'static str {
    cx.progress(1, 2, "one").await;
    cx.progress(2, 2, "two").await;
    "done"
}

async fn open() -> &'static str {
    "opened"
}

pub(super) fn finance(parts: &Parts) -> Server {
    let gate = parts.gate.clone();
    let gated = move || {
        let gate = gate.clone();
        async move {
            gate.wait().await;
            "through"
        }
    };
    let clearance = require_gateway_clearance("finance", secret())
        .state_store(parts.store.clone())
        .clock(Arc::new(parts.clock.clone()));
    Server::new("finance", "1.0")
        .tool(Tool::new("status", status).description("The status of an invoice."))
        .tool(Tool::new("slow", slow))
        .tool(Tool::new("steps", steps))
        .tool(Tool::new("gated", gated))
        .layer(clearance)
}

pub(super) fn support(parts: &Parts) -> Server {
    let clearance = require_gateway_clearance("support", secret());
    Server::new("support", "1.0")
        .tool(Tool::new("open", open))
        .layer(clearance.clock(Arc::new(parts.clock.clone())))
}

/// New connections to `server`, over its wire format.
pub(super) fn wire(server: Server) -> impl Fn() -> Arc<dyn Endpoint> + Send + Sync + 'static {
    move || wire_to(&server)
}

fn wire_to(server: &Server) -> Arc<dyn Endpoint> {
    Arc::new(Memory::strict(Arc::new(server.connect())))
}

impl World {
    pub(super) fn new() -> Self {
        Self::with(|builder, parts| {
            builder
                .specialist_endpoint("finance", wire(finance(parts)))
                .specialist_endpoint("support", wire(support(parts)))
        })
    }

    /// One specialist `doer`.
    pub(super) fn of(doer: Server) -> Self {
        Self::with(|builder, _| builder.specialist_endpoint("doer", wire(doer)))
    }

    pub(super) fn with(furnish: impl FnOnce(Builder, &Parts) -> Builder) -> Self {
        let (clock, gate, second) = (ManualClock::new(), Latch::new(), Latch::new());
        let store = Arc::new(MemoryStates::new(Arc::new(clock.clone())));
        let parts = Parts {
            clock,
            gate,
            store: store.clone(),
        };
        let builder = SwarmGateway::builder("triage")
            .delegation_secret(secret())
            .state_store(store)
            .clock(Arc::new(parts.clock.clone()));
        let gateway = furnish(builder, &parts).build().unwrap();
        let latch = second.clone();
        let both = move |Args(route): Args<Route>| {
            let latch = latch.clone();
            async move {
                latch.wait().await;
                route.request()
            }
        };
        let server = Server::new("triage", "1.0")
            .tool(Tool::new("route", route))
            .tool(Tool::new("help", help))
            .tool(Tool::new("both", both))
            .layer(gateway.layer());
        Self {
            clock: parts.clock,
            gateway,
            server,
            second,
            gate: parts.gate,
        }
    }

    pub(super) async fn modern(&self) -> Client {
        self.client(Era::Modern).await
    }

    pub(super) async fn legacy(&self) -> Client {
        self.client(Era::Legacy).await
    }

    async fn client(&self, era: Era) -> Client {
        self.client_of(era, wire_to(&self.server)).await
    }

    pub(super) async fn client_of(&self, era: Era, endpoint: Arc<dyn Endpoint>) -> Client {
        let clock: Arc<dyn Clock> = Arc::new(self.clock.clone());
        Client::builder("agent", "1.0")
            .pin(era)
            .clock(clock)
            .connect_endpoint(endpoint)
            .await
            .unwrap()
    }

    /// The names of all tools.
    pub(super) async fn list(&self, client: &Client) -> Vec<String> {
        let list = client.list_tools().await.unwrap();
        list.names().map(ToOwned::to_owned).collect()
    }

    /// The bytes of the list.
    pub(super) async fn list_bytes(&self, client: &Client) -> String {
        let reply = client.request(ListTools::new()).send_raw().await.unwrap();
        reply.result.as_str().to_owned()
    }

    /// Whether the client was told that its tools changed, which is then forgotten.
    pub(super) async fn changed(&self, heard: &mut Listener) -> bool {
        let next = poll_fn(|cx| match heard.poll_next(cx) {
            Poll::Ready(next) => Poll::Ready(next.unwrap()),
            Poll::Pending => Poll::Ready(None),
        });
        match next.await {
            Some(told) => told.method == "notifications/tools/list_changed",
            None => false,
        }
    }

    /// The result, or `{"error": {code, message}}`.
    pub(super) async fn call(&self, client: &Client, tool: &str, args: Value) -> Value {
        match client.call_raw(tool, &args).await {
            Ok(reply) => reply.result.decode().unwrap(),
            Err(error) => match error.failure().and_then(|failure| failure.peer_error()) {
                Some(error) => json!({"error": {"code": error.code.0, "message": error.message}}),
                None => panic!("{error:?}"),
            },
        }
    }
}

/// The code of a tool's error; empty where it did not fail.
pub(super) fn code(result: &Value) -> &str {
    assert!(result.get("error").is_none(), "{result}");
    match result["isError"] {
        Value::Bool(true) => result["structuredContent"]["code"].as_str().unwrap(),
        _ => "",
    }
}

/// The handle of a handoff.
pub(super) fn handle(result: &Value) -> String {
    let handle = &result["structuredContent"]["handoff"]["handle"];
    handle
        .as_str()
        .unwrap_or_else(|| panic!("{result}"))
        .to_owned()
}
