//! When a wait ends: a sum that holds for every duration a caller can name.

use std::time::{Duration, Instant};

/// What is as good as no deadline: 30 years.
const FOREVER: Duration = Duration::from_secs(30 * 365 * 86_400);

/// `within` from `now`; for [`Duration::MAX`] and the like 30 years from it.
pub(crate) fn after(now: Instant, within: Duration) -> Instant {
    now.checked_add(within.min(FOREVER)).unwrap_or(now)
}
