//! Reports about HTTP: headers, sessions, batches, and what is said with a refusal.

use mcp_server::http::{LegacyMode, MemoryEventStore};
use serde_json::{Value, json};

use super::{LEGACY, code, echo, echoed, initialize, modern, request, server};
use crate::hosts::{Http, Received, envelope, notification};

async fn serve() -> Http {
    Http::new(server().http()).await
}

const VERSION: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");

async fn open(http: &Http, version: &str) -> String {
    let opened = http.post(&[], &initialize(0, version)).await;
    opened.header("mcp-session-id").unwrap().to_owned()
}

/// What a client of the modern era posts for a call of `echo`.
async fn call(http: &Http, headers: &[(&str, &str)]) -> Received {
    let mut all = vec![VERSION, ("Mcp-Method", "tools/call"), ("Mcp-Name", "echo")];
    all.extend(headers);
    http.post(&all, &modern(1, "tools/call", echo())).await
}

/// A refusal that says so in JSON-RPC.
#[track_caller]
fn refused(answer: &Received, status: u16, expected: i64) -> Value {
    let body = answer.json();
    assert_eq!(
        (answer.status, code(&body)),
        (status, expected),
        "{answer:?}"
    );
    assert_eq!(body["jsonrpc"], "2.0");
    body
}

#[tokio::test]
async fn report_08_what_initialize_settled_on_is_served_and_every_refusal_has_a_body() {
    let mut http = serve().await;
    for version in ["", "2026-07-28"] {
        let headers = [("MCP-Protocol-Version", version)];
        let headers = if version.is_empty() {
            &[][..]
        } else {
            &headers
        };
        let opened = http.post(headers, &initialize(0, "2026-07-28")).await;
        http.session = opened.header("mcp-session-id").map(ToOwned::to_owned);
        let settled = opened.json()["result"]["protocolVersion"].clone();
        let session = http.session.clone().unwrap();
        let headers = [
            ("Mcp-Session-Id", &*session),
            ("MCP-Protocol-Version", settled.as_str().unwrap()),
        ];
        let answer = http.post(&headers, &request(1, "tools/call", echo())).await;
        assert_eq!(answer.status, 200);
        echoed(&answer.json(), false, "http");
    }
    let list = request(1, "tools/list", json!({})).to_string();
    let unknown = [("Mcp-Session-Id", "unknown")];
    let modern_header = [VERSION];
    let table: [(_, &[(&str, &str)], _, _); 10] = [
        ("POST", &[], list.as_str(), 400),
        ("POST", &unknown, &list, 404),
        ("POST", &modern_header, &list, 400),
        ("POST", &[], "{", 400),
        ("POST", &[], "[]", 400),
        ("POST", &[("Host", "evil.example")], &list, 403),
        ("POST", &[("Origin", "https://evil.example")], &list, 403),
        ("POST", &[("Content-Type", "text/plain")], &list, 415),
        ("POST", &[("Accept", "text/html")], &list, 406),
        ("PUT", &[], &list, 405),
    ];
    for (method, headers, body, status) in table {
        let answer = http.send(method, "/mcp", headers, body).await;
        let text = format!("{method} {headers:?} {body}");
        assert_eq!(answer.status, status, "{text}");
        assert!(
            answer.json()["error"]["message"].is_string(),
            "{text}: {answer:?}"
        );
    }
}

/// Routing headers are of the modern era: a legacy client has none.
#[tokio::test]
async fn report_12_a_legacy_client_needs_no_routing_headers() {
    // The oldest has another shape for what a tool gives.
    for version in &LEGACY[1..] {
        let http = serve().await;
        let session = open(&http, version).await;
        let headers = [
            ("Mcp-Session-Id", &*session),
            ("MCP-Protocol-Version", version),
        ];
        let told = notification("notifications/initialized", json!({}));
        assert_eq!(http.post(&headers, &told).await.status, 202);
        let answer = http.post(&headers, &request(1, "tools/call", echo())).await;
        echoed(&answer.json(), false, version);
    }
    let http = serve().await;
    let answer = http
        .post(&[VERSION], &modern(1, "tools/call", echo()))
        .await;
    refused(&answer, 400, -32020);
}

#[tokio::test]
async fn report_13_a_modern_header_without_its_envelope_is_refused_and_opens_nothing() {
    let http = serve().await;
    for path in ["/mcp", "/"] {
        for body in [
            request(1, "tools/list", json!({})),
            request(1, "tools/call", echo()),
        ] {
            let answer = http.send("POST", path, &[VERSION], &body.to_string()).await;
            assert_eq!(refused(&answer, 400, -32602)["id"], 1, "{path}");
            assert_eq!(answer.header("mcp-session-id"), None);
        }
        let batch = json!([request(1, "tools/list", json!({}))]).to_string();
        let answer = http.send("POST", path, &[VERSION], &batch).await;
        refused(&answer, 400, -32600);
    }
    assert_eq!(call(&http, &[]).await.status, 200);
}

#[tokio::test]
async fn report_14_without_the_header_a_session_has_the_version_that_it_settled_on() {
    let http = serve().await;
    for version in LEGACY {
        let session = open(&http, version).await;
        for header in [None, Some("2025-03-26"), Some("2025-11-25")] {
            let mut headers = vec![("Mcp-Session-Id", &*session)];
            headers.extend(header.map(|version| ("MCP-Protocol-Version", version)));
            let answer = http
                .post(&headers, &request(1, "tools/list", json!({})))
                .await;
            assert_eq!(answer.status, 200, "{version} {header:?}");
            // What a tool says of its arguments came with 2025-03-26, what it says of itself with 2025-06-18.
            let tool = &answer.json()["result"]["tools"][0];
            assert_eq!(tool["name"], "echo", "{version} {header:?}");
            let batch = json!([request(2, "ping", json!({}))]);
            let allowed = version == "2025-03-26";
            let status = http.post(&headers, &batch).await.status;
            assert_eq!(
                status,
                if allowed { 200 } else { 400 },
                "{version} {header:?}"
            );
        }
    }
}

#[tokio::test]
async fn report_15_a_session_id_that_is_left_over_is_ignored_by_modern_requests() {
    let http = Http::new(server().http().legacy(LegacyMode::Reject)).await;
    for id in ["left-over", "0123456789abcdef0123456789abcdef"] {
        let answer = call(&http, &[("Mcp-Session-Id", id)]).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.header("mcp-session-id"), None);
        echoed(&answer.json(), true, "http");
    }
}

#[tokio::test]
async fn report_20_names_that_no_header_can_hold_travel_encoded() {
    use mcp_server::Resource;
    let uri = "file:///Za\u{142}\u{105}czniki/plan.txt";
    let server = server().resource(Resource::text(uri, "plan"));
    let http = Http::new(server.http()).await;
    let read = async |name: &str| {
        let headers = [
            VERSION,
            ("Mcp-Method", "resources/read"),
            ("Mcp-Name", name),
        ];
        http.post(&headers, &modern(1, "resources/read", json!({"uri": uri})))
            .await
    };
    let encoded = "=?base64?ZmlsZTovLy9aYcWCxIVjem5pa2kvcGxhbi50eHQ=?=";
    let answer = read(encoded).await;
    assert_eq!(
        answer.json()["result"]["contents"][0]["text"],
        "plan",
        "{answer:?}"
    );
    for wrong in [
        uri,
        "=?base64?ZmlsZTovLy9hcGxhbi50eHQ=?=",
        "=?base64?***?=",
        "file:///plan.txt",
    ] {
        refused(&read(wrong).await, 400, -32020);
    }
    // A name that looks encoded is encoded: the tool is not there, which its own error says.
    let odd = "=?base64?x?=";
    for (name, status, expected) in [
        ("=?base64?PT9iYXNlNjQ/eD89?=", 200, -32602),
        (odd, 400, -32020),
    ] {
        let headers = [VERSION, ("Mcp-Method", "tools/call"), ("Mcp-Name", name)];
        let answer = http
            .post(&headers, &modern(1, "tools/call", json!({"name": odd})))
            .await;
        refused(&answer, status, expected);
    }
}

#[tokio::test]
async fn report_21_header_and_body_name_one_version() {
    let http = serve().await;
    let list = |version: &str| request(1, "tools/list", json!({"_meta": envelope(version)}));
    for (header, body) in [
        ("2026-07-28", "2025-11-25"),
        ("2025-11-25", "2026-07-28"),
        ("2026-07-28", "v999"),
    ] {
        let headers = [
            ("MCP-Protocol-Version", header),
            ("Mcp-Method", "tools/list"),
        ];
        refused(&http.post(&headers, &list(body)).await, 400, -32020);
    }
    let headers = [
        VERSION,
        ("Mcp-Method", "tools/list"),
        ("Mcp-Session-Id", "stray"),
    ];
    assert_eq!(http.post(&headers, &list("2026-07-28")).await.status, 200);
}

/// A client that is told 200 and nothing comes back at once, and again.
#[tokio::test]
async fn report_26_a_stream_that_cannot_be_taken_up_is_refused() {
    let http = Http::new(server().http().event_store(MemoryEventStore::new())).await;
    let (mine, other) = (
        open(&http, "2025-11-25").await,
        open(&http, "2025-11-25").await,
    );
    let called = http
        .post(
            &[("Mcp-Session-Id", &other)],
            &request(1, "tools/call", echo()),
        )
        .await;
    let foreign = called
        .body
        .lines()
        .find_map(|line| line.strip_prefix("id: "))
        .unwrap();
    for last in ["0", "nonsense", "99_99", foreign] {
        let headers = [("Mcp-Session-Id", &*mine), ("Last-Event-ID", last)];
        let answer = http.send("GET", "/mcp", &headers, "").await;
        assert!([400, 404].contains(&answer.status), "{last}: {answer:?}");
        assert!(answer.json()["error"]["message"].is_string(), "{last}");
    }
    // Its own client gets the answer again, after it came.
    let headers = [("Mcp-Session-Id", &*other), ("Last-Event-ID", foreign)];
    let again = http.send("GET", "/mcp", &headers, "").await;
    assert_eq!(again.status, 200, "{again:?}");
    echoed(&again.json(), false, "http");
}

#[tokio::test]
async fn report_39_a_host_that_is_not_allowed_is_named_with_the_remedy() {
    let http = Http::new(server().http().allowed_hosts("mcp.example.com")).await;
    for (host, status) in [
        ("localhost:8080", 200),
        ("127.0.0.1", 200),
        ("[::1]:9", 200),
        ("mcp.example.com", 200),
        ("MCP.example.com:443", 200),
        ("proxy.internal", 403),
        ("mcp.example.com.evil.example", 403),
        ("169.254.169.254", 403),
    ] {
        let answer = call(&http, &[("Host", host)]).await;
        assert_eq!(answer.status, status, "{host}");
        if status == 403 {
            let body = answer.json();
            let text = body["error"]["message"].as_str().unwrap();
            for part in [host, "allowed_hosts", "MCP_ALLOWED_HOSTS"] {
                assert!(text.contains(part), "{text}");
            }
        }
    }
}

/// A batch is served at 2025-03-26, refused at any other, and answered always.
#[tokio::test]
async fn report_41_a_batch_is_answered_in_every_revision() {
    let batch = json!([
        request(1, "ping", json!({})),
        request(2, "tools/list", json!({}))
    ]);
    let http = serve().await;
    for version in LEGACY {
        let session = open(&http, version).await;
        let answer = http.post(&[("Mcp-Session-Id", &session)], &batch).await;
        if version == "2025-03-26" {
            assert_eq!(
                (answer.status, answer.json()[1]["id"].clone()),
                (200, json!(2))
            );
        } else {
            refused(&answer, 400, -32600);
        }
    }
    refused(&http.post(&[VERSION], &batch).await, 400, -32600);
    for version in LEGACY {
        let lines = [
            initialize(0, version).to_string(),
            batch.to_string(),
            String::new(),
        ];
        let answers = crate::stream::talk(&server(), &lines.join("\n")).await;
        match &answers[1] {
            Value::Array(both) => assert_eq!((version, both.len()), ("2025-03-26", 2)),
            one => assert_eq!(
                (code(one), version == "2025-03-26"),
                (-32600, false),
                "{version}"
            ),
        }
    }
}
