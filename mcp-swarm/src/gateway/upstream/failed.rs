//! What a specialist's failure means for whoever called it.
//!
//! Sentences are for a model: they name the specialist, and neither addresses nor what a peer wrote. The log has
//! the whole.

use mcp_client::proto::pages::BadList;
use mcp_client::{ConnectError, Error, ErrorKind};
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::ErrorCode;

use crate::codes::SwarmCode;
use crate::gateway::error::GatewayError;
use crate::proto::forward::BadResult;
use crate::proto::namespace::DomainName;
use crate::proto::sanitize;

pub(super) fn connect(domain: &DomainName, error: &ConnectError) -> GatewayError {
    tracing::warn!(%domain, %error, "a specialist cannot be connected to");
    let retry_after = error.failure().and_then(Failure::retry_after);
    let (code, said) = if error.is_timeout() {
        (SwarmCode::ConnectTimeout, "did not answer in time")
    } else if error.is_unauthorized() {
        (SwarmCode::UpstreamUnavailable, "refused the gateway")
    } else {
        (SwarmCode::UpstreamUnavailable, "could not be reached")
    };
    GatewayError::new(code, sentence(domain, said)).retry_after(retry_after)
}

#[cfg(not(feature = "http"))]
pub(super) fn no_driver(domain: &DomainName) -> GatewayError {
    tracing::error!(%domain, "a specialist at a URL needs the feature `http` of mcp-swarm");
    GatewayError::new(
        SwarmCode::UpstreamUnavailable,
        sentence(domain, "could not be reached"),
    )
}

pub(super) fn list(domain: &DomainName, error: &Error) -> GatewayError {
    match error.failure().and_then(Failure::peer_error) {
        Some(_) => {
            tracing::warn!(%domain, %error, "a specialist does not list its tools");
            protocol(domain, "did not list its tools")
        }
        None => call(domain, error),
    }
}

pub(super) fn bad_list(domain: &DomainName, error: &BadList) -> GatewayError {
    tracing::warn!(%domain, %error, "a specialist's list of tools cannot be read");
    protocol(domain, "gave a list of tools that cannot be read")
}

/// A result that is not passed on.
pub(in crate::gateway) fn bad_result(domain: &DomainName, bad: &BadResult) -> GatewayError {
    tracing::warn!(%domain, %bad, "a specialist's result is not passed on");
    let code = match bad {
        BadResult::Handoff => SwarmCode::ChainRefused,
        BadResult::Malformed | BadResult::Kind { .. } => SwarmCode::UpstreamProtocol,
    };
    GatewayError::new(code, sentence(domain, &bad.to_string()))
}

/// A call that took longer than it may.
pub(in crate::gateway) fn not_in_time(domain: &DomainName) -> GatewayError {
    let said = sentence(domain, "did not answer in time");
    GatewayError::new(SwarmCode::UpstreamTimeout, said).executed(Executed::Unknown)
}

pub(super) fn call(domain: &DomainName, error: &Error) -> GatewayError {
    tracing::warn!(%domain, %error, "a specialist failed");
    let failed = match (error.kind(), error.failure()) {
        (ErrorKind::Failure(kind), Some(failure)) => of_failure(domain, kind, failure),
        _ => protocol(domain, "answered with something that is no result"),
    };
    failed.executed(error.executed())
}

fn of_failure(domain: &DomainName, kind: FailureKind, failure: &Failure) -> GatewayError {
    let unavailable = |said: &str| {
        GatewayError::new(SwarmCode::UpstreamUnavailable, sentence(domain, said))
            .retry_after(failure.retry_after())
    };
    match kind {
        FailureKind::Timeout => not_in_time(domain),
        FailureKind::Unauthorized => unavailable("refused the gateway"),
        FailureKind::Lost => {
            unavailable("was lost before it answered, so that the call may have been done")
        }
        FailureKind::Unreachable
        | FailureKind::Http
        | FailureKind::Redirected
        | FailureKind::Full
        | FailureKind::Closed
        | FailureKind::Cancelled => unavailable("could not be reached"),
        FailureKind::Peer if failure.retry_after().is_some() => unavailable("is busy"),
        FailureKind::Peer => of_peer(domain, failure),
        FailureKind::TooLarge => protocol(domain, "gave an answer that is too large"),
        _ => protocol(domain, "answered with something that is no result"),
    }
}

/// The arguments are the caller's to mend, so the specialist's own words reach it; nothing else it says does.
fn of_peer(domain: &DomainName, failure: &Failure) -> GatewayError {
    let Some(error) = failure.peer_error() else {
        return protocol(domain, "answered with an error");
    };
    let failed = protocol(domain, &format!("answered with the error {}", error.code));
    if error.code != ErrorCode::INVALID_PARAMS {
        return failed;
    }
    let mut onward = error.clone();
    onward.message = sanitize::cut(&sanitize::clean(&error.message), 1000)
        .to_owned()
        .into();
    failed.passing_on(onward)
}

fn protocol(domain: &DomainName, said: &str) -> GatewayError {
    GatewayError::new(SwarmCode::UpstreamProtocol, sentence(domain, said))
}

fn sentence(domain: &DomainName, said: &str) -> String {
    format!("The specialist `{domain}` {said}")
}
