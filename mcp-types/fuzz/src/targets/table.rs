//! What must hold for any bytes, as plain functions: libFuzzer and the crate's own tests both call them.

mod envelope;
mod messages;
mod names;
mod oracle;
mod schema;
mod strict;
mod valid;

/// A target: it panics where something does not hold.
pub(crate) type Target = fn(&[u8]);

/// Every target of this crate, by the name of its folder of seeds.
pub(crate) const TARGETS: &[(&str, Target)] = &[
    ("envelope", envelope::envelope),
    ("name", names::names),
    ("notification", messages::notification),
    ("params", messages::params),
    ("result", messages::result),
    ("schema", schema::schema),
    ("strict", strict::strict),
];
