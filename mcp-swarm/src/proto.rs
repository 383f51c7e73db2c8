//! Every decision of the gateway and its specialists, as code that does no input or output.
//!
//! Time, randomness and what a store answered are arguments. The drivers around it decide nothing.

pub mod ack;
pub mod exposure;
pub mod forward;
pub mod handoff;
pub mod moment;
pub mod namespace;
pub mod registry;
pub mod return_trip;
pub mod sanitize;
pub mod states;
pub mod target;
pub mod token;
pub mod trace;
