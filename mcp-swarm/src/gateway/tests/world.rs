//! A gateway, two specialists and clients of both eras in one process, whose time is moved by hand.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use mcp_client::{Client, ListTools, Listener};
use mcp_server::{Args, Json, Server, Tool, schemars::JsonSchema};
use mcp_transport::memory::Memory;
use mcp_transport::{Clock, Endpoint, clock::ManualClock};
use mcp_types::Era;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::gateway::{Builder, SwarmGateway};
use crate::{Clearance, HandoffRequest, Secret, handoff, require_gateway_clearance};

pub(super) fn secret() -> Secret {
    Secret::new("0123456789abcdef0123456789abcdef").unwrap()
}

pub(super) struct World {
    pub(super) clock: ManualClock,
    pub(super) gateway: SwarmGateway,
    pub(super) server: Server,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Route {
    target: String,
    #[serde(default)]
    carry: Value,
}

async fn route(Args(Route { target, carry }): Args<Route>) -> HandoffRequest {
    let request = handoff(target).reason("Invoice question");
    if carry.is_null() {
        request
    } else {
        request.carry(&carry)
    }
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

/// Never answers.
async fn slow() -> String {
    std::future::pending().await
}

async fn open() -> &'static str {
    "opened"
}

async fn help() -> &'static str {
    "helped"
}

pub(super) fn finance(clock: &ManualClock) -> Server {
    Server::new("finance", "1.0")
        .tool(Tool::new("status", status).description("The status of an invoice."))
        .tool(Tool::new("slow", slow))
        .layer(require_gateway_clearance("finance", secret()).clock(Arc::new(clock.clone())))
}

pub(super) fn support(clock: &ManualClock) -> Server {
    Server::new("support", "1.0")
        .tool(Tool::new("open", open))
        .layer(require_gateway_clearance("support", secret()).clock(Arc::new(clock.clone())))
}

/// New connections to `server`, over its wire format.
pub(super) fn wire(server: Server) -> impl Fn() -> Arc<dyn Endpoint> + Send + Sync + 'static {
    move || Arc::new(Memory::strict(Arc::new(server.connect())))
}

impl World {
    pub(super) fn new() -> Self {
        Self::with(|builder, clock| {
            builder
                .specialist_endpoint("finance", wire(finance(clock)))
                .specialist_endpoint("support", wire(support(clock)))
        })
    }

    pub(super) fn with(furnish: impl FnOnce(Builder, &ManualClock) -> Builder) -> Self {
        let clock = ManualClock::new();
        let builder = SwarmGateway::builder("triage")
            .delegation_secret(secret())
            .clock(Arc::new(clock.clone()));
        let gateway = furnish(builder, &clock).build().unwrap();
        let server = Server::new("triage", "1.0")
            .tool(Tool::new("route", route))
            .tool(Tool::new("help", help))
            .layer(gateway.layer());
        Self {
            clock,
            gateway,
            server,
        }
    }

    pub(super) async fn modern(&self) -> Client {
        self.client(Era::Modern).await
    }

    pub(super) async fn legacy(&self) -> Client {
        self.client(Era::Legacy).await
    }

    pub(super) async fn client(&self, era: Era) -> Client {
        let clock: Arc<dyn Clock> = Arc::new(self.clock.clone());
        Client::builder("agent", "1.0")
            .pin(era)
            .clock(clock)
            .connect_endpoint(wire_to(&self.server))
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

fn wire_to(server: &Server) -> Arc<dyn Endpoint> {
    Arc::new(Memory::strict(Arc::new(server.connect())))
}

/// The code of a tool's error; empty where it did not fail.
pub(super) fn code(result: &Value) -> &str {
    match result["isError"] {
        Value::Bool(true) => result["structuredContent"]["code"].as_str().unwrap(),
        _ => "",
    }
}
