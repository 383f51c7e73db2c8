//! What can go wrong, whose fault it is, and what to do next.
