//! The whole stack from end to end: clients, the gateway and its specialists, over loopback HTTP, byte streams and memory.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails a test; clippy knows only the tests themselves as such"
)]

#[cfg(unix)]
mod by_command;
mod caller;
mod carried;
mod clearance;
mod failing;
mod house;
mod listening;
mod old_transport;
mod pipes;
mod recorder;
mod relay;
mod seeds;
mod sessions;
#[cfg(unix)]
mod sockets;
mod trip;
mod wait;
