//! The standard streams of this process, as a server uses them.
//!
//! A server reads lines with [`LineReader`] and writes through one [`Queue`](super::Queue), over these streams or any
//! others. Nothing else may be written to stdout; logs go to stderr.

use tokio::io::{Stdin, Stdout};

use super::LineReader;
use crate::proto::limits::Limits;

/// Lines of this process's stdin, of at most [`Limits::server_line`] bytes.
///
/// Reading happens on a thread that cannot be interrupted: a runtime that is dropped while stdin is open waits for its
/// next byte. Shut the runtime down in the background, or end the process.
pub fn stdin(limits: &Limits) -> LineReader<Stdin> {
    LineReader::new(tokio::io::stdin(), limits.server_line)
}

/// This process's stdout, for [`Queue::write_to`](super::Queue::write_to).
pub fn stdout() -> Stdout {
    tokio::io::stdout()
}
