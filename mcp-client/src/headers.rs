//! Which HTTP headers a caller may add to a request.

use http::{HeaderName, HeaderValue};

/// Headers that the transport writes itself.
const OWNED: [&str; 9] = [
    "accept",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "te",
    "transfer-encoding",
];

/// A header of the caller's.
///
/// # Errors
/// A sentence that says what is wrong with it; it does not repeat the value.
pub(crate) fn parse(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let parsed: HeaderName = name
        .parse()
        .map_err(|_| format!("{name:?} is not the name of an HTTP header"))?;
    let text = parsed.as_str();
    if OWNED.contains(&text) || (text.starts_with("mcp-") && !text.starts_with("mcp-param-")) {
        return Err(format!(
            "the header `{text}` is the transport's: leave it out"
        ));
    }
    let value = value.parse().map_err(|_| {
        format!("the value of the header `{text}` cannot be sent: it must be visible ASCII")
    })?;
    Ok((parsed, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transports_headers_are_not_the_callers() {
        for name in OWNED.into_iter().chain(["Mcp-Method", "MCP-Session-Id"]) {
            assert!(parse(name, "x").is_err(), "{name}");
        }
        for name in [
            "Authorization",
            "x-mcpfusion-delegation",
            "Mcp-Param-Region",
        ] {
            assert!(parse(name, "x").is_ok(), "{name}");
        }
        let said = parse("authorization", "secret\n").unwrap_err();
        assert!(!said.contains("secret"), "{said}");
        assert!(parse("no name", "x").is_err());
    }
}
