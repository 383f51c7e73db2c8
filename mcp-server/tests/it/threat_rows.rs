//! Rows of the threat table (bytes and JSON, the protocol's state) that a server decides on a stream, each with the twin
//! that passes: the test has the number of its row. Those of lines stand in `line_rows`, those of HTTP in `http/tests`.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use mcp_server::{
    Answer, BoxFuture, Call, Context, Json, Prompt, ResourceTemplate, Server, Service, Tool, Vars,
    types::{RawJson, tool::CallToolResult},
};
use serde_json::Value;

use crate::{peer::Peer, stream::talk};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

/// A server whose `echo` gives its arguments back as they came, and counts its calls.
fn echo() -> (Server, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let service = move |call: Call| -> BoxFuture<Answer> {
        counted.fetch_add(1, Ordering::SeqCst);
        let arguments = call.params.get("arguments").unwrap_or("{}").to_owned();
        let value = RawJson::parse(arguments).unwrap();
        Box::pin(async { Answer::new(CallToolResult::structured(value)) })
    };
    let service: Arc<dyn Service> = Arc::new(service);
    let schema = RawJson::parse(r#"{"type":"object"}"#).unwrap();
    let definition = mcp_server::types::tool::Tool::new("echo", schema);
    let tool = Tool::from_service(definition, service);
    (Server::new("s", "1").tool(tool), calls)
}

fn call(id: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{arguments}}}}}"#
    )
}

/// What comes back for `lines` after `initialize`, and how often the tool ran.
async fn after_initialize(lines: &[String]) -> (Vec<Value>, usize) {
    let (server, calls) = echo();
    let input = format!("{INITIALIZE}\n{}\n", lines.join("\n"));
    let mut answers = talk(&server, &input).await;
    assert_eq!(answers.remove(0)["id"], "init");
    (answers, calls.load(Ordering::SeqCst))
}

/// The codes of what comes back, `ok` for a result, and how often the tool ran.
async fn check(lines: &[String], expected: &[&str], ran: usize) {
    let (answers, calls) = after_initialize(lines).await;
    let codes: Vec<_> = answers
        .iter()
        .map(|answer| {
            let code = answer["error"]["code"].as_i64();
            code.map_or_else(|| "ok".to_owned(), |code| code.to_string())
        })
        .collect();
    assert_eq!(codes, expected, "{lines:?} {answers:?}");
    assert_eq!(calls, ran, "{lines:?}");
}

#[tokio::test]
async fn b7_a_member_twice_is_refused_in_envelope_and_params() {
    let twice = |text: &str, by: &str| call("1", "{}").replacen(text, by, 1);
    for line in [
        twice("\"id\":1", "\"id\":1,\"id\":2"),
        twice("\"method\"", "\"method\":\"ping\",\"method\""),
        twice("\"name\":\"echo\"", "\"name\":\"other\",\"name\":\"echo\""),
    ] {
        check(&[line], &["-32600"], 0).await;
    }
    check(&[call("1", r#"{"name":1,"id":2}"#)], &["ok"], 1).await;
}

#[tokio::test]
async fn b8_names_are_exact_bytes() {
    for (name, other) in [
        ("\"method\"", "\"Method\""),
        ("\"method\"", "\"method\\u0000x\""),
        ("\"method\"", "\"\u{ff4d}ethod\""),
    ] {
        check(&[call("1", "{}").replacen(name, other, 1)], &["-32600"], 0).await;
    }
    // Another member beside the known one is nobody's business, and an escape is only a spelling.
    let beside = call("1", "{}").replacen("\"method\"", "\"Method\":1,\"method\"", 1);
    check(&[beside], &["ok"], 1).await;
    let escaped = call("1", "{}").replacen("\"method\"", "\"m\\u0065thod\"", 1);
    check(&[escaped], &["ok"], 1).await;
}

#[tokio::test]
async fn b9_numbers_pass_as_they_are_spelled() {
    let digits = "9".repeat(5_000);
    let numbers = format!(r#"{{"a":18446744073709551616,"b":0.10,"c":1E400,"d":-0,"e":{digits}}}"#);
    let server = echo().0;
    let peer = Peer::modern(&server);
    let params = format!(r#"{{"name":"echo","arguments":{numbers}}}"#);
    let reply = crate::peer::event(&mut peer.open("tools/call", &params)).await;
    let mcp_transport::Event::Outcome(Ok(reply)) = reply else {
        panic!("{reply:?}");
    };
    let structured = format!(r#""structuredContent":{numbers}"#);
    assert!(reply.result.as_str().contains(&structured));
}

#[tokio::test]
async fn b10_numbers_that_json_lacks_are_refused_and_never_said() {
    for number in ["NaN", "Infinity", "-Infinity", "+1", "0x1", "01"] {
        let line = call("1", &format!(r#"{{"a":{number}}}"#));
        check(&[line], &["-32700"], 0).await;
    }
    check(&[call("1", r#"{"a":-1.5e3}"#)], &["ok"], 1).await;
    let server = Server::new("s", "1").tool(Tool::new("nan", async || Json(vec![f64::NAN, 1.0])));
    let result = Peer::modern(&server).call("nan", "{}").await;
    assert!(!result.to_string().contains("NaN"), "{result}");
}

#[tokio::test]
async fn b18_a_batch_is_of_2025_03_26_and_nothing_of_it_runs_elsewhere() {
    let batch = format!("[{},{}]", call("1", "{}"), call("2", "{}"));
    check(std::slice::from_ref(&batch), &["-32600"], 0).await;
    let (server, calls) = echo();
    let old = INITIALIZE.replacen("2025-11-25", "2025-03-26", 1);
    let answers = talk(&server, &format!("{old}\n{batch}\n")).await;
    assert_eq!(answers[1].as_array().map(Vec::len), Some(2), "{answers:?}");
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn c2_a_cancellation_of_what_is_over_or_unknown_changes_nothing() {
    let cancel = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        )
    };
    let lines = [
        cancel("1"),
        call("1", "{}"),
        cancel("1"),
        cancel("1"),
        cancel("\"1\""),
        cancel("null"),
        call("1", "{}"),
    ];
    check(&lines, &["ok", "ok"], 2).await;
}

#[tokio::test]
async fn c3_c4_answers_that_nobody_asked_for_are_never_answered() {
    let answer = |id: &str, what: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},{what}}}"#);
    let error = r#""error":{"code":-32600,"message":"no"}"#;
    let mut lines: Vec<_> = (0..50).map(|id| answer(&id.to_string(), error)).collect();
    lines.extend([
        answer("\"x\"", r#""result":{}"#),
        answer("null", error),
        format!(r#"{{"jsonrpc":"2.0",{error}}}"#),
        call("1", "{}"),
    ]);
    check(&lines, &["ok"], 1).await;
}

#[tokio::test]
async fn c5_progress_only_grows() {
    async fn steps(cx: Context) -> &'static str {
        for step in [1, 3, 2, 3, 5, 4] {
            cx.progress(step, 5, "").await;
        }
        "done"
    }
    let server = Server::new("s", "1").tool(Tool::new("steps", steps));
    let peer = Peer::modern(&server).with_progress("p");
    let (told, _) = peer.ask("tools/call", r#"{"name":"steps"}"#).await;
    let told: Vec<_> = told.iter().map(|it| it["progress"].as_i64()).collect();
    assert_eq!(told, [Some(1), Some(3), Some(5)]);
}

#[tokio::test]
async fn a_panic_anywhere_is_an_internal_error_and_the_server_lives_on() {
    let panics = async || -> String { panic!("secret") };
    let template = async |_: Vars<Value>| -> String { panic!("secret") };
    let completes = async || -> Vec<String> { panic!("secret") };
    let layer = |_: Arc<dyn Service>| -> Arc<dyn Service> {
        Arc::new(|_: Call| -> BoxFuture<Answer> { panic!("secret") })
    };
    let server = Server::new("s", "1")
        .tool(Tool::new("tool", panics))
        .tool(Tool::new("layered", async || "fine").layer(layer))
        .tool(Tool::new("fine", async || "fine"))
        .prompt(
            Prompt::new("prompt", panics)
                .argument("a", "", false)
                .complete("a", completes),
        )
        .resource_template(ResourceTemplate::new("test://{a}", template));
    for (_, peer) in Peer::of_each_revision(&server).await {
        for (method, params) in [
            ("tools/call", r#"{"name":"tool"}"#),
            ("tools/call", r#"{"name":"layered"}"#),
            ("prompts/get", r#"{"name":"prompt"}"#),
            ("resources/read", r#"{"uri":"test://x"}"#),
            (
                "completion/complete",
                r#"{"ref":{"type":"ref/prompt","name":"prompt"},"argument":{"name":"a","value":""}}"#,
            ),
        ] {
            let error = peer.error(method, params).await;
            assert_eq!(
                (error.code.0, &*error.message),
                (-32603, "Internal error"),
                "{method}"
            );
            assert_eq!(error.data, None, "{method}");
        }
        let fine = peer.call("fine", "{}").await;
        assert!(fine.to_string().contains("fine"));
    }
}
