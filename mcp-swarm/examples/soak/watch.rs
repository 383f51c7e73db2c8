//! What this process holds: memory, tasks, file descriptors, children.

use std::{
    fs,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcp_transport::{Clock as _, clock::SystemClock};
use tokio::runtime::Handle;

/// How much more memory the last quarter may have than the second: over the half of the requests between their
/// middles, at 200,000 requests, that is 42 bytes a request.
pub(crate) const TOLERANCE_KIB: u64 = 4 * 1024;

/// How many samples of memory are taken.
const SAMPLES: usize = 200;

/// How long what was let go may take to be gone: a child that does not want to end gets four seconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// A process with servers has one more child, which ends them should it be killed; that one stays.
pub(crate) const KEEPER: usize = 1;

/// What must not be left over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) tasks: usize,
    pub(crate) fds: usize,
    pub(crate) children: usize,
}

impl Counts {
    /// What there is now, with so many `tasks`; `None` where no /proc tells.
    pub(crate) fn now(tasks: usize) -> Option<Self> {
        // Reading the folder takes a descriptor of its own.
        let fds = fs::read_dir("/proc/self/fd")
            .ok()?
            .count()
            .saturating_sub(1);
        let threads = fs::read_dir("/proc/self/task").ok()?.flatten();
        let children = threads
            .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
            .map(|list| list.split_whitespace().count())
            .sum();
        Some(Self {
            tasks,
            fds,
            children,
        })
    }
}

/// What is held once nothing changes any more: no more than `before`, or whatever stays after the patience.
pub(crate) async fn settled(before: Option<Counts>) -> Counts {
    let until = SystemClock.now() + PATIENCE;
    let mut quiet = 0;
    let mut last = Counts::default();
    loop {
        let now = Counts::now(Handle::current().metrics().num_alive_tasks()).unwrap_or_default();
        quiet = if now == last { quiet + 1 } else { 0 };
        last = now;
        let done = before.map_or(
            quiet >= 10 && now.tasks == 0 && now.children <= KEEPER,
            |before| {
                now.tasks <= before.tasks
                    && now.fds <= before.fds
                    && now.children <= before.children
            },
        );
        if done || SystemClock.now() >= until {
            return now;
        }
        let moment = Duration::from_millis(50);
        SystemClock.sleep_until(SystemClock.now() + moment).await;
    }
}

/// Samples of the resident memory, evenly over the requests.
pub(crate) struct Memory {
    each: usize,
    done: AtomicUsize,
    samples: Mutex<Vec<u64>>,
}

impl Memory {
    pub(crate) fn new(requests: usize) -> Self {
        Self {
            each: (requests / SAMPLES).max(1),
            done: AtomicUsize::new(0),
            samples: Mutex::new(Vec::with_capacity(SAMPLES + 1)),
        }
    }

    /// So many requests more have ended.
    pub(crate) fn ended(&self, requests: usize) {
        let before = self.done.fetch_add(requests, Ordering::Relaxed);
        if before / self.each != (before + requests) / self.each
            && let Some(kib) = resident()
        {
            let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
            samples.push(kib);
        }
    }

    /// The medians of the second quarter and of the last, in KiB.
    pub(crate) fn medians(&self) -> (u64, u64) {
        medians(&self.samples.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn medians(samples: &[u64]) -> (u64, u64) {
    let quarter = samples.len() / 4;
    let median = |part: &[u64]| {
        let mut part = part.to_vec();
        part.sort_unstable();
        part.get(part.len() / 2).copied().unwrap_or_default()
    };
    (
        median(&samples[quarter..2 * quarter]),
        median(&samples[samples.len() - quarter..]),
    )
}

/// The resident memory of this process, in KiB.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_judged_by_the_medians_of_two_quarters() {
        let check = |samples: &[u64], expected| assert_eq!(medians(samples), expected);
        check(&[], (0, 0));
        check(&[9, 9, 9, 5, 6, 7, 1, 1, 1, 2, 3, 4], (6, 3));
        // One peak is no leak.
        check(&[1, 1, 1, 5, 5, 5, 1, 1, 1, 5, 900, 5], (5, 5));
    }

    #[test]
    fn a_process_holds_something() {
        let (Some(counts), Some(kib)) = (Counts::now(3), resident()) else {
            return;
        };
        assert!(counts.tasks == 3 && counts.fds >= 3 && kib > 100);
    }
}
