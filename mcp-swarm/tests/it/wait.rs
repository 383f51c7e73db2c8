//! Waiting in tests: never longer than a deadline on the real clock.

use std::{future::Future, time::Duration};

use mcp_transport::clock::{Clock, SystemClock};

/// What nothing here takes: whoever waits so long has found something that hangs.
const LONG: Duration = Duration::from_secs(20);

/// `work`, which is done soon.
pub(crate) async fn soon<T>(what: &str, work: impl Future<Output = T>) -> T {
    tokio::select! {
        done = work => done,
        () = SystemClock.sleep_until(SystemClock.now() + LONG) => panic!("{what}: not within {LONG:?}"),
    }
}

/// `work`, and how long it took.
pub(crate) async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let start = SystemClock.now();
    let done = soon("timed work", work).await;
    (done, SystemClock.now() - start)
}
