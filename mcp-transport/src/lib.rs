//! Exchanges over stdio, HTTP and memory.

pub mod proto;
