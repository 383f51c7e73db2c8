//! The decisions of a server as pure machines: no IO, no clock.

#[cfg_attr(
    not(feature = "stdio"),
    allow(dead_code, reason = "byte streams alone need it")
)]
pub(crate) mod dispatch;
pub(crate) mod envelope;
pub(crate) mod era;
