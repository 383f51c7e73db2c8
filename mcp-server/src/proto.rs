//! The decisions of a server as pure machines: no IO, no clock.

pub(crate) mod dispatch;
pub(crate) mod envelope;
pub(crate) mod era;
