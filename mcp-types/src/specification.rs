//! Where the official schemas and examples are, for the tests that need them.

use std::path::{Path, PathBuf};

/// The folder `shared/spec` beside this checkout, if there is one.
pub(crate) fn specification() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|parent| parent.join("shared/spec"))
        .find(|root| root.is_dir())
}
