//! Answers, row by row: what a head announces and which bodies are ours.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use mcp_errors::Executed;
use mcp_types::RequestId;

use super::{Head, read_body, read_head, session_loss};

fn check_head(status: u16, kind: &str, expected: Head) {
    let mut headers = HeaderMap::new();
    if !kind.is_empty() {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(kind).unwrap());
    }
    assert_eq!(
        read_head(StatusCode::from_u16(status).unwrap(), &headers),
        expected,
        "{status} {kind}"
    );
}

#[test]
fn heads_by_status_and_essence() {
    check_head(200, "application/json", Head::Json);
    check_head(200, "text/event-stream", Head::Events);
    for status in [401, 403, 407] {
        check_head(status, "application/json", Head::Denied);
    }
    for status in [301, 302, 303, 307, 308, 300, 304] {
        check_head(status, "text/html", Head::Redirect);
    }
    for status in [400, 404, 405, 429, 500, 503] {
        check_head(status, "application/json", Head::Json);
        check_head(status, "text/html", Head::Bare);
        check_head(status, "text/event-stream", Head::Bare);
        check_head(status, "", Head::Bare);
    }
}

#[test]
fn u2_and_u3_a_success_that_is_no_answer() {
    for kind in [
        "text/html",
        "",
        "application/octet-stream",
        "application/xjson",
    ] {
        check_head(200, kind, Head::Foreign);
    }
    check_head(202, "application/json", Head::Empty);
    check_head(204, "", Head::Empty);
    let empty = HeaderMap::from_iter([(header::CONTENT_LENGTH, HeaderValue::from_static("0"))]);
    assert_eq!(read_head(StatusCode::OK, &empty), Head::Empty);
}

#[test]
fn u4_json_as_text_is_not_sniffed() {
    check_head(200, "text/plain", Head::Foreign);
}

#[test]
fn u6_media_types_by_essence() {
    check_head(200, "Application/JSON; charset=UTF-8", Head::Json);
    check_head(200, "TEXT/event-stream;x=y", Head::Events);
}

#[test]
fn a_coded_body_is_refused() {
    let mut headers =
        HeaderMap::from_iter([(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))]);
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    assert_eq!(read_head(StatusCode::OK, &headers), Head::Coded);
    assert_eq!(read_head(StatusCode::BAD_REQUEST, &headers), Head::Bare);
    assert_eq!(read_head(StatusCode::UNAUTHORIZED, &headers), Head::Denied);
    headers.insert(
        header::CONTENT_ENCODING,
        HeaderValue::from_static("identity"),
    );
    assert_eq!(read_head(StatusCode::OK, &headers), Head::Json);
}

/// `expected` is the result's text, `code` an error's, `-` for none.
fn check_body(body: &'static str, expected: &str) {
    let found = read_body(&Bytes::from_static(body.as_bytes()), &RequestId::Number(1));
    let found = match found {
        Some(Ok(result)) => result.as_str().to_owned(),
        Some(Err(error)) => error.code.to_string(),
        None => "-".to_owned(),
    };
    assert_eq!(found, expected, "{body}");
}

#[test]
fn bodies_that_answer_the_request() {
    check_body(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#, r#"{"a":1}"#);
    check_body(
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m"}}"#,
        "-32601",
    );
    check_body("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "{}");
}

#[test]
fn j11_an_only_error_is_ours_whatever_its_id() {
    check_body(
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"m"}}"#,
        "-32600",
    );
    check_body(
        r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"m"}}"#,
        "-32600",
    );
    check_body(
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}"#,
        "-32600",
    );
    check_body(
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}"#,
        "-32600",
    );
}

#[test]
fn j14_a_batch_with_our_reply() {
    check_body(
        r#"[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":1,"result":{}}]"#,
        "{}",
    );
    check_body("[]", "-");
}

#[test]
fn j15_a_foreign_id_is_not_ours() {
    check_body(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#, "-");
    check_body(r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, "-");
}

#[test]
fn b1_json_that_is_no_json_rpc() {
    check_body(r#"{"error":{"code":"NotFound"}}"#, "-");
    check_body(
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"NotFound","message":"m"}}"#,
        "-",
    );
    check_body(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "-");
    check_body("null", "-");
    check_body("", "-");
    check_body("<html>", "-");
}

#[test]
fn a_session_is_lost_by_404_and_perhaps_by_400() {
    let codes = [
        None,
        Some(-32000),
        Some(-32001),
        Some(-32600),
        Some(-32601),
        Some(-32602),
    ];
    for status in 200..600 {
        let status = StatusCode::from_u16(status).unwrap();
        let found = codes.map(|code| session_loss(status, code));
        let (no, unknown) = (Some(Executed::No), Some(Executed::Unknown));
        let expected = match status.as_u16() {
            404 => [no, no, no, no, None, no],
            400 => [None, unknown, unknown, unknown, None, None],
            _ => [None; 6],
        };
        assert_eq!(found, expected, "{status}");
    }
}
