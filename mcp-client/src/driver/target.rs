//! Where a server is: behind an endpoint, at a URL or a socket, or what a command starts.

use std::{fmt, sync::Arc};

use http::HeaderMap;
use mcp_errors::{Failure, FailureKind};
#[cfg(feature = "http")]
use mcp_transport::http::client::{HttpClient, HttpClientBuilder, sse::SseClient};
#[cfg(any(feature = "http", feature = "stdio"))]
use mcp_transport::proto::http::shown_url;
use mcp_transport::{Clock, Endpoint, proto::limits::Limits};
#[cfg(feature = "stdio")]
use mcp_transport::{
    proto::address::SocketAddress,
    stdio::{child::ChildCommand, socket::StreamClient},
};

use super::Driver;
#[cfg(any(feature = "http", feature = "stdio"))]
use crate::error::ConnectError;
#[cfg(feature = "stdio")]
use crate::proto::command::{self, BadCommand};
use crate::proto::probe::Wire;

/// Where the server is.
#[derive(Clone)]
pub(crate) enum Target {
    /// Behind an endpoint that somebody else made.
    Endpoint(Arc<dyn Endpoint>),
    /// At a URL.
    #[cfg(feature = "http")]
    Url(Box<HttpClientBuilder>),
    /// What a command starts.
    #[cfg(feature = "stdio")]
    Command(Box<ChildCommand>),
    /// At a socket.
    #[cfg(feature = "stdio")]
    Socket(SocketAddress, Box<Limits>),
}

#[cfg(any(feature = "http", feature = "stdio"))]
impl Target {
    /// What a person wrote: a URL, or else a command line.
    ///
    /// # Errors
    /// When it is neither, or its kind is not built in.
    pub(crate) fn parse(text: &str) -> Result<Self, ConnectError> {
        match text.trim().split_once("://") {
            Some((scheme, _)) if is_http(scheme) => Self::url(text.trim()),
            Some((scheme, _)) if is_socket(scheme) => Self::socket(text.trim()),
            Some((scheme, _)) if is_scheme(scheme) => Err(ConnectError::local(
                shown_url(text),
                format!(
                    "`{scheme}` is no scheme of an MCP server; use http, https, unix, tcp or a command"
                ),
            )),
            _ => Self::command_line(text),
        }
    }

    #[cfg(feature = "http")]
    #[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
    fn url(url: &str) -> Result<Self, ConnectError> {
        Ok(Self::Url(Box::new(HttpClient::builder(url))))
    }

    #[cfg(not(feature = "http"))]
    fn url(url: &str) -> Result<Self, ConnectError> {
        let detail = "a URL needs the feature `http` of mcp-client".to_owned();
        Err(ConnectError::local(shown_url(url), detail))
    }

    #[cfg(feature = "stdio")]
    fn socket(text: &str) -> Result<Self, ConnectError> {
        let address = text
            .parse()
            .map(|address| Self::Socket(address, Box::default()));
        address.map_err(|bad| ConnectError::local(shown_url(text), bad.to_string()))
    }

    #[cfg(not(feature = "stdio"))]
    fn socket(text: &str) -> Result<Self, ConnectError> {
        let detail = "a socket needs the feature `stdio` of mcp-client".to_owned();
        Err(ConnectError::local(shown_url(text), detail))
    }

    #[cfg(feature = "stdio")]
    fn command_line(line: &str) -> Result<Self, ConnectError> {
        let refused = |why: String| ConnectError::local("a command".into(), why);
        let mut words = command::split(line).map_err(|bad| refused(bad.to_string()))?;
        if command::is_address(&words) {
            return Err(refused(format!(
                "{:?} is no command but an address: write it with `http://` or `https://`",
                words[0]
            )));
        }
        let variables = command::take_variables(&mut words);
        let mut words = words.into_iter();
        let program = words
            .next()
            .ok_or_else(|| refused(BadCommand::Empty.to_string()))?;
        let mut command = ChildCommand::new(program).args(words);
        for (name, value) in variables {
            command = command.env(name, value);
        }
        Ok(Self::Command(Box::new(command)))
    }

    #[cfg(not(feature = "stdio"))]
    fn command_line(_: &str) -> Result<Self, ConnectError> {
        let detail = "what does not start with `http://` or `https://` is a command, \
                      which needs the feature `stdio` of mcp-client";
        Err(ConnectError::local("a command".into(), detail.to_owned()))
    }
}

impl Target {
    pub(crate) fn wire(&self) -> Wire {
        match self {
            Self::Endpoint(_) => Wire::Custom,
            #[cfg(feature = "http")]
            Self::Url(_) => Wire::Http,
            #[cfg(feature = "stdio")]
            Self::Command(_) => Wire::Process,
            #[cfg(feature = "stdio")]
            Self::Socket(..) => Wire::Socket,
        }
    }

    /// Sets the limits of what is made for it; an endpoint is made already.
    #[cfg_attr(
        not(any(feature = "http", feature = "stdio")),
        expect(unused_variables, reason = "only the drivers have limits")
    )]
    pub(crate) fn with_limits(self, limits: &Limits) -> Self {
        match self {
            Self::Endpoint(endpoint) => Self::Endpoint(endpoint),
            #[cfg(feature = "http")]
            Self::Url(http) => Self::Url(Box::new(http.limits(limits.clone()))),
            #[cfg(feature = "stdio")]
            Self::Command(command) => Self::Command(Box::new(command.limits(limits.clone()))),
            #[cfg(feature = "stdio")]
            Self::Socket(address, _) => Self::Socket(address, Box::new(limits.clone())),
        }
    }

    /// Makes the wire. Nothing of the protocol is sent yet.
    #[cfg_attr(
        not(all(feature = "http", feature = "stdio")),
        allow(unused_variables, reason = "only the drivers need them")
    )]
    #[cfg_attr(
        not(feature = "stdio"),
        expect(clippy::unused_async, reason = "only a socket is waited for")
    )]
    pub(crate) async fn dial(
        &self,
        headers: &HeaderMap,
        clock: &Arc<dyn Clock>,
    ) -> Result<Driver, Failure> {
        Ok(match self {
            Self::Endpoint(endpoint) => Driver::Endpoint(Arc::clone(endpoint)),
            #[cfg(feature = "http")]
            Self::Url(http) => Driver::http(settings(http, headers, clock).build()?),
            #[cfg(feature = "stdio")]
            Self::Command(command) => Driver::child(
                ChildCommand::clone(command)
                    .clock(Arc::clone(clock))
                    .spawn()?,
            ),
            #[cfg(feature = "stdio")]
            Self::Socket(address, limits) => {
                let connecting = StreamClient::connect(address, limits, Arc::clone(clock));
                Driver::socket(connecting.await?)
            }
        })
    }
}

impl Target {
    /// Opens HTTP+SSE, where the server is at a URL.
    #[cfg_attr(
        not(feature = "http"),
        expect(
            clippy::unused_async,
            unused_variables,
            reason = "only HTTP has this transport"
        )
    )]
    pub(crate) async fn dial_sse(
        &self,
        headers: &HeaderMap,
        clock: &Arc<dyn Clock>,
    ) -> Result<Driver, Failure> {
        #[cfg(feature = "http")]
        if let Self::Url(http) = self {
            let opening = SseClient::connect(settings(http, headers, clock));
            return opening.await.map(Driver::sse);
        }
        let detail = "HTTP+SSE needs a server behind a URL";
        Err(Failure::new(FailureKind::Invalid, detail))
    }
}

#[cfg(feature = "http")]
fn settings(
    http: &HttpClientBuilder,
    headers: &HeaderMap,
    clock: &Arc<dyn Clock>,
) -> HttpClientBuilder {
    let http = http.clone().clock(Arc::clone(clock));
    match headers.is_empty() {
        true => http,
        false => http.headers(headers.clone()),
    }
}

/// Names the server without what may be secret: a URL's user and query, a command's arguments.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Endpoint(_) => f.write_str("the given endpoint"),
            #[cfg(feature = "http")]
            Self::Url(http) => f.write_str(&http.shown_url()),
            #[cfg(feature = "stdio")]
            Self::Command(command) => write!(f, "the command {:?}", command.program()),
            #[cfg(feature = "stdio")]
            Self::Socket(address, _) => address.fmt(f),
        }
    }
}

#[cfg(any(feature = "http", feature = "stdio"))]
fn is_http(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

#[cfg(any(feature = "http", feature = "stdio"))]
fn is_socket(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("unix") || scheme.eq_ignore_ascii_case("tcp")
}

/// RFC 3986, section 3.1.
#[cfg(any(feature = "http", feature = "stdio"))]
fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

#[cfg(all(test, any(feature = "http", feature = "stdio")))]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_writes_is_a_url_or_a_command() {
        let check = |text: &str, expected: &str| {
            let told = match Target::parse(text) {
                Ok(target) => target.to_string(),
                Err(error) => error.to_string(),
            };
            assert!(told.contains(expected), "{text}: {told}");
        };
        check("ws://a.example", "`ws` is no scheme");
        if cfg!(feature = "http") {
            check(" HTTPS://a.example/mcp?k=1", "HTTPS://a.example/mcp");
        } else {
            check("https://a.example/mcp", "the feature `http`");
        }
        if cfg!(feature = "stdio") {
            check("npx -y 'server https://x'", "the command \"npx\"");
            check("npx 'open", "not closed");
            check("", "the command is empty");
            check("KEY=secret", "the command is empty");
            check("KEY=secret npx -y x", "the command \"npx\"");
            check("localhost:8080/mcp", "write it with `http://`");
            check("unix:///run/ops.sock", "unix:///run/ops.sock");
            check("unix://ops.sock", "with three slashes");
            check(" TCP://localhost:7000 ", "tcp://localhost:7000");
            check("tcp://localhost", "ends in a port");
        } else {
            check("unix:///run/ops.sock", "the feature `stdio`");
            check("npx -y server", "the feature `stdio`");
        }
    }
}
