//! MCP over HTTP: the drivers, and the vocabulary of the `http` crate that both ends speak.

#[cfg(feature = "client-http")]
pub mod client;
#[cfg(feature = "server-http")]
pub mod server;

pub use ::http::*;
