//! The decisions of a server as pure machines: no IO, no clock.

pub(crate) mod cursor;
pub(crate) mod dispatch;
#[cfg(feature = "validate")]
pub(crate) mod effort;
pub(crate) mod envelope;
pub(crate) mod era;
pub(crate) mod form;
#[cfg(feature = "http")]
pub(crate) mod http_era;
pub(crate) mod listen;
pub(crate) mod mirror;
pub(crate) mod moment;
#[cfg(feature = "http")]
pub(crate) mod pair;
pub(crate) mod rounds;
pub(crate) mod sealed;
#[cfg(feature = "http")]
pub(crate) mod sessions;
#[cfg(feature = "stdio")]
pub(crate) mod storm;
#[cfg(feature = "http")]
pub(crate) mod streams;
pub(crate) mod task;
pub(crate) mod template;
pub(crate) mod texts;
