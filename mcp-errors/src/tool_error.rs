//! What the handler of a tool fails with: a code, a sentence, and what helps the caller.

use std::{error::Error, fmt, iter, time::Duration};

use mcp_types::{RawJson, tool::CallToolResult};
use serde::Serialize;

use crate::{
    envelope::{Load, LoadLimits, ToolErrorEnvelope},
    failure::Failure,
    tool_code::ToolErrorCode,
};

/// A tool's failure, on its way to the envelope. The server fills in the service where the handler
/// names none.
///
/// Code and sentence go to the peer; a source stays here, for the log. It is no
/// [`std::error::Error`]: it is an answer, not a cause.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_errors::ToolError;
///
/// let error = ToolError::rate_limited("60 calls a minute are the most").retry_after(Duration::from_secs(7));
/// let result = error.into_result("weather");
/// assert!(result.failed());
/// ```
pub struct ToolError(Box<Inner>);

struct Inner {
    envelope: ToolErrorEnvelope,
    source: Option<Box<dyn Error + Send + Sync>>,
}

macro_rules! of_each_code {
    ($($(#[$meta:meta])* $name:ident = $CODE:ident;)*) => { $(
        $(#[$meta])*
        pub fn $name(error: impl Into<String>) -> Self {
            Self::new(ToolErrorCode::$CODE, error)
        }
    )* };
}

impl ToolError {
    /// A failure with `code`; `error` is a sentence that names the value and the remedy.
    pub fn new(code: impl Into<ToolErrorCode>, error: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            envelope: ToolErrorEnvelope::new("", code, error),
            source: None,
        }))
    }

    /// The failure of an upstream that answered with `status`, kept in the envelope.
    pub fn upstream(status: u16, error: impl Into<String>) -> Self {
        Self::new(ToolErrorCode::from_status(status), error).status(status)
    }

    of_each_code! {
        /// The URL resolves to a private or reserved address.
        ssrf_blocked = SSRF_BLOCKED;
        /// The arguments are wrong.
        bad_request = BAD_REQUEST;
        /// The key is missing or wrong.
        auth_failed = AUTH_FAILED;
        /// The target does not exist.
        not_found = NOT_FOUND;
        /// This way to the target is closed; another tool may have one.
        forbidden = FORBIDDEN;
        /// The limit of requests per minute is reached; say when to come back.
        rate_limited = RATE_LIMITED;
        /// The limit of requests at a time is reached; say when to come back.
        at_capacity = AT_CAPACITY;
        /// The service is down for now.
        service_unavailable = SERVICE_UNAVAILABLE;
        /// The upstream failed.
        upstream_error = UPSTREAM_ERROR;
        /// The upstream refused.
        upstream_client_error = UPSTREAM_CLIENT_ERROR;
        /// The service is off for this account.
        service_disabled = SERVICE_DISABLED;
        /// The upstream's body was not JSON.
        upstream_non_json = UPSTREAM_NON_JSON;
        /// The result broke the tool's `outputSchema`.
        output_validation_failed = OUTPUT_VALIDATION_FAILED;
        /// None of the others.
        upstream_unknown = UPSTREAM_UNKNOWN;
    }

    /// The label of the service that failed, where it is not the tool's.
    #[must_use]
    pub fn service(mut self, service: impl Into<String>) -> Self {
        self.0.envelope.service = service.into();
        self
    }

    /// The HTTP status, where it is not the one of the code.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.0.envelope.status = Some(status);
        self
    }

    /// How long the caller is to wait.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.envelope.retry_after = Some(wait);
        self
    }

    /// How many requests are at work, of how many.
    #[must_use]
    pub fn concurrency(mut self, current: u64, max: u64) -> Self {
        self.load().concurrency = Some(current);
        self.limits().max_concurrency = Some(max);
        self
    }

    /// How many requests came in the last minute, of how many.
    #[must_use]
    pub fn rpm(mut self, current: u64, max: u64) -> Self {
        self.load().rpm = Some(current);
        self.limits().max_rpm = Some(max);
        self
    }

    /// A member of one's own, which is left out if it cannot be written as JSON.
    #[must_use]
    pub fn member<T: Serialize + ?Sized>(mut self, name: impl Into<Box<str>>, value: &T) -> Self {
        if let Ok(value) = RawJson::from_serialize(value) {
            self.0.envelope.extra.set(name, value);
        }
        self
    }

    /// Keeps the cause for the log. It is never sent.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// What a program goes by.
    pub fn code(&self) -> &ToolErrorCode {
        &self.0.envelope.code
    }

    /// The cause, if it was kept.
    pub fn source(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        self.0.source.as_deref()
    }

    /// What the caller gets, from `service` where the handler named none.
    pub fn into_envelope(self, service: &str) -> ToolErrorEnvelope {
        let mut envelope = self.0.envelope;
        if envelope.service.is_empty() {
            service.clone_into(&mut envelope.service);
        }
        envelope
    }

    /// The tool's result, from `service` where the handler named none.
    pub fn into_result(self, service: &str) -> CallToolResult {
        self.into_envelope(service).into_result()
    }

    fn load(&mut self) -> &mut Load {
        self.0.envelope.current.get_or_insert_default()
    }

    fn limits(&mut self) -> &mut LoadLimits {
        self.0.envelope.limits.get_or_insert_default()
    }
}

/// A plain error takes the code of its cause: that of a [`Failure`] among its sources ([`Failure::code`]), with its
/// status and when to come back, else `upstream_unknown`. Its own sentence is sent; its sources are not.
impl<E: Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        let outermost: &(dyn Error + 'static) = &error;
        let sources = iter::successors(Some(outermost), |&error| error.source());
        let mut failures = sources.filter_map(|source| source.downcast_ref::<Failure>());
        let cause = failures.find_map(|failure| Some((failure.code()?, failure)));
        let sentence = error.to_string();
        let failed = match cause {
            None => Self::upstream_unknown(sentence),
            Some((code, failure)) => {
                let mut failed = Self::new(code, sentence);
                let envelope = &mut failed.0.envelope;
                envelope.status = failure.http_status().or(envelope.status);
                envelope.retry_after = failure.retry_after();
                failed
            }
        };
        failed.with_source(error)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ToolErrorEnvelope { code, error, .. } = &self.0.envelope;
        write!(f, "{error} ({code})")
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolError")
            .field("envelope", &self.0.envelope)
            .field("source", &self.0.source)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;

    #[test]
    fn the_service_is_filled_in_only_where_none_is_named() {
        let check = |error: ToolError, expected| {
            assert_eq!(error.into_envelope("tool").service, expected);
        };
        check(ToolError::not_found("no such page"), "tool");
        check(
            ToolError::not_found("no such page").service("search"),
            "search",
        );
    }

    #[test]
    fn a_source_is_kept_and_never_sent() {
        let error = ToolError::upstream(502, "The upstream failed.").with_source("password 1234");
        assert_eq!(error.code(), &ToolErrorCode::UPSTREAM_ERROR);
        assert_eq!(error.source().unwrap().to_string(), "password 1234");
        let result = RawJson::from_serialize(&error.into_result("tool")).unwrap();
        assert!(!result.as_str().contains("1234"), "{result}");
        assert!(result.as_str().contains(r#""status":502"#), "{result}");
    }

    #[test]
    fn a_plain_error_takes_the_code_of_its_cause() {
        #[derive(Debug)]
        struct Read(Failure);

        impl fmt::Display for Read {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the page could not be read")
            }
        }

        impl Error for Read {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }

        let check = |failure: Failure, code, status| {
            let envelope = ToolError::from(Read(failure)).into_envelope("tool");
            assert_eq!(envelope.error, "the page could not be read");
            assert_eq!((envelope.code, envelope.status), (code, status));
        };
        let http = Failure::new(FailureKind::Http, "secret").with_http_status(404);
        check(http, ToolErrorCode::NOT_FOUND, Some(404));
        let wait = Duration::from_secs(3);
        let full = Failure::peer(crate::ProtocolError::at_capacity("secret", wait).into());
        let envelope = ToolError::from(Read(full)).into_envelope("tool");
        assert_eq!(
            (envelope.code, envelope.status),
            (ToolErrorCode::AT_CAPACITY, Some(503))
        );
        assert_eq!(envelope.retry_after, Some(wait));
        let lost = Failure::new(FailureKind::Lost, "secret");
        check(lost, ToolErrorCode::UPSTREAM_UNKNOWN, None);
    }

    #[test]
    fn every_builder_stands_in_the_envelope() {
        let envelope = ToolError::at_capacity("4 calls at a time are the most")
            .retry_after(Duration::from_secs(2))
            .concurrency(4, 4)
            .rpm(7, 60)
            .member("queue", &3)
            .into_envelope("weather");
        assert_eq!(
            serde_json::to_string(&envelope).unwrap(),
            r#"{"service":"weather","code":"at_capacity","error":"4 calls at a time are the most","status":503,"retryAfter":2,"current":{"concurrency":4,"rpm":7},"limits":{"maxConcurrency":4,"maxRpm":60},"queue":3}"#
        );
    }
}
