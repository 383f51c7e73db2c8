//! Where an HTTP+SSE server wants its messages posted.

use mcp_errors::{Failure, FailureKind};
use reqwest::Url;

use super::super::redirect::shown;
use crate::proto::http::shown_url;

/// Resolves what the `endpoint` event says against the URL that the stream came from in the end.
///
/// It must be on the same origin. A server behind a TLS proxy that takes itself to be on plain http means https.
pub(super) fn resolve(stream: &Url, announced: &str) -> Result<Url, Failure> {
    let malformed = |detail| Failure::new(FailureKind::Malformed, detail);
    let mut url = stream.join(announced.trim()).map_err(|error| {
        let (stream, announced) = (shown(stream), shown_url(announced));
        malformed(format!(
            "{stream} announces the endpoint {announced:?}, which is no URL"
        ))
        .with_source(error)
    })?;
    let plain = url.scheme() == "http" && stream.scheme() == "https";
    if plain && url.host() == stream.host() && url.port().is_none() && stream.port().is_none() {
        // This cannot fail between two special schemes.
        let _ = url.set_scheme("https");
    }
    url.set_fragment(None);
    if url.origin() != stream.origin() {
        return Err(malformed(format!(
            "{} announces an endpoint of another origin, {}: nothing is sent there; set the message URL if you trust it",
            shown(stream),
            shown(&url)
        )));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_data_is_resolved_as_a_browser_would() {
        let check = |stream: &str, announced: &str, expected: &str| {
            let url = resolve(&Url::parse(stream).unwrap(), announced).unwrap();
            assert_eq!(url.as_str(), expected, "{announced:?} at {stream}");
        };
        let stream = "https://a.example/base/sse?k=1";
        check(stream, "https://a.example/m?s=1", "https://a.example/m?s=1");
        check(stream, "/m?s=1", "https://a.example/m?s=1");
        check(stream, "m?s=1", "https://a.example/base/m?s=1");
        check(stream, "?s=1", "https://a.example/base/sse?s=1");
        check(stream, "", "https://a.example/base/sse?k=1");
        check(stream, " /m \n", "https://a.example/m");
        check(stream, "../m#f", "https://a.example/m");
        check(stream, "http://a.example/m", "https://a.example/m");
        check(stream, "https://a.example:443/m", "https://a.example/m");
        check("http://a.example:8080/sse", "/m", "http://a.example:8080/m");
    }

    #[test]
    fn s3_an_endpoint_of_another_origin_is_refused_by_name() {
        let check = |stream: &str, announced: &str, named: &str| {
            let failure = resolve(&Url::parse(stream).unwrap(), announced).unwrap_err();
            let told = failure.to_string();
            assert!(told.contains(named) && !told.contains("secret"), "{told}");
        };
        let stream = "https://a.example/sse";
        check(
            stream,
            "https://b.example/m?k=secret",
            "https://b.example/m",
        );
        check(stream, "//b.example/m", "https://b.example/m");
        check(stream, "http://a.example:8080/m", "http://a.example:8080/m");
        check(stream, "https://a.example:444/m", "https://a.example:444/m");
        check(
            "http://a.example/sse",
            "https://a.example/m",
            "https://a.example/m",
        );
        check(
            "https://a.example:8443/sse",
            "http://a.example/m",
            "http://a.example/m",
        );
        check(stream, "file:///etc/passwd", "file:///etc/passwd");
        check(stream, "http://", "no URL");
    }
}
