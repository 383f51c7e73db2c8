//! What must hold for any bytes, as plain functions: libFuzzer and the crate's own tests both call them.

mod handle;
mod text;
mod token;

/// A target: it panics where something does not hold.
pub(crate) type Target = fn(&[u8]);

/// Every target of this crate, by the name of its folder of seeds.
pub(crate) const TARGETS: &[(&str, Target)] = &[
    ("claims", token::claims),
    ("destination", handle::destination),
    ("handle", handle::handle),
    ("text", text::text),
    ("token", token::token),
];
