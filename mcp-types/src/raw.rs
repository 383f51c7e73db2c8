//! JSON kept as it came: a value, an object, the parameters of a message.
//!
//! A proxy forwards what it does not understand, and may edit one member of an object without
//! touching the rest. Text is kept, so numbers, escapes and order survive.

use std::collections::HashSet;

mod error;
mod object;
mod params;
mod value;

pub(crate) use self::error::inner;
pub(crate) use self::params::Located;
pub(crate) use self::value::RAW_VALUE;
pub use self::{error::DecodeError, object::RawObject, params::RawParams, value::RawJson};

/// A name that stands twice. A peer chooses how many names there are, so many are hashed.
pub(crate) fn twice<'a>(mut names: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    const FEW: usize = 16;
    let count = names.clone().count();
    if count > FEW {
        let mut seen = HashSet::with_capacity(count);
        return names.find(|name| !seen.insert(*name));
    }
    while let Some(name) = names.next() {
        if names.clone().any(|later| later == name) {
            return Some(name);
        }
    }
    None
}

#[cfg(test)]
mod tests;
