//! A gateway that hands a live conversation to a specialist and gets it back.
//!
//! The gateway is a layer around a server of its own. A handler of that server hands over by returning [`handoff`];
//! from then on the client works with the specialist's tools, until it calls the return tool:
//!
//! ```
//! use std::sync::Arc;
//!
//! use mcp_server::{Server, Tool};
//! use mcp_swarm::{Clearance, HandoffRequest, Secret, SwarmGateway, handoff, require_gateway_clearance};
//! # use mcp_transport::{Clock, clock::ManualClock};
//!
//! // The specialist: lets in only what a gateway hands over.
//! async fn invoice_status(clearance: Clearance) -> String {
//!     format!("carried: {}", clearance.state.as_str())
//! }
//! let secret = Secret::new("0123456789abcdef0123456789abcdef")?;
//! let finance = Server::new("finance", "1.0")
//!     .tool(Tool::new("invoice_status", invoice_status))
//!     .layer(require_gateway_clearance("finance", secret.clone()));
//!
//! // The gateway, and its own server.
//! async fn route() -> HandoffRequest {
//!     handoff("mcp://finance-agent").reason("Invoice question").carry(&serde_json::json!({"invoice": 42}))
//! }
//! # let clock: Arc<dyn Clock> = Arc::new(ManualClock::new());
//! let gateway = SwarmGateway::builder("triage")
//!     .specialist("support", "http://support-agent:8082")
//!     .specialist_endpoint("finance", move || Arc::new(finance.connect()))
//!     .delegation_secret(secret)
//! #   .clock(clock)
//!     .build()?;
//! let server = Server::new("triage", "1.0")
//!     .tool(Tool::new("route", route))
//!     .layer(gateway.layer());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A legacy client sees its list of tools swapped, and hears `list_changed`. A modern client's list never changes: it has
//! the tools of all specialists (`finance__invoice_status`), and passes the handle that `route` gave it as the
//! argument `handoff`. Every request to a specialist carries a delegation token of its own ([`proto::token`]) that says
//! who sent it, what for, and what was carried. What fails, fails with one of [`codes`].
//!
//! Without features this crate is what decides, and a gateway in front of specialists in the same process; with them
//! it also reaches others.
//!
//! | feature | adds |
//! |---|---|
//! | `http` | specialists reached over HTTP; idle handoffs end though nobody calls |
//! | `test-util` | the lower crates' scripted peer and manual clock |
//!
//! | module | decides |
//! |---|---|
//! | [`proto::token`] | how a token is signed and what a specialist lets in |
//! | [`proto::handoff`] | who is handed over to whom, and when that ends |
//! | [`proto::namespace`], [`proto::exposure`] | which tools a client sees, under which names, and the way back |
//! | [`proto::registry`], [`proto::target`] | which specialists there are, and which one a target means |
//! | [`proto::forward`], [`proto::trace`] | what of a message goes on to the next hop |
//! | [`proto::return_trip`], [`proto::ack`], [`proto::sanitize`] | how the conversation comes back, and what a report may say |
//! | [`store`], [`proto::states`] | where state waits that is too large for a token |
//! | [`gateway`], [`clearance`] | nothing: they drive the above, on the gateway's and the specialist's side |

pub mod clearance;
pub mod codes;
pub mod gateway;
mod handoff;
pub mod proto;
#[cfg(test)]
mod reports;
pub mod store;

pub use clearance::{Clearance, GatewayClearance, require_gateway_clearance};
pub use codes::SwarmCode;
pub use gateway::{GatewayError, SwarmGateway};
pub use handoff::{HandoffRequest, InvalidHandoff, MAX_REASON, handoff};
pub use proto::handoff::Principal;
pub use proto::namespace::{DomainName, Separator};
pub use proto::token::{HandoffAuthCode, HandoffAuthError, KeyRing, Secret};
pub use store::{HandoffStateStore, MemoryStates, StoreError};

/// The front page's examples, compiled.
#[cfg(all(doctest, feature = "http"))]
#[doc = include_str!("../../README.md")]
struct FrontPage;
