//! Rows D1 to D31 of the case matrix for ordered connections, as bytes in and bytes out.
//!
//! Each script is a run of lines; what came back is told in a line each: the id, then the code, the
//! message and the data of an error, or `modern`, `legacy` (a result with and without `resultType`),
//! or the version that `initialize` settled on. After each script the connection still serves.
//!
//! A script that holds only requests that can be read is asked of a connection in memory too, and answered alike.

use bytes::Bytes;
use mcp_server::{
    EraPolicy, Server, Tool,
    policy::{EnvelopePolicy, LockPolicy, ModernOnLegacy, SecondInitialize},
};
use mcp_types::{ErrorCode, ErrorObject, Message, RequestMeta, jsonrpc::decode};
use serde_json::Value;

use crate::{hosts, stream::talk};

const PV: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
const CC: &str = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
const CI: &str = r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}"#;
const LATER: &str = r#""io.modelcontextprotocol/protocolVersion":"2099-01-01""#;

const PRE_INIT: &str = "-32600 Invalid request parameters";
const MISSING_CC: &str = r#"-32602 Missing required _meta field: io.modelcontextprotocol/clientCapabilities {"missing":["io.modelcontextprotocol/clientCapabilities"]}"#;
const MISSING_BOTH: &str = r#"-32602 Missing required _meta fields: io.modelcontextprotocol/protocolVersion, io.modelcontextprotocol/clientCapabilities {"missing":["io.modelcontextprotocol/protocolVersion","io.modelcontextprotocol/clientCapabilities"]}"#;

fn request(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#)
}

/// `tools/list` with these members of `_meta`.
fn list(id: u32, meta: &[&str]) -> String {
    with_meta(id, "tools/list", meta)
}

fn with_meta(id: u32, method: &str, meta: &[&str]) -> String {
    let meta = format!(r#""_meta":{{{}}}"#, meta.join(","));
    request(&id.to_string(), method, &meta)
}

fn bare(id: u32, method: &str) -> String {
    request(&id.to_string(), method, "")
}

fn initialize(id: u32, version: &str) -> String {
    let params = format!(
        r#""protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}"#
    );
    request(&id.to_string(), "initialize", &params)
}

fn told(message: &Value) -> String {
    if let Value::Array(items) = message {
        return format!(
            "[{}]",
            items.iter().map(told).collect::<Vec<_>>().join(", ")
        );
    }
    let id = message
        .get("id")
        .map_or_else(|| "-".into(), Value::to_string);
    if let Some(error) = message.get("error") {
        let data = error.get("data").map(|data| format!(" {data}"));
        let text = error["message"].as_str().unwrap();
        return format!("{id} {} {text}{}", error["code"], data.unwrap_or_default());
    }
    let result = &message["result"];
    match (result.get("protocolVersion"), result.get("resultType")) {
        (Some(version), _) => format!("{id} {}", version.as_str().unwrap()),
        (None, Some(_)) => format!("{id} modern"),
        (None, None) => format!("{id} legacy"),
    }
}

fn server(policy: EraPolicy) -> Server {
    Server::new("s", "1")
        .tool(Tool::new("echo", async || "echo"))
        .era_policy(policy)
}

async fn check_with(policy: EraPolicy, lines: &[String], expected: &[String]) {
    let server = server(policy);
    let answers = talk(&server, &(lines.join("\n") + "\n")).await;
    assert_eq!(
        answers.iter().map(told).collect::<Vec<_>>(),
        expected,
        "{lines:#?}"
    );
    if let Some(requests) = lines
        .iter()
        .map(|line| as_request(line))
        .collect::<Option<Vec<_>>>()
    {
        assert_eq!(in_memory(&server, &requests).await, expected, "{lines:#?}");
    }
}

/// A line that a connection in memory can be asked: there a message cannot be malformed, and a request for what a
/// legacy session hears unasked is no method.
fn as_request(line: &str) -> Option<Value> {
    let message = decode(&Bytes::copy_from_slice(line.as_bytes())).ok()?;
    let Message::Request(request) = message else {
        return None;
    };
    let can_be_asked =
        request.method != "subscriptions/listen" && RequestMeta::of(&request.params).is_ok();
    can_be_asked.then(|| serde_json::from_str(line).unwrap())
}

async fn in_memory(server: &Server, requests: &[Value]) -> Vec<String> {
    let connection = server.connect();
    let mut answers = Vec::new();
    for request in requests {
        answers.push(told(&hosts::in_memory(&connection, request).await));
    }
    answers
}

async fn check(lines: &[String], expected: &[String]) {
    check_with(EraPolicy::default(), lines, expected).await;
}

/// `check!([lines] => [answers])`, after a policy if there is one.
macro_rules! check {
    ([$($line:expr),* $(,)?] => [$($expected:expr),* $(,)?]) => {
        check!(EraPolicy::default(); [$($line),*] => [$($expected),*])
    };
    ($policy:expr; [$($line:expr),* $(,)?] => [$($expected:expr),* $(,)?]) => {
        check_with($policy, &[$($line.to_string()),*], &[$($expected.to_string()),*]).await
    };
}

fn unsupported(requested: &str) -> String {
    format!(
        r#"-32022 Unsupported protocol version {{"requested":"{requested}","supported":["2026-07-28"]}}"#
    )
}

#[tokio::test]
async fn d01_a_full_envelope_is_served_and_locks_modern() {
    check!([list(1, &[PV, CC]), list(2, &[]), initialize(3, "2025-11-25")] =>
        ["1 modern", format!("2 {MISSING_BOTH}"), format!("3 {}", unsupported("2025-11-25"))]);
    check!([list(1, &[PV, CC, CI])] => ["1 modern"]);
    let info = EraPolicy::default().with_envelope(EnvelopePolicy::RequireClientInfo);
    check!(info; [list(1, &[PV, CC]), list(2, &[PV, CC, CI])] => [
        r#"1 -32602 Missing required _meta field: io.modelcontextprotocol/clientInfo {"missing":["io.modelcontextprotocol/clientInfo"]}"#,
        "2 modern"
    ]);
}

#[tokio::test]
async fn d02_a_version_alone_is_incomplete_and_locks_nothing() {
    check!([list(1, &[PV]), list(2, &[PV, CC])] => [format!("1 {MISSING_CC}"), "2 modern"]);
    check!([list(1, &[PV]), initialize(2, "2025-11-25")] => [format!("1 {MISSING_CC}"), "2 2025-11-25"]);
}

#[tokio::test]
async fn d03_capabilities_are_required_unless_the_policy_says_the_pair() {
    check!([list(1, &[PV, CI])] => [format!("1 {MISSING_CC}")]);
    let pair = || EraPolicy::default().with_envelope(EnvelopePolicy::ClientInfoPair);
    check!(pair(); [list(1, &[PV, CI])] => ["1 modern"]);
    check!(pair(); [list(1, &[PV, CC]), initialize(2, "2025-11-25")] =>
        [format!("1 {PRE_INIT}"), "2 2025-11-25"]);
}

#[tokio::test]
async fn d04_without_a_version_nothing_is_claimed() {
    check!([list(1, &[CC, CI]), list(2, &[PV, CC])] =>
        [format!("1 {PRE_INIT}"), format!("2 {PRE_INIT}")]);
    check!([list(1, &[PV, CC]), list(2, &[CC, CI])] => [
        "1 modern",
        r#"2 -32602 Missing required _meta field: io.modelcontextprotocol/protocolVersion {"missing":["io.modelcontextprotocol/protocolVersion"]}"#
    ]);
}

#[tokio::test]
async fn d05_wrong_types_are_named_and_lock_nothing() {
    let wrong = |key: &str, expected: &str| {
        format!(
            r#"-32602 Malformed _meta field: {key} must be of type {expected} {{"expected":"{expected}","key":"{key}"}}"#
        )
    };
    check!([
        list(1, &[r#""io.modelcontextprotocol/protocolVersion":5"#, CC]),
        list(2, &[PV, r#""io.modelcontextprotocol/clientCapabilities":[]"#]),
        request("3", "tools/list", r#""_meta":"x""#),
        list(4, &[PV, CC]),
    ] => [
        format!("1 {}", wrong("io.modelcontextprotocol/protocolVersion", "string")),
        format!("2 {}", wrong("io.modelcontextprotocol/clientCapabilities", "object")),
        format!("3 {}", wrong("_meta", "object")),
        "4 modern",
    ]);
}

#[tokio::test]
async fn d06_an_unknown_version_is_told_what_is_served_and_locks_nothing() {
    check!([list(1, &[LATER]), list(2, &[LATER, CC]), initialize(3, "2025-06-18")] => [
        format!("1 {}", unsupported("2099-01-01")),
        format!("2 {}", unsupported("2099-01-01")),
        "3 2025-06-18",
    ]);
    check!([list(1, &[LATER]), list(2, &[PV, CC]), list(3, &[LATER])] => [
        format!("1 {}", unsupported("2099-01-01")), "2 modern", format!("3 {}", unsupported("2099-01-01")),
    ]);
}

#[tokio::test]
async fn d07_a_legacy_version_is_no_modern_one() {
    let legacy = r#""io.modelcontextprotocol/protocolVersion":"2025-11-25""#;
    check!([list(1, &[legacy, CC]), list(2, &[PV, CC])] =>
        [format!("1 {}", unsupported("2025-11-25")), "2 modern"]);
}

#[tokio::test]
async fn d08_a_probe_is_answered_and_locks_nothing() {
    let discover = |id| with_meta(id, "server/discover", &[PV, CC]);
    check!([discover(1), discover(2), initialize(3, "2025-11-25"), bare(4, "tools/list")] =>
        ["1 modern", "2 modern", "3 2025-11-25", "4 legacy"]);
    check!([discover(1), list(2, &[PV, CC])] => ["1 modern", "2 modern"]);
}

#[tokio::test]
async fn d09_a_probe_without_an_envelope_is_a_request_before_initialize() {
    check!([bare(1, "server/discover"), initialize(2, "2025-11-25"), bare(3, "server/discover")] =>
        [format!("1 {PRE_INIT}"), "2 2025-11-25", "3 -32601 Method not found: server/discover"]);
}

#[tokio::test]
async fn d10_initialize_settles_on_a_known_legacy_version() {
    for version in [
        "2024-10-07",
        "2024-11-05",
        "2025-03-26",
        "2025-06-18",
        "2025-11-25",
    ] {
        check!([initialize(1, version), bare(2, "tools/list"), list(3, &[PV, CC])] =>
            [format!("1 {version}"), "2 legacy", "3 legacy"]);
    }
}

#[tokio::test]
async fn d11_initialize_never_settles_on_a_modern_version() {
    for version in ["2026-07-28", "2099-01-01", "", "zzz"] {
        check!([initialize(1, version), bare(2, "tools/list")] => ["1 2025-11-25", "2 legacy"]);
    }
    let strict = EraPolicy::default().with_strict_initialize(true);
    check!(strict; [initialize(1, "2026-07-28"), initialize(2, "2025-06-18")] => [
        r#"1 -32602 Unsupported protocol version {"requested":"2026-07-28","supported":["2025-11-25","2025-06-18","2025-03-26","2024-11-05","2024-10-07"]}"#,
        "2 2025-06-18",
    ]);
}

#[tokio::test]
async fn d12_initialize_with_an_envelope_is_legacy() {
    let params = format!(
        r#""protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}},"_meta":{{{PV},{CC}}}"#
    );
    check!([request("1", "initialize", &params), bare(2, "tools/list")] =>
        ["1 2025-11-25", "2 legacy"]);
}

#[tokio::test]
async fn d13_a_known_method_before_initialize_is_refused_and_locks_legacy() {
    check!([bare(1, "tools/list"), list(2, &[PV, CC]), initialize(3, "2025-11-25"), bare(4, "tools/list")] =>
        [format!("1 {PRE_INIT}"), format!("2 {PRE_INIT}"), "3 2025-11-25", "4 legacy"]);
    let relaxed = EraPolicy::default().with_lock(LockPolicy::OnSuccess);
    check!(relaxed; [bare(1, "tools/list"), list(2, &[PV, CC])] => [format!("1 {PRE_INIT}"), "2 modern"]);
    let error = ErrorObject::new(ErrorCode::INVALID_PARAMS, "Invalid request parameters");
    let other = EraPolicy::default().with_pre_init(error);
    check!(other; [bare(1, "tools/list")] => ["1 -32602 Invalid request parameters"]);
}

#[tokio::test]
async fn d14_an_unknown_method_before_initialize_is_refused_alike() {
    check!([bare(1, "no/such"), initialize(2, "2025-11-25"), bare(3, "no/such")] =>
        [format!("1 {PRE_INIT}"), "2 2025-11-25", "3 -32601 Method not found: no/such"]);
}

#[tokio::test]
async fn d15_ping_before_initialize_is_answered_and_locks_nothing() {
    check!([bare(1, "ping"), list(2, &[PV, CC])] => ["1 legacy", "2 modern"]);
    check!([bare(1, "ping"), initialize(2, "2025-11-25"), bare(3, "ping")] =>
        ["1 legacy", "2 2025-11-25", "3 legacy"]);
}

#[tokio::test]
async fn d16_a_notification_first_is_ignored() {
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#;
    let odd = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#;
    let other = r#"{"jsonrpc":"2.0","method":"no/such"}"#;
    check!([cancelled, odd, other, list(1, &[PV, CC])] => ["1 modern"]);
    check!([other, initialize(1, "2025-11-25")] => ["1 2025-11-25"]);
}

#[tokio::test]
async fn d17_a_response_first_is_ignored() {
    check!([
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":[],"error":{"code":-32700}}"#,
        list(1, &[PV, CC]),
    ] => ["1 modern"]);
}

#[tokio::test]
async fn d18_bad_lines_are_answered_once_and_skipped() {
    check!(["", "  \r", "{oops", "5", "\"x\"", "{}", r#"{"id":7,"method":"x"}"#, list(1, &[PV, CC])] => [
        "null -32700 Parse error: not JSON at line 1, column 2",
        "null -32600 Invalid request: a message is a JSON object",
        "null -32600 Invalid request: a message is a JSON object",
        "null -32600 Invalid request: `jsonrpc` must be \"2.0\"",
        "7 -32600 Invalid request: `jsonrpc` must be \"2.0\"",
        "1 modern",
    ]);
    // Once a revision that knows no null id is settled, the member is left out.
    for (version, id) in [("2025-11-25", "-"), ("2025-06-18", "null")] {
        check!([initialize(1, version), "{oops", bare(2, "ping")] => [
            format!("1 {version}"),
            format!("{id} -32700 Parse error: not JSON at line 1, column 2"),
            "2 legacy",
        ]);
    }
}

#[tokio::test]
async fn d19_batches_are_of_2025_03_26_alone() {
    let refused = "-32600 Invalid request: a batch is not allowed here; send one message at a time";
    let batch = format!("[{},{}]", bare(1, "ping"), bare(2, "ping"));
    check!([batch, list(3, &[PV, CC]), batch] =>
        [format!("null {refused}"), "3 modern", format!("- {refused}")]);
    check!([initialize(3, "2025-06-18"), batch, bare(4, "ping")] =>
        ["3 2025-06-18", format!("null {refused}"), "4 legacy"]);
    let mixed = format!(
        r#"[{},{{"jsonrpc":"2.0","method":"notifications/initialized"}},5,{},{},{{"jsonrpc":"2.0","id":1,"result":{{}}}}]"#,
        bare(1, "ping"),
        bare(2, "tools/list"),
        initialize(3, "2025-03-26"),
    );
    let silent = r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#;
    check!([initialize(0, "2025-03-26"), mixed, silent, "[]", bare(9, "ping")] => [
        "0 2025-03-26",
        "[1 legacy, null -32600 Invalid request: a message is a JSON object, 2 legacy, 3 -32600 initialize cannot be in a batch]",
        "null -32600 Invalid request: a batch holds 1 to 64 messages, not 0; send fewer at a time",
        "9 legacy",
    ]);
}

#[tokio::test]
async fn d20_a_second_initialize_negotiates_anew() {
    check!([initialize(1, "2025-11-25"), initialize(2, "2024-11-05"), bare(3, "tools/list")] =>
        ["1 2025-11-25", "2 2024-11-05", "3 legacy"]);
    let once = EraPolicy::default().with_second_initialize(SecondInitialize::Reject);
    check!(once; [initialize(1, "2025-11-25"), initialize(2, "2024-11-05"), bare(3, "tools/list")] =>
        ["1 2025-11-25", "2 -32600 Server already initialized", "3 legacy"]);
}

#[tokio::test]
async fn d21_initialize_on_a_modern_connection_is_told_what_is_served() {
    check!([list(1, &[PV, CC]), initialize(2, "2025-11-25"), bare(3, "initialize"), list(4, &[PV, CC])] =>
        ["1 modern", format!("2 {}", unsupported("2025-11-25")), format!("3 {}", unsupported("")), "4 modern"]);
}

#[tokio::test]
async fn d22_an_envelope_on_a_legacy_connection_is_opaque() {
    let lines = [
        initialize(1, "2025-11-25"),
        list(2, &[PV, CC, CI]),
        list(3, &[LATER]),
        with_meta(4, "server/discover", &[PV, CC]),
    ];
    let answer = |text: &str| text.to_owned();
    let none = answer("4 -32601 Method not found: server/discover");
    check(
        &lines,
        &[
            answer("1 2025-11-25"),
            answer("2 legacy"),
            answer("3 legacy"),
            none,
        ],
    )
    .await;
    let reject = EraPolicy::default().with_modern_on_legacy(ModernOnLegacy::Reject);
    let refused = "-32600 Invalid request: this connection was opened by initialize";
    check!(reject; [lines[0], lines[1], bare(5, "tools/list")] =>
        ["1 2025-11-25", format!("2 {refused}"), "5 legacy"]);
    let serve = EraPolicy::default().with_modern_on_legacy(ModernOnLegacy::ServeModern);
    check!(serve; [lines[0], lines[1], lines[2], lines[3], bare(5, "tools/list")] =>
        ["1 2025-11-25", "2 modern", format!("3 {}", unsupported("2099-01-01")), "4 modern", "5 legacy"]);
}

#[tokio::test]
async fn d23_single_reserved_keys_on_a_legacy_connection_are_opaque() {
    check!([initialize(1, "2025-11-25"), list(2, &[CC]), list(3, &[CI]), list(4, &[PV]),
        request("5", "tools/list", r#""_meta":7"#)] =>
        ["1 2025-11-25", "2 legacy", "3 legacy", "4 legacy", "5 legacy"]);
}

#[tokio::test]
async fn d24_a_claim_less_request_on_a_modern_connection_lacks_its_envelope() {
    check!([list(1, &[PV, CC]), bare(2, "tools/list"), bare(3, "no/such"), bare(4, "ping")] =>
        ["1 modern", format!("2 {MISSING_BOTH}"), format!("3 {MISSING_BOTH}"), format!("4 {MISSING_BOTH}")]);
}

#[tokio::test]
async fn d25_nothing_waits_for_the_initialized_notification() {
    check!([initialize(1, "2025-11-25"), bare(2, "tools/list"), bare(3, "logging/setLevel")] =>
        ["1 2025-11-25", "2 legacy", "3 -32601 Method not found: logging/setLevel"]);
}

#[tokio::test]
async fn d26_requests_in_one_write_with_initialize_find_the_session() {
    let call = request("2", "tools/call", r#""name":"echo""#);
    check!([initialize(1, "2025-03-26"), call, bare(3, "ping"), bare(4, "tools/list")] =>
        ["1 2025-03-26", "2 legacy", "3 legacy", "4 legacy"]);
}

#[tokio::test]
async fn d28_an_id_is_a_string_or_an_integer_and_comes_back_as_it_was() {
    let bad = "null -32600 Invalid request: `id` must be a string or an integer";
    check!([
        request("null", "ping", ""), request("1.5", "ping", ""), request("true", "ping", ""),
        request("[]", "ping", ""), request("\"1\"", "ping", ""), request("1", "ping", ""),
    ] => [bad, bad, bad, bad, "\"1\" legacy", "1 legacy"]);
}

#[tokio::test]
async fn d29_removed_methods_with_an_envelope_are_not_found() {
    for method in [
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
    ] {
        check!([with_meta(1, method, &[PV, CC])] => [format!("1 -32601 Method not found: {method}")]);
    }
    check!([with_meta(1, "ping", &[PV, CC]), initialize(2, "2025-11-25")] =>
        ["1 -32601 Method not found: ping", "2 2025-11-25"]);
}

#[tokio::test]
async fn d30_modern_methods_on_a_legacy_connection_are_not_found() {
    check!([initialize(1, "2025-11-25"), bare(2, "subscriptions/listen"), bare(3, "tasks/update")] => [
        "1 2025-11-25",
        "2 -32601 Method not found: subscriptions/listen",
        "3 -32601 Method not found: tasks/update",
    ]);
    check!([initialize(1, "2025-11-25"), bare(3, "tasks/update")] =>
        ["1 2025-11-25", "3 -32601 Method not found: tasks/update"]);
}

#[tokio::test]
async fn d31_a_notification_needs_no_envelope() {
    check!([
        list(1, &[PV, CC]),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"_meta":{}}}"#,
        list(2, &[PV, CC]),
    ] => ["1 modern", "2 modern"]);
}

/// So that no row is left out in memory unseen.
#[test]
fn what_can_be_asked_in_memory() {
    for line in [
        list(1, &[PV, CC]),
        list(1, &[LATER]),
        initialize(1, "zzz"),
        bare(1, "ping"),
        bare(1, "no/such"),
    ] {
        assert!(as_request(&line).is_some(), "{line}");
    }
    let batch = format!("[{}]", bare(1, "ping"));
    for line in [
        "",
        "{oops",
        &batch,
        r#"{"jsonrpc":"2.0","method":"x"}"#,
        &request("null", "ping", ""),
    ] {
        assert!(as_request(line).is_none(), "{line}");
    }
}
