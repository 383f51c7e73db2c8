//! Where a server listens for lines: the path of a Unix domain socket, or a host and a port.

use std::{fmt, path::PathBuf, str::FromStr};

/// The address of a socket, as a person writes it: `unix:///run/ops.sock` or `tcp://127.0.0.1:7000`.
///
/// What follows `unix://` is the path as it is: absolute, and nothing in it is decoded.
///
/// ```
/// # use mcp_transport::proto::address::SocketAddress;
/// let address: SocketAddress = "tcp://[::1]:7000".parse()?;
/// assert_eq!(address, SocketAddress::tcp("::1", 7000));
/// # Ok::<_, mcp_transport::proto::address::BadAddress>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SocketAddress {
    /// A Unix domain socket.
    Unix(PathBuf),
    /// A TCP port.
    Tcp {
        /// A name or an IP address, without brackets.
        host: String,
        /// The port.
        port: u16,
    },
}

impl SocketAddress {
    /// The Unix domain socket at a path.
    pub fn unix(path: impl Into<PathBuf>) -> Self {
        Self::Unix(path.into())
    }

    /// A TCP port of a host, which is a name or an IP address.
    pub fn tcp(host: impl Into<String>, port: u16) -> Self {
        let host = host.into();
        Self::Tcp { host, port }
    }
}

impl FromStr for SocketAddress {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let (scheme, rest) = text.split_once("://").ok_or(BadAddress::Scheme)?;
        if scheme.eq_ignore_ascii_case("unix") {
            let is_path = rest.starts_with('/') && !rest.ends_with('/') && !rest.contains('\0');
            return is_path.then(|| Self::unix(rest)).ok_or(BadAddress::Path);
        }
        if !scheme.eq_ignore_ascii_case("tcp") {
            return Err(BadAddress::Scheme);
        }
        let (host, port) = rest.rsplit_once(':').ok_or(BadAddress::Port)?;
        let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let port = port.parse().ok().filter(|port| digits && *port > 0);
        let port = port.ok_or(BadAddress::Port)?;
        let bracketed = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let is_host = |host: &str, odd: &[char]| {
            !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || odd.contains(&c))
        };
        match bracketed {
            Some(host) if is_host(host, &['[', ']', '/', '@']) => Ok(Self::tcp(host, port)),
            None if is_host(host, &['[', ']', '/', '@', ':']) => Ok(Self::tcp(host, port)),
            _ => Err(BadAddress::Host),
        }
    }
}

impl fmt::Display for SocketAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
            Self::Tcp { host, port } if host.contains(':') => write!(f, "tcp://[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "tcp://{host}:{port}"),
        }
    }
}

/// Why a text is no [`SocketAddress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadAddress {
    /// It starts with neither `unix://` nor `tcp://`.
    #[error("a socket's address starts with `unix://` or `tcp://`")]
    Scheme,
    /// What follows `unix://` is no absolute path of a file.
    #[error(
        "a Unix socket is named by its absolute path, with three slashes: `unix:///run/ops.sock`"
    )]
    Path,
    /// There is no host, or one that cannot be.
    #[error(
        "a TCP address is a host and a port and nothing else: `tcp://127.0.0.1:7000` or `tcp://[::1]:7000`"
    )]
    Host,
    /// There is no port, or one that cannot be.
    #[error("a TCP address ends in a port from 1 to 65535: `tcp://127.0.0.1:7000`")]
    Port,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        let check = |text: &str, expected: &SocketAddress| {
            assert_eq!(text.parse().as_ref(), Ok(expected), "{text}");
            let written = expected.to_string();
            assert_eq!(written.parse().as_ref(), Ok(expected), "{written}");
        };
        check(
            "unix:///run/ops.sock",
            &SocketAddress::unix("/run/ops.sock"),
        );
        check("UNIX:///a b%20.sock", &SocketAddress::unix("/a b%20.sock"));
        check(
            "tcp://127.0.0.1:7000",
            &SocketAddress::tcp("127.0.0.1", 7000),
        );
        check("tcp://[::1]:65535", &SocketAddress::tcp("::1", 65535));
        check("TCP://db.example:1", &SocketAddress::tcp("db.example", 1));
    }

    #[test]
    fn what_is_none_is_refused() {
        let check = |text: &str, expected| {
            assert_eq!(text.parse::<SocketAddress>(), Err(expected), "{text}");
        };
        for text in [
            "",
            "/run/ops.sock",
            "http://a:1",
            "tcp:127.0.0.1:1",
            "://a:1",
        ] {
            check(text, BadAddress::Scheme);
        }
        for text in [
            "unix://",
            "unix://run/ops.sock",
            "unix:///",
            "unix:///a/",
            "unix:///a\0b",
        ] {
            check(text, BadAddress::Path);
        }
        for text in [
            "tcp://a",
            "tcp://a:",
            "tcp://a:0",
            "tcp://a:65536",
            "tcp://a:+1",
            "tcp://a:1/",
        ] {
            check(text, BadAddress::Port);
        }
        for text in [
            "tcp://:1",
            "tcp://::1:1",
            "tcp://[]:1",
            "tcp://u@a:1",
            "tcp://a b:1",
            "tcp://a/b:1",
        ] {
            check(text, BadAddress::Host);
        }
    }
}
