//! The crate from outside: public bug reports about errors and vocabulary, as data (`../shared/cases/reports.jsonl`), and
//! what its fuzz targets say of their seeds.

#![allow(
    clippy::unwrap_used,
    reason = "what a test needs and does not get fails it"
)]

mod reports;
mod seeds;
