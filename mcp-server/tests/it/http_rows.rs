//! Rows H1 to H21 of the case matrix for HTTP, on a socket; and the rows D that speak of a message and not of the
//! order of a connection, as HTTP answers them.
//!
//! An answer is told in a line: its status, then the id with the code and the message of an error, or `modern`,
//! `legacy` (a result with and without `resultType`), or the version that `initialize` settled on.

mod d;

use mcp_server::{Server, Tool, policy::LegacyMode};
use serde_json::{Value, json};

use crate::hosts::{CC, CI, Http, PV, Received, envelope, initialize, modern, request};

const PRE: &str = "Missing required _meta field";

async fn serve(mode: LegacyMode) -> Http {
    let server = Server::new("s", "1")
        .tool(Tool::new("echo", async || "echo"))
        .logging();
    Http::new(server.http().legacy(mode)).await
}

async fn stateful() -> Http {
    serve(LegacyMode::Stateful).await
}

fn told(answer: &Received) -> String {
    let status = answer.status;
    if answer.body.is_empty() {
        return status.to_string();
    }
    let body = answer.json();
    let id = body.get("id").cloned().unwrap_or_default();
    if let Some(error) = body.get("error") {
        let text = error["message"].as_str().unwrap();
        return format!("{status} {id} {} {text}", error["code"]);
    }
    match (
        &body["result"]["protocolVersion"],
        &body["result"]["resultType"],
    ) {
        (Value::String(version), _) => format!("{status} {id} {version}"),
        (_, Value::String(_)) => format!("{status} {id} modern"),
        _ => format!("{status} {id} legacy"),
    }
}

/// Posts `body` under headers, and `MCP-Protocol-Version` if there is one; what came back.
async fn ask(http: &Http, version: &str, headers: &[(&str, &str)], body: &Value) -> Received {
    let mut all: Vec<_> = headers.to_vec();
    all.extend((!version.is_empty()).then_some(("MCP-Protocol-Version", version)));
    http.post(&all, body).await
}

async fn check(http: &Http, version: &str, headers: &[(&str, &str)], body: &Value, expected: &str) {
    let answer = ask(http, version, headers, body).await;
    assert_eq!(told(&answer), expected, "{version} {headers:?} {body}");
}

fn list(meta: &Value) -> Value {
    request(1, "tools/list", json!({"_meta": meta}))
}

fn good() -> Value {
    modern(1, "tools/list", json!({}))
}

/// A session of this version, and its id.
async fn open(http: &Http, version: &str) -> String {
    let opened = http.post(&[], &initialize(0, version)).await;
    assert_eq!(told(&opened), format!("200 0 {version}"));
    opened.header("mcp-session-id").unwrap().to_owned()
}

const LIST: (&str, &str) = ("Mcp-Method", "tools/list");

#[tokio::test]
async fn h01_no_header_no_claim_initialize_is_a_handshake() {
    for version in [
        "2024-10-07",
        "2024-11-05",
        "2025-03-26",
        "2025-06-18",
        "2025-11-25",
    ] {
        let http = stateful().await;
        let session = open(&http, version).await;
        let plain = request(1, "tools/list", json!({}));
        check(
            &http,
            "",
            &[("Mcp-Session-Id", &session)],
            &plain,
            "200 1 legacy",
        )
        .await;
    }
    let http = serve(LegacyMode::Stateless).await;
    let opened = http.post(&[], &initialize(0, "2025-06-18")).await;
    assert_eq!(told(&opened), "200 0 2025-06-18");
    assert_eq!(opened.header("mcp-session-id"), None);
}

#[tokio::test]
async fn h02_an_envelope_without_the_header_is_a_mismatch() {
    let expected = "400 1 -32020 Header mismatch: missing MCP-Protocol-Version header, the body says '2026-07-28'";
    check(&stateful().await, "", &[LIST], &good(), expected).await;
}

#[tokio::test]
async fn h03_a_modern_header_demands_the_envelope() {
    let http = stateful().await;
    let both = format!("400 1 -32602 {PRE}s: {PV}, {CC}");
    check(
        &http,
        "2026-07-28",
        &[LIST],
        &request(1, "tools/list", json!({})),
        &both,
    )
    .await;
    check(
        &http,
        "2026-07-28",
        &[LIST],
        &list(&json!({CI: {"name": "c", "version": "1"}})),
        &both,
    )
    .await;
    let one = format!("400 1 -32602 {PRE}: {CC}");
    check(
        &http,
        "2026-07-28",
        &[LIST],
        &list(&json!({PV: "2026-07-28"})),
        &one,
    )
    .await;
    let one = format!("400 1 -32602 {PRE}: {PV}");
    check(&http, "2026-07-28", &[LIST], &list(&json!({CC: {}})), &one).await;
    check(&http, "2026-07-28", &[LIST], &good(), "200 1 modern").await;
}

#[tokio::test]
async fn h04_header_and_body_that_differ_are_a_mismatch_before_the_version() {
    let http = stateful().await;
    for (header, body) in [
        ("2026-07-28", "v999"),
        ("v999", "2026-07-28"),
        ("v998", "v999"),
    ] {
        let expected = format!(
            "400 1 -32020 Header mismatch: MCP-Protocol-Version header value '{header}' does not match body value '{body}'"
        );
        check(&http, header, &[LIST], &list(&envelope(body)), &expected).await;
    }
}

fn unsupported(version: &str) -> String {
    format!(
        "400 1 -32022 Unsupported MCP-Protocol-Version: {version}. Supported: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07."
    )
}

fn data(answer: &Received) -> Value {
    answer.json()["error"]["data"].clone()
}

#[tokio::test]
async fn h05_an_unknown_version_in_both_is_unsupported() {
    let answer = ask(
        &stateful().await,
        "2099-01-01",
        &[LIST],
        &list(&envelope("2099-01-01")),
    )
    .await;
    assert_eq!(told(&answer), unsupported("2099-01-01"));
    assert_eq!(
        data(&answer),
        json!({"supported": ["2026-07-28"], "requested": "2099-01-01"})
    );
}

#[tokio::test]
async fn h06_a_known_session_wins_unless_the_header_is_modern() {
    let http = stateful().await;
    let session = open(&http, "2025-11-25").await;
    let session = ("Mcp-Session-Id", &*session);
    for header in ["", "2025-11-25"] {
        for meta in [
            json!({}),
            envelope("2026-07-28"),
            envelope("2099-01-01"),
            json!({CC: 7}),
            json!(7),
        ] {
            check(&http, header, &[session], &list(&meta), "200 1 legacy").await;
        }
    }
    check(
        &http,
        "2026-07-28",
        &[session, LIST],
        &good(),
        "200 1 modern",
    )
    .await;
}

#[tokio::test]
async fn h07_a_legacy_header_that_the_body_repeats_is_legacy() {
    let http = serve(LegacyMode::Stateless).await;
    for meta in [json!({}), json!({PV: "2025-06-18"}), json!({CC: {}})] {
        check(&http, "2025-06-18", &[], &list(&meta), "200 1 legacy").await;
    }
}

#[tokio::test]
async fn h08_a_legacy_header_with_a_modern_body_is_a_mismatch() {
    let expected = "400 1 -32020 Header mismatch: MCP-Protocol-Version header value '2025-11-25' does not match body value '2026-07-28'";
    for mode in [LegacyMode::Stateful, LegacyMode::Stateless] {
        check(&serve(mode).await, "2025-11-25", &[LIST], &good(), expected).await;
    }
}

#[tokio::test]
async fn h09_an_unknown_header_without_a_claim_is_unsupported() {
    let http = stateful().await;
    let session = open(&http, "2025-11-25").await;
    let none: &[(&str, &str)] = &[];
    for headers in [
        none,
        &[("Mcp-Session-Id", &session)],
        &[("Mcp-Session-Id", "unknown")],
    ] {
        for body in [list(&json!({})), initialize(1, "2025-11-25")] {
            let answer = ask(&http, "1999-01-01", headers, &body).await;
            assert_eq!(told(&answer), unsupported("1999-01-01"), "{headers:?}");
            assert_eq!(
                data(&answer),
                json!({"supported": ["2026-07-28"], "requested": "1999-01-01"})
            );
        }
    }
}

#[tokio::test]
async fn h10_initialize_under_a_modern_header_is_a_handshake() {
    for asked in ["2026-07-28", "2099-01-01", "2025-11-25"] {
        let http = stateful().await;
        check(
            &http,
            "2026-07-28",
            &[],
            &initialize(1, asked),
            "200 1 2025-11-25",
        )
        .await;
    }
}

#[tokio::test]
async fn h11_initialize_with_an_envelope_is_a_modern_request() {
    let mut body = initialize(1, "2026-07-28");
    body["params"]["_meta"] = envelope("2026-07-28");
    let headers = [("Mcp-Method", "initialize")];
    let answer = ask(&stateful().await, "2026-07-28", &headers, &body).await;
    assert_eq!(told(&answer), "404 1 -32601 Method not found: initialize");
    assert_eq!(answer.header("mcp-session-id"), None);
}

#[tokio::test]
async fn h12_where_legacy_is_rejected_the_answer_names_the_modern_versions() {
    let http = serve(LegacyMode::Reject).await;
    let expected = "400 1 -32022 Unsupported protocol version";
    for (body, requested) in [
        (initialize(1, "2025-11-25"), "2025-11-25"),
        (list(&json!({})), ""),
    ] {
        let answer = ask(&http, "", &[], &body).await;
        assert_eq!(told(&answer), expected);
        assert_eq!(
            data(&answer),
            json!({"supported": ["2026-07-28"], "requested": requested})
        );
    }
    check(&http, "2026-07-28", &[LIST], &good(), "200 1 modern").await;
}

#[tokio::test]
async fn h13_batches_are_for_2025_03_26_alone() {
    let refused = |id: &str| {
        format!(
            "400 {id} -32600 Invalid request: a batch is not allowed here; send one message at a time"
        )
    };
    let batch = json!([request(1, "ping", json!({}))]);
    let http = stateful().await;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = open(&http, version).await;
        let answer = ask(&http, "", &[("Mcp-Session-Id", &session)], &batch).await;
        if version == "2025-03-26" {
            assert_eq!(answer.status, 200);
            assert_eq!(
                answer.json(),
                json!([{"jsonrpc": "2.0", "id": 1, "result": {}}])
            );
        } else {
            assert_eq!(told(&answer), refused("null"), "{version}");
        }
    }
    check(&http, "2026-07-28", &[], &json!([good()]), &refused("null")).await;
    let stateless = serve(LegacyMode::Stateless).await;
    for (version, status) in [
        ("", 200),
        ("2025-03-26", 200),
        ("2025-06-18", 400),
        ("2026-07-28", 400),
    ] {
        assert_eq!(
            ask(&stateless, version, &[], &batch).await.status,
            status,
            "{version:?}"
        );
        let empty = ask(&stateless, version, &[], &json!([])).await;
        assert_eq!(
            (empty.status, &empty.json()["error"]["code"]),
            (400, &json!(-32600))
        );
    }
}

#[tokio::test]
async fn h14_a_response_is_for_a_legacy_session_alone() {
    let http = stateful().await;
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    let refused = "400 null -32600 Invalid request: nothing here awaits a response";
    check(&http, "2026-07-28", &[], &response, refused).await;
    let session = open(&http, "2025-11-25").await;
    check(&http, "", &[("Mcp-Session-Id", &session)], &response, "202").await;
}

#[tokio::test]
async fn h15_a_notification_needs_no_envelope() {
    let http = stateful().await;
    let note =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}});
    check(&http, "2026-07-28", &[], &note, "202").await;
    let answer = ask(&http, "2099-01-01", &[], &note).await;
    assert_eq!(
        (answer.status, &answer.json()["error"]["code"]),
        (400, &json!(-32022))
    );
}

#[tokio::test]
async fn h16_a_modern_request_ignores_the_session_id() {
    let http = stateful().await;
    let session = open(&http, "2025-11-25").await;
    for id in [&*session, "unknown", "b\u{e4}d"] {
        let answer = ask(
            &http,
            "2026-07-28",
            &[LIST, ("Mcp-Session-Id", id)],
            &good(),
        )
        .await;
        assert_eq!(told(&answer), "200 1 modern");
        assert_eq!(answer.header("mcp-session-id"), None);
    }
}

#[tokio::test]
async fn h17_an_unknown_session_is_404() {
    let http = stateful().await;
    let headers = [("Mcp-Session-Id", "unknown")];
    check(
        &http,
        "2025-11-25",
        &headers,
        &list(&json!({})),
        "404 1 -32600 Session not found",
    )
    .await;
    for method in ["GET", "DELETE"] {
        let answer = http.send(method, "/mcp", &headers, "").await;
        assert_eq!(answer.status, 404, "{method}");
    }
}

#[tokio::test]
async fn h18_a_legacy_request_without_a_session_is_400() {
    let http = stateful().await;
    for version in ["", "2025-11-25"] {
        let expected = "400 1 -32600 Missing Mcp-Session-Id header";
        check(&http, version, &[], &list(&json!({})), expected).await;
    }
}

#[tokio::test]
async fn h19_h20_the_session_has_its_own_version_whatever_a_legacy_header_says() {
    let http = stateful().await;
    let session = open(&http, "2025-06-18").await;
    for version in ["", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let headers = [("Mcp-Session-Id", &*session)];
        check(&http, version, &headers, &list(&json!({})), "200 1 legacy").await;
        // Were it a session of 2025-03-26, this would be served.
        let batch = json!([request(1, "ping", json!({}))]);
        assert_eq!(
            ask(&http, version, &headers, &batch).await.status,
            400,
            "{version}"
        );
    }
}

#[tokio::test]
async fn h21_repeated_headers_are_mismatches() {
    let http = stateful().await;
    let call = modern(1, "tools/call", json!({"name": "echo"}));
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "echo"),
    ];
    assert_eq!(told(&http.post(&headers, &call).await), "200 1 modern");
    for again in headers {
        let mut twice = headers.to_vec();
        twice.push(again);
        let answer = http.post(&twice, &call).await;
        let code = &answer.json()["error"]["code"];
        assert_eq!((answer.status, code), (400, &json!(-32020)), "{again:?}");
    }
}
