//! How messages name a URL.

/// A text that is, or should be, a URL, without what may be secret in it: credentials, query and fragment.
///
/// ```
/// # use mcp_transport::proto::http::shown_url;
/// assert_eq!(shown_url("https://me:secret@a.example/mcp?key=1"), "https://a.example/mcp");
/// ```
#[must_use]
pub fn shown_url(text: &str) -> String {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let (scheme, rest) = match text[..end].split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), &text[..end]),
    };
    let authority = rest.find('/').unwrap_or(rest.len());
    let host = rest[..authority].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}{}", &rest[host..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_its_secrets() {
        let check = |text, expected| assert_eq!(shown_url(text), expected);
        check("https://a.example/mcp", "https://a.example/mcp");
        check(
            "https://u:p@a.example:1/m@x?key=1#f",
            "https://a.example:1/m@x",
        );
        check("http://a.example?key=1", "http://a.example");
        check("u:p@a.example/mcp", "a.example/mcp");
        check("http://u:p@", "http://");
        check("", "");
    }
}
