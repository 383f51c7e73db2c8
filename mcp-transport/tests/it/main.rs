//! The crate from outside: what its fuzz targets say of their seeds, and what is left of servers it started.

mod seeds;
#[cfg(all(unix, feature = "client-stdio"))]
mod survivors;
