//! How long, how many.

use std::time::Duration;

/// The bounds of [`Sessions`](super::Sessions).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// How long an attempt to connect may take: 5 s.
    pub connect: Duration,
    /// How long a session lives without a call in flight: 300 s.
    pub idle: Duration,
    /// The most sessions at a time, connecting ones among them: 100.
    pub sessions: usize,
    /// How long it is remembered why an attempt failed: 60 s.
    pub failure_memory: Duration,
    /// How long it is remembered how any other session ended: 1 h.
    pub ending_memory: Duration,
    /// The most endings remembered: 1,024.
    pub endings: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(300),
            sessions: 100,
            failure_memory: Duration::from_secs(60),
            ending_memory: Duration::from_secs(3600),
            endings: 1024,
        }
    }
}
