//! The server as its users and its peers meet it, in memory and over byte streams.

#![allow(
    clippy::unwrap_used,
    reason = "what a test needs and does not get fails it"
)]

mod allocations;
#[cfg_attr(
    not(any(feature = "stdio", feature = "http")),
    allow(dead_code, reason = "most who ask need a host")
)]
mod asker;
mod calls;
#[cfg(feature = "validate")]
mod checked;
mod crowd;
#[cfg(all(feature = "stdio", feature = "http"))]
mod era_rows;
mod extractors;
mod failures;
mod feature_rows;
mod hints;
#[cfg(all(feature = "stdio", feature = "http"))]
mod hosts;
#[cfg(all(feature = "stdio", feature = "http"))]
mod http_rows;
// Questions are kept for a time, which without a host only a clock of one's own tells.
#[cfg(any(feature = "stdio", feature = "http"))]
mod input;
mod layers;
#[cfg(feature = "stdio")]
mod line_rows;
mod listening;
mod listing;
mod lists;
mod peer;
mod prompts;
#[cfg(all(feature = "stdio", feature = "http"))]
mod reports;
mod resources;
mod rows;
mod sessions;
#[cfg(all(unix, feature = "stdio"))]
mod sockets;
#[cfg(feature = "stdio")]
mod state_rows;
#[cfg(all(unix, feature = "stdio"))]
mod stdio;
#[cfg(feature = "stdio")]
mod stream;
mod tasks;
#[cfg(feature = "test-util")]
mod test_client;
#[cfg(feature = "stdio")]
mod threat_rows;
