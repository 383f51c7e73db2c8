//! Peers for tests, of this crate's users too: a script that answers as it was told.

mod script;

pub use script::{Problem, Script, ScriptedServer};
