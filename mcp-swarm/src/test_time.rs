//! A moment for the tests of machines to count from.

use std::time::Instant;

/// Some moment; all others in a test are this one and a duration.
#[expect(
    clippy::disallowed_methods,
    reason = "an `Instant` comes from nowhere else; no test waits for it to pass"
)]
pub(crate) fn start() -> Instant {
    Instant::now()
}
