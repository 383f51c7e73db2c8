//! What handlers ask, in both eras: the rows of the reference on input.

mod constraints;
mod explicit;
mod fixtures;
mod lessons;
mod live;
mod spawned;
mod states;
