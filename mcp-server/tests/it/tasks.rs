//! Tasks, in both eras.

mod contract;
