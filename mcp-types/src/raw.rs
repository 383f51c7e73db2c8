//! JSON kept as it came: a value, an object, the parameters of a message.
//!
//! A proxy forwards what it does not understand, and may edit one member of an object without
//! touching the rest. Text is kept, so numbers, escapes and order survive.

mod object;
mod params;
mod value;

pub(crate) use self::params::{Members, Twice};
pub use self::{object::RawObject, params::RawParams, value::RawJson};

#[cfg(test)]
mod tests;
