//! Model Context Protocol servers: one set of handlers for every revision.
//!
//! A handler is an async function; what it takes and gives says what its tool takes and gives. It
//! never asks which era its client is of: 2026-07-28, where each request stands alone, or 2024-10-07
//! to 2025-11-25, where `initialize` opens a session. The host finds that out, connection by
//! connection.
//!
#![cfg_attr(feature = "stdio", doc = "```no_run")]
#![cfg_attr(not(feature = "stdio"), doc = "```ignore")]
//! # use serde::{Deserialize, Serialize};
//! use mcp_server::{Args, Json, Server, Tool, schemars::{self, JsonSchema}};
//!
//! #[derive(Deserialize, JsonSchema)] struct Add { a: i64, b: i64 }
//! #[derive(Serialize, JsonSchema)]   struct Sum { sum: i64 }
//!
//! async fn add(Args(Add { a, b }): Args<Add>) -> Json<Sum> { Json(Sum { sum: a + b }) }
//!
//! #[tokio::main]
//! async fn main() -> std::io::Result<()> {
//!     let add = Tool::new("add", add).description("Adds two integers").read_only();
//!     Server::new("calculator", "1.0.0").tool(add).serve_stdio().await
//! }
//! ```
//!
//! Without features this crate is handlers, tools, layers, the pure machines that tell eras apart, and
//! [`Server::connect`], a connection within the process; no runtime is in its tree.
//!
//! | feature | adds |
//! |---|---|
//! | `http` | hosting on HTTP |
//! | `http2` | HTTP/2 there, beside HTTP/1.1 |
//! | `stdio` | hosting on stdin and stdout, on Unix sockets and TCP, or any byte stream |
//! | `test-util` | `test_util`: a client to test servers with, a scripted peer, a clock moved by hand |
//! | `validate` | `validate::JsonSchema`, which checks arguments and results against the schemas of tools |
//!
//! | where to look | for |
//! |---|---|
//! | [`Server`] | what is offered, and where it is hosted |
//! | [`Tool`], [`Resource`], [`ResourceTemplate`], [`Prompt`] | what can be offered |
//! | [`Handler`] | the functions that can be one of these |
//! | [`Args`], [`Vars`], [`Context`], [`Headers`], [`Header`], [`ClientInfo`], [`Principal`], [`Extension`] | what a handler can take |
//! | [`Json`], [`Messages`], [`IntoAnswer`], [`kind`], [`ToolError`] | what it can give, and how it fails |
//! | [`Layer`], [`Service`], [`Call`], [`Answer`] | what goes around handlers |
//! | [`Tools`], [`Resources`], [`Prompts`], [`Hub`] | what changes while a server runs, and who hears of it |
//! | [`input`] | what a handler asks in the middle of a call |
//! | [`SubscriptionPolicy`] | how clients of 2026-07-28 hear of changes |
//! | [`task`] | calls that go on after the answer |
//! | [`Session`] | a legacy client's connection |
//! | [`EraPolicy`] | which eras are served, and how they are told apart |

pub mod answer;
pub mod cache;
pub mod call;
pub mod completion;
pub mod connection;
pub mod context;
mod core;
mod described;
#[cfg(feature = "stdio")]
mod duplex;
mod exchange;
pub mod extract;
mod failed;
mod features;
mod gate;
pub mod handler;
#[cfg(feature = "http")]
pub mod http;
pub mod hub;
pub mod input;
pub mod kind;
mod listen;
pub mod method;
mod outbox;
mod path;
pub mod policy;
mod principal;
pub mod prompt;
mod prompts;
#[cfg_attr(
    not(all(feature = "stdio", feature = "http")),
    allow(dead_code, reason = "each host needs another part of the machines")
)]
mod proto;
mod registry;
pub mod resource;
mod resources;
mod router;
mod schema;
pub mod server;
pub mod service;
pub mod session;
#[cfg(feature = "stdio")]
pub mod socket;
#[cfg(feature = "stdio")]
mod stdio;
pub mod task;
#[cfg(feature = "test-util")]
pub mod test_util;
pub mod tool;
mod tools;
pub mod validate;
pub mod vars;
mod wishes;

pub use mcp_errors::{self as errors, ToolError};
pub use mcp_transport::proto::limits::Limits;
pub use mcp_types::{self as types, logging::LogLevel, wire::TextMirror};
/// Schemas of Rust types. Its derive looks for the name `schemars` where it is used: bring it in with
/// `use mcp_server::schemars::{self, JsonSchema};`, or depend on the crate.
pub use schemars;

pub use crate::{
    answer::{Answer, IntoAnswer, Json},
    cache::{CacheHint, List},
    call::Call,
    completion::Completing,
    connection::Connection,
    context::Context,
    extract::{ClientInfo, Extension, Header, Headers},
    handler::{Args, FromCall, Handler},
    hub::{Change, Hub, TaskChange},
    input::{AskError, Elicited, InputPolicy, KeyRing},
    listen::SubscriptionPolicy,
    method::Params,
    policy::EraPolicy,
    principal::Principal,
    prompt::{InvalidPrompt, Messages, Prompt},
    prompts::Prompts,
    resource::{InvalidResource, Resource, ResourceTemplate},
    resources::Resources,
    server::Server,
    service::{BoxFuture, Layer, Service},
    session::Session,
    tool::{InvalidTool, Tool},
    tools::Tools,
    validate::SchemaCheck,
    vars::{Uri, Vars},
};
