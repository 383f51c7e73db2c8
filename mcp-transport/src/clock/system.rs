//! The machine's own clock, which waits on tokio's timer.

use std::time::{Instant, SystemTime};

use super::{Clock, Sleep};

/// The machine's clock. Sleeping needs a tokio runtime with its timer on.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to set")]
pub struct SystemClock;

#[expect(
    clippy::disallowed_methods,
    reason = "this is the clock that others ask"
)]
impl Clock for SystemClock {
    fn now(&self) -> Instant {
        // Tokio's instants are the machine's, and follow when a test pauses its timer.
        tokio::time::Instant::now().into_std()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep_until(&self, deadline: Instant) -> Sleep {
        Box::pin(tokio::time::sleep_until(deadline.into()))
    }
}
