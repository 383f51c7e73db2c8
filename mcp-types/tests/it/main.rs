//! The crate from outside: what decoding costs.

mod allocations;
