//! Each row of the HTTP case matrix, by its name, and the order in which a modern request is judged.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use mcp_types::jsonrpc::decode;
use serde_json::{Value, json};

use super::{ErrorId, Facts, Named, Refused, Revision, Rules, Verdict, judge, judge_session};
use crate::policy::{EraPolicy, LegacyMode};

const PV: &str = "io.modelcontextprotocol/protocolVersion";
const CC: &str = "io.modelcontextprotocol/clientCapabilities";

/// One POST; by default a stateful server with both eras.
struct Post {
    headers: Vec<(&'static str, &'static str)>,
    session: Named,
    body: Value,
    legacy: LegacyMode,
    policy: EraPolicy,
}

fn post(version: &'static str, body: Value) -> Post {
    let headers = match version {
        "" => Vec::new(),
        version => vec![("mcp-protocol-version", version)],
    };
    Post {
        headers,
        session: Named::Nothing,
        body,
        legacy: LegacyMode::Stateful,
        policy: EraPolicy::default(),
    }
}

impl Post {
    fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    fn named(self, session: Named) -> Self {
        Self { session, ..self }
    }

    fn legacy(self, legacy: LegacyMode) -> Self {
        Self { legacy, ..self }
    }

    fn judged(&self) -> Verdict {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            headers.append(
                HeaderName::from_static(name),
                HeaderValue::from_bytes(value.as_bytes()).unwrap(),
            );
        }
        let message = match &self.body {
            Value::String(raw) => decode(&Bytes::copy_from_slice(raw.as_bytes())),
            body => decode(&Bytes::from(body.to_string())),
        };
        let facts = Facts {
            headers: &headers,
            session: self.session,
            message: &message,
        };
        let rules = Rules {
            policy: &self.policy,
            legacy: self.legacy,
        };
        judge(&facts, &rules)
    }

    #[track_caller]
    fn is_modern(&self) {
        assert!(
            matches!(self.judged(), Verdict::Modern(_)),
            "{:?}",
            self.judged()
        );
    }

    #[track_caller]
    fn is(&self, expected: &Verdict) {
        assert_eq!(&self.judged(), expected);
    }

    /// Refused with this status, code and text, and under the id 1 if the body has it.
    #[track_caller]
    fn refused(&self, status: u16, code: i64, text: &str) -> Refused {
        let Verdict::Refused(refused) = self.judged() else {
            panic!("{:?}", self.judged());
        };
        assert_eq!(
            (refused.status.as_u16(), refused.error.code.0),
            (status, code),
            "{refused:?}"
        );
        assert_eq!(refused.error.message, text);
        if self.body["id"] == 1 {
            assert_eq!(refused.id, ErrorId::Known(1.into()));
        }
        refused
    }
}

fn data(refused: &Refused) -> Value {
    refused.error.data.as_ref().unwrap().decode().unwrap()
}

fn request(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn call(meta: &Value) -> Value {
    request(
        "tools/call",
        &json!({"name": "echo", "arguments": {}, "_meta": meta}),
    )
}

fn envelope(version: &str) -> Value {
    json!({PV: version, CC: {}})
}

fn initialize() -> Value {
    request("initialize", &json!({"protocolVersion": "2026-07-28"}))
}

fn notification() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled"})
}

fn response() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "result": {}})
}

/// A modern call as it should be.
fn good() -> Post {
    post("2026-07-28", call(&envelope("2026-07-28")))
        .with("mcp-method", "tools/call")
        .with("mcp-name", "echo")
}

const SUPPORTED: &str =
    "Supported: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07.";

fn unsupported(version: &str) -> String {
    format!("Unsupported MCP-Protocol-Version: {version}. {SUPPORTED}")
}

#[test]
fn h1_no_header_no_claim_initialize_is_a_handshake() {
    post("", initialize()).is(&Verdict::Initialize);
    post("", initialize())
        .legacy(LegacyMode::Stateless)
        .is(&Verdict::Initialize);
}

#[test]
fn h2_an_envelope_without_the_header_is_a_mismatch() {
    let text = "Header mismatch: missing MCP-Protocol-Version header, the body says '2026-07-28'";
    post("", call(&envelope("2026-07-28"))).refused(400, -32020, text);
}

#[test]
fn h3_a_modern_header_demands_the_envelope() {
    let both = format!("Missing required _meta fields: {PV}, {CC}");
    let refused = post("2026-07-28", request("tools/list", &json!({}))).refused(400, -32602, &both);
    assert_eq!(data(&refused), json!({"missing": [PV, CC]}));
    let one = format!("Missing required _meta field: {CC}");
    let refused = post("2026-07-28", call(&json!({PV: "2026-07-28"}))).refused(400, -32602, &one);
    assert_eq!(data(&refused), json!({"missing": [CC]}));
    let one = format!("Missing required _meta field: {PV}");
    post("2026-07-28", call(&json!({CC: {}}))).refused(400, -32602, &one);
}

#[test]
fn h4_header_and_body_that_differ_are_a_mismatch_before_the_version() {
    let refused = post("2026-07-28", call(&envelope("v999"))).refused(
        400,
        -32020,
        "Header mismatch: MCP-Protocol-Version header value '2026-07-28' does not match body value 'v999'",
    );
    let expected =
        json!({"header": "MCP-Protocol-Version", "expected": "v999", "actual": "2026-07-28"});
    assert_eq!(data(&refused), expected);
    post("v999", call(&envelope("2026-07-28"))).refused(
        400,
        -32020,
        "Header mismatch: MCP-Protocol-Version header value 'v999' does not match body value '2026-07-28'",
    );
}

#[test]
fn h5_an_unknown_version_in_both_is_unsupported() {
    let refused = post("2099-01-01", call(&envelope("2099-01-01")))
        .with("mcp-method", "tools/call")
        .with("mcp-name", "echo")
        .refused(400, -32022, &unsupported("2099-01-01"));
    assert_eq!(
        data(&refused),
        json!({"supported": ["2026-07-28"], "requested": "2099-01-01"})
    );
}

#[test]
fn h6_a_known_session_wins_unless_the_header_is_modern() {
    let session = Named::Session(Revision::V2025_11_25);
    for header in ["", "2025-11-25"] {
        for meta in [json!({}), envelope("2026-07-28"), json!({CC: 7}), json!(7)] {
            post(header, call(&meta))
                .named(session)
                .is(&Verdict::Session);
        }
    }
    good().named(session).is_modern();
}

#[test]
fn h7_a_legacy_header_that_the_body_repeats_is_legacy() {
    for meta in [json!({}), json!({PV: "2025-06-18"}), json!({CC: {}})] {
        post("2025-06-18", call(&meta))
            .legacy(LegacyMode::Stateless)
            .is(&Verdict::Stateless(Revision::V2025_06_18));
        post("2025-06-18", call(&meta)).refused(400, -32600, "Missing Mcp-Session-Id header");
    }
}

#[test]
fn h8_a_legacy_header_with_a_modern_body_is_a_mismatch() {
    post("2025-11-25", call(&envelope("2026-07-28"))).refused(
        400,
        -32020,
        "Header mismatch: MCP-Protocol-Version header value '2025-11-25' does not match body value '2026-07-28'",
    );
}

#[test]
fn h9_an_unknown_header_without_a_claim_is_unsupported() {
    for session in [
        Named::Nothing,
        Named::Unknown,
        Named::Session(Revision::V2025_11_25),
    ] {
        for body in [call(&json!({})), initialize()] {
            let refused = post("1999-01-01", body).named(session).refused(
                400,
                -32022,
                &unsupported("1999-01-01"),
            );
            let expected = json!({"supported": ["2026-07-28"], "requested": "1999-01-01"});
            assert_eq!(data(&refused), expected);
        }
    }
}

#[test]
fn h10_initialize_under_a_modern_header_is_a_handshake() {
    post("2026-07-28", initialize()).is(&Verdict::Initialize);
}

#[test]
fn h11_initialize_with_an_envelope_is_a_modern_request() {
    // It goes to the core, which knows no such modern method: 404, -32601.
    let body = request("initialize", &json!({"_meta": envelope("2026-07-28")}));
    post("2026-07-28", body)
        .with("mcp-method", "initialize")
        .is_modern();
}

#[test]
fn h12_where_legacy_is_rejected_the_answer_names_the_modern_versions() {
    let text = "Unsupported protocol version";
    let refused = post("", initialize())
        .legacy(LegacyMode::Reject)
        .refused(400, -32022, text);
    assert_eq!(
        data(&refused),
        json!({"supported": ["2026-07-28"], "requested": "2026-07-28"})
    );
    let refused = post("", call(&json!({})))
        .legacy(LegacyMode::Reject)
        .refused(400, -32022, text);
    assert_eq!(
        data(&refused),
        json!({"supported": ["2026-07-28"], "requested": ""})
    );
    post("2026-07-28", initialize())
        .legacy(LegacyMode::Reject)
        .refused(400, -32022, text);
    let mut modern_only = post("", initialize());
    modern_only.policy = EraPolicy::modern_only();
    modern_only.refused(400, -32022, text);
    let known = "Unsupported MCP-Protocol-Version: 2025-11-25. Supported: 2026-07-28.";
    post("2025-11-25", call(&json!({})))
        .legacy(LegacyMode::Reject)
        .refused(400, -32022, known);
    good().legacy(LegacyMode::Reject).is_modern();
}

#[test]
fn h13_batches_are_for_2025_03_26_alone() {
    let text = "Invalid request: a batch is not allowed here; send one message at a time";
    let batch = json!([request("ping", &json!({}))]);
    for revision in Revision::ALL {
        let in_session = post("", batch.clone()).named(Named::Session(revision));
        let stateless = post(revision.as_str(), batch.clone()).legacy(LegacyMode::Stateless);
        if revision == Revision::V2025_03_26 {
            in_session.is(&Verdict::Session);
            stateless.is(&Verdict::Stateless(revision));
        } else {
            in_session.refused(400, -32600, text);
            stateless.refused(400, -32600, text);
        }
    }
    post("", batch.clone())
        .legacy(LegacyMode::Stateless)
        .is(&Verdict::Stateless(Revision::V2025_03_26));
    post("", batch).refused(400, -32600, text);
}

#[test]
fn h14_a_response_is_for_a_legacy_session_alone() {
    let text = "Invalid request: nothing here awaits a response";
    post("2026-07-28", response()).refused_without_id(400, -32600, text);
    post("", response())
        .named(Named::Session(Revision::V2025_11_25))
        .is(&Verdict::Session);
    post("", response())
        .legacy(LegacyMode::Stateless)
        .is(&Verdict::Accepted);
    post("", response()).refused_without_id(400, -32600, "Missing Mcp-Session-Id header");
}

impl Post {
    #[track_caller]
    fn refused_without_id(&self, status: u16, code: i64, text: &str) {
        let Verdict::Refused(refused) = self.judged() else {
            panic!("{:?}", self.judged());
        };
        assert_eq!(
            (refused.status.as_u16(), refused.error.code.0),
            (status, code)
        );
        assert_eq!(refused.error.message, text);
        assert!(!matches!(refused.id, ErrorId::Known(_)));
    }
}

#[test]
fn h15_a_notification_needs_no_envelope() {
    post("2026-07-28", notification()).is(&Verdict::Accepted);
    post("2099-01-01", notification()).refused(400, -32022, &unsupported("2099-01-01"));
}

#[test]
fn h16_a_modern_request_ignores_the_session_id() {
    for session in [Named::Unknown, Named::Session(Revision::V2025_06_18)] {
        good().named(session).is_modern();
    }
}

#[test]
fn h17_an_unknown_session_is_404() {
    for body in [
        call(&json!({})),
        notification(),
        response(),
        json!([call(&json!({}))]),
    ] {
        let refused = post("", body).named(Named::Unknown).judged();
        let Verdict::Refused(refused) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(
            (refused.status.as_u16(), refused.error.code.0),
            (404, -32600)
        );
        assert_eq!(refused.error.message, "Session not found");
    }
    // Who starts anew may still carry the old id.
    post("", initialize())
        .named(Named::Unknown)
        .is(&Verdict::Initialize);
}

#[test]
fn h18_a_legacy_request_without_a_session_is_400() {
    for body in [call(&json!({})), request("ping", &json!({}))] {
        post("", body).refused(400, -32600, "Missing Mcp-Session-Id header");
    }
}

#[test]
fn h19_without_the_header_a_session_has_its_own_version() {
    for revision in Revision::ALL
        .into_iter()
        .filter(|revision| *revision < Revision::LATEST)
    {
        post("", call(&json!({})))
            .named(Named::Session(revision))
            .is(&Verdict::Session);
    }
}

#[test]
fn h20_another_legacy_version_in_the_header_is_accepted() {
    post("2025-06-18", call(&json!({})))
        .named(Named::Session(Revision::V2025_11_25))
        .is(&Verdict::Session);
}

#[test]
fn h21_repeated_headers_are_mismatches() {
    let text = |name| format!("Header mismatch: {name} header is repeated; send it once");
    good().with("mcp-protocol-version", "2026-07-28").refused(
        400,
        -32020,
        &text("MCP-Protocol-Version"),
    );
    good()
        .with("mcp-method", "tools/call")
        .refused(400, -32020, &text("Mcp-Method"));
    good()
        .with("mcp-name", "echo")
        .refused(400, -32020, &text("Mcp-Name"));
}

#[test]
fn a_modern_request_is_judged_in_order() {
    // Each step mends the fault that was answered and leaves the later ones.
    let body = |meta| request("tools/call", &json!({"name": "b", "_meta": meta}));
    let missing = format!("Missing required _meta field: {CC}");
    post("v9", body(json!({PV: "v8"}))).refused(400, -32602, &missing);
    let meta = json!({PV: "v8", CC: 7});
    post("v9", body(meta.clone())).refused(
        400,
        -32020,
        "Header mismatch: MCP-Protocol-Version header value 'v9' does not match body value 'v8'",
    );
    post("v8", body(meta.clone())).refused(
        400,
        -32020,
        "Header mismatch: missing Mcp-Method header, the body says 'tools/call'",
    );
    let with_method = post("v8", body(meta.clone())).with("mcp-method", "tools/call");
    with_method.with("mcp-name", "a").refused(
        400,
        -32020,
        "Header mismatch: Mcp-Name header value 'a' does not match body value 'b'",
    );
    let routed = |version, meta| {
        post(version, body(meta))
            .with("mcp-method", "tools/call")
            .with("mcp-name", "b")
    };
    routed("v8", meta).refused(400, -32022, &unsupported("v8"));
    let meta = json!({PV: "2026-07-28", CC: 7});
    let refused = routed("2026-07-28", meta).refused(
        400,
        -32602,
        &format!("Malformed _meta field: {CC} must be of type object"),
    );
    assert_eq!(data(&refused), json!({"key": CC, "expected": "object"}));
    routed("2026-07-28", json!({PV: "2026-07-28", CC: {}})).is_modern();
}

#[test]
fn a13_routing_headers_are_compared_decoded_and_with_regard_to_case() {
    let named = |name: &str, header| {
        let body = request(
            "tools/call",
            &json!({"name": name, "_meta": envelope("2026-07-28")}),
        );
        post("2026-07-28", body)
            .with("mcp-method", "tools/call")
            .with("mcp-name", header)
    };
    named("über", "=?base64?w7xiZXI=?=").is_modern();
    named("echo", "=?base64?ZWNobw==?=").is_modern();
    named("echo", " echo ").is_modern();
    for bad in ["=?base64?w7xiZXI?=", "=?base64?!?="] {
        let text = "Header mismatch: Mcp-Name header value cannot be decoded";
        named("echo", bad).refused(400, -32020, text);
    }
    let text = "Header mismatch: Mcp-Name header value 'ECHO' does not match body value 'echo'";
    named("echo", "ECHO").refused(400, -32020, text);
}

#[test]
fn versions_and_envelopes_that_are_no_strings_and_objects() {
    let meta = json!({PV: 1, CC: {}});
    let text = format!("Malformed _meta field: {PV} must be of type string");
    post("2026-07-28", call(&meta)).refused(400, -32602, &text);
    let text = "Malformed _meta field: _meta must be of type object";
    post("2026-07-28", call(&json!(7))).refused(400, -32602, text);
}

#[test]
fn what_is_no_message_has_an_id_as_its_revision_wants() {
    let table = [
        ("", Named::Nothing, ErrorId::Null),
        ("2025-06-18", Named::Nothing, ErrorId::Null),
        ("2025-11-25", Named::Nothing, ErrorId::Omitted),
        ("2026-07-28", Named::Nothing, ErrorId::Omitted),
        ("", Named::Session(Revision::V2025_03_26), ErrorId::Null),
        ("", Named::Session(Revision::V2025_11_25), ErrorId::Omitted),
    ];
    for (version, session, id) in table {
        for (body, code) in [("{nope", -32700), (r#"{"a":1}"#, -32600), ("7", -32600)] {
            let verdict = post(version, json!(body)).named(session).judged();
            let Verdict::Refused(refused) = verdict else {
                panic!("{verdict:?}");
            };
            assert_eq!((refused.status.as_u16(), refused.error.code.0), (400, code));
            assert_eq!(refused.id, id, "{version} {session:?}");
        }
    }
    // A response that breaks the rules is refused by HTTP, since HTTP always answers.
    let broken = post(
        "2026-07-28",
        json!(r#"{"jsonrpc":"2.0","id":{},"result":1}"#),
    )
    .judged();
    assert!(matches!(broken, Verdict::Refused(refused) if refused.status == 400));
}

#[test]
fn a_second_initialize_in_a_session_is_refused() {
    let text =
        "The session is initialized. To start another, send initialize without Mcp-Session-Id.";
    post("", initialize())
        .named(Named::Session(Revision::V2025_11_25))
        .refused(400, -32600, text);
}

#[test]
fn a_legacy_only_server_reads_no_claims() {
    let mut claimed = post("", call(&envelope("2026-07-28"))).legacy(LegacyMode::Stateless);
    claimed.policy = EraPolicy::legacy_only();
    claimed.is(&Verdict::Stateless(Revision::V2025_03_26));
}

#[test]
fn get_and_delete_need_a_session() {
    let policy = EraPolicy::default();
    let rules = Rules {
        policy: &policy,
        legacy: LegacyMode::Stateful,
    };
    let table = [
        ("", Named::Nothing, Some(400)),
        ("", Named::Unknown, Some(404)),
        ("", Named::Session(Revision::V2025_06_18), None),
        ("2025-11-25", Named::Session(Revision::V2025_06_18), None),
        (
            "1999-01-01",
            Named::Session(Revision::V2025_06_18),
            Some(400),
        ),
    ];
    for (version, session, expected) in table {
        let mut headers = HeaderMap::new();
        if !version.is_empty() {
            headers.insert("mcp-protocol-version", HeaderValue::from_static(version));
        }
        let refused = judge_session(&headers, session, &rules).err();
        let status = refused.map(|refused| refused.status.as_u16());
        assert_eq!(status, expected, "{version} {session:?}");
    }
}
