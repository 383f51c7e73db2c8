//! CORS: which web pages may read a server's answers, and what a browser is told before it sends theirs.
//!
//! Nothing of it is said unless a server is configured for it. Rules of the [Fetch standard][fetch].
//!
//! [fetch]: https://fetch.spec.whatwg.org/#http-cors-protocol

#[cfg(test)]
mod tests;

use http::{HeaderMap, HeaderName, HeaderValue, Method, header};

use super::{
    BadEntry,
    allow::{Origin, split},
};
use crate::proto::headers::{MCP_PARAM_PREFIX, single};

/// Request headers that MCP clients send; those of mirrored arguments are named by the schemas of tools.
const REQUEST_HEADERS: &str = "authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, \
     mcp-session-id, last-event-id";
/// Response headers that MCP clients read.
const RESPONSE_HEADERS: &str =
    "mcp-session-id, mcp-protocol-version, www-authenticate, retry-after";
/// How long a browser may remember the answer to a preflight, in seconds.
const MAX_AGE: &str = "600";

/// Which web pages may call a server and read its answers.
///
/// ```
/// # use mcp_transport::proto::http::Cors;
/// let cors = Cors::for_origins("https://app.example.com, https://admin.example.com")?
///     .with_headers("X-Api-Key")?
///     .with_credentials()?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cors {
    any: bool,
    origins: Vec<Origin>,
    headers: Vec<HeaderName>,
    credentials: bool,
}

impl Cors {
    /// For pages of these origins, from one entry or several with commas: `https://app.example.com`,
    /// `http://localhost:3000`, or `*` for every page of the web.
    ///
    /// # Errors
    ///
    /// [`BadEntry`] with the entry that is no origin.
    pub fn for_origins(entries: &str) -> Result<Self, BadEntry> {
        let mut cors = Self {
            any: false,
            origins: Vec::new(),
            headers: Vec::new(),
            credentials: false,
        };
        for entry in split(entries) {
            match Origin::parse(entry) {
                _ if entry == "*" => cors.any = true,
                Some(origin) => cors.origins.push(origin),
                None => return Err(BadEntry::origin(entry)),
            }
        }
        Ok(cors)
    }

    /// Lets pages send request headers beside those of MCP, from one name or several with commas: `X-Api-Key`.
    ///
    /// # Errors
    ///
    /// [`BadEntry`] with the entry that is no name of a header.
    pub fn with_headers(mut self, names: &str) -> Result<Self, BadEntry> {
        for name in split(names) {
            let parsed = HeaderName::from_bytes(name.as_bytes());
            self.headers
                .push(parsed.map_err(|_| BadEntry::header(name))?);
        }
        Ok(self)
    }

    /// Lets browsers send cookies and other credentials of their own. An `Authorization` header that a page sets
    /// itself needs no such leave.
    ///
    /// # Errors
    ///
    /// [`AnyWithCredentials`] where every origin is allowed: then any page could act as its visitor.
    pub fn with_credentials(mut self) -> Result<Self, AnyWithCredentials> {
        if self.any {
            return Err(AnyWithCredentials);
        }
        self.credentials = true;
        Ok(self)
    }

    /// Whether pages of the one origin that `Origin` names may call. `null` is no origin.
    pub(super) fn allows(&self, headers: &HeaderMap) -> bool {
        self.origin(headers).is_some()
    }

    /// The headers of the answer to a preflight for an address that takes `methods`; `None` if the request is none,
    /// or comes from elsewhere.
    ///
    /// Of the headers that are asked for, those of mirrored arguments are allowed by name, and no other that is not
    /// listed.
    pub fn preflight(
        &self,
        method: &Method,
        headers: &HeaderMap,
        methods: &'static str,
    ) -> Option<HeaderMap> {
        let is_preflight = method == Method::OPTIONS
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        if !is_preflight {
            return None;
        }
        self.origin(headers)?;
        let mut allowed = REQUEST_HEADERS.to_owned();
        let asked = headers.get_all(header::ACCESS_CONTROL_REQUEST_HEADERS);
        let asked = asked.iter().filter_map(|value| value.to_str().ok());
        let asked = asked.flat_map(split).filter_map(|name| {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            name.as_str().starts_with(MCP_PARAM_PREFIX).then_some(name)
        });
        for name in self.headers.iter().cloned().chain(asked) {
            allowed.push_str(", ");
            allowed.push_str(name.as_str());
        }
        let mut answer = self.common(headers);
        let mut put = |name, value| answer.insert(name, HeaderValue::from_static(value));
        put(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        put(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        put(
            header::VARY,
            "origin, access-control-request-method, access-control-request-headers",
        );
        let allowed = HeaderValue::from_str(&allowed).ok()?;
        answer.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
        Some(answer)
    }

    /// The headers of any other answer to a request with these.
    pub fn answer(&self, headers: &HeaderMap) -> HeaderMap {
        let mut answer = self.common(headers);
        if answer.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN) {
            let exposed = HeaderValue::from_static(RESPONSE_HEADERS);
            answer.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        }
        answer
    }

    /// What every answer says: to whom it may be shown, and, if that depends on who asks, that it does.
    fn common(&self, headers: &HeaderMap) -> HeaderMap {
        let mut answer = HeaderMap::new();
        if !self.any {
            answer.insert(header::VARY, HeaderValue::from_static("origin"));
        }
        if let Some(origin) = self.origin(headers) {
            answer.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            if self.credentials {
                let yes = HeaderValue::from_static("true");
                answer.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, yes);
            }
        }
        answer
    }

    /// Who the answer may be shown to; `None` for a request of no page, or of one that is not allowed.
    fn origin(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = single(headers, &header::ORIGIN).ok().flatten()?;
        if self.any {
            return Some(HeaderValue::from_static("*"));
        }
        let parsed = Origin::parse(origin.to_str().ok()?)?;
        self.origins.contains(&parsed).then(|| origin.clone())
    }
}

/// Every origin was to be allowed together with credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "CORS for every origin cannot go with credentials, or any page could act as its visitor: name the origins instead \
     of *"
)]
#[expect(clippy::exhaustive_structs, reason = "a mistake without parts")]
pub struct AnyWithCredentials;
