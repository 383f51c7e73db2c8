//! The clock seam: who wants to know the time, or to wait, asks a [`Clock`].
//!
//! Machines take `now` as an argument; only drivers hold a clock.

#[cfg(feature = "test-util")]
mod manual;
#[cfg(any(
    feature = "client-http",
    feature = "client-stdio",
    feature = "server-http",
    feature = "server-stdio"
))]
mod system;

use std::{
    fmt,
    future::Future,
    pin::Pin,
    time::{Duration, Instant, SystemTime},
};

#[cfg(feature = "test-util")]
pub use self::manual::ManualClock;
#[cfg(any(
    feature = "client-http",
    feature = "client-stdio",
    feature = "server-http",
    feature = "server-stdio"
))]
pub use self::system::SystemClock;

/// A future that ends when an instant has come.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Tells the time and waits.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Time that only moves forward, for deadlines.
    fn now(&self) -> Instant;

    /// The time of day, for tokens and `Retry-After` dates.
    fn wall(&self) -> SystemTime;

    /// Ends at `deadline`, at once if that has passed.
    fn sleep_until(&self, deadline: Instant) -> Sleep;

    /// The instant when `patience` is over. A time that no instant can hold, such as [`Duration::MAX`], means half a
    /// century: as good as never.
    fn deadline(&self, patience: Duration) -> Instant {
        const NEVER: Duration = Duration::from_secs(50 * 365 * 24 * 3600);
        let now = self.now();
        now.checked_add(patience).unwrap_or_else(|| now + NEVER)
    }
}
