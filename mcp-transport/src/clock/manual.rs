//! A clock that a test moves by hand.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, Instant, SystemTime},
};

use super::{Clock, Sleep};

/// A clock that stands still until [`Self::advance`] moves it. Clones are the same clock.
///
/// Whatever takes a [`Clock`] takes this one; then a test of a deadline waits for nothing:
///
/// ```
/// use std::{sync::Arc, time::Duration};
/// use mcp_transport::{Clock, clock::ManualClock};
///
/// /// What is to be tested: an answer, or nothing within five seconds.
/// async fn patient(clock: Arc<dyn Clock>, answer: impl Future<Output = u32>) -> Option<u32> {
///     let deadline = clock.deadline(Duration::from_secs(5));
///     tokio::select! {
///         answer = answer => Some(answer),
///         () = clock.sleep_until(deadline) => None,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let clock = ManualClock::new();
/// let asking = patient(Arc::new(clock.clone()), std::future::pending());
/// let time = async {
///     // Time moves once somebody waits for it, and only then.
///     while clock.next_deadline().is_none() {
///         tokio::task::yield_now().await;
///     }
///     assert_eq!(clock.next_deadline(), Some(clock.now() + Duration::from_secs(5)));
///     clock.advance(Duration::from_secs(5));
/// };
/// assert_eq!(tokio::join!(asking, time).0, None);
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    now: Instant,
    wall: SystemTime,
    /// Who waits, by ticket.
    sleepers: Vec<(u64, Instant, Waker)>,
    tickets: u64,
}

impl State {
    /// Takes a sleeper out. Its waker must be dropped outside the lock: it may own a task that sleeps here as well.
    fn remove(&mut self, ticket: u64) -> Option<Waker> {
        let at = self.sleepers.iter().position(|(id, ..)| *id == ticket)?;
        Some(self.sleepers.swap_remove(at).2)
    }
}

impl ManualClock {
    /// A clock whose time of day is 2026-07-28 00:00 UTC.
    pub fn new() -> Self {
        Self::starting_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_785_196_800))
    }

    /// A clock whose time of day is `wall`.
    pub fn starting_at(wall: SystemTime) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "an instant has no other beginning"
        )]
        let now = Instant::now();
        Self(Arc::new(Mutex::new(State {
            now,
            wall,
            sleepers: Vec::new(),
            tickets: 0,
        })))
    }

    /// Moves the time forward and wakes those whose deadline has come.
    pub fn advance(&self, by: Duration) {
        let mut state = self.lock();
        state.now += by;
        state.wall += by;
        let now = state.now;
        let (due, waiting): (Vec<_>, Vec<_>) = state
            .sleepers
            .drain(..)
            .partition(|(_, deadline, _)| *deadline <= now);
        state.sleepers = waiting;
        drop(state);
        for (_, _, waker) in due {
            waker.wake();
        }
    }

    /// The earliest deadline that somebody waits for.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.lock()
            .sleepers
            .iter()
            .map(|(_, deadline, _)| *deadline)
            .min()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Instant {
        self.lock().now
    }

    fn wall(&self) -> SystemTime {
        self.lock().wall
    }

    fn sleep_until(&self, deadline: Instant) -> Sleep {
        let mut state = self.lock();
        state.tickets += 1;
        let ticket = state.tickets;
        drop(state);
        Box::pin(Sleeping {
            clock: self.clone(),
            ticket,
            deadline,
        })
    }
}

struct Sleeping {
    clock: ManualClock,
    ticket: u64,
    deadline: Instant,
}

impl Future for Sleeping {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.clock.lock();
        let before = state.remove(self.ticket);
        let due = state.now >= self.deadline;
        if !due {
            state
                .sleepers
                .push((self.ticket, self.deadline, cx.waker().clone()));
        }
        drop(state);
        drop(before);
        if due { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Sleeping {
    fn drop(&mut self) {
        let before = self.clock.lock().remove(self.ticket);
        drop(before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleeper_wakes_when_its_deadline_has_come() {
        let clock = ManualClock::new();
        let (start, wall) = (clock.now(), clock.wall());
        let mut cx = Context::from_waker(Waker::noop());
        let mut sleep = clock.sleep_until(start + Duration::from_secs(2));
        assert_eq!(clock.next_deadline(), None);
        assert!(sleep.as_mut().poll(&mut cx).is_pending());
        clock.advance(Duration::from_secs(1));
        assert!(sleep.as_mut().poll(&mut cx).is_pending());
        assert_eq!(clock.next_deadline(), Some(start + Duration::from_secs(2)));
        clock.advance(Duration::from_secs(1));
        assert!(sleep.as_mut().poll(&mut cx).is_ready());
        assert_eq!(
            (clock.next_deadline(), clock.wall()),
            (None, wall + Duration::from_secs(2))
        );
        assert!(clock.sleep_until(start).as_mut().poll(&mut cx).is_ready());
    }

    #[test]
    fn no_patience_is_too_long() {
        let clock = ManualClock::new();
        let second = Duration::from_secs(1);
        assert_eq!(clock.deadline(second), clock.now() + second);
        assert!(clock.deadline(Duration::MAX) > clock.now() + Duration::from_secs(1 << 30));
    }

    #[test]
    fn a_dropped_sleeper_leaves_nothing() {
        let clock = ManualClock::new();
        let mut sleep = clock.sleep_until(clock.now() + Duration::from_secs(1));
        assert!(
            sleep
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
                .is_pending()
        );
        drop(sleep);
        assert_eq!(clock.next_deadline(), None);
    }
}
