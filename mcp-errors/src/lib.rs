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
//! | [`retry`] | whether a failed call is repeated, and when: policy, budget, breaker, as pure code |
//! | [`retry_after`] | when a server wants to be asked again |
//! | [`tool_code`] | the stable codes of tool errors, and what a caller does about each |
//! | [`tool_error`] | what a tool's handler fails with |
//! | [`upstream`] | what an upstream's HTTP answer means, as one of the stable codes |
//! | [`violation`] | the rules that a peer can break |

pub mod catalogue;
pub mod envelope;
pub mod failure;
pub mod retry;
pub mod retry_after;
pub mod tool_code;
pub mod tool_error;
pub mod upstream;
pub mod violation;

pub use crate::{
    catalogue::{ProtocolError, ProtocolErrorKind},
    envelope::ToolErrorEnvelope,
    failure::{Executed, Failure, FailureKind, Fault},
    retry::Retry,
    retry_after::RetryAfter,
    tool_code::{Bucket, ToolErrorCode},
    tool_error::ToolError,
    upstream::UpstreamAnswer,
    violation::Violation,
};
