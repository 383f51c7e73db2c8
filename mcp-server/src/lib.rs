//! Model Context Protocol servers: one set of handlers for every revision.
//!
//! | feature | adds |
//! |---|---|
//! | `http` | hosting on HTTP |
//! | `stdio` | hosting on stdin and stdout, or any byte stream |
//! | `test-util` | a scripted peer and a clock moved by hand |

pub mod answer;
pub mod call;
pub mod connection;
pub mod context;
mod core;
#[cfg(feature = "stdio")]
mod duplex;
mod exchange;
mod failed;
mod gate;
pub mod handler;
mod outbox;
mod path;
pub mod policy;
#[cfg_attr(
    not(all(feature = "stdio", feature = "http")),
    allow(dead_code, reason = "each host needs another part of the machines")
)]
mod proto;
mod registry;
mod router;
mod schema;
pub mod server;
pub mod service;
pub mod session;
#[cfg(feature = "stdio")]
mod stdio;
pub mod tool;

pub use mcp_errors::{self as errors, ToolError};
pub use mcp_transport::proto::limits::Limits;
pub use mcp_types as types;
pub use schemars;

pub use crate::{
    answer::{Answer, IntoAnswer, Json},
    call::Call,
    connection::Connection,
    context::Context,
    handler::{Args, Ext, FromCall, Handler, Headers},
    policy::EraPolicy,
    registry::Tools,
    server::Server,
    service::{BoxFuture, Layer, Service},
    session::Session,
    tool::{InvalidTool, Tool},
};
