//! What the client decides, as pure machines: no IO, no clock, no randomness.

pub mod command;
pub(crate) mod deadline;
pub(crate) mod mirrors;
pub mod pages;
pub mod probe;
