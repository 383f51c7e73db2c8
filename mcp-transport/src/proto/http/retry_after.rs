//! `Retry-After`, read from the headers of a response.

use core::time::Duration;
use std::time::SystemTime;

use http::HeaderMap;
use mcp_errors::RetryAfter;

/// Reads when the server wants to be asked again, clamped to `cap`; see [`RetryAfter::from_headers`].
pub fn retry_after(headers: &HeaderMap, cap: Duration, now: SystemTime) -> Option<RetryAfter> {
    let header = |name: &str| headers.get(name)?.to_str().ok();
    RetryAfter::from_headers(header, cap, now)
}
