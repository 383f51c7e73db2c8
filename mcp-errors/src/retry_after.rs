//! When a server wants to be asked again: `Retry-After`, `retry-after-ms`, and a body's `retryAfter`.
//!
//! Source: [RFC 9110 §10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3).

use std::time::{Duration, SystemTime};

/// The longest wait that a hint is honoured for, one hour; what is longer is clamped to it.
pub const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// How long a server wants to be left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryAfter {
    /// The time to wait, at most the cap.
    pub wait: Duration,
    /// Whether the server asked for more than the cap.
    pub clamped: bool,
}

impl RetryAfter {
    /// A wait of at most `cap`.
    pub fn new(wait: Duration, cap: Duration) -> Self {
        Self {
            wait: wait.min(cap),
            clamped: wait > cap,
        }
    }

    /// Reads the headers that `header` hands out by their lowercase names: `retry-after`, else `retry-after-ms`.
    ///
    /// `None` if neither is there and can be read.
    pub fn from_headers<'a>(
        header: impl Fn(&str) -> Option<&'a str>,
        cap: Duration,
        now: SystemTime,
    ) -> Option<Self> {
        let since = || {
            let date = header("date").and_then(|date| httpdate::parse_http_date(date.trim()).ok());
            date.unwrap_or(now)
        };
        let seconds = header("retry-after").and_then(|text| wait(text, since));
        let millis = || {
            let text = header("retry-after-ms")?.trim();
            is_digits(text).then(|| Duration::from_millis(text.parse().unwrap_or(u64::MAX)))
        };
        let wait = seconds.or_else(millis)?;
        Some(Self::new(wait, cap))
    }

    /// Reads the value of a `Retry-After`: whole seconds, or an HTTP date.
    ///
    /// A date counts from the response's own `Date` where that can be read, so that the clocks of the two sides
    /// need not agree, and from `now` otherwise; a past date is no wait. `None` for anything else.
    pub fn parse(text: &str, date: Option<&str>, cap: Duration, now: SystemTime) -> Option<Self> {
        let header = |name: &str| match name {
            "retry-after" => Some(text),
            "date" => date,
            _ => None,
        };
        Self::from_headers(header, cap, now)
    }
}

/// Seconds that a JSON body gives as text, whole or not.
pub(crate) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
    (is_digits(whole) && is_digits(rest)).then_some(())?;
    text.parse().ok()
}

/// Whether a body's text is an HTTP date; when it is, [`wait_until`] reads it.
pub(crate) fn is_date(text: &str) -> bool {
    httpdate::parse_http_date(text.trim()).is_ok()
}

/// How long it is until an HTTP date, nothing for a past one.
pub(crate) fn wait_until(text: &str, now: SystemTime) -> Option<Duration> {
    let until = httpdate::parse_http_date(text.trim()).ok()?;
    Some(until.duration_since(now).unwrap_or_default())
}

fn wait(text: &str, since: impl Fn() -> SystemTime) -> Option<Duration> {
    let text = text.trim();
    if is_digits(text) {
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    wait_until(text, since())
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    // Sun, 06 Nov 1994 08:49:37 GMT
    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777)
    }

    #[test]
    fn it_is_seconds_or_a_date_and_clamped() {
        let check = |text: &str, date: Option<&str>, expected: Option<(u64, bool)>| {
            let read = RetryAfter::parse(text, date, LONGEST_WAIT, now());
            let expected = expected.map(|(wait, clamped)| RetryAfter {
                wait: Duration::from_secs(wait),
                clamped,
            });
            assert_eq!(read, expected, "{text}");
        };
        check("0", None, Some((0, false)));
        check(" 120 ", None, Some((120, false)));
        check("3600", None, Some((3600, false)));
        check("3601", None, Some((3600, true)));
        check("99999999999999999999999999", None, Some((3600, true)));
        let minute = "Sun, 06 Nov 1994 08:50:37 GMT";
        check(minute, None, Some((60, false)));
        check(
            minute,
            Some("Sun, 06 Nov 1994 08:50:07 GMT"),
            Some((30, false)),
        );
        check(minute, Some("nonsense"), Some((60, false)));
        check("Sunday, 06-Nov-94 08:50:37 GMT", None, Some((60, false)));
        check("Sun Nov  6 08:50:37 1994", None, Some((60, false)));
        check("Sun, 06 Nov 1994 08:49:00 GMT", None, Some((0, false)));
        check("Mon, 06 Nov 1995 08:49:37 GMT", None, Some((3600, true)));
        for bad in ["", "-1", "1.5", "soon", "+1", "1 s", "٣", "NaN"] {
            check(bad, None, None);
        }
    }

    #[test]
    fn milliseconds_stand_in_where_seconds_cannot_be_read() {
        let check = |seconds: Option<&str>, millis: Option<&str>, expected: Option<u64>| {
            let header = |name: &str| match name {
                "retry-after" => seconds,
                "retry-after-ms" => millis,
                _ => None,
            };
            let read = RetryAfter::from_headers(header, LONGEST_WAIT, now());
            assert_eq!(read.map(|it| it.wait), expected.map(Duration::from_millis));
        };
        check(Some("2"), Some("50"), Some(2000));
        check(Some("soon"), Some("50"), Some(50));
        check(None, Some(" 1500 "), Some(1500));
        check(None, Some("1.5"), None);
        check(None, Some("-1"), None);
        check(None, None, None);
    }
}
