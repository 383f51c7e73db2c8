//! Why there is no connection, and what to do about it.

use std::fmt;

use mcp_errors::{Failure, FailureKind};
use mcp_types::{Era, Revision};

/// How many of a server's versions an error repeats, and how many characters of each.
const VERSIONS: usize = 16;
const VERSION_CHARS: usize = 32;

/// Why a connect failed. `Display` is a sentence with the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// What was asked for cannot be done on this side.
    Local,
    /// No connection: name, address, TLS, or no such program.
    Unreachable,
    /// The connection broke before the answer.
    Lost,
    /// The process ended before it answered.
    ProcessExited,
    /// Nothing answered in time.
    Timeout,
    /// The address redirects where we do not follow.
    Redirected,
    /// 401.
    Unauthorized,
    /// 403.
    Forbidden,
    /// 407.
    ProxyAuth,
    /// 429, for longer than we could wait.
    RateLimited,
    /// 502, 503, 504 and the like, for longer than we could wait.
    Unavailable,
    /// Another 5xx.
    ServerError,
    /// A 4xx that says nothing about the protocol.
    Refused,
    /// Something answers, but it does not speak this protocol.
    NotMcp,
    /// The answer is over the limit.
    TooLarge,
    /// The server chose a version that we do not speak, or that `initialize` cannot choose.
    UnsupportedVersion(Box<str>),
    /// The server speaks only these versions.
    NoCommonVersion(Box<[Box<str>]>),
    /// The server refuses the very version that it says it supports.
    VersionLoop,
    /// The server says that header and body differ (-32020).
    HeaderMismatch,
    /// The server wants a capability that this client did not declare (-32021).
    CapabilityRequired,
    /// The server refused `initialize`.
    Rejected,
    /// Neither streamable HTTP nor HTTP+SSE, the transport of 2024-11-05, finds a server.
    NoTransport,
    /// The server does not speak the era that was pinned.
    Pinned(Era),
}

impl Reason {
    pub(super) fn unsupported_version(version: &str) -> Self {
        Self::UnsupportedVersion(clip(version))
    }

    pub(super) fn no_common_version(versions: &[String]) -> Self {
        Self::NoCommonVersion(
            versions
                .iter()
                .take(VERSIONS)
                .map(|text| clip(text))
                .collect(),
        )
    }

    /// What a failure that may be repeated is called when it is not.
    pub(super) fn from_status(failure: Option<&Failure>) -> Self {
        match failure.map(|failure| (failure.http_status(), failure.kind())) {
            Some((Some(429), _)) => Self::RateLimited,
            Some((Some(502..=504 | 520..=529), _)) => Self::Unavailable,
            Some((_, FailureKind::Lost)) => Self::Lost,
            _ => Self::Refused,
        }
    }
}

fn clip(text: &str) -> Box<str> {
    text.chars().take(VERSION_CHARS).collect()
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Local => "the connection cannot be made as asked",
            Self::Unreachable => "the server cannot be reached: check its address or its command",
            Self::Lost => "the connection broke before the server answered: try again",
            Self::ProcessExited => {
                "the process ended before it answered: see `stderr` of this error, or run the command by hand"
            }
            Self::Timeout => {
                "the server did not answer in time: is it running, and does it speak MCP? \
                 Slow starters need a longer `connect_timeout`"
            }
            Self::Redirected => "the address redirects elsewhere: connect to the target itself",
            Self::Unauthorized => {
                "the server wants authorization: pass a token with `header(\"authorization\", …)`"
            }
            Self::Forbidden => {
                "the server forbids access: check the token's rights, and the server's allow-lists \
                 of hosts and origins"
            }
            Self::ProxyAuth => "the proxy wants authorization: set its credentials",
            Self::RateLimited => "the server limits the rate of requests: try again later",
            Self::Unavailable => "the server is not available now: try again later",
            Self::ServerError => "the server failed: see its log",
            Self::Refused => "the server refused the request: check the address",
            Self::NotMcp => "what answers there does not speak MCP: check the address",
            Self::TooLarge => "the server's answer is over the limit",
            Self::UnsupportedVersion(version) => {
                return write!(
                    f,
                    "the server answered `initialize` with version {version:?}, which this client \
                     does not speak there; it speaks {} to {}",
                    Revision::ALL[0],
                    Revision::LATEST_LEGACY
                );
            }
            Self::NoCommonVersion(versions) => {
                return write!(
                    f,
                    "the server speaks only {}; this client speaks {} to {}",
                    versions.join(", ").escape_debug(),
                    Revision::ALL[0],
                    Revision::LATEST
                );
            }
            Self::VersionLoop => {
                "the server contradicts itself about the versions it speaks: pin an era with `pin`"
            }
            Self::HeaderMismatch => {
                "the server says that headers and body differ: an intermediary may strip `Mcp-*` headers"
            }
            Self::CapabilityRequired => {
                "the server wants a capability that this client does not have"
            }
            Self::Rejected => "the server refused `initialize`",
            Self::NoTransport => {
                "nothing there answers MCP requests, over streamable HTTP or over HTTP+SSE (2024-11-05): \
                 check the address"
            }
            Self::Pinned(era) => {
                return write!(
                    f,
                    "the server does not speak the {era} era, and the client is pinned to it: \
                     leave out `pin` and `revision` to try both"
                );
            }
        })
    }
}
