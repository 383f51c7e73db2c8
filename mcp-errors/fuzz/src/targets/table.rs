//! What must hold for any bytes, as plain functions: libFuzzer and the crate's own tests both call them.

mod retry;
mod tool_error;
mod wait;

/// A target: it panics where something does not hold.
pub(crate) type Target = fn(&[u8]);

/// Every target of this crate, by the name of its folder of seeds.
pub(crate) const TARGETS: &[(&str, Target)] = &[
    ("retry", retry::retry),
    ("retry_after", wait::retry_after),
    ("tool_error", tool_error::tool_error),
    ("upstream", wait::upstream),
];
