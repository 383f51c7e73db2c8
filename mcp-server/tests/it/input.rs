//! What handlers ask, in both eras: the rows of the reference on input.

mod constraints;
mod explicit;
mod fixtures;
mod lessons;
mod live;
mod others;
#[cfg(feature = "http")]
mod over_http;
mod spawned;
mod states;
