//! How an HTTP call fails: the network's errors typed, the server's answers kept.

use std::{
    error::Error,
    fmt::{self, Write as _},
    io,
};

use ::http::{HeaderMap, StatusCode, header, response::Parts};
use bytes::Bytes;
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::ErrorObject;

use super::sieve::{quote, sieve};
use crate::{
    clock::Clock,
    proto::{answer::session_loss, http::retry_after, limits::Limits},
};

/// Why no connection came about; the source of a [`FailureKind::Unreachable`] failure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreachable {
    /// The host name has no address.
    #[error("the host name cannot be resolved; check its spelling and the network")]
    Dns(#[source] reqwest::Error),
    /// Nothing listens there.
    #[error("the connection was refused; check that the server runs and the port is right")]
    Refused(#[source] reqwest::Error),
    /// The connection was not up in time.
    #[error("no connection within the connect time")]
    Timeout(#[source] reqwest::Error),
    /// TLS was not agreed on, or the certificate is not trusted.
    #[error("TLS failed; check the certificate and whether the server speaks https")]
    Tls(#[source] reqwest::Error),
    /// Anything else on the way: an unreachable network, a proxy.
    #[error("the connection failed")]
    Other(#[source] reqwest::Error),
}

/// What HTTP answered where an MCP message was expected; the source of such a failure.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpAnswer {
    /// The status.
    pub status: StatusCode,
    /// The headers, `WWW-Authenticate` and `Location` among them.
    pub headers: HeaderMap,
    /// The beginning of the body, at most [`Limits::error_body`]; where it repeats what the request was authorized with,
    /// such as a token or a session id, there is `***` in its place.
    pub body: Bytes,
}

impl HttpAnswer {
    /// The `Content-Type`, as it came.
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get(header::CONTENT_TYPE)?.to_str().ok()
    }
}

/// The server no longer knows the legacy session of the request; the source of such a failure, whose own source is the
/// [`HttpAnswer`] if the refusal was no JSON-RPC error.
///
/// The client has tried to begin another session by then, unless
/// [`HttpClientBuilder::renew_sessions`](super::HttpClientBuilder::renew_sessions) forbids it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the server does not know the session any more; send initialize again")]
#[non_exhaustive]
pub struct SessionLost {
    /// Whether the request ran: a 404 says that it did not.
    pub executed: Executed,
    #[source]
    answer: Option<HttpAnswer>,
}

impl SessionLost {
    pub(super) fn new(executed: Executed) -> Self {
        Self {
            executed,
            answer: None,
        }
    }

    /// That of `failure`, if it is one.
    pub fn of(failure: &Failure) -> Option<&Self> {
        failure.source()?.downcast_ref()
    }
}

/// Headers may hold cookies, so they are not shown.
impl fmt::Debug for HttpAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpAnswer")
            .field("status", &self.status)
            .field("body", &self.body)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for HttpAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.content_type().unwrap_or("no content type");
        let kind: String = kind.chars().take(100).collect();
        let body = quote(&self.body);
        write!(f, "status {}, {kind}, body {body}", self.status)
    }
}

impl Error for HttpAnswer {}

/// Types an error of the network before there was an answer.
pub(super) fn network(error: reqwest::Error, place: &str) -> Failure {
    let error = error.without_url();
    if !error.is_connect() {
        let detail = format!("the connection to {place} broke before the answer");
        return Failure::new(FailureKind::Lost, detail).with_source(error);
    }
    let cause = match () {
        () if error.is_timeout() => Unreachable::Timeout(error),
        () if error.is_dns() => Unreachable::Dns(error),
        () if is_refused(&error) => Unreachable::Refused(error),
        () if is_tls(&error) => Unreachable::Tls(error),
        () => Unreachable::Other(error),
    };
    let mut detail = format!("cannot reach {place}: {cause}");
    // The innermost error names the certificate's flaw, or what the proxy wants.
    if let Some(root) = causes(&cause).skip(1).last() {
        let _ = write!(detail, " ({root})");
    }
    let failure = Failure::new(FailureKind::Unreachable, detail);
    // A certificate does not become trusted by asking again.
    let failure = match cause {
        Unreachable::Tls(_) => failure.with_transient(false),
        _ => failure,
    };
    failure.with_source(cause)
}

/// An error of the network in the middle of an answer, of which so many bytes came, which begin as quoted.
pub(super) fn broken(error: reqwest::Error, place: &str, came: Option<(usize, String)>) -> Failure {
    if is_coding(&error) {
        let detail = format!("the answer of {place} has a content coding that cannot be undone");
        return Failure::new(FailureKind::Malformed, detail).with_source(error.without_url());
    }
    let mut detail = format!("the answer of {place} broke off");
    if let Some((bytes, quoted)) = came {
        let _ = write!(detail, " after {bytes} bytes, {quoted}");
    }
    Failure::new(FailureKind::Lost, detail).with_source(error.without_url())
}

/// What turns the facts of an answer into the failure of a call.
#[derive(Clone, Copy)]
pub(super) struct Verdict<'a> {
    pub(super) place: &'a str,
    pub(super) limits: &'a Limits,
    pub(super) clock: &'a dyn Clock,
    /// The headers that the request went out with.
    pub(super) sent: &'a HeaderMap,
    /// Whether the request named a session, so that the answer can say that it is gone.
    pub(super) in_session: bool,
    /// Whether this is only about the rest of an answer, whose request was taken.
    pub(super) resumes: bool,
}

impl Verdict<'_> {
    /// The peer's JSON-RPC error; a status other than 2xx is kept beside it.
    pub(super) fn peer(self, error: ErrorObject, parts: &Parts) -> Failure {
        let code = Some(error.code.0);
        let mut failure = Failure::peer(error);
        if let Some(executed) = self.refused(parts.status) {
            failure = failure.with_executed(executed);
        }
        if let Some(executed) = self.session_lost(parts.status, code) {
            let lost = SessionLost::new(executed);
            failure = failure.with_executed(executed).with_source(lost);
        }
        if !parts.status.is_success() {
            failure = failure.with_http_status(parts.status.as_u16());
        }
        self.hinted(failure, &parts.headers)
    }

    /// An answer that holds no MCP message.
    pub(super) fn answer(
        self,
        kind: FailureKind,
        what: &str,
        parts: Parts,
        body: &Bytes,
    ) -> Failure {
        let kept = body.len().min(self.limits.error_body);
        let answer = HttpAnswer {
            status: parts.status,
            headers: parts.headers,
            // A copy, so that a failure that is kept does not keep the whole.
            body: sieve(&body[..kept], self.sent).into(),
        };
        let mut failure = Failure::new(kind, format!("{}: {what}; {answer}", self.place));
        if let Some(executed) = self.refused(answer.status) {
            failure = failure.with_executed(executed);
        }
        let failure = failure.with_http_status(answer.status.as_u16());
        let failure = self.hinted(failure, &answer.headers);
        match self.session_lost(answer.status, None) {
            Some(executed) => failure.with_executed(executed).with_source(SessionLost {
                executed,
                answer: Some(answer),
            }),
            None => failure.with_source(answer),
        }
    }

    /// What a status alone says about whether the request ran.
    fn refused(self, status: StatusCode) -> Option<Executed> {
        match status {
            _ if self.resumes => Some(Executed::Unknown),
            StatusCode::TOO_MANY_REQUESTS => Some(Executed::No),
            _ => None,
        }
    }

    fn session_lost(self, status: StatusCode, code: Option<i64>) -> Option<Executed> {
        let executed = session_loss(status, code).filter(|_| self.in_session)?;
        Some(if self.resumes {
            Executed::Unknown
        } else {
            executed
        })
    }

    fn hinted(self, failure: Failure, headers: &HeaderMap) -> Failure {
        match retry_after(headers, self.limits.retry_after, self.clock.wall()) {
            Some(hint) => failure.with_retry_after(hint.wait),
            None => failure,
        }
    }
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}

fn io_errors<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a io::Error> {
    causes(error).filter_map(|cause| cause.downcast_ref())
}

fn is_refused(error: &(dyn Error + 'static)) -> bool {
    io_errors(error).any(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

/// What undoes a content coding reports through an `io::Error` too; a socket's has a number, and a broken TLS record one
/// of rustls's errors inside.
fn is_coding(error: &(dyn Error + 'static)) -> bool {
    io_errors(error).any(|error| {
        let kind = matches!(
            error.kind(),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData
        );
        let tls = error
            .get_ref()
            .is_some_and(|cause| cause.is::<rustls::Error>());
        kind && !tls && error.raw_os_error().is_none()
    })
}

/// rustls reports through an `io::Error` with an error of its own inside; a socket's own errors have none.
fn is_tls(error: &(dyn Error + 'static)) -> bool {
    io_errors(error).any(|error| error.get_ref().is_some() && error.raw_os_error().is_none())
}
