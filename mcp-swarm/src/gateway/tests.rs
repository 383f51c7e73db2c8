//! The gateway end to end, in memory: both eras, and the lifecycle bugs of its predecessor.

mod building;
mod conversation;
mod fidelity;
mod lifecycle;
mod operation;
mod peer;
mod routing;
#[cfg(feature = "http")]
mod timer;
mod token;
mod world;
