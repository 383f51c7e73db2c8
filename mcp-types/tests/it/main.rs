//! The crate from outside: what decoding costs, and what its fuzz targets say of their seeds.

mod allocations;
mod inspect;
mod seeds;
