//! Handlers: what they take, what they give, and what they say on the way.

use std::sync::{Arc, Mutex};

use mcp_server::{
    Answer, Args, Context, Extension, Headers, Json, Server, Tool, schemars::JsonSchema,
};
use mcp_transport::{Endpoint, http::HeaderMap};
use mcp_types::{Revision, content::ContentBlock, tool::CallToolResult};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::peer::{Peer, event, finish};

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

async fn add(Args(Add { a, b }): Args<Add>) -> Json<Sum> {
    Json(Sum { sum: a + b })
}

fn calculator() -> Server {
    Server::new("calculator", "1.0").tool(Tool::new("add", add))
}

#[tokio::test]
async fn a_typed_value_is_structured_and_text_in_every_revision_that_can() {
    for (revision, peer) in Peer::of_each_revision(&calculator()).await {
        let result = peer.call("add", r#"{"a":2,"b":3}"#).await;
        let text = &result["content"][0]["text"];
        match revision {
            Revision::V2024_10_07 => assert_eq!(result["toolResult"], json!({"sum": 5})),
            _ => assert_eq!(text, r#"{"sum":5}"#, "{revision}"),
        }
        let structured = (revision >= Revision::V2025_06_18).then(|| json!({"sum": 5}));
        assert_eq!(result.get("structuredContent"), structured.as_ref());
        let is_modern = revision == Revision::LATEST;
        assert_eq!(result.get("resultType").is_some(), is_modern, "{revision}");
        let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
        assert_eq!(server == "calculator", is_modern, "{revision}");
    }
}

#[tokio::test]
async fn a_value_that_is_no_object_is_wrapped_where_only_objects_are_known() {
    async fn count() -> Json<Vec<u8>> {
        Json(vec![1, 2])
    }
    let server = Server::new("s", "1").tool(Tool::new("count", count));
    for (revision, peer) in Peer::of_each_revision(&server).await {
        let result = peer.call("count", "{}").await;
        let listed = peer.result("tools/list", "{}").await;
        let listed = &listed["tools"][0]["outputSchema"]["type"];
        let (value, kind) = match revision {
            Revision::V2026_07_28 => (json!([1, 2]), json!("array")),
            Revision::V2025_06_18 | Revision::V2025_11_25 => {
                (json!({"result": [1, 2]}), json!("object"))
            }
            _ => (Value::Null, Value::Null),
        };
        assert_eq!((&result["structuredContent"], listed), (&value, &kind));
        if revision != Revision::V2024_10_07 {
            assert_eq!(result["content"][0]["text"], "[1,2]");
        }
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_a_failure_of_the_tool_that_names_the_place() {
    for (revision, peer) in Peer::of_each_revision(&calculator()).await {
        let result = peer.call("add", r#"{"a":2,"b":"x"}"#).await;
        assert_eq!(result["isError"], true);
        let sentence = r#"arguments.b: invalid type: string "x", expected i64"#;
        let envelope =
            json!({"service": "add", "code": "bad_request", "error": sentence, "status": 400});
        match revision {
            Revision::V2024_10_07 => assert_eq!(result["toolResult"], envelope),
            Revision::V2024_11_05 | Revision::V2025_03_26 => {
                assert_eq!(result["content"][0]["text"], sentence);
                let text = result["content"][1]["text"].as_str().unwrap();
                assert_eq!(serde_json::from_str::<Value>(text).unwrap(), envelope);
            }
            _ => {
                assert_eq!(result["content"][0]["text"], sentence);
                assert_eq!(result["structuredContent"], envelope);
            }
        }
    }
}

#[tokio::test]
async fn a_call_that_is_none_is_a_protocol_error() {
    let peer = Peer::modern(&calculator());
    let check = async |params: &str, message: &str| {
        let error = peer.error("tools/call", params).await;
        assert_eq!((error.code.0, &*error.message), (-32602, message));
    };
    check(r#"{"name":"sub"}"#, "Unknown tool: sub").await;
    check("{}", "`name` must be the name of a tool, a string").await;
    check(
        r#"{"name":5}"#,
        "`name` must be the name of a tool, a string",
    )
    .await;
    check(
        r#"{"name":"add","arguments":[2,3]}"#,
        "`arguments` must be an object",
    )
    .await;
}

#[tokio::test]
async fn handlers_take_up_to_six_extractors_and_give_text_blocks_or_whole_results() {
    type All = (Context, Headers, Args<Value>, Extension<u8>, Context);
    async fn six(
        cx: Context,
        h: Headers,
        a: Args<Value>,
        e: Extension<u8>,
        x: Context,
        y: Context,
    ) -> String {
        let all: All = (cx, h, a, e, x);
        format!(
            "{} {} {}",
            all.2.0["k"],
            all.3.0,
            y.client_info().unwrap().name
        )
    }
    async fn none() -> &'static str {
        "none"
    }
    async fn blocks() -> Vec<ContentBlock> {
        vec![ContentBlock::text("a"), ContentBlock::text("b")]
    }
    async fn whole() -> CallToolResult {
        CallToolResult::text("whole")
    }
    async fn answer() -> Answer {
        Answer::new(CallToolResult::text("answer"))
    }
    let server = Server::new("s", "1")
        .tool(Tool::new("six", six))
        .tool(Tool::new("none", none))
        .tool(Tool::new("blocks", blocks))
        .tool(Tool::new("whole", whole))
        .tool(Tool::new("answer", answer));
    let peer = Peer::modern(&server);
    for name in ["none", "whole", "answer"] {
        assert_eq!(peer.call(name, "{}").await["content"][0]["text"], name);
    }
    assert_eq!(
        peer.call("none", "null").await["content"][0]["text"],
        "none"
    );
    assert_eq!(peer.call("blocks", "{}").await["content"][1]["text"], "b");

    let mut request = peer.request("tools/call", r#"{"name":"six","arguments":{"k":1}}"#);
    request.ext.insert(7u8);
    let (_, result) = finish(peer.connection().open(request)).await;
    assert_eq!(result.unwrap()["content"][0]["text"], "1 7 peer");
    let error = peer.error("tools/call", r#"{"name":"six"}"#).await;
    assert_eq!((error.code.0, &*error.message), (-32603, "Internal error"));
}

#[tokio::test]
async fn a_handler_reads_the_headers_of_its_request() {
    async fn region(Headers(headers): Headers, cx: Context) -> String {
        let header = headers.get("x-region").map(|value| value.to_str().unwrap());
        assert_eq!(cx.headers().is_some(), header.is_some());
        header.unwrap_or("nowhere").to_owned()
    }
    let server = Server::new("s", "1").tool(Tool::new("region", region));
    let peer = Peer::modern(&server);
    assert_eq!(
        peer.call("region", "{}").await["content"][0]["text"],
        "nowhere"
    );
    let mut headers = HeaderMap::new();
    headers.insert("x-region", "eu".parse().unwrap());
    let mut request = peer.request("tools/call", r#"{"name":"region"}"#);
    request.ext.insert(headers);
    let (_, result) = finish(peer.connection().open(request)).await;
    assert_eq!(result.unwrap()["content"][0]["text"], "eu");
}

#[tokio::test]
async fn progress_comes_in_order_before_the_answer_and_only_grows() {
    async fn steps(cx: Context) -> &'static str {
        cx.progress(1, 3, "one").await;
        cx.progress(1, 3, "again").await;
        cx.progress(0.5, None::<u64>, "back").await;
        cx.progress(f64::NAN, 3, "nothing").await;
        cx.progress(2.5, 3, "").await;
        let other = cx.clone();
        other.progress(3u64, 3u64, "three").await;
        "done"
    }
    let server = Server::new("s", "1").tool(Tool::new("steps", steps));
    let expected = |message: bool| {
        let with = |mut value: Value, text: &str| {
            if message && !text.is_empty() {
                value["message"] = text.into();
            }
            value
        };
        let method = "notifications/progress";
        vec![
            with(
                json!({"method": method, "progressToken": "t", "progress": 1, "total": 3}),
                "one",
            ),
            with(
                json!({"method": method, "progressToken": "t", "progress": 2.5, "total": 3}),
                "",
            ),
            with(
                json!({"method": method, "progressToken": "t", "progress": 3, "total": 3}),
                "three",
            ),
        ]
    };
    for (revision, peer) in Peer::of_each_revision(&server).await {
        let silent = peer.ask("tools/call", r#"{"name":"steps"}"#).await;
        assert_eq!(silent.0, Vec::<Value>::new(), "nobody asked for progress");
        let peer = peer.with_progress("t");
        let (said, result) = peer.ask("tools/call", r#"{"name":"steps"}"#).await;
        assert_eq!(
            said,
            expected(revision >= Revision::V2025_03_26),
            "{revision}"
        );
        assert!(result.is_ok());
    }
}

#[tokio::test]
async fn dropping_the_exchange_drops_the_handler() {
    struct Dropped(Arc<Mutex<bool>>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            *self.0.lock().unwrap() = true;
        }
    }
    let dropped = Arc::new(Mutex::new(false));
    let flag = Arc::clone(&dropped);
    let wait = move |cx: Context| {
        let guard = Dropped(Arc::clone(&flag));
        async move {
            cx.progress(1, 2, "waiting").await;
            std::future::pending::<()>().await;
            drop(guard);
            "never"
        }
    };
    let server = Server::new("s", "1").tool(Tool::new("wait", wait));
    let peer = Peer::modern(&server).with_progress("t");
    let mut exchange = peer.open("tools/call", r#"{"name":"wait"}"#);
    event(&mut exchange).await;
    assert!(!*dropped.lock().unwrap());
    drop(exchange);
    assert!(*dropped.lock().unwrap());
}
