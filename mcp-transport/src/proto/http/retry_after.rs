//! `Retry-After`: when a server wants to be asked again ([RFC 9110 §10.2.3][r]).
//!
//! [r]: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3

use core::time::Duration;
use std::time::SystemTime;

use http::{HeaderMap, header};

/// How long a server wants to be left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryAfter {
    /// The time to wait, at most the cap.
    pub wait: Duration,
    /// Whether the server asked for more than the cap.
    pub clamped: bool,
}

/// Reads `Retry-After`, in seconds or as a date, clamped to `cap`.
///
/// A date counts from the response's own `Date` where that can be read, so that the clocks of the two sides
/// need not agree, and from `now` otherwise; a past date is no wait. `None` if the header is absent or neither.
pub fn retry_after(headers: &HeaderMap, cap: Duration, now: SystemTime) -> Option<RetryAfter> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        Duration::from_secs(text.parse().unwrap_or(u64::MAX))
    } else {
        let until = httpdate::parse_http_date(text).ok()?;
        let date = headers
            .get(header::DATE)
            .and_then(|date| date.to_str().ok());
        let since = date
            .and_then(|date| httpdate::parse_http_date(date).ok())
            .unwrap_or(now);
        until.duration_since(since).unwrap_or_default()
    };
    Some(RetryAfter {
        wait: wait.min(cap),
        clamped: wait > cap,
    })
}
