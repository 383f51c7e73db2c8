//! The table of codes per revision, row by row: what is written to each revision, and that it is read everywhere.

use super::*;

const N: Option<i64> = None;

/// What a peer of each revision, oldest first, gets; `None` where the revision has no code of that meaning, and gets
/// another one, which is then checked by hand.
#[track_caller]
fn check(error: &ProtocolError, codes: [Option<i64>; 6]) {
    for (revision, code) in Revision::ALL.into_iter().zip(codes) {
        let Some(code) = code else { continue };
        let object = error.clone().into_object(revision);
        assert_eq!(object.code, ErrorCode(code), "{revision}");
        assert_eq!(
            ProtocolError::from(object).kind(),
            error.kind(),
            "{revision}"
        );
    }
}

/// A kind is read from its own number, whatever revision was negotiated: numbers carry no revision.
#[track_caller]
fn read(text: &str, expected: &ProtocolErrorKind) {
    assert_eq!(ProtocolError::from(object(text)).kind(), expected, "{text}");
}

#[test]
fn row_32700_parse_error() {
    check(&ProtocolError::parse("x"), [Some(-32700); 6]);
}

#[test]
fn row_32600_invalid_request() {
    check(&ProtocolError::invalid_request("x"), [Some(-32600); 6]);
    check(&ProtocolError::not_initialized(), [Some(-32600); 6]);
    check(&ProtocolError::duplicate_request_id(), [Some(-32600); 6]);
}

#[test]
fn row_32601_method_not_found() {
    check(&ProtocolError::method_not_found("x"), [Some(-32601); 6]);
}

#[test]
fn row_32602_invalid_params() {
    check(&ProtocolError::invalid_params("x"), [Some(-32602); 6]);
    check(&ProtocolError::unknown_tool("x"), [Some(-32602); 6]);
    check(
        &ProtocolError::missing_meta(["a"]),
        [N, N, N, N, N, Some(-32602)],
    );
    check(
        &ProtocolError::malformed_meta("a", "b"),
        [N, N, N, N, N, Some(-32602)],
    );
}

#[test]
fn row_32603_internal_error() {
    check(&ProtocolError::internal(), [Some(-32603); 6]);
    let full = ProtocolError::at_capacity("x", Duration::from_secs(1));
    check(&full, [Some(-32603); 6]);
    assert_eq!(full.retry_after(), Some(Duration::from_secs(1)));
    assert_eq!(ProtocolError::internal().message(), "Internal error");
}

/// A row of the table of wire differences too: no code of its own at 2024-10-07, and none at 2026-07-28.
#[test]
fn r3_5_3_row_32002_resource_not_found() {
    let error = ProtocolError::resource_not_found("file:///a");
    let (old, new) = (Some(-32002), Some(-32602));
    check(&error, [new, old, old, old, old, new]);
    assert_eq!(
        body(&error.into_object(MODERN)),
        r#"{"code":-32602,"message":"Resource not found: file:///a","data":{"uri":"file:///a"}}"#
    );
    // Read at any revision, with and without data.
    for (data, uri) in [(r#","data":{"uri":"a"}"#, Some("a")), ("", None)] {
        let text = format!(r#"{{"code":-32002,"message":"x"{data}}}"#);
        let uri = uri.map(str::to_owned);
        read(&text, &ProtocolErrorKind::ResourceNotFound { uri });
    }
    let passed_on = ProtocolError::from(object(r#"{"code":-32002,"message":"x"}"#));
    assert_eq!(passed_on.code(MODERN), ErrorCode(-32602));
}

#[test]
fn row_32042_url_elicitation_required() {
    let data = RawJson::parse(r#"[{"mode":"url"}]"#).unwrap();
    let error = ProtocolError::url_elicitation_required(data);
    check(&error, [N, N, N, N, Some(-32042), N]);
    for revision in Revision::ALL {
        let expected = if revision == Revision::V2025_11_25 {
            -32042
        } else {
            -32602
        };
        assert_eq!(error.code(revision), ErrorCode(expected), "{revision}");
    }
    assert_eq!(
        body(&error.into_object(Revision::V2025_11_25)),
        r#"{"code":-32042,"message":"URL elicitation required","data":{"elicitations":[{"mode":"url"}]}}"#
    );
}

#[test]
fn row_1_user_rejected_sampling() {
    let error = ProtocolError::user_rejected("User rejected sampling request");
    check(&error, [Some(-1); 6]);
    assert_eq!(error.kind(), &ProtocolErrorKind::Other(ErrorCode(-1)));
}

#[test]
fn row_32020_header_mismatch() {
    let error = ProtocolError::header_mismatch("Mcp-Name", "a", Some("b"));
    check(&error, [N, N, N, N, N, Some(-32020)]);
    let none = ProtocolErrorKind::HeaderMismatch {
        header: None,
        expected: None,
        actual: None,
    };
    read(r#"{"code":-32020,"message":"x"}"#, &none);
    read(r#"{"code":-32001,"message":"Header mismatch: x"}"#, &none);
}

#[test]
fn row_32021_missing_required_client_capability() {
    let error = ProtocolError::missing_client_capability(sampling());
    check(&error, [N, N, N, N, N, Some(-32021)]);
    let data = r#""data":{"requiredCapabilities":{"sampling":{}}}"#;
    for code in [-32021, -32003] {
        read(
            &format!(r#"{{"code":{code},"message":"x",{data}}}"#),
            error.kind(),
        );
    }
    // The extension form.
    let tasks = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
    let error = ProtocolError::missing_client_capability(serde_json::from_str(tasks).unwrap());
    assert!(body(&error.into()).contains(tasks));
}

#[test]
fn row_32022_unsupported_protocol_version() {
    let error = ProtocolError::unsupported_version([MODERN], "1900-01-01");
    let old = Some(-32602);
    check(&error, [old, old, old, old, old, Some(-32022)]);
    let data = r#""data":{"supported":["2026-07-28"],"requested":"1900-01-01"}"#;
    for code in [-32022, -32004, -32602] {
        read(
            &format!(r#"{{"code":{code},"message":"x",{data}}}"#),
            error.kind(),
        );
    }
}

/// What others send for their own ends is neither ours nor lost.
#[track_caller]
fn in_the_wild(code: i64, message: &str) {
    let before = ErrorObject::new(ErrorCode(code), message.to_owned());
    let error = ProtocolError::from(before.clone());
    assert_eq!(error.kind(), &ProtocolErrorKind::Other(ErrorCode(code)));
    for revision in Revision::ALL {
        assert_eq!(error.clone().into_object(revision), before);
    }
}

#[test]
fn wild_0_uncaught_error() {
    in_the_wild(0, "division by zero");
}

#[test]
fn wild_32000_transport_and_connection_closed() {
    in_the_wild(-32000, "Connection closed");
    in_the_wild(
        -32000,
        "Not Acceptable: Client must accept text/event-stream",
    );
}

#[test]
fn wild_32001_session_not_found_and_request_timed_out() {
    in_the_wild(-32001, "Session not found");
    in_the_wild(-32001, "Request timed out");
}

#[test]
fn wild_32800_request_cancelled() {
    in_the_wild(-32800, "Request cancelled");
}

#[test]
fn wild_32003_and_32004_without_their_data() {
    in_the_wild(-32003, "x");
    in_the_wild(-32004, "x");
}
