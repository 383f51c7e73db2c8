//! Discovery and the list of tools.

use std::sync::{Arc, Mutex};

use mcp_server::{EraPolicy, Json, Server, Tool, Tools};
use mcp_types::Revision;
use serde_json::{Value, json};

use crate::peer::Peer;

async fn echo() -> &'static str {
    "echo"
}

fn server_of(names: &[&str]) -> Server {
    let server = Server::new("s", "1");
    names
        .iter()
        .fold(server, |server, name| server.tool(Tool::new(*name, echo)))
}

async fn page(peer: &Peer, params: &str) -> (Vec<Value>, Value) {
    let result = peer.result("tools/list", params).await;
    let tools = result["tools"].as_array().unwrap();
    let names = tools.iter().map(|tool| tool["name"].clone()).collect();
    (names, result["nextCursor"].clone())
}

#[tokio::test]
async fn a_server_says_what_it_offers() {
    let server = server_of(&["echo"]).instructions("Echoes.");
    let discovered = Peer::modern(&server).result("server/discover", "{}").await;
    assert_eq!(
        discovered,
        json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}}, "instructions": "Echoes.",
            "ttlMs": 0, "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}},
        })
    );
    for revision in &Revision::ALL[..5] {
        let peer = Peer::legacy(&server, *revision).await;
        let params = format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}"#
        );
        let mut expected = json!({
            "protocolVersion": revision, "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"}, "instructions": "Echoes.",
        });
        if *revision == Revision::V2024_10_07 {
            expected.as_object_mut().unwrap().remove("instructions");
        }
        assert_eq!(peer.result("initialize", &params).await, expected);
    }
    // Once someone can change the list, a client that can be told is promised to be.
    let _tools = server.tools();
    let params = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#;
    let opened = Peer::legacy(&server, Revision::V2025_11_25).await;
    assert_eq!(
        opened.result("initialize", params).await["capabilities"],
        json!({"tools": {"listChanged": true}})
    );
    let nothing = Server::new("s", "1");
    let peer = Peer::modern(&nothing);
    let discovered = peer.result("server/discover", "{}").await;
    assert_eq!(discovered["capabilities"], json!({}));
    assert_eq!(peer.error("tools/list", "{}").await.code.0, -32601);
}

#[tokio::test]
async fn the_list_keeps_the_order_of_registration() {
    let server = server_of(&["c", "a", "b"]);
    for (_, peer) in Peer::of_each_revision(&server).await {
        assert_eq!(
            page(&peer, "{}").await,
            (vec!["c".into(), "a".into(), "b".into()], Value::Null)
        );
    }
    let tools = server.tools();
    assert!(tools.remove("a") && !tools.remove("a"));
    tools.add(Tool::new("a", echo)).unwrap();
    assert!(tools.add(Tool::new("b", echo)).is_err());
    assert_eq!(tools.names(), ["c", "b", "a"]);
    let peer = Peer::modern(&server);
    assert_eq!(page(&peer, "{}").await.0, ["c", "b", "a"]);
    assert_eq!(peer.call("b", "{}").await["content"][0]["text"], "echo");
}

#[tokio::test]
async fn what_leaves_the_set_may_look_at_it_while_it_is_dropped() {
    struct Looks(Tools, Arc<Mutex<Vec<Vec<String>>>>);
    impl Drop for Looks {
        fn drop(&mut self) {
            self.1.lock().unwrap().push(self.0.names());
        }
    }
    let server = server_of(&["a"]);
    let (tools, seen) = (server.tools(), Arc::default());
    let looks = |name: &str| {
        let held = Arc::new(Looks(tools.clone(), Arc::clone(&seen)));
        Tool::new(name, move || {
            let _held = Arc::clone(&held);
            async { "looked" }
        })
    };
    tools.add(looks("b")).unwrap();
    assert!(tools.add(looks("a")).is_err(), "the name is taken");
    assert!(tools.remove("b"));
    assert_eq!(*seen.lock().unwrap(), [vec!["a", "b"], vec!["a"]]);
}

#[tokio::test]
async fn a_cursor_of_any_length_is_told_in_few_words() {
    let peer = Peer::modern(&server_of(&["a"]).page_size(1));
    let cursor = "é".repeat(100_000);
    for (params, most) in [
        (format!(r#"{{"cursor":"{cursor}"}}"#), 300),
        (format!(r#"{{"cursor":["{cursor}"]}}"#), 500),
    ] {
        let error = peer.error("tools/list", &params).await;
        assert_eq!(error.code.0, -32602);
        assert!(error.message.len() < most, "{}", error.message.len());
    }
}

#[tokio::test]
async fn a_tool_is_listed_with_all_that_was_said_about_it() {
    #[derive(serde::Serialize, mcp_server::schemars::JsonSchema)]
    struct Out {
        n: u32,
    }
    async fn out() -> Json<Out> {
        Json(Out { n: 1 })
    }
    let tool = Tool::new("out", out)
        .title("Out")
        .description("Gives one")
        .read_only()
        .destructive(false)
        .idempotent()
        .open_world(false);
    let server = Server::new("s", "1").tool(tool);
    let listed = Peer::modern(&server).result("tools/list", "{}").await;
    assert_eq!(
        listed["tools"][0],
        json!({
            "name": "out", "title": "Out", "description": "Gives one",
            "inputSchema": {"type": "object", "properties": {}},
            "outputSchema": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}, "required": ["n"]},
            "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
        })
    );
    assert_eq!(
        (&listed["ttlMs"], &listed["cacheScope"]),
        (&json!(0), &json!("private"))
    );
}

#[tokio::test]
async fn a_server_of_one_era_refuses_the_other() {
    let modern = server_of(&["echo"]).era_policy(EraPolicy::modern_only());
    let peer = Peer::modern(&modern);
    let error = peer
        .error("initialize", r#"{"protocolVersion":"2025-06-18"}"#)
        .await;
    assert_eq!(error.code.0, -32022);
    assert_eq!(
        error.data.unwrap().as_str(),
        r#"{"supported":["2026-07-28"],"requested":"2025-06-18"}"#
    );
    let legacy = server_of(&["echo"]).era_policy(EraPolicy::legacy_only());
    assert_eq!(
        Peer::modern(&legacy)
            .error("server/discover", "{}")
            .await
            .code
            .0,
        -32600
    );
    Peer::legacy(&legacy, Revision::V2024_11_05).await;
}
