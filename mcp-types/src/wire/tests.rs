//! What each revision gets to see.

mod example;
mod golden;
mod output;
mod schema;
mod stamp;

use std::path::PathBuf;

/// The official schemas and examples, if this checkout lies beside them.
fn specification() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/spec");
    root.is_dir().then_some(root)
}
