//! Rows of the table of wire differences that a server shows, by their numbers.

use mcp_server::{Args, Server, Tool, schemars};
use serde::Deserialize;

use crate::peer::Peer;

#[derive(Deserialize, schemars::JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

fn server() -> Server {
    let add = |Args(Pair { a, b }): Args<Pair>| async move { (a + b).to_string() };
    ["b", "a", "c"]
        .into_iter()
        .fold(Server::new("s", "1"), |server, name| {
            server.tool(Tool::new(name, add))
        })
}

/// A failure of the tool at every revision, so that a model can mend its call: before 2025-11-25 the specification
/// leaves it to the server, and one answer for all is what a handler's author can count on.
#[tokio::test]
async fn r3_4_11_input_validation_failure() {
    for (revision, peer) in Peer::of_each_revision(&server()).await {
        let result = peer.call("a", r#"{"a":1,"b":"x"}"#).await;
        assert_eq!(result["isError"], true, "{revision}");
        let error = peer
            .error("tools/call", r#"{"name":"a","arguments":7}"#)
            .await;
        assert_eq!(error.code.0, -32602, "{revision}");
    }
}

/// The same on every connection, however often it is asked for.
#[tokio::test]
async fn r3_4_12_list_order() {
    let server = server();
    for _ in 0..2 {
        for (revision, peer) in Peer::of_each_revision(&server).await {
            let page = peer.result("tools/list", "{}").await;
            let tools = page["tools"].as_array().unwrap();
            let names: Vec<_> = tools.iter().map(|tool| &tool["name"]).collect();
            assert_eq!(names, ["b", "a", "c"], "{revision}");
        }
    }
}
