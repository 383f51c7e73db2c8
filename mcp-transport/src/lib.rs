//! Exchanges of the Model Context Protocol over stdio, HTTP and memory.
//!
//! A transport's unit is one request's [`Exchange`]: its notifications, then exactly one outcome.
//! A client's transport opens exchanges on a wire, a server opens them on its handlers; both are an
//! [`Endpoint`].
//!
//! Without features this crate is the seam and the pure machines under [`proto`].
//!
//! | feature | adds |
//! |---|---|
//! | `client-http` | the HTTP clients: streamable, and the deprecated HTTP+SSE |
//! | `client-stdio` | servers as child processes, and behind sockets |
//! | `compression` | answers with gzip, for HTTP clients that turn it on |
//! | `http2` | HTTP/2 at the HTTP server, beside HTTP/1.1 |
//! | `server-http` | the HTTP server |
//! | `server-stdio` | serving over any byte stream |
//! | `test-util` | a scripted peer, faults that a seed says, and a clock moved by hand |

mod ask;
pub mod clock;
pub mod exchange;
pub mod http;
pub mod memory;
mod message;
#[cfg(any(feature = "server-http", feature = "server-stdio"))]
pub mod peers;
pub mod proto;
#[cfg(test)]
mod reports;
#[cfg(any(feature = "client-http", feature = "client-stdio"))]
mod slot;
#[cfg(any(feature = "client-stdio", feature = "server-stdio"))]
pub mod stdio;
#[cfg(feature = "test-util")]
pub mod test_util;

pub use ::http::Extensions;

pub use crate::{
    ask::{Ask, AskAnswer, AskReply},
    clock::Clock,
    exchange::{Endpoint, Event, Exchange, Full, Notification, Reply, Request},
};
