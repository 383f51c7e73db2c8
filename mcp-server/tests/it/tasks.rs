//! Tasks, in both eras.

#[cfg(feature = "test-util")]
mod contract;
mod edges;
mod fixtures;
mod profiles;
mod reports;
mod rows;
mod suite;
