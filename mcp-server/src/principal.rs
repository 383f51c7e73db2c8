//! On whose behalf a request comes.

use std::{fmt, sync::Arc};

/// On whose behalf a request comes; what authenticates callers puts it into the extensions of the HTTP request, or of
/// the call.
///
/// A session belongs to the principal that opened it, to others it does not exist; and so does what a call has asked
/// so far. Requests without one are nobody's, and share sessions by their ids alone.
#[derive(Clone, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a name with a meaning")]
pub struct Principal(pub Arc<str>);

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Principal(…)")
    }
}
