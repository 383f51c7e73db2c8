//! The vocabulary of the Model Context Protocol.
