//! The envelope: which text is which message, and what is written reads back.

mod round_trip;
mod shape;
