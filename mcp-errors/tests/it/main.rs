//! Public bug reports about errors and vocabulary, as data: `../shared/cases/reports.jsonl`.

mod reports;
