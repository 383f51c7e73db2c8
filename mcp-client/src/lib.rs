//! A client of the Model Context Protocol that reaches every server alive.
//!
//! One line connects: the client finds out whether the server is modern (2026-07-28, every request
//! stands alone) or legacy (2024-10-07 to 2025-11-25, opened by `initialize`), and behind a URL whether it
//! speaks streamable HTTP or only the HTTP+SSE of 2024-11-05; calls read the same everywhere.
//! Nothing waits without a deadline, and every error says whether the call may have run.
//!
//! ```
//! use std::{error::Error, sync::Arc};
//!
//! use mcp_client::Client;
//! use mcp_transport::Endpoint;
//!
//! async fn sum(server: Arc<dyn Endpoint>) -> Result<i64, Box<dyn Error>> {
//!     let client = Client::builder("my-agent", "1.0").connect_endpoint(server).await?;
//!     println!("{}", client.negotiation()); // what was tried, what was answered, what was chosen
//!     for tool in client.list_tools().await?.tools {
//!         println!("{}: {}", tool.name, tool.description.unwrap_or_default());
//!     }
//!     let sum: i64 = client.call("add", &serde_json::json!({ "a": 2, "b": 3 })).await?;
//!     client.close().await;
//!     Ok(sum)
//! }
//! ```
//!
//! Without features there are the machines under [`proto`] and a client over any
//! [`Endpoint`](mcp_transport::Endpoint); drivers are features.
//!
//! | feature | adds |
//! |---|---|
//! | `http` | `connect("https://…")`: servers behind a URL, over streamable HTTP or else HTTP+SSE |
//! | `stdio` | `connect("command args…")` and `connect_command`: servers as child processes; `connect("unix:///…")` and `connect("tcp://…")`: servers behind sockets |
//! | `test-util` | the scripted peer and the manual clock of `mcp-transport` |

pub mod builder;
pub mod client;
mod connection;
mod driver;
pub mod error;
mod headers;
pub mod link;
pub mod listen;
pub mod negotiation;
mod output;
pub mod proto;
pub mod request;
mod text;
mod wait;

/// How a server behind a URL is reached; for [`Builder::connect_http`].
#[cfg(feature = "http")]
pub use mcp_transport::http::client::{HttpClient, HttpClientBuilder, Redirects};
pub use mcp_transport::proto::limits::Limits;
#[cfg(feature = "stdio")]
pub use mcp_transport::stdio::child::ChildCommand;

pub use crate::{
    builder::Builder,
    client::Client,
    error::{ConnectError, Error, ErrorKind},
    link::Link,
    listen::Listener,
    negotiation::Negotiation,
    proto::pages::{SkippedTool, ToolList},
    request::{Ask, CallTool, ListTools, Pending, Ping, Running},
};
