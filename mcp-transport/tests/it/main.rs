//! The crate from outside: what its fuzz targets say of their seeds.

mod seeds;
