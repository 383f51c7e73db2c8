//! The rows of the decision tables, by name.
