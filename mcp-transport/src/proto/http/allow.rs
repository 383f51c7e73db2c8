//! Which hosts a server answers to and which web origins may call it: the guard against DNS rebinding.

use core::net::{Ipv4Addr, Ipv6Addr};

use http::{HeaderMap, HeaderValue, Uri, header};

use super::{Cors, Refusal};

/// The hosts a server answers to and the web origins that may call it.
///
/// By default both are the loopback names `localhost`, `127.0.0.0/8` and `[::1]` with any port, so that a page
/// of another site can neither call a local server nor reach it under a name of its own
/// ([basic/transports/streamable-http#security][s]). Values are parsed and compared whole, in any letter case.
///
/// [s]: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security--endpoint
#[derive(Clone, Debug)]
pub struct AllowList {
    any_host: bool,
    any_origin: bool,
    loopback: bool,
    hosts: Vec<Authority>,
    origins: Vec<Origin>,
    cors: Option<Cors>,
}

impl AllowList {
    /// Allows the loopback names and nothing else.
    pub fn loopback() -> Self {
        Self {
            loopback: true,
            ..Self::closed()
        }
    }

    /// Allows no host and no web origin; callers that send no `Origin` need only their host allowed.
    pub fn closed() -> Self {
        Self {
            any_host: false,
            any_origin: false,
            loopback: false,
            hosts: Vec::new(),
            origins: Vec::new(),
            cors: None,
        }
    }

    /// Allows hosts as well, from one entry or several with commas: `example.com`, `example.com:8443`, `[::1]`,
    /// or `*` for every host.
    ///
    /// An entry without a port allows every port.
    ///
    /// # Errors
    ///
    /// [`BadEntry`] with the entry that is no host.
    pub fn with_hosts(mut self, entries: &str) -> Result<Self, BadEntry> {
        for entry in split(entries) {
            match Authority::parse(entry) {
                _ if entry == "*" => self.any_host = true,
                Some(host) => self.hosts.push(host),
                None => {
                    let form = "example.com or example.com:8443, or * for any";
                    return Err(BadEntry::of("host", form, entry));
                }
            }
        }
        Ok(self)
    }

    /// Allows web origins as well, from one entry or several with commas: `https://app.example.com`,
    /// `http://localhost:3000`, or `*` for every origin.
    ///
    /// # Errors
    ///
    /// [`BadEntry`] with the entry that is no origin.
    pub fn with_origins(mut self, entries: &str) -> Result<Self, BadEntry> {
        for entry in split(entries) {
            match Origin::parse(entry) {
                _ if entry == "*" => self.any_origin = true,
                Some(origin) => self.origins.push(origin),
                None => return Err(BadEntry::origin(entry)),
            }
        }
        Ok(self)
    }

    /// Allows pages of the origins of `cors` to call as well, and to read what they are answered.
    #[must_use]
    pub fn with_cors(self, cors: Cors) -> Self {
        let cors = Some(cors);
        Self { cors, ..self }
    }

    /// What browsers are told.
    pub fn cors(&self) -> Option<&Cors> {
        self.cors.as_ref()
    }

    /// Whether a host other than the loopback names is allowed, as a server off loopback needs.
    pub fn names_hosts(&self) -> bool {
        self.any_host || !self.hosts.is_empty()
    }

    /// Judges `Host`, and the authority of an absolute target or an HTTP/2 request.
    ///
    /// # Errors
    ///
    /// [`Refusal::Host`] if there is none, more than one, or one that is not allowed.
    pub fn check_host(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), Refusal> {
        if self.any_host {
            return Ok(());
        }
        let mut named = false;
        let target = uri
            .authority()
            .map(|authority| authority.as_str().as_bytes());
        for value in headers
            .get_all(header::HOST)
            .iter()
            .map(HeaderValue::as_bytes)
            .chain(target)
        {
            named = true;
            let host = str::from_utf8(value)
                .ok()
                .and_then(|text| Authority::parse(text.trim_ascii()));
            if !host.is_some_and(|host| self.allows_host(&host)) {
                return Err(Refusal::Host(shown(value)));
            }
        }
        let repeated = headers.get_all(header::HOST).iter().nth(1).is_some();
        match named {
            true if !repeated => Ok(()),
            true => Err(Refusal::Host("(repeated)".to_owned())),
            false => Err(Refusal::Host("(none)".to_owned())),
        }
    }

    /// Judges `Origin`. Absent is allowed: only browsers send it.
    ///
    /// # Errors
    ///
    /// [`Refusal::Origin`] if one is present that is not allowed, `null` among them.
    pub fn check_origin(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        if self.any_origin || self.cors.as_ref().is_some_and(|cors| cors.allows(headers)) {
            return Ok(());
        }
        for value in headers.get_all(header::ORIGIN) {
            let origin = value
                .to_str()
                .ok()
                .and_then(|text| Origin::parse(text.trim_ascii()));
            if !origin.is_some_and(|origin| self.allows_origin(&origin)) {
                return Err(Refusal::Origin(shown(value.as_bytes())));
            }
        }
        Ok(())
    }

    fn allows_host(&self, host: &Authority) -> bool {
        let listed = self.hosts.iter().any(|entry| {
            let default = host.port.is_none() && matches!(entry.port, Some(80 | 443));
            entry.name == host.name && (entry.port.is_none() || entry.port == host.port || default)
        });
        listed || (self.loopback && host.is_loopback())
    }

    fn allows_origin(&self, origin: &Origin) -> bool {
        let web = matches!(origin.scheme.as_str(), "http" | "https");
        self.origins.contains(origin) || (self.loopback && web && origin.host.is_loopback())
    }
}

impl Default for AllowList {
    fn default() -> Self {
        Self::loopback()
    }
}

/// An entry of an allow-list that is none of its kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{entry:?} is no {what} for an allow-list: write it like {form}")]
pub struct BadEntry {
    what: &'static str,
    form: &'static str,
    entry: String,
}

impl BadEntry {
    pub(super) fn origin(entry: &str) -> Self {
        let form = "https://app.example.com, or * for any";
        Self::of("origin", form, entry)
    }

    pub(super) fn header(entry: &str) -> Self {
        Self::of("name of a header", "X-Api-Key", entry)
    }

    fn of(what: &'static str, form: &'static str, entry: &str) -> Self {
        let entry = entry.to_owned();
        Self { what, form, entry }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Authority {
    name: Name,
    port: Option<u16>,
}

impl Authority {
    fn parse(text: &str) -> Option<Self> {
        let (name, rest) = match text.strip_prefix('[') {
            Some(text) => {
                let (address, rest) = text.split_once(']')?;
                (Name::V6(address.parse().ok()?), rest)
            }
            None => {
                let (name, rest) = text.split_at(text.find(':').unwrap_or(text.len()));
                (Name::parse(name)?, rest)
            }
        };
        let port = match rest.strip_prefix(':') {
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(port.parse().ok()?)
            }
            None if rest.is_empty() => None,
            Some(_) | None => return None,
        };
        Some(Self { name, port })
    }

    fn is_loopback(&self) -> bool {
        match &self.name {
            Name::Domain(name) => name == "localhost",
            // A server on 127.0.0.2 is reached under that name, and no other machine's server is.
            Name::V4(address) => address.is_loopback(),
            Name::V6(address) => *address == Ipv6Addr::LOCALHOST,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Domain(String),
    V4(Ipv4Addr),
    V6(Ipv6Addr),
}

impl Name {
    fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse() {
            return Some(Self::V4(address));
        }
        let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        let domain = !text.is_empty() && text.bytes().all(valid);
        domain.then(|| Self::Domain(text.to_ascii_lowercase()))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    scheme: String,
    host: Authority,
}

impl Origin {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (scheme, host) = text.split_once("://")?;
        let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        if scheme.is_empty() || !scheme.bytes().all(valid) {
            return None;
        }
        let scheme = scheme.to_ascii_lowercase();
        let mut host = Authority::parse(host)?;
        host.port = host.port.or(match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        });
        Some(Self { scheme, host })
    }
}

pub(super) fn split(entries: &str) -> impl Iterator<Item = &str> {
    entries
        .split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
}

/// A value of a stranger, fit to be quoted in an answer and a log line.
pub(super) fn shown(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    text.chars()
        .take(128)
        .map(|char| if char.is_control() { '?' } else { char })
        .collect()
}
