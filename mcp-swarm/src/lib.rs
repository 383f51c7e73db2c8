//! A gateway that hands a live conversation to a specialist and gets it back.
//!
//! A handler of the gateway's server returns [`handoff`]`("mcp://finance-agent")`; the conversation goes on with the
//! specialist's tools until the return tool is called. Every request to a specialist carries a delegation token
//! ([`proto::token`]) that says who sent it and what for.
//!
//! Without features this crate is what decides; with them it also does.
//!
//! | feature | adds |
//! |---|---|
//! | `http` | specialists reached over HTTP |
//! | `test-util` | the lower crates' scripted peer and manual clock |
//!
//! | module | decides |
//! |---|---|
//! | [`proto::token`] | how a token is signed and what a specialist lets in |
//! | [`proto::handoff`] | who is handed over to whom, and when that ends |
//! | [`proto::namespace`] | under which names the specialists' tools are shown, and the way back |
//! | [`proto::registry`], [`proto::target`] | which specialists there are, and which one a target means |
//! | [`proto::return_trip`], [`proto::sanitize`] | how the conversation comes back, and what a report may say |
//! | [`store`], [`proto::states`] | where state waits that is too large for a token |

pub mod clearance;
pub mod codes;
mod handoff;
pub mod proto;
pub mod store;

pub use clearance::{Clearance, GatewayClearance, require_gateway_clearance};
pub use codes::SwarmCode;
pub use handoff::{HandoffRequest, InvalidHandoff, MAX_REASON, handoff};
pub use proto::namespace::{DomainName, Separator};
pub use proto::token::{HandoffAuthCode, HandoffAuthError, KeyRing, Secret};
pub use store::{HandoffStateStore, MemoryStates, StoreError};
