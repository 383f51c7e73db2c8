//! Values against the schemas of tools, where a server checks them.

use mcp_server::{
    Answer, Args, InvalidTool, Json, Server, TextMirror, Tool, ToolError,
    schemars::{self, JsonSchema as Schema},
    types::{RawJson, Revision, content::ContentBlock, tool::CallToolResult},
    validate::{InvalidSchema, JsonSchema, SchemaCheck, ValueCheck},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::peer::Peer;

fn raw(schema: &Value) -> RawJson {
    RawJson::from_serialize(schema).unwrap()
}

#[derive(Deserialize, Schema)]
struct Order {
    #[schemars(range(min = 1, max = 10))]
    count: u32,
}

#[derive(Serialize, Schema)]
struct Receipt {
    #[schemars(range(max = 100))]
    total: u32,
}

async fn order(Args(Order { count }): Args<Order>) -> Result<Json<Receipt>, ToolError> {
    match count {
        7 => Err(ToolError::not_found("none left")),
        count => Ok(Json(Receipt { total: count * 20 })),
    }
}

fn shop() -> Server {
    Server::new("s", "1").tool(Tool::new("order", order).service_label("shop"))
}

#[tokio::test]
async fn arguments_that_break_the_schema_are_a_failure_that_a_model_can_mend() {
    let server = shop().schema_check(JsonSchema::new());
    for (revision, peer) in Peer::of_each_revision(&server).await {
        let fine = peer.call("order", r#"{"count":5}"#).await;
        assert_ne!(fine["isError"], true, "{revision}");
        if revision < Revision::V2025_06_18 {
            continue;
        }
        let wrong = peer.call("order", r#"{"count":11}"#).await;
        assert_eq!(wrong["isError"], true);
        assert_eq!(
            wrong["structuredContent"],
            json!({"service": "shop", "code": "bad_request", "status": 400,
                   "error": "arguments.count: the value is greater than the maximum of 10"})
        );
        let none = peer.call("order", "null").await;
        let sentence = "arguments: member \"count\" is missing";
        assert_eq!(none["structuredContent"]["error"], sentence);
    }
    let error = Peer::modern(&server)
        .error("tools/call", r#"{"name":"no"}"#)
        .await;
    assert_eq!(
        error.code.0, -32602,
        "an unknown tool is no failure of a tool"
    );
}

#[tokio::test]
async fn without_a_check_only_the_type_is_asked() {
    let peer = Peer::modern(&shop());
    let more = peer.call("order", r#"{"count":11}"#).await;
    assert_eq!(more["structuredContent"], json!({"total": 220}));
    let wrong = peer.call("order", r#"{"count":"1"}"#).await;
    assert_eq!(wrong["structuredContent"]["code"], "bad_request");
}

#[tokio::test]
async fn r8_38_results_that_break_the_schema_are_a_failure_of_the_tool() {
    async fn bare() -> CallToolResult {
        CallToolResult::text("only text")
    }
    async fn failed() -> CallToolResult {
        CallToolResult {
            is_error: Some(true),
            ..CallToolResult::text("no structure")
        }
    }
    let mut definition =
        mcp_server::types::tool::Tool::new("bare", raw(&json!({"type": "object"})));
    definition.output_schema = Some(raw(&json!({"type": "object"})));
    let with_output = |name: &str, service| {
        let mut definition = definition.clone();
        definition.name = name.into();
        Tool::from_service(definition, service)
    };
    let service = |result: CallToolResult| -> std::sync::Arc<dyn mcp_server::Service> {
        std::sync::Arc::new(
            move |_: mcp_server::Call| -> mcp_server::BoxFuture<Answer> {
                let result = result.clone();
                Box::pin(async { Answer::new(result) })
            },
        )
    };
    let server = shop()
        .tool(with_output("bare", service(bare().await)))
        .tool(with_output("failed", service(failed().await)))
        .schema_check(JsonSchema::new());
    let peer = Peer::modern(&server);
    let fine = peer.call("order", r#"{"count":5}"#).await;
    assert_eq!(fine["structuredContent"], json!({"total": 100}));
    let breach = peer.call("order", r#"{"count":6}"#).await;
    assert_eq!(
        breach["structuredContent"],
        json!({"service": "shop", "code": "output_validation_failed",
               "error": "The result of tool `order` breaks its output schema at structuredContent.total: the value is greater than the maximum of 100"})
    );
    let missing = peer.call("bare", "{}").await;
    assert_eq!(
        missing["structuredContent"]["code"],
        "output_validation_failed"
    );
    // What failed is described by no schema.
    let failure = peer.call("order", r#"{"count":7}"#).await;
    assert_eq!(failure["structuredContent"]["code"], "not_found");
    let failure = peer.call("failed", "{}").await;
    assert_eq!(failure["content"][0]["text"], "no structure");
}

#[tokio::test]
async fn output_that_is_no_object_is_checked_as_the_tool_gave_it() {
    async fn list() -> Json<Vec<u32>> {
        Json(vec![1, 2])
    }
    let server = Server::new("s", "1")
        .tool(Tool::new("list", list))
        .schema_check(JsonSchema::new());
    let legacy = Peer::legacy(&server, Revision::V2025_11_25).await;
    let result = legacy.call("list", "{}").await;
    assert_eq!(result["structuredContent"], json!({"result": [1, 2]}));
    let modern = Peer::modern(&server).call("list", "{}").await;
    assert_eq!(modern["structuredContent"], json!([1, 2]));
}

/// An output that is an object or a text is wrapped where only objects are known, whichever it is this time.
#[tokio::test]
async fn r8_37_what_is_wrapped_is_decided_by_the_schema_and_never_by_the_value() {
    let mut definition =
        mcp_server::types::tool::Tool::new("either", raw(&json!({"type": "object"})));
    definition.output_schema = Some(raw(
        &json!({"anyOf": [{"type": "object"}, {"type": "string"}]}),
    ));
    let service = |call: mcp_server::Call| -> mcp_server::BoxFuture<Answer> {
        let arguments = call.params.get("arguments").unwrap_or_default().to_owned();
        let value = match &*arguments {
            "{}" => "\"text\"".to_owned(),
            object => object.to_owned(),
        };
        Box::pin(async { Answer::new(CallToolResult::structured(RawJson::parse(value).unwrap())) })
    };
    let tool = Tool::from_service(definition, std::sync::Arc::new(service));
    let server = Server::new("s", "1")
        .tool(tool)
        .schema_check(JsonSchema::new());
    for (arguments, value) in [("{}", json!("text")), (r#"{"a":1}"#, json!({"a": 1}))] {
        for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
            let legacy = Peer::legacy(&server, revision).await;
            let result = legacy.call("either", arguments).await;
            assert_eq!(
                result["structuredContent"],
                json!({"result": value}),
                "{revision}"
            );
        }
        let modern = Peer::modern(&server).call("either", arguments).await;
        assert_eq!(modern["structuredContent"], value);
    }
}

async fn none() -> &'static str {
    ""
}

fn taken(schema: &Value) -> Result<Server, InvalidTool> {
    let server = Server::new("s", "1").schema_check(JsonSchema::new());
    server.try_tool(Tool::new("t", none).input_schema(raw(schema)))
}

#[test]
fn f2_f3_f6_hostile_schemas_are_refused_with_a_reason_before_or_after_the_check_is_set() {
    let check = |schema: Value, reason: &str| {
        let expected =
            format!("the inputSchema of tool `t` is not to be checked against: {reason}");
        assert_eq!(taken(&schema).err().unwrap().to_string(), expected);
        let server = Server::new("s", "1").tool(Tool::new("t", none).input_schema(raw(&schema)));
        let error = server.try_schema_check(JsonSchema::new()).err().unwrap();
        assert_eq!(error.to_string(), expected);
    };
    check(
        json!({"type": "object", "properties": {"x": {"$ref": "http://169.254.169.254/"}}}),
        "its reference `http://169.254.169.254/` leads elsewhere, and nothing is fetched: copy it to `$defs` and write `#/$defs/…`",
    );
    check(
        json!({"type": "object", "$schema": "http://evil.example/meta.json"}),
        "its dialect `http://evil.example/meta.json` is not known: write it in JSON Schema 2020-12 or draft-07",
    );
    check(
        json!({"type": "object", "allOf": [{"$ref": "#"}]}),
        "its schema at `#` refers to itself for the same value, which has no end",
    );
    assert!(taken(&json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/x"}}, "$defs": {"x": {}}})).is_ok());
    // Later ones, too.
    let server = Server::new("s", "1").schema_check(JsonSchema::new());
    let tool =
        Tool::new("t", none).input_schema(raw(&json!({"type": "object", "$ref": "http://a/"})));
    assert!(server.tools().add(tool).is_err());
    assert!(server.tools().names().is_empty());
}

#[tokio::test]
async fn a_check_of_ones_own_is_asked_once_per_schema() {
    struct Never;
    impl ValueCheck for Never {
        fn check(&self, value: &str) -> Result<(), mcp_server::validate::Mismatch> {
            Err(mcp_server::validate::Mismatch::new(
                "/a/0",
                format!("expected nothing, not {value}"),
            ))
        }
    }
    struct Own(std::sync::Arc<std::sync::atomic::AtomicUsize>);
    impl SchemaCheck for Own {
        fn compile(&self, _: &RawJson) -> Result<std::sync::Arc<dyn ValueCheck>, InvalidSchema> {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Ok(std::sync::Arc::new(Never))
        }
    }
    let compiled = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let server = Server::new("s", "1")
        .tool(Tool::new("t", none))
        .schema_check(Own(compiled.clone()));
    let peer = Peer::modern(&server);
    for _ in 0..3 {
        let result = peer.call("t", r#"{"b":1}"#).await;
        let sentence = "arguments.a[0]: expected nothing, not {\"b\":1}";
        assert_eq!(result["structuredContent"]["error"], sentence);
    }
    assert_eq!(compiled.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[tokio::test]
async fn r8_44_the_text_beside_structure_is_the_servers_choice() {
    async fn both() -> CallToolResult {
        CallToolResult {
            content: vec![ContentBlock::text("two")],
            ..CallToolResult::structured(RawJson::parse("2").unwrap())
        }
    }
    async fn json() -> Json<u32> {
        Json(1)
    }
    async fn fails() -> Result<String, ToolError> {
        Err(ToolError::not_found("gone"))
    }
    let texts = async |mirror: Option<TextMirror>, revision: Revision| {
        let server = Server::new("s", "1")
            .tool(Tool::new("json", json))
            .tool(Tool::new("both", both))
            .tool(Tool::new("fails", fails));
        let server = match mirror {
            Some(mirror) => server.text_mirror(mirror),
            None => server,
        };
        let peer = match revision {
            Revision::LATEST => Peer::modern(&server),
            legacy => Peer::legacy(&server, legacy).await,
        };
        let mut all = Vec::new();
        for tool in ["json", "both", "fails"] {
            let result = peer.call(tool, "{}").await;
            let blocks = result["content"].as_array().unwrap();
            let texts: Vec<_> = blocks
                .iter()
                .map(|it| it["text"].as_str().unwrap())
                .collect();
            all.push(texts.join("+"));
        }
        all.join(" ")
    };
    for revision in [Revision::LATEST, Revision::V2025_11_25] {
        assert_eq!(texts(None, revision).await, "1 two gone");
        assert_eq!(texts(Some(TextMirror::Auto), revision).await, "1 two gone");
        assert_eq!(
            texts(Some(TextMirror::Always), revision).await,
            "1 two+2 gone"
        );
        assert_eq!(texts(Some(TextMirror::Never), revision).await, " two gone");
    }
    // It knows no structure, so the text is all that there is.
    let old = Revision::V2025_03_26;
    let never = texts(Some(TextMirror::Never), old).await;
    assert!(never.starts_with("1 two gone"), "{never}");
}
