//! HTTP facts as pure functions: who may call, what a body is, what a client takes, when to come back.
//!
//! A server judges a head in one order, the first failure answering ([`check_post`]); a client reads media
//! types and `Retry-After` with the same functions.

mod allow;
mod cors;
mod media;
mod place;
mod preface;
mod refusal;
mod retry_after;
#[cfg(test)]
mod tests;
mod url;

pub use allow::{AllowList, BadEntry};
pub use cors::{AnyWithCredentials, Cors};
pub use media::{Accepts, EVENT_STREAM, JSON, accepts, essence, is_json_body};
pub use place::Place;
pub use preface::Preface;
pub use refusal::Refusal;
pub use retry_after::retry_after;
pub use url::shown_url;

use http::{HeaderMap, header, request::Parts};
pub use mcp_errors::RetryAfter;

use super::limits::Limits;

/// Judges the head of a POST before its body is read: Origin, Host, Content-Type, declared size, Accept.
///
/// The method comes before this and is the caller's to judge, since it depends on whether there are sessions.
/// The real size counts as well, while the body is read.
///
/// # Errors
///
/// The [`Refusal`] of the first check that fails.
pub fn check_post(head: &Parts, allow: &AllowList, limits: &Limits) -> Result<(), Refusal> {
    check_message(head, allow, limits)?;
    if accepts(&head.headers) == Accepts::BOTH {
        Ok(())
    } else {
        Err(Refusal::Accept)
    }
}

/// Judges the head of a POST to [`Place::Messages`]: as [`check_post`] but for `Accept`, since it is never answered
/// with more than a status.
///
/// # Errors
///
/// The [`Refusal`] of the first check that fails.
pub fn check_message(head: &Parts, allow: &AllowList, limits: &Limits) -> Result<(), Refusal> {
    check_caller(head, allow)?;
    is_json_body(&head.headers)?;
    if declared_length(&head.headers).is_some_and(|length| length > limits.request_body as u64) {
        return Err(Refusal::TooLarge {
            limit: limits.request_body,
        });
    }
    Ok(())
}

/// Judges who calls: Origin, then Host. Holds for every method.
///
/// # Errors
///
/// [`Refusal::Origin`] or [`Refusal::Host`].
pub fn check_caller(head: &Parts, allow: &AllowList) -> Result<(), Refusal> {
    allow.check_origin(&head.headers)?;
    allow.check_host(&head.headers, &head.uri)
}

fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()
}
