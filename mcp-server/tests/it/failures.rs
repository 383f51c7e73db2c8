//! Failures of tools, and of the program.

use std::{io, time::Duration};

use mcp_server::{Server, Service, Tool, ToolError, types::RawJson};
use mcp_types::tool::Tool as Definition;
use serde_json::json;

use crate::peer::Peer;

async fn busy() -> Result<String, ToolError> {
    Err(ToolError::rate_limited("60 calls a minute are the most")
        .retry_after(Duration::from_secs(7))
        .rpm(60, 60))
}

async fn labelled() -> Result<String, ToolError> {
    Err(ToolError::not_found("no such page").service("search"))
}

async fn plain() -> Result<String, io::Error> {
    Err(io::Error::other("the disk is on fire"))
}

async fn panics() -> String {
    panic!("the secret is 1234")
}

fn panics_early() -> impl Future<Output = String> + Send + 'static {
    let fails = true;
    assert!(!fails, "the secret is 1234");
    async { String::new() }
}

fn server() -> Server {
    Server::new("s", "1")
        .tool(Tool::new("busy", busy))
        .tool(Tool::new("labelled", labelled))
        .tool(Tool::new("plain", plain).service_label("disk"))
        .tool(Tool::new("panics", panics))
        .tool(Tool::new("panics_early", panics_early))
}

#[tokio::test]
async fn a_failure_carries_its_envelope_with_the_tools_label() {
    let peer = Peer::modern(&server());
    let check = async |tool: &str, expected: serde_json::Value| {
        let result = peer.call(tool, "{}").await;
        assert_eq!(result["isError"], true);
        assert_eq!(result["content"][0]["text"], expected["error"]);
        assert_eq!(result["structuredContent"], expected);
    };
    check(
        "busy",
        json!({"service": "busy", "code": "rate_limited", "error": "60 calls a minute are the most",
               "status": 429, "retryAfter": 7, "current": {"rpm": 60}, "limits": {"maxRpm": 60}}),
    )
    .await;
    check(
        "labelled",
        json!({"service": "search", "code": "not_found", "error": "no such page", "status": 404}),
    )
    .await;
    check(
        "plain",
        json!({"service": "disk", "code": "upstream_unknown", "error": "the disk is on fire"}),
    )
    .await;
}

#[tokio::test]
async fn a_panic_is_an_internal_error_that_tells_nothing_and_the_server_lives_on() {
    let peer = Peer::modern(&server());
    for tool in ["panics", "panics_early"] {
        let error = peer
            .error("tools/call", &format!(r#"{{"name":"{tool}"}}"#))
            .await;
        assert_eq!((error.code.0, &*error.message), (-32603, "Internal error"));
        assert_eq!(error.data, None);
    }
    assert_eq!(peer.call("busy", "{}").await["isError"], true);
}

#[test]
fn a_tool_that_cannot_be_offered_says_why() {
    async fn list(_: mcp_server::Args<Vec<u8>>) -> &'static str {
        ""
    }
    let check = |tool: Tool, expected: &str| {
        let server = Server::new("s", "1").tool(Tool::new("taken", busy));
        let error = server.try_tool(tool).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    for (name, shown) in [("", ""), ("a b", "a b"), ("é", "é"), ("a\n", "a\\n")] {
        let expected = format!(
            "tool name `{shown}` is not valid; use 1 to 128 of A-Z, a-z, 0-9, `_`, `-` and `.`"
        );
        check(Tool::new(name, busy), &expected);
    }
    check(
        Tool::new("taken", busy),
        "a tool named `taken` is registered already; give one of the two another name",
    );
    check(
        Tool::new("list", list),
        "the arguments of tool `list` have the type \"array\"; take a struct or a map with string keys",
    );
    let raw = |text: &str| Tool::new("raw", busy).input_schema(RawJson::parse(text).unwrap());
    for schema in ["{}", "true", "[]"] {
        check(
            raw(schema),
            "the input schema of tool `raw` must be an object with \"type\": \"object\"",
        );
    }
    let longest = "a".repeat(128);
    assert!(
        Server::new("s", "1")
            .try_tool(Tool::new(&*longest, busy))
            .is_ok()
    );
    assert!(
        Server::new("s", "1")
            .try_tool(Tool::new(longest + "a", busy))
            .is_err()
    );
}

#[tokio::test]
async fn a_service_of_ones_own_is_a_tool_too() {
    let definition = Definition::new("own", RawJson::parse(r#"{"type":"object"}"#).unwrap());
    let service = |call: mcp_server::Call| -> mcp_server::BoxFuture<mcp_server::Answer> {
        Box::pin(async move {
            let text = call.tool_name().unwrap();
            mcp_server::Answer::new(mcp_types::tool::CallToolResult::text(text))
        })
    };
    let service: std::sync::Arc<dyn Service> = std::sync::Arc::new(service);
    let server = Server::new("s", "1").tool(Tool::from_service(definition, service));
    let peer = Peer::modern(&server);
    assert_eq!(peer.call("own", "{}").await["content"][0]["text"], "own");
}
