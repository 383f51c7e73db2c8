//! The rows of the matrix for ordered connections that HTTP has too, since they are about one message or about a
//! session: the others (an era that is locked, what is first of all) have no meaning where each POST is judged alone.
//! D1 to D3 are H3, D4 is H18, D8 to D11 are H1, H9 and H10, D12 is H11, D19 is H13, D22 and D23 are H6.

use serde_json::{Value, json};

use super::{
    CC, LIST, PV, ask, check, data, envelope, good, initialize, list, open, stateful, told,
};
use crate::hosts::{modern, request};

#[tokio::test]
async fn d05_wrong_types_are_named() {
    let http = stateful().await;
    let expected = format!("400 1 -32602 Malformed _meta field: {CC} must be of type object");
    check(
        &http,
        "2026-07-28",
        &[LIST],
        &list(&json!({PV: "2026-07-28", CC: []})),
        &expected,
    )
    .await;
    let answer = ask(&http, "2026-07-28", &[LIST], &list(&json!("x"))).await;
    assert_eq!(
        (answer.status, &answer.json()["error"]["code"]),
        (400, &json!(-32602))
    );
    let answer = ask(&http, "2026-07-28", &[LIST], &list(&json!({PV: 5, CC: {}}))).await;
    let expected = format!("400 1 -32602 Malformed _meta field: {PV} must be of type string");
    assert_eq!(told(&answer), expected);
}

#[tokio::test]
async fn d06_d07_a_version_that_is_no_modern_one_is_told_what_is_served() {
    let http = stateful().await;
    for version in ["1900-01-01", "2099-01-01", "zzz"] {
        let answer = ask(&http, version, &[LIST], &list(&envelope(version))).await;
        assert_eq!(
            data(&answer),
            json!({"supported": ["2026-07-28"], "requested": version})
        );
    }
    // One that is legacy is served in a session, and not in a claim.
    check(
        &http,
        "2025-11-25",
        &[],
        &list(&envelope("2025-11-25")),
        "400 1 -32600 Missing Mcp-Session-Id header",
    )
    .await;
    check(&http, "2026-07-28", &[LIST], &good(), "200 1 modern").await;
}

#[tokio::test]
async fn d08_d09_a_probe_leaves_everything_open() {
    let http = stateful().await;
    let probe = modern(1, "server/discover", json!({}));
    let headers = [("Mcp-Method", "server/discover")];
    check(&http, "2026-07-28", &headers, &probe, "200 1 modern").await;
    let bare = request(1, "server/discover", json!({}));
    check(
        &http,
        "",
        &[],
        &bare,
        "400 1 -32600 Missing Mcp-Session-Id header",
    )
    .await;
    let session = open(&http, "2025-11-25").await;
    let expected = "200 1 -32601 Method not found: server/discover";
    check(&http, "", &[("Mcp-Session-Id", &session)], &bare, expected).await;
}

#[tokio::test]
async fn d18_what_is_no_message_is_answered_and_the_server_goes_on() {
    let http = stateful().await;
    for (body, code) in [
        ("{oops", -32700),
        ("5", -32600),
        ("{}", -32600),
        (r#"{"id":7,"method":"x"}"#, -32600),
    ] {
        for version in ["2026-07-28", "2025-11-25"] {
            let headers = [("MCP-Protocol-Version", version)];
            let answer = http.send("POST", "/mcp", &headers, body).await;
            assert_eq!(
                (answer.status, &answer.json()["error"]["code"]),
                (400, &json!(code)),
                "{body}"
            );
        }
    }
    check(&http, "2026-07-28", &[LIST], &good(), "200 1 modern").await;
}

#[tokio::test]
async fn d20_another_initialize_is_another_session_and_within_one_it_is_refused() {
    let http = stateful().await;
    let first = open(&http, "2025-11-25").await;
    let second = open(&http, "2025-06-18").await;
    assert_ne!(first, second);
    let within = [("Mcp-Session-Id", &*first)];
    let answer = ask(&http, "", &within, &initialize(1, "2025-06-18")).await;
    assert_eq!(
        (answer.status, &answer.json()["error"]["code"]),
        (400, &json!(-32600))
    );
    check(
        &http,
        "",
        &within,
        &request(1, "ping", json!({})),
        "200 1 legacy",
    )
    .await;
}

#[tokio::test]
async fn d25_nothing_waits_for_the_initialized_notification() {
    let http = stateful().await;
    let session = open(&http, "2025-11-25").await;
    let level = request(1, "logging/setLevel", json!({"level": "info"}));
    check(
        &http,
        "",
        &[("Mcp-Session-Id", &session)],
        &level,
        "200 1 legacy",
    )
    .await;
}

#[tokio::test]
async fn d28_an_id_is_a_string_or_an_integer_and_comes_back_as_it_was() {
    let http = stateful().await;
    let with_id = |id: Value| {
        let mut message = good();
        message["id"] = id;
        message
    };
    for id in [
        json!(1),
        json!("1"),
        json!(-7),
        json!(9_007_199_254_740_991_u64),
        json!(""),
    ] {
        let answer = ask(&http, "2026-07-28", &[LIST], &with_id(id.clone())).await;
        assert_eq!(answer.json()["id"], id);
        assert_eq!(answer.status, 200);
    }
    for id in [Value::Null, json!(1.5), json!(true), json!([]), json!({})] {
        let answer = ask(&http, "2026-07-28", &[LIST], &with_id(id)).await;
        assert!(told(&answer).starts_with("400 null -32600 "), "{answer:?}");
    }
}

#[tokio::test]
async fn d29_removed_methods_with_an_envelope_are_not_found() {
    let http = stateful().await;
    for method in [
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
    ] {
        let expected = format!("404 1 -32601 Method not found: {method}");
        let body = modern(1, method, json!({"uri": "a:b", "level": "info"}));
        check(
            &http,
            "2026-07-28",
            &[("Mcp-Method", method)],
            &body,
            &expected,
        )
        .await;
    }
}

#[tokio::test]
async fn d30_modern_methods_in_a_legacy_session_are_not_found() {
    let http = stateful().await;
    let session = open(&http, "2025-11-25").await;
    for method in ["subscriptions/listen", "tasks/update", "server/discover"] {
        let expected = format!("200 1 -32601 Method not found: {method}");
        let body = modern(1, method, json!({"notifications": {}, "taskId": "t"}));
        check(&http, "", &[("Mcp-Session-Id", &session)], &body, &expected).await;
    }
}
