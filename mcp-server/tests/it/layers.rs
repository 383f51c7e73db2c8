//! Layers around a server and around a tool.

use std::sync::{Arc, Mutex};

use mcp_server::{Answer, BoxFuture, Call, Layer, Server, Service, Tool};
use mcp_types::{Outcome, Payload, Revision, tool::CallToolResult};

use crate::peer::Peer;

type Log = Arc<Mutex<Vec<String>>>;

/// Writes down what passes, in and out.
struct Scribe {
    name: &'static str,
    log: Log,
}

impl Layer for Scribe {
    fn wrap(&self, inner: Arc<dyn Service>) -> Arc<dyn Service> {
        let (name, log) = (self.name, Arc::clone(&self.log));
        let service = move |call: Call| -> BoxFuture<Answer> {
            let target = call.tool_name().unwrap_or_default();
            let era = if call.session().is_some() {
                "legacy"
            } else {
                "modern"
            };
            let line = format!("{name} {} {target} {era}", call.method);
            log.lock().unwrap().push(line);
            let (answer, log) = (inner.call(call), Arc::clone(&log));
            Box::pin(async move {
                let answer = answer.await;
                let kind = match &answer.outcome {
                    Ok(Outcome::Complete(Payload::CallTool(_))) => "result",
                    Ok(Outcome::Complete(Payload::ListTools(_))) => "list",
                    Ok(_) => "other",
                    Err(_) => "error",
                };
                log.lock().unwrap().push(format!("{name} {kind}"));
                answer
            })
        };
        Arc::new(service)
    }
}

async fn echo() -> &'static str {
    "echo"
}

fn check(log: &Log, expected: &[&str]) {
    assert_eq!(std::mem::take(&mut *log.lock().unwrap()), expected);
}

#[tokio::test]
async fn server_layers_see_lists_and_calls_and_tool_layers_their_tool() {
    let log = Log::default();
    let scribe = |name| Scribe {
        name,
        log: Arc::clone(&log),
    };
    let server = Server::new("s", "1")
        .tool(
            Tool::new("echo", echo)
                .layer(scribe("tool"))
                .layer(scribe("around")),
        )
        .tool(Tool::new("bare", echo))
        .layer(scribe("inner"))
        .layer(scribe("outer"));
    let modern = Peer::modern(&server);
    modern.result("server/discover", "{}").await;
    check(&log, &[]);
    modern.result("tools/list", "{}").await;
    check(
        &log,
        &[
            "outer tools/list  modern",
            "inner tools/list  modern",
            "inner list",
            "outer list",
        ],
    );
    modern.error("tools/call", r#"{"name":"no"}"#).await;
    check(
        &log,
        &[
            "outer tools/call no modern",
            "inner tools/call no modern",
            "inner error",
            "outer error",
        ],
    );
    let legacy = Peer::legacy(&server, Revision::V2025_06_18).await;
    legacy.result("ping", "{}").await;
    check(&log, &[]);
    legacy.call("echo", "{}").await;
    check(
        &log,
        &[
            "outer tools/call echo legacy",
            "inner tools/call echo legacy",
            "around tools/call echo legacy",
            "tool tools/call echo legacy",
            "tool result",
            "around result",
            "inner result",
            "outer result",
        ],
    );
    server.tools().add(Tool::new("later", echo)).unwrap();
    legacy.call("later", "{}").await;
    check(
        &log,
        &[
            "outer tools/call later legacy",
            "inner tools/call later legacy",
            "inner result",
            "outer result",
        ],
    );
}

#[tokio::test]
async fn a_layer_may_answer_itself_and_bring_the_only_tools() {
    let own = |inner: Arc<dyn Service>| -> Arc<dyn Service> {
        Arc::new(move |call: Call| -> BoxFuture<Answer> {
            match call.tool_name().as_deref() {
                Some("own") => Box::pin(async { Answer::new(CallToolResult::text("own")) }),
                _ => inner.call(call),
            }
        })
    };
    let server = Server::new("s", "1").layer(own);
    let peer = Peer::modern(&server);
    let discovered = peer.result("server/discover", "{}").await;
    assert!(discovered["capabilities"]["tools"].is_object());
    assert_eq!(peer.call("own", "{}").await["content"][0]["text"], "own");
    assert_eq!(
        peer.result("tools/list", "{}").await["tools"],
        serde_json::json!([])
    );
}

#[tokio::test]
async fn what_a_layer_adds_to_the_answer_reaches_no_wire() {
    let mark = |inner: Arc<dyn Service>| -> Arc<dyn Service> {
        Arc::new(move |call: Call| -> BoxFuture<Answer> {
            let answer = inner.call(call);
            Box::pin(async move {
                let mut answer = answer.await;
                answer.ext.insert("secret");
                answer
            })
        })
    };
    let server = Server::new("s", "1")
        .tool(Tool::new("echo", echo))
        .layer(mark);
    let result = Peer::modern(&server).call("echo", "{}").await;
    assert!(!result.to_string().contains("secret"));
}
