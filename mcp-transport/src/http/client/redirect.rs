//! URLs: which are endpoints, how messages name them, and which redirects are followed.

use ::http::{HeaderMap, HeaderValue, StatusCode, header};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use mcp_errors::{Failure, FailureKind};
use reqwest::Url;

use crate::proto::http::shown_url;

/// How many redirects one request follows.
pub(super) const HOPS: usize = 5;

/// The redirects that keep method and body.
pub(super) const KEEPING: [u16; 2] = [307, 308];

/// Reads the URL of an endpoint; credentials in it become the value of `Authorization`.
pub(super) fn parse(text: &str) -> Result<(Url, Option<HeaderValue>), Failure> {
    let mut url = Url::parse(text).map_err(|error| {
        let detail = format!(
            "{:?} is no URL; write it like https://example.com/mcp",
            shown_url(text)
        );
        Failure::new(FailureKind::Invalid, detail).with_source(error)
    })?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        let detail = format!(
            "{:?} is neither http nor https; write it like https://example.com/mcp",
            shown_url(text)
        );
        return Err(Failure::new(FailureKind::Invalid, detail));
    }
    let credentials = credentials(&url);
    strip_credentials(&mut url);
    Ok((url, credentials))
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
            .filter(|digits| *byte == b'%' && digits.iter().all(u8::is_ascii_hexdigit))
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

/// Whether a request to `url` can come to use TLS: by itself, by a redirect that is followed, or by a proxy.
pub(super) fn may_use_tls(url: &Url) -> bool {
    url.scheme() == "https" || url.port().is_none() || !is_loopback(url)
}

/// Where an answer sends the request: `None` if it is no redirect.
///
/// Those of the statuses `followed` are, on the same origin or from http to https of the same host
/// with default ports.
pub(super) fn follow(
    from: &Url,
    followed: &[u16],
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
    if followed.contains(&status.as_u16()) && (same || secured) && bare {
        return Some(Ok(target));
    }
    refuse(format!(
        "{} redirects to {}; use that URL if you trust it",
        shown(from),
        shown(&target)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn r1_to_r3_only_the_same_origin_or_its_https_is_followed() {
        let check = |from: &str, to: &'static str, followed: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(header::LOCATION, HeaderValue::from_static(to));
            for status in [307, 308] {
                let status = StatusCode::from_u16(status).unwrap();
                let target = follow(&url(from), &KEEPING, status, &headers).unwrap();
                assert_eq!(target.is_ok(), followed, "{from} to {to}: {target:?}");
                let target = follow(&url(from), &[], status, &headers).unwrap();
                assert!(target.is_err(), "{from} to {to}: {target:?}");
            }
            for status in [300, 301, 302, 303, 304] {
                let status = StatusCode::from_u16(status).unwrap();
                let target = follow(&url(from), &KEEPING, status, &headers).unwrap();
                assert!(target.is_err(), "{status} to {to}: {target:?}");
            }
            for policy in [&KEEPING[..], &[]] {
                assert!(follow(&url(from), policy, StatusCode::OK, &headers).is_none());
            }
        };
        check("http://a.example/mcp", "/other", true);
        check("http://a.example/mcp", "//a.example/other", true);
        check("http://a.example/mcp", "http://a.example:80/", true);
        check("http://a.example/mcp", "https://a.example/mcp", true);
        check(
            "https://a.example:8443/mcp",
            "https://a.example:8443/x",
            true,
        );
        check("http://a.example/mcp", "//b.example/other", false);
        check("http://a.example/mcp", "http://a.example:81/mcp", false);
        check("http://a.example/mcp", "https://a.example:8443/mcp", false);
        check("http://a.example:81/mcp", "https://a.example/mcp", false);
        check("https://a.example/mcp", "http://a.example/mcp", false);
        check("https://a.example:8443/mcp", "https://a.example/mcp", false);
        check("http://a.example/mcp", "http://u@a.example/mcp", false);
        check("http://a.example/mcp", "ftp://a.example/mcp", false);
        check("http://a.example/mcp", "http://", false);
    }

    #[test]
    fn bl_228_only_the_same_origin_is_followed() {
        let Some(report) = crate::reports::report("BL-228") else {
            return;
        };
        for row in report["input"]["cases"].as_array().unwrap() {
            let text = |at: usize| row[at].as_str().unwrap();
            let mut headers = HeaderMap::new();
            headers.insert(header::LOCATION, HeaderValue::from_str(text(1)).unwrap());
            let status = StatusCode::TEMPORARY_REDIRECT;
            let target = follow(&url(text(0)), &KEEPING, status, &headers).unwrap();
            assert_eq!(target.is_ok(), text(2) == "follow", "{row}");
        }
    }

    #[test]
    fn tls_is_ruled_out_for_loopback_ports_alone() {
        let check = |text, expected| assert_eq!(may_use_tls(&url(text)), expected, "{text}");
        check("http://127.0.0.1:8080/mcp", false);
        check("http://[::1]:8080/mcp", false);
        check("http://localhost:8080/mcp", false);
        check("http://localhost/mcp", true);
        check("http://a.example:8080/mcp", true);
        check("https://127.0.0.1:8080/mcp", true);
    }

    #[test]
    fn percent_signs_are_decoded_once() {
        let check = |text, expected: &str| assert_eq!(percent_decoded(text), expected.as_bytes());
        check("", "");
        check("p%40ss", "p@ss");
        check("%2540", "%40");
        check("%c3%a9", "\u{e9}");
        check("100%", "100%");
        check("%4", "%4");
        check("%zz%+1", "%zz%+1");
    }
}
