//! The gateway end to end, in memory: both eras, and the lifecycle bugs of its predecessor.

mod conversation;
mod fidelity;
mod lifecycle;
mod peer;
mod routing;
mod token;
mod world;
