//! How long a connection may go on like this: what it is doing, and since when.

use std::time::Instant;

use crate::proto::limits::Limits;

/// What one connection does. It is told what happens and says when the connection has waited too long.
#[derive(Debug)]
pub(super) struct Watch {
    phase: Phase,
    running: usize,
    stuck_since: Option<Instant>,
    /// Bytes may come between requests: what they are, the protocol judges.
    is_multiplexed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Between requests.
    Idle { since: Instant },
    /// A head is on its way, or is awaited on a new connection.
    Head { since: Instant },
}

/// What a connection waited for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overdue {
    /// The rest of a head.
    Head,
    /// The next request.
    Idle,
    /// The client, to take more of an answer.
    Write,
}

impl Watch {
    /// A new connection.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            phase: Phase::Head { since: now },
            running: 0,
            stuck_since: None,
            is_multiplexed: false,
        }
    }

    /// The connection carries many requests at once, and things of its own.
    #[cfg(feature = "http2")]
    pub(super) fn multiplex(&mut self) {
        self.is_multiplexed = true;
    }

    /// Whether it does.
    pub(super) fn is_multiplexed(&self) -> bool {
        self.is_multiplexed
    }

    /// Bytes came in.
    pub(super) fn handle_read(&mut self, now: Instant) {
        let is_idle = self.running == 0 && matches!(self.phase, Phase::Idle { .. });
        if is_idle && !self.is_multiplexed {
            self.phase = Phase::Head { since: now };
        }
    }

    /// Bytes went out, or could not.
    pub(super) fn handle_write(&mut self, is_stuck: bool, now: Instant) {
        self.stuck_since = match is_stuck {
            true => self.stuck_since.or(Some(now)),
            false => None,
        };
    }

    /// A head is complete.
    pub(super) fn handle_request(&mut self) {
        self.running += 1;
    }

    /// The answer to a request is written, or given up.
    pub(super) fn handle_answered(&mut self, now: Instant) {
        self.running = self.running.saturating_sub(1);
        self.phase = Phase::Idle { since: now };
    }

    /// When the connection will have waited too long; `None` while a request is being worked on, and where the limit
    /// is a time that no instant can hold.
    pub(super) fn poll_timeout(&self, limits: &Limits) -> Option<(Instant, Overdue)> {
        let (since, patience, overdue) = match (self.stuck_since, self.phase) {
            (Some(since), _) => (since, limits.idle_time, Overdue::Write),
            _ if self.running > 0 => return None,
            (None, Phase::Idle { since }) => (since, limits.idle_time, Overdue::Idle),
            (None, Phase::Head { since }) => (since, limits.head_time, Overdue::Head),
        };
        Some((since.checked_add(patience)?, overdue))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Events: `r`ead, `w`rite done, `W`rite stuck, `q` request complete, `a`nswered; `.` is one second.
    fn check(script: &str, expected: Option<(u64, Overdue)>) {
        #[expect(
            clippy::disallowed_methods,
            reason = "an instant has no other beginning"
        )]
        let start = Instant::now();
        let (mut watch, mut now) = (Watch::new(start), start);
        for event in script.chars() {
            match event {
                'r' => watch.handle_read(now),
                'w' => watch.handle_write(false, now),
                'W' => watch.handle_write(true, now),
                'q' => watch.handle_request(),
                'a' => watch.handle_answered(now),
                '.' => now += Duration::from_secs(1),
                other => panic!("{other}"),
            }
        }
        let found = watch
            .poll_timeout(&Limits::default())
            .map(|(at, what)| (at.duration_since(start).as_secs(), what));
        assert_eq!(found, expected, "{script}");
    }

    #[test]
    fn a_head_has_30_seconds_from_its_first_byte() {
        check("", Some((30, Overdue::Head)));
        check("..r..r..", Some((30, Overdue::Head)));
        check("rqa.....r.r", Some((35, Overdue::Head)));
    }

    #[test]
    fn between_requests_there_are_75_seconds() {
        check("rq..wa", Some((77, Overdue::Idle)));
    }

    #[test]
    fn a_request_at_work_has_no_deadline_here() {
        check("rq.........", None);
        check("rq..r..", None);
    }

    #[test]
    fn no_limit_is_too_long() {
        #[expect(
            clippy::disallowed_methods,
            reason = "an instant has no other beginning"
        )]
        let watch = Watch::new(Instant::now());
        let limits = Limits::default().with_head_time(Duration::MAX);
        assert_eq!(watch.poll_timeout(&limits), None);
    }

    #[test]
    fn a15_a_client_that_takes_nothing_has_75_seconds() {
        check("rq.W..W..", Some((76, Overdue::Write)));
        check("rq.W..w..W", Some((80, Overdue::Write)));
        check("rq.W..w..", None);
    }
}
