//! Model Context Protocol servers: one set of handlers for every revision.
//!
//! | feature | adds |
//! |---|---|
//! | `http` | hosting on HTTP |
//! | `stdio` | hosting on stdin and stdout, or any byte stream |
//! | `test-util` | a scripted peer and a clock moved by hand |

pub mod answer;
pub mod call;
mod exchange;
mod outbox;
pub mod service;
pub mod session;

pub use mcp_errors as errors;
pub use mcp_types as types;
pub use schemars;

pub use crate::{
    answer::{Answer, IntoAnswer},
    call::Call,
    service::{BoxFuture, Layer, Service},
    session::Session,
};
