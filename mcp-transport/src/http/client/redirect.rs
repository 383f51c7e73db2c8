//! URLs: which are endpoints, how messages name them, and which redirects are followed.

use ::http::{HeaderMap, HeaderValue, StatusCode, header};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use mcp_errors::{Failure, FailureKind};
use reqwest::Url;

/// How many redirects one request follows.
pub(super) const HOPS: usize = 5;

/// Reads the URL of an endpoint; credentials in it become the value of `Authorization`.
pub(super) fn parse(text: &str) -> Result<(Url, Option<HeaderValue>), Failure> {
    let mut url = Url::parse(text).map_err(|error| {
        let detail = format!(
            "{:?} is no URL; write it like https://example.com/mcp",
            masked(text)
        );
        Failure::new(FailureKind::Invalid, detail).with_source(error)
    })?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        let detail = format!(
            "{:?} is neither http nor https; write it like https://example.com/mcp",
            masked(text)
        );
        return Err(Failure::new(FailureKind::Invalid, detail));
    }
    let credentials = credentials(&url);
    strip_credentials(&mut url);
    Ok((url, credentials))
}

/// A text that may be no URL, without what may be secret in it: credentials, query and fragment.
pub(super) fn masked(text: &str) -> String {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let (scheme, rest) = match text[..end].split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), &text[..end]),
    };
    let authority = rest.find('/').unwrap_or(rest.len());
    let host = rest[..authority].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}{}", &rest[host..])
}

/// User and password as RFC 7617 sends them.
fn credentials(url: &Url) -> Option<HeaderValue> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let mut pair = percent_decoded(url.username());
    pair.push(b':');
    pair.extend(percent_decoded(url.password().unwrap_or_default()));
    let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        let escaped = tail
            .get(..2)
            .filter(|_| *byte == b'%')
            .and_then(|digits| str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(escaped.unwrap_or(*byte));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    decoded
}

fn strip_credentials(url: &mut Url) {
    // Neither can fail for a URL that has a host, and no other has credentials.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}

/// The URL without credentials, query and fragment, which may be secret.
pub(super) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    strip_credentials(&mut url);
    url.into()
}

/// Whether the host is a loopback name or address.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<core::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Where an answer sends the request: `None` if it is no redirect.
///
/// Followed are 307 and 308, which keep method and body, on the same origin or from http to https of the same host
/// with default ports.
pub(super) fn follow(
    from: &Url,
    status: StatusCode,
    headers: &HeaderMap,
) -> Option<Result<Url, Failure>> {
    if !status.is_redirection() {
        return None;
    }
    let location = headers
        .get(header::LOCATION)
        .and_then(|location| location.to_str().ok());
    let target = location.and_then(|location| from.join(location).ok());
    let refuse = |detail| {
        Some(Err(
            Failure::new(FailureKind::Redirected, detail).with_http_status(status.as_u16())
        ))
    };
    let Some(target) = target else {
        return refuse(format!("{} redirects without saying where to", shown(from)));
    };
    let same = target.origin() == from.origin();
    let secured =
        from.scheme() == "http" && target.scheme() == "https" && target.host() == from.host();
    let secured = secured && from.port().is_none() && target.port().is_none();
    let bare = target.username().is_empty() && target.password().is_none();
    if matches!(status.as_u16(), 307 | 308) && (same || secured) && bare {
        return Some(Ok(target));
    }
    refuse(format!(
        "{} redirects to {}; use that URL if you trust it",
        shown(from),
        shown(&target)
    ))
}
