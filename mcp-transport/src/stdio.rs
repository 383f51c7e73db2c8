//! Messages as lines over byte streams: a child process at a client, stdin and stdout at a server.

#[cfg(all(feature = "client-stdio", unix))]
mod child;
#[cfg(feature = "client-stdio")]
mod duplex;
mod queue;
mod reader;
#[cfg(feature = "server-stdio")]
mod server;

#[cfg(all(feature = "client-stdio", unix))]
pub use child::{Child, ChildCommand, ChildEnded, INHERITED};
#[cfg(feature = "client-stdio")]
pub use duplex::{Duplex, DuplexDriver, Noise};
pub use queue::{Closed, Outbound, Queue, SendError, outbound};
pub use reader::LineReader;
#[cfg(feature = "server-stdio")]
pub use server::{stdin, stdout};
