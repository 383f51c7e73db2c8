//! The retry policy, its budget and its breaker, over any course of failures.

use std::time::{Duration, Instant};

use mcp_errors::{
    Executed, Failure, FailureKind,
    retry::{Attempts, Breaker, Budget, Gate, Retry, Safety, Symptom, Verdict, full_jitter},
};

/// The bytes as numbers, that of a space being 0 so that seeds are text; noughts at the end.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&b' ', &[]));
        self.0 = rest;
        first.wrapping_sub(b' ')
    }

    fn long(&mut self) -> u64 {
        u64::from_le_bytes([(); 8].map(|()| self.byte()))
    }

    /// Small ones mostly, and any at times.
    fn wait(&mut self) -> Duration {
        match self.byte() {
            0..=200 => Duration::from_millis(u64::from(self.byte()) * 40),
            201..=240 => Duration::from_secs(u64::from(self.byte()) * 60),
            _ => Duration::from_nanos(self.long()).saturating_mul(u32::from(self.byte())),
        }
    }

    fn policy(&mut self) -> Retry {
        let policy = match self.byte() % 3 {
            0 => Retry::new(),
            1 => Retry::by_code(),
            _ => Retry::new().even_if_run(),
        };
        let (base, cap) = (self.wait(), self.wait());
        policy
            .attempts(u32::from(self.byte() % 8))
            .backoff(base, cap)
    }

    fn symptom(&mut self) -> Symptom {
        let kind = [
            FailureKind::Http,
            FailureKind::Lost,
            FailureKind::Timeout,
            FailureKind::Peer,
        ][usize::from(self.byte() % 4)];
        let executed =
            [Executed::No, Executed::Unknown, Executed::Yes][usize::from(self.byte() % 3)];
        let mut failure = Failure::new(kind, "x").with_executed(executed);
        let flags = self.byte();
        if flags & 1 == 1 {
            failure = failure.with_http_status(400 + u16::from(self.byte()));
        }
        if flags & 2 == 2 {
            failure = failure.with_retry_after(self.wait());
        }
        if flags & 4 == 4 {
            failure = failure.with_transient(flags & 8 == 8);
        }
        Symptom::from(&failure)
    }
}

/// However a call fails: it is sent so often and no more, waits no longer than it may, ends before its deadline, does
/// no harm twice unasked, and the budget only ever pays for what is repeated.
pub(crate) fn retry(data: &[u8]) {
    #[expect(clippy::disallowed_methods, reason = "some instant to count from")]
    let mut now = Instant::now();
    let mut from = Numbers(data);
    let policy = from.policy();
    let opted_in = policy
        != Retry::new()
            .attempts(policy.attempts)
            .backoff(policy.base, policy.cap);
    let safety = [Safety::Effects, Safety::Repeatable][usize::from(from.byte() % 2)];
    let deadline = now + Duration::from_secs(u64::from(from.byte()));
    let mut budget = Budget::with(u32::from(from.byte()), from.wait(), now);
    let mut breaker = Breaker::new(u32::from(from.byte() % 4), from.wait());
    let mut attempts = Attempts::new(policy.clone(), safety, deadline);
    while !from.0.is_empty() {
        let symptom = from.symptom();
        breaker.handle_failure(&symptom, now);
        let before = budget.tokens(now);
        let verdict = attempts.handle_failure(&symptom, &mut budget, from.long(), now);
        let paid = before - budget.tokens(now);
        let log = attempts.log();
        let Verdict::Repeat { wait, .. } = verdict else {
            assert_eq!(paid, 0, "nothing is paid for a repeat that does not happen");
            assert_eq!(log.last().map(|it| it.waited), Some(Duration::ZERO));
            return;
        };
        assert!((1..policy.attempts as usize).contains(&log.len()));
        assert!(now + wait < deadline);
        assert!(symptom.transient && paid >= 5, "{symptom:?} for {paid}");
        assert!(symptom.executed == Executed::No || safety == Safety::Repeatable || opted_in);
        match symptom.hint {
            None => assert!(wait <= policy.cap),
            Some(hint) => {
                assert!(wait >= hint.min(policy.longest_hint));
                assert!(wait <= policy.longest_hint + Duration::from_secs(1));
            }
        }
        now += wait;
        if let Gate::Wait(pause) = breaker.handle_call(now) {
            assert!(!breaker.is_closed() && !pause.is_zero());
        }
        if from.byte() % 8 == 0 {
            budget.handle_success(now);
            breaker.handle_success();
            assert!(breaker.is_closed());
        }
        let (longest, random) = (from.wait(), from.long());
        assert!(full_jitter(longest, random) <= longest);
    }
}
