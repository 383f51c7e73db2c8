//! What a server says that it offers, on a real socket.

use serde_json::{Value, json};

use super::{Hosted, http, legacy::initialize, meta};
use crate::http::LegacyMode;

#[tokio::test]
async fn r8_22_a_client_is_promised_only_what_it_can_hear() {
    let check = async |mode: LegacyMode, expected: Value| {
        let hosted = Hosted::start(|host| host.legacy(mode)).await;
        let _tools = hosted.server.tools();
        let opened = hosted.ask(&initialize("2025-11-25")).await.json();
        assert_eq!(opened["result"]["capabilities"], expected, "{mode:?}");
    };
    check(
        LegacyMode::Stateful,
        json!({"tools": {"listChanged": true}}),
    )
    .await;
    check(LegacyMode::Stateless, json!({"tools": {}})).await;
}

#[tokio::test]
async fn a_list_is_the_same_on_every_connection_and_says_how_long_it_holds() {
    let hosted = Hosted::start(|host| host).await;
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta()}});
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/list"),
    ];
    let request = http("POST", &headers, &body);
    let (one, other) = (hosted.ask(&request).await, hosted.ask(&request).await);
    assert_eq!(one.body, other.body);
    let result = &one.json()["result"];
    assert_eq!(
        (&result["ttlMs"], &result["cacheScope"]),
        (&json!(0), &json!("private"))
    );
}
