//! The decisions of the transports as pure machines: no IO, no clock, no randomness.

pub mod address;
pub mod answer;
pub mod headers;
pub mod http;
pub mod limits;
pub mod lines;
pub mod mirror;
pub mod mux;
#[cfg(any(test, all(windows, feature = "client-stdio")))]
pub(crate) mod program;
pub mod resume;
pub mod sse;
pub mod status;
