//! The exact bodies of errors, per revision, and what is read back from peers of any age.

mod rows;

use std::path::Path;

use mcp_types::capability::ClientCapabilities;
use proptest::prelude::*;

use super::{make::EXCERPT, *};

const MODERN: Revision = Revision::V2026_07_28;

fn body(error: &ErrorObject) -> String {
    serde_json::to_string(error).unwrap()
}

fn object(text: &str) -> ErrorObject {
    serde_json::from_str(text).unwrap()
}

fn sampling() -> ClientCapabilities {
    serde_json::from_str(r#"{"sampling":{}}"#).unwrap()
}

/// One of every kind that is written.
fn written() -> Vec<ProtocolError> {
    vec![
        ProtocolError::parse("Invalid JSON"),
        ProtocolError::not_initialized(),
        ProtocolError::duplicate_request_id(),
        ProtocolError::method_not_found("x/y"),
        ProtocolError::invalid_params("Invalid cursor"),
        ProtocolError::unknown_tool("x"),
        ProtocolError::missing_meta(["a", "b"]),
        ProtocolError::malformed_meta("_meta", "object"),
        ProtocolError::internal(),
        ProtocolError::at_capacity("64 sessions are the most", Duration::from_millis(1500)),
        ProtocolError::header_mismatch("Mcp-Name", "bar", Some("foo")),
        ProtocolError::header_mismatch("Mcp-Name", "bar", None),
        ProtocolError::missing_client_capability(sampling()),
        ProtocolError::unsupported_version([MODERN], "1900-01-01"),
        ProtocolError::resource_not_found("file:///a"),
    ]
}

#[test]
fn bodies_are_exact() {
    let check = |error: ProtocolError, expected: &str| {
        assert_eq!(body(&error.into_object(MODERN)), expected);
    };
    check(
        ProtocolError::unsupported_version([MODERN], "1900-01-01"),
        r#"{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"1900-01-01"}}"#,
    );
    check(
        ProtocolError::not_initialized(),
        r#"{"code":-32600,"message":"Invalid request parameters"}"#,
    );
    check(
        ProtocolError::missing_meta(["io.modelcontextprotocol/clientCapabilities"]),
        r#"{"code":-32602,"message":"Missing required _meta field: io.modelcontextprotocol/clientCapabilities","data":{"missing":["io.modelcontextprotocol/clientCapabilities"]}}"#,
    );
    check(
        ProtocolError::missing_meta(["a", "b"]),
        r#"{"code":-32602,"message":"Missing required _meta fields: a, b","data":{"missing":["a","b"]}}"#,
    );
    check(
        ProtocolError::malformed_meta("io.modelcontextprotocol/protocolVersion", "string"),
        r#"{"code":-32602,"message":"Malformed _meta field: io.modelcontextprotocol/protocolVersion must be of type string","data":{"key":"io.modelcontextprotocol/protocolVersion","expected":"string"}}"#,
    );
    check(
        ProtocolError::header_mismatch("Mcp-Name", "bar", Some("foo")),
        r#"{"code":-32020,"message":"Header mismatch: Mcp-Name header value 'foo' does not match body value 'bar'","data":{"header":"Mcp-Name","expected":"bar","actual":"foo"}}"#,
    );
    check(
        ProtocolError::header_mismatch("MCP-Protocol-Version", "2026-07-28", None),
        r#"{"code":-32020,"message":"Header mismatch: missing MCP-Protocol-Version header, the body says '2026-07-28'","data":{"header":"MCP-Protocol-Version","expected":"2026-07-28"}}"#,
    );
    check(
        ProtocolError::missing_client_capability(sampling()),
        r#"{"code":-32021,"message":"Missing required client capability: sampling","data":{"requiredCapabilities":{"sampling":{}}}}"#,
    );
    check(
        ProtocolError::unknown_tool("invalid_tool_name"),
        r#"{"code":-32602,"message":"Unknown tool: invalid_tool_name"}"#,
    );
    check(
        ProtocolError::method_not_found("tasks/list"),
        r#"{"code":-32601,"message":"Method not found: tasks/list"}"#,
    );
    check(
        ProtocolError::parse("Invalid JSON"),
        r#"{"code":-32700,"message":"Parse error: Invalid JSON"}"#,
    );
    check(
        ProtocolError::duplicate_request_id(),
        r#"{"code":-32600,"message":"Duplicate request id"}"#,
    );
    check(
        ProtocolError::internal(),
        r#"{"code":-32603,"message":"Internal error"}"#,
    );
    check(
        ProtocolError::at_capacity("64 sessions are the most", Duration::from_millis(1500)),
        r#"{"code":-32603,"message":"64 sessions are the most","data":{"code":"at_capacity","retryAfter":2}}"#,
    );
    check(
        ProtocolError::unsupported_version([MODERN], "v9")
            .with_message("Unsupported MCP-Protocol-Version: v9. Supported: 2026-07-28."),
        r#"{"code":-32022,"message":"Unsupported MCP-Protocol-Version: v9. Supported: 2026-07-28.","data":{"supported":["2026-07-28"],"requested":"v9"}}"#,
    );
}

#[test]
fn capabilities_are_named_as_a_client_declares_them() {
    let check = |required: &str, names: &str| {
        let error =
            ProtocolError::missing_client_capability(serde_json::from_str(required).unwrap());
        let expected = format!("Missing required client capability: {names}");
        assert_eq!(error.message(), expected);
        assert!(
            error.data().unwrap().as_str().contains(required),
            "{error:?}"
        );
    };
    check(r#"{"elicitation":{"url":{}}}"#, "elicitation");
    check(r#"{"sampling":{},"roots":{}}"#, "sampling, roots");
    check(
        r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#,
        "io.modelcontextprotocol/tasks",
    );
    check(r#"{"novel":{}}"#, "novel");
}

#[test]
fn codes_of_one_revision_never_reach_another() {
    let modern_only = [-32020, -32021, -32022];
    let legacy_only = [-32002];
    for error in written() {
        for revision in Revision::ALL {
            let code = error.code(revision).0;
            let standard = [-32700, -32600, -32601, -32602, -32603].contains(&code);
            assert!(
                standard
                    || (revision == MODERN && modern_only.contains(&code))
                    || (revision != MODERN && legacy_only.contains(&code)),
                "{error:?} at {revision}"
            );
        }
    }
}

#[test]
fn a_legacy_peer_gets_the_code_it_knows() {
    let check = |error: ProtocolError, expected: i64| {
        for revision in Revision::ALL.into_iter().filter(|it| *it != MODERN) {
            let object = error.clone().into_object(revision);
            assert_eq!(object.code, ErrorCode(expected), "{revision}");
            assert_eq!(object.message, error.message());
            assert_eq!(object.data.as_ref(), error.data());
        }
    };
    check(ProtocolError::unsupported_version([MODERN], "x"), -32602);
    check(ProtocolError::missing_client_capability(sampling()), -32602);
    check(
        ProtocolError::header_mismatch("Mcp-Name", "a", None),
        -32600,
    );
    check(ProtocolError::not_initialized(), -32600);
}

#[test]
fn what_is_written_reads_back_the_same() {
    for error in written() {
        let back = ProtocolError::from(error.clone().into_object(MODERN));
        assert_eq!(back, error);
    }
}

#[test]
fn numbers_of_drafts_and_older_revisions_are_read_and_go_to_none_but_theirs() {
    let check = |text: &str, expected: ProtocolErrorKind| {
        let error = ProtocolError::from(object(text));
        assert_eq!(error.kind(), &expected, "{text}");
        for revision in Revision::ALL {
            let code = error.code(revision).0;
            let draft = [-32001, -32003, -32004].contains(&code);
            let retired = revision == MODERN && [-32002, -32042].contains(&code);
            assert!(!draft && !retired, "{text} at {revision}");
        }
    };
    let mismatch = |header: Option<&str>| ProtocolErrorKind::HeaderMismatch {
        header: header.map(str::to_owned),
        expected: None,
        actual: None,
    };
    check(
        r#"{"code":-32001,"message":"Header mismatch: x"}"#,
        mismatch(None),
    );
    check(
        r#"{"code":-32001,"message":"x","data":{"header":"Mcp-Name"}}"#,
        mismatch(Some("Mcp-Name")),
    );
    check(
        r#"{"code":-32002,"message":"x","data":{"uri":"file:///a"}}"#,
        ProtocolErrorKind::ResourceNotFound {
            uri: Some("file:///a".into()),
        },
    );
    check(
        r#"{"code":-32002,"message":"x"}"#,
        ProtocolErrorKind::ResourceNotFound { uri: None },
    );
    check(
        r#"{"code":-32003,"message":"x","data":{"requiredCapabilities":{"sampling":{}}}}"#,
        ProtocolErrorKind::MissingClientCapability {
            required: Box::new(sampling()),
        },
    );
    check(
        r#"{"code":-32004,"message":"x","data":{"supported":["2026-07-28"],"requested":"v"}}"#,
        ProtocolErrorKind::UnsupportedVersion {
            supported: vec!["2026-07-28".into()],
            requested: Some("v".into()),
        },
    );
    check(
        r#"{"code":-32042,"message":"x","data":{"elicitations":[{"mode":"url"}]}}"#,
        ProtocolErrorKind::UrlElicitationRequired {
            elicitations: Some(RawJson::parse(r#"[{"mode":"url"}]"#).unwrap()),
        },
    );
}

#[test]
fn numbers_that_others_used_for_their_own_ends_stay_theirs() {
    for (code, message) in [
        (-32001, "Session not found"),
        (-32001, "Request timed out"),
        (-32003, "x"),
        (-32004, "x"),
        (-32000, "Connection closed"),
        (-32800, "Request cancelled"),
        (0, "x"),
        (-1, "User rejected sampling request"),
    ] {
        let error = ProtocolError::from(ErrorObject::new(ErrorCode(code), message));
        assert_eq!(error.kind(), &ProtocolErrorKind::Other(ErrorCode(code)));
        assert_eq!(error.into_object(MODERN).message, message);
    }
}

#[test]
fn invalid_params_are_told_apart_by_their_data() {
    let check = |data: &str, expected: ProtocolErrorKind| {
        let text = format!(r#"{{"code":-32602,"message":"x","data":{data}}}"#);
        assert_eq!(ProtocolError::from(object(&text)).kind(), &expected);
    };
    check(
        r#"{"uri":"file:///a"}"#,
        ProtocolErrorKind::ResourceNotFound {
            uri: Some("file:///a".into()),
        },
    );
    check(
        r#"{"supported":["2025-11-25"],"requested":"v"}"#,
        ProtocolErrorKind::UnsupportedVersion {
            supported: vec!["2025-11-25".into()],
            requested: Some("v".into()),
        },
    );
    for other in [
        r#""text""#,
        "null",
        "[1]",
        "{}",
        r#"{"missing":"a"}"#,
        r#"{"key":"a"}"#,
        r#"{"uri":1}"#,
    ] {
        check(other, ProtocolErrorKind::InvalidParams);
    }
}

#[test]
fn new_numbers_without_data_are_still_understood() {
    let check = |code, expected: ProtocolErrorKind| {
        let error = ProtocolError::from(ErrorObject::new(code, "x"));
        assert_eq!(error.kind(), &expected);
    };
    check(
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        ProtocolErrorKind::UnsupportedVersion {
            supported: vec![],
            requested: None,
        },
    );
    check(
        ErrorCode::MISSING_CLIENT_CAPABILITY,
        ProtocolErrorKind::MissingClientCapability {
            required: Box::default(),
        },
    );
}

/// BL-316.
#[test]
fn an_error_passes_three_hops_unchanged() {
    let before =
        r#"{"code":-32602,"message":"bad a","data":{"x": [1, null], "big": 12345678901234567890}}"#;
    let mut error = object(before);
    for _ in 0..3 {
        error = ProtocolError::from(error).into_object(MODERN);
        error = object(&body(&error));
    }
    assert_eq!(body(&error), before);
}

#[test]
fn which_id_an_error_carries() {
    let known = RequestId::from("7");
    for revision in Revision::ALL.into_iter().map(Some).chain([None]) {
        let expected = match revision {
            Some(Revision::V2025_11_25 | Revision::V2026_07_28) => ErrorId::Omitted,
            _ => ErrorId::Null,
        };
        assert_eq!(error_id(None, revision), expected, "{revision:?}");
        assert_eq!(
            error_id(Some(known.clone()), revision),
            ErrorId::Known(known.clone())
        );
    }
}

#[test]
fn a_peers_long_words_are_cut() {
    let long = "é".repeat(1_000_000);
    for error in [
        ProtocolError::unknown_tool(&long),
        ProtocolError::method_not_found(&long),
        ProtocolError::unsupported_version([MODERN], &long),
        ProtocolError::header_mismatch("Mcp-Name", &long, Some(&long)),
    ] {
        let length = body(&error.into()).len();
        assert!(length < 16 * EXCERPT, "{length} bytes");
    }
}

#[test]
fn official_examples_are_read_with_their_data_and_written_as_they_were() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/spec/2026-07-28/examples");
    if !root.is_dir() {
        eprintln!("skipped 9 examples of errors: no ../shared/spec");
        return;
    }
    let mut seen = 0;
    for folder in std::fs::read_dir(root).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.to_str().unwrap().ends_with("Error") {
            continue;
        }
        for file in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            let value = value.get("error").unwrap_or(&value);
            let error = ProtocolError::from(object(&value.to_string()));
            assert!(
                !matches!(error.kind(), ProtocolErrorKind::Other(_)),
                "{text}"
            );
            let back = serde_json::to_value(error.into_object(MODERN)).unwrap();
            assert_eq!(&back, value);
            seen += 1;
        }
    }
    assert!(seen >= 9, "only {seen} examples");
}

proptest! {
    #[test]
    fn any_code_and_text_survive(code in any::<i64>(), message in ".*") {
        let before = ErrorObject::new(ErrorCode(code), message.clone());
        let error = ProtocolError::from(before);
        prop_assert_eq!(error.message(), message);
        let written = error.code(MODERN).0;
        prop_assert!(written == code || (-32099..=-32000).contains(&code));
    }
}
