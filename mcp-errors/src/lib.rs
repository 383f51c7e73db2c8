//! What can go wrong in the Model Context Protocol, whose fault it is, and what to do next.
//!
//! An error has three readers, and each gets its own view: the peer (an
//! [`ErrorObject`](mcp_types::ErrorObject) or a tool error), the caller ([`Failure`]), and the log.
//!
//! | module | holds |
//! |---|---|
//! | [`failure`] | how a call failed: local, peer's or network's, and whether it ran |

pub mod failure;

pub use crate::failure::{Executed, Failure, FailureKind, Fault};
