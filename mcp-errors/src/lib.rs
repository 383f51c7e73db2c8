//! What can go wrong in the Model Context Protocol, whose fault it is, and what to do next.
//!
//! An error has three readers, and each gets its own view: the peer (an
//! [`ErrorObject`](mcp_types::ErrorObject), made by [`ProtocolError`], or a tool error, made by
//! [`ToolError`]), the caller ([`Failure`]), and the log ([`Violation`] and the sources).
//!
//! | module | holds |
//! |---|---|
//! | [`catalogue`] | every JSON-RPC error of MCP, with its data, per revision |
//! | [`envelope`] | a failed tool's result, as programs read it |
//! | [`failure`] | how a call failed: local, peer's or network's, and whether it ran |
//! | [`tool_code`] | the fourteen stable codes of tool errors, and what a caller does about each |
//! | [`tool_error`] | what a tool's handler fails with |
//! | [`violation`] | the rules that a peer can break |

pub mod catalogue;
pub mod envelope;
pub mod failure;
pub mod tool_code;
pub mod tool_error;
pub mod violation;

pub use crate::{
    catalogue::{ProtocolError, ProtocolErrorKind},
    envelope::ToolErrorEnvelope,
    failure::{Executed, Failure, FailureKind, Fault},
    tool_code::{Bucket, ToolErrorCode},
    tool_error::ToolError,
    violation::Violation,
};
