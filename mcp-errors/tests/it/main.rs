//! Public bug reports about errors and vocabulary, as data: `../shared/cases/reports.jsonl`.

#![allow(
    clippy::unwrap_used,
    reason = "what a test needs and does not get fails it"
)]

mod reports;
