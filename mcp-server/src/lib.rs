//! Servers: one set of handlers for every revision.
