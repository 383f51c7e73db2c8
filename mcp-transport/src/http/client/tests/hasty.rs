//! A clock for which a wait is over at once, and a long one never; it tells what was waited for.

use std::{
    future,
    sync::Mutex,
    time::{Duration, Instant, SystemTime},
};

use crate::{
    clock::{Clock, Sleep, SystemClock},
    proto::limits::Limits,
};

const LONG: Duration = Duration::from_secs(600);

#[derive(Debug, Default)]
pub(super) struct Hasty {
    waits: Mutex<Vec<Duration>>,
}

impl Hasty {
    pub(super) fn waits(&self) -> Vec<Duration> {
        self.waits.lock().unwrap().clone()
    }
}

impl Clock for Hasty {
    fn now(&self) -> Instant {
        SystemClock.now()
    }

    fn wall(&self) -> SystemTime {
        SystemClock.wall()
    }

    fn sleep_until(&self, deadline: Instant) -> Sleep {
        let wait = deadline.saturating_duration_since(self.now());
        if wait > LONG {
            return Box::pin(future::pending());
        }
        self.waits.lock().unwrap().push(wait);
        Box::pin(future::ready(()))
    }
}

/// Every deadline a long one, so that only what is no deadline counts.
pub(super) fn patient() -> Limits {
    let hour = Duration::from_secs(3_600);
    Limits::default()
        .with_head_time(hour)
        .with_farewell_time(hour)
        .with_connect_time(hour)
        .with_renew_time(hour)
}
