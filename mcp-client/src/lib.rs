//! A client that reaches every server.
