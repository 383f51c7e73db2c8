//! When a server wants to be asked again, from its headers and its body.

use std::time::{Duration, SystemTime};

use mcp_errors::{RetryAfter, UpstreamAnswer, retry_after::LONGEST_WAIT};

/// Sun, 06 Nov 1994 08:49:37 GMT
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777)
}

/// The text of each line.
fn lines<const N: usize>(data: &[u8]) -> Option<[&str; N]> {
    let mut lines = std::str::from_utf8(data).ok()?.split('\n');
    Some([(); N].map(|()| lines.next().unwrap_or_default()))
}

/// The value of `Retry-After`, and that of `Date`: no wait is longer than the cap, and whole seconds are what they say.
pub(crate) fn retry_after(data: &[u8]) {
    let Some([text, date]) = lines(data) else {
        return;
    };
    let cap = Duration::from_secs(60);
    let Some(read) = RetryAfter::parse(text, Some(date), LONGEST_WAIT, now()) else {
        assert!(
            text.trim().parse::<u64>().is_err() || text.trim().starts_with('+'),
            "{text}"
        );
        return;
    };
    assert!(read.wait <= LONGEST_WAIT);
    assert!(!read.clamped || read.wait == LONGEST_WAIT);
    if let Ok(seconds) = text.trim().parse::<u64>() {
        assert_eq!(
            read,
            RetryAfter::new(Duration::from_secs(seconds), LONGEST_WAIT)
        );
    }
    let less = RetryAfter::parse(text, Some(date), cap, now());
    assert_eq!(less.map(|it| it.wait), Some(read.wait.min(cap)));
}

/// A whole answer: status, headers, body. A success has no error, and a failure one with a wait of whole seconds.
pub(crate) fn upstream(data: &[u8]) {
    let Some([status, wait, millis, date, body]) = lines(data) else {
        return;
    };
    let Ok(status) = status.parse::<u16>() else {
        return;
    };
    let headers = [
        ("Retry-After", wait),
        ("retry-after-ms", millis),
        ("DATE", date),
    ];
    let answer = UpstreamAnswer::new(status, headers, body.as_bytes());
    let error = answer.to_error(now());
    assert_eq!(error.is_some(), answer.code().is_some());
    assert!(
        matches!(status, 200..=299 | 304) || error.is_some(),
        "{status}"
    );
    let waits = answer.wait(now());
    assert!(waits.is_none_or(|it| it.wait <= LONGEST_WAIT));
    if let Some(error) = error {
        let envelope = error.into_envelope("s");
        assert_eq!(envelope.status, Some(status));
        let told = envelope.retry_after;
        assert_eq!(told.is_some(), waits.is_some());
        assert!(told.is_none_or(|it| it.subsec_nanos() == 0 && it <= LONGEST_WAIT));
    }
}
