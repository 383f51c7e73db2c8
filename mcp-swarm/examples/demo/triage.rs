//! The gateway: one tool of its own, which chooses the specialist.

use mcp_server::{Args, Server, Tool, ToolError, schemars::JsonSchema};
use mcp_swarm::{SwarmGateway, handoff};
use serde::{Deserialize, Serialize};

use crate::log::Log;

/// The gateway's name: the issuer of its tokens, and the prefix of its return tool.
pub(crate) const TRIAGE: &str = "triage";

#[derive(Deserialize, JsonSchema)]
struct Route {
    /// What the user wants, in their words.
    intent: String,
}

/// What travels with a handoff, signed and outside the conversation.
#[derive(Serialize, Deserialize)]
pub(crate) struct Carried {
    pub(crate) intent: String,
    pub(crate) topic: String,
    /// Where the conversation is filed: of no use to a model, and never shown to one.
    pub(crate) conversation: String,
}

/// The gateway's server.
pub(crate) fn triage(gateway: &SwarmGateway, log: &Log) -> Server {
    let log = log.clone();
    let route = move |Args(Route { intent }): Args<Route>| {
        let log = log.clone();
        async move {
            let (target, reason, topic) = choose(&intent);
            let conversation = random_id()?;
            log.carries(&conversation);
            let state = Carried {
                intent,
                topic: topic.to_owned(),
                conversation,
            };
            Ok::<_, ToolError>(handoff(target).reason(reason).carry(&state))
        }
    };
    Server::new(TRIAGE, "1.0.0")
        .instructions("Call `route` with what the user wants; go on with the tools it names.")
        .tool(Tool::new("route", route).description("Finds the specialist for what the user wants"))
        .layer(gateway.layer())
}

fn choose(intent: &str) -> (&'static str, &'static str, &'static str) {
    const FINANCE: &str = "mcp://finance-agent";
    let intent = intent.to_lowercase();
    if intent.contains("refund") {
        (FINANCE, "A question about a refund", "refund")
    } else if intent.contains("invoice") || intent.contains("payment") {
        (FINANCE, "A question about an invoice", "payment")
    } else {
        ("mcp://support-agent", "A request for help", "help")
    }
}

fn random_id() -> Result<String, ToolError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        tracing::error!(%error, "the system has no randomness");
        ToolError::service_unavailable("no id could be made")
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
