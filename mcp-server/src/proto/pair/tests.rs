//! Rows: paths, what they are, what is announced; queries, and whom they name.

use mcp_transport::proto::http::Place;

use super::{announced, place, session};
use crate::proto::sessions::SessionId;

#[test]
fn addresses_are_told_by_their_last_segment() {
    for (path, expected) in [
        ("/sse", Place::Stream),
        ("/sse/", Place::Stream),
        ("/mcp/sse", Place::Stream),
        ("/messages", Place::Messages),
        ("/mcp/messages", Place::Messages),
        ("/mcp", Place::Endpoint),
        ("/", Place::Endpoint),
        ("", Place::Endpoint),
        ("/SSE", Place::Endpoint),
        ("/assess", Place::Endpoint),
        ("/sse/mcp", Place::Endpoint),
        ("/sse//", Place::Endpoint),
    ] {
        assert_eq!(place(path), expected, "{path:?}");
    }
}

#[test]
fn messages_go_beside_the_stream_on_the_same_host() {
    for (stream, public, expected) in [
        ("/sse", None, "/messages?sessionId=x"),
        ("/mcp/sse", None, "/mcp/messages?sessionId=x"),
        ("/a%20b/mcp/sse/", None, "/a%20b/mcp/messages?sessionId=x"),
        (
            "//evil.example/sse",
            None,
            "/evil.example/messages?sessionId=x",
        ),
        ("///sse", None, "/messages?sessionId=x"),
        ("sse", None, "/messages?sessionId=x"),
        (
            "/sse",
            Some("/gw/ops/messages"),
            "/gw/ops/messages?sessionId=x",
        ),
        (
            "/sse",
            Some("https://mcp.example/messages"),
            "https://mcp.example/messages?sessionId=x",
        ),
    ] {
        let id = SessionId::sent("x");
        assert_eq!(announced(stream, public, &id), expected, "{stream:?}");
    }
}

#[test]
fn a_query_names_one_session_or_none() {
    for (query, expected) in [
        (None, None),
        (Some(""), None),
        (Some("sessionId=abc"), Some("abc")),
        (Some("k=1&sessionId=abc&l"), Some("abc")),
        (Some("sessionId="), None),
        (Some("sessionId"), None),
        (Some("sessionid=abc"), None),
        (Some("sessionId=abc&sessionId=abc"), None),
    ] {
        assert_eq!(session(query), expected.map(SessionId::sent), "{query:?}");
    }
}
