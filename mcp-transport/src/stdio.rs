//! Messages as lines over byte streams: a child process at a client, whatever stream a server has.

#[cfg(all(feature = "client-stdio", unix))]
pub mod child;
#[cfg(feature = "client-stdio")]
pub mod duplex;
mod queue;
mod reader;

pub use queue::{Closed, Outbound, Queue, SendError, outbound};
pub use reader::LineReader;
