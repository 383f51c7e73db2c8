//! The two specialists. Each lets in only what a gateway handed over.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use mcp_server::{Args, Server, Tool, ToolError, schemars::JsonSchema};
use mcp_swarm::{Clearance, KeyRing, require_gateway_clearance};
use serde::Deserialize;

use crate::{log::Log, tap::Tap, triage::Carried};

/// The finance specialist's name in the gateway's registry.
pub(crate) const FINANCE: &str = "finance";

/// The support specialist's.
pub(crate) const SUPPORT: &str = "support";

#[derive(Deserialize, JsonSchema)]
struct Invoice {
    /// The number on the invoice.
    invoice: String,
}

#[derive(Deserialize, JsonSchema)]
struct Ticket {
    /// What it is about, in one line.
    subject: String,
}

/// Knows about invoices, payments and refunds.
pub(crate) fn finance(keys: KeyRing, log: &Log) -> Server {
    let seen = log.clone();
    let invoice_status = move |Args(Invoice { invoice }): Args<Invoice>, clearance: Clearance| {
        let seen = seen.clone();
        async move {
            let Carried {
                topic,
                conversation,
                ..
            } = carried(&clearance)?;
            seen.received(&conversation);
            // Which of the two to say follows from what was carried over, for the call does not say.
            let said = match topic.as_str() {
                "refund" => "the refund of 118.00 EUR was sent on 2026-07-27",
                _ => "paid in full on 2026-07-14",
            };
            Ok::<_, ToolError>(format!("Invoice {invoice}: {said}."))
        }
    };
    let tool = Tool::new("invoice_status", invoice_status)
        .description("What became of an invoice")
        .read_only();
    guarded(Server::new(FINANCE, "1.0.0").tool(tool), FINANCE, keys, log)
}

/// Takes whatever else there is.
pub(crate) fn support(keys: KeyRing, log: &Log) -> Server {
    let (seen, tickets) = (log.clone(), Arc::new(AtomicU64::new(1)));
    let open_ticket = move |Args(Ticket { subject }): Args<Ticket>, clearance: Clearance| {
        let (seen, tickets) = (seen.clone(), tickets.clone());
        async move {
            let Carried {
                intent,
                conversation,
                ..
            } = carried(&clearance)?;
            seen.received(&conversation);
            let number = tickets.fetch_add(1, Ordering::Relaxed);
            let said = format!("Ticket S-{number} is open: {subject} (asked for: {intent})");
            Ok::<_, ToolError>(said)
        }
    };
    let tool = Tool::new("open_ticket", open_ticket).description("Opens a support ticket");
    guarded(Server::new(SUPPORT, "1.0.0").tool(tool), SUPPORT, keys, log)
}

fn guarded(server: Server, name: &'static str, keys: KeyRing, log: &Log) -> Server {
    server
        .layer(require_gateway_clearance(name, keys.clone()))
        .layer(Tap::new(name, keys, log))
}

fn carried(clearance: &Clearance) -> Result<Carried, ToolError> {
    clearance.state().map_err(|error| {
        ToolError::bad_request(format!("the carried state is none of triage's: {error}"))
    })
}
