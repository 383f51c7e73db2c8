//! Messages as lines over byte streams: a child process or a socket at a client, whatever stream a server has.

#[cfg(all(feature = "client-stdio", any(unix, windows)))]
pub mod child;
#[cfg(feature = "client-stdio")]
mod closing;
#[cfg(feature = "client-stdio")]
pub mod duplex;
mod queue;
mod reader;
#[cfg(feature = "client-stdio")]
pub mod socket;

pub use queue::{Closed, Outbound, Queue, SendError, outbound};
pub use reader::LineReader;
