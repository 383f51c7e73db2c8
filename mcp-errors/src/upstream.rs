//! What an upstream's HTTP answer means, for a tool that calls one: success, or which of the stable codes.
//!
//! It is a pure function of status, headers and body. The status decides, with two exceptions: an upstream that
//! gives one of the stable codes of the same status itself is taken at its word (503 alone may mean "wait" and "off
//! for this account"), and a success whose body is no JSON is none.

use std::time::{Duration, SystemTime};

use mcp_types::RawObject;

use crate::{
    envelope::ToolErrorEnvelope,
    retry_after::{LONGEST_WAIT, RetryAfter},
    tool_code::ToolErrorCode,
    tool_error::ToolError,
};

/// An HTTP answer, with what of it matters here.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct UpstreamAnswer<'a> {
    /// The status.
    pub status: u16,
    /// `Retry-After`, as it came.
    pub retry_after: Option<&'a str>,
    /// `retry-after-ms`, as it came.
    pub retry_after_ms: Option<&'a str>,
    /// `Date`, as it came.
    pub date: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
}

impl<'a> UpstreamAnswer<'a> {
    /// An answer; `headers` are names, of any case, and values, and most do not matter.
    pub fn new(
        status: u16,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        body: &'a [u8],
    ) -> Self {
        let mut answer = Self {
            status,
            retry_after: None,
            retry_after_ms: None,
            date: None,
            body,
        };
        for (name, value) in headers {
            let place = match name {
                _ if name.eq_ignore_ascii_case("retry-after") => &mut answer.retry_after,
                _ if name.eq_ignore_ascii_case("retry-after-ms") => &mut answer.retry_after_ms,
                _ if name.eq_ignore_ascii_case("date") => &mut answer.date,
                _ => continue,
            };
            place.get_or_insert(value);
        }
        answer
    }

    /// The code of a failure; `None` for a success with JSON, or with no content (204, 205, 304).
    pub fn code(&self) -> Option<ToolErrorCode> {
        match self.status {
            204 | 205 | 304 => None,
            200..=299 => {
                let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(self.body).is_ok();
                (!is_json).then_some(ToolErrorCode::UPSTREAM_NON_JSON)
            }
            status => Some(
                self.own_code()
                    .unwrap_or_else(|| ToolErrorCode::from_status(status)),
            ),
        }
    }

    /// How long the upstream asks to wait, at most [`LONGEST_WAIT`]: from the headers, else from `retryAfter` of a
    /// JSON body.
    pub fn wait(&self, now: SystemTime) -> Option<RetryAfter> {
        let header = |name: &str| match name {
            "retry-after" => self.retry_after,
            "retry-after-ms" => self.retry_after_ms,
            "date" => self.date,
            _ => None,
        };
        RetryAfter::from_headers(header, LONGEST_WAIT, now).or_else(|| {
            let wait = self.envelope()?.hint(now)?;
            Some(RetryAfter::new(wait, LONGEST_WAIT))
        })
    }

    /// What a tool fails with; `None` for a success. The sentence names the status, and nothing of the body.
    pub fn to_error(&self, now: SystemTime) -> Option<ToolError> {
        let code = self.code()?;
        let sentence = match code == ToolErrorCode::UPSTREAM_NON_JSON {
            true => format!(
                "The upstream answered {} with a body that is not JSON.",
                self.status
            ),
            false => format!("The upstream answered {}.", self.status),
        };
        let error = ToolError::new(code, sentence).status(self.status);
        Some(match self.wait(now) {
            Some(RetryAfter { wait, .. }) => error.retry_after(whole_seconds(wait)),
            None => error,
        })
    }

    /// A stable code in the body, if it is one of this status.
    fn own_code(&self) -> Option<ToolErrorCode> {
        let code = self.envelope()?.code;
        (code.status() == Some(self.status)).then_some(code)
    }

    /// The body as an envelope; the sentence may be missing.
    fn envelope(&self) -> Option<ToolErrorEnvelope> {
        let body: RawObject = serde_json::from_slice(self.body).ok()?;
        Some(ToolErrorEnvelope::lenient(body))
    }
}

fn whole_seconds(wait: Duration) -> Duration {
    Duration::from_secs(
        wait.as_secs()
            .saturating_add(u64::from(wait.subsec_nanos() > 0)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer<'a>(status: u16, body: &'a str) -> UpstreamAnswer<'a> {
        UpstreamAnswer::new(status, [], body.as_bytes())
    }

    #[test]
    fn the_status_decides_and_a_success_must_be_json() {
        let check = |status: u16, body: &str, expected: Option<&str>| {
            let code = answer(status, body).code();
            assert_eq!(
                code.as_ref().map(ToolErrorCode::as_str),
                expected,
                "{status} {body}"
            );
        };
        check(200, "{}", None);
        check(201, " [1] ", None);
        check(204, "", None);
        check(304, "", None);
        check(200, "", Some("upstream_non_json"));
        check(200, "<html>login</html>", Some("upstream_non_json"));
        check(200, "{} trailing", Some("upstream_non_json"));
        check(200, "\u{feff}{}", Some("upstream_non_json"));
        check(400, "<html>", Some("bad_request"));
        check(401, "", Some("auth_failed"));
        check(403, "", Some("forbidden"));
        check(404, "{}", Some("not_found"));
        check(418, "", Some("upstream_client_error"));
        check(429, "", Some("rate_limited"));
        check(502, "<html>Bad gateway</html>", Some("upstream_error"));
        check(503, "{}", Some("service_unavailable"));
        check(302, "", Some("upstream_unknown"));
        check(101, "", Some("upstream_unknown"));
    }

    #[test]
    fn an_upstream_may_name_one_of_the_codes_of_its_status() {
        let check = |status: u16, body: &str, expected: &str| {
            assert_eq!(
                answer(status, body).code().unwrap(),
                expected,
                "{status} {body}"
            );
        };
        check(503, r#"{"code":"service_disabled"}"#, "service_disabled");
        check(503, r#"{"code":"at_capacity","error":"x"}"#, "at_capacity");
        // Not of this status, not one of ours, or no string.
        check(500, r#"{"code":"at_capacity"}"#, "upstream_error");
        check(503, r#"{"code":"busy"}"#, "service_unavailable");
        check(503, r#"{"code":7}"#, "service_unavailable");
        check(503, r#"["at_capacity"]"#, "service_unavailable");
    }

    #[test]
    fn the_wait_comes_from_headers_then_from_the_body() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let check = |headers: &[(&str, &str)], body: &str, expected: Option<u64>| {
            let answer = UpstreamAnswer::new(429, headers.iter().copied(), body.as_bytes());
            let wait = answer.to_error(now).unwrap().into_envelope("x").retry_after;
            assert_eq!(
                wait,
                expected.map(Duration::from_secs),
                "{headers:?} {body}"
            );
        };
        check(&[], "", None);
        check(&[("Retry-After", "7")], r#"{"retryAfter":9}"#, Some(7));
        check(&[("retry-after-ms", "1200")], "", Some(2));
        check(&[], r#"{"retryAfter":9}"#, Some(9));
        check(&[], r#"{"retryAfter":"9"}"#, Some(9));
        check(&[("retry-after", "-1")], r#"{"retryAfter":0.5}"#, Some(1));
        check(
            &[],
            r#"{"retryAfter":"Sun, 06 Nov 1994 08:50:37 GMT"}"#,
            Some(60),
        );
        check(&[], r#"{"retryAfter":1e9}"#, Some(3600));
        let dates = [
            ("DATE", "Sun, 06 Nov 1994 08:50:07 GMT"),
            ("RETRY-AFTER", "Sun, 06 Nov 1994 08:50:37 GMT"),
        ];
        check(&dates, "", Some(30));
    }

    #[test]
    fn the_error_tells_the_status_and_nothing_of_the_body() {
        let error = answer(500, "password 1234")
            .to_error(SystemTime::UNIX_EPOCH)
            .unwrap();
        let envelope = error.into_envelope("search");
        assert_eq!(
            serde_json::to_string(&envelope).unwrap(),
            r#"{"service":"search","code":"upstream_error","error":"The upstream answered 500.","status":500}"#
        );
        let none = answer(200, "1").to_error(SystemTime::UNIX_EPOCH);
        assert!(none.is_none());
    }
}
