//! Exchanges over stdio, HTTP and memory.
