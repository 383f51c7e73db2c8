//! The client that a user tests a server with.

use std::sync::Arc;

use mcp_server::{
    Args, Context, Json, LogLevel, Server, Tool, ToolError,
    schemars::{self, JsonSchema},
    test_util::TestClient,
    types::Revision,
};
use mcp_transport::clock::ManualClock;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Serialize, Deserialize, JsonSchema, PartialEq, Debug)]
struct Sum {
    sum: i64,
}

async fn add(Args(Add { a, b }): Args<Add>) -> Json<Sum> {
    Json(Sum { sum: a + b })
}

async fn deploy(cx: Context) -> Result<String, ToolError> {
    cx.progress(1, 2, "asking").await;
    let sure = cx.confirm("sure", "Deploy?").await?;
    let again = cx.confirm("again", "Really?").await?;
    cx.log(LogLevel::Info, "deploy", "asked twice").await;
    Ok(format!("{sure} {again}"))
}

fn server() -> Server {
    Server::new("s", "1")
        .clock(Arc::new(ManualClock::new()))
        .logging()
        .page_size(1)
        .tool(Tool::new("add", add))
        .tool(Tool::new("deploy", deploy))
}

#[tokio::test]
async fn a_server_is_tested_in_three_lines_at_every_revision() {
    for revision in Revision::ALL {
        let client = TestClient::of(&server(), revision);
        let answer = client.call("add", json!({"a": 2, "b": 3})).await;
        let text = match revision {
            Revision::V2024_10_07 => answer.result()["toolResult"].to_string(),
            _ => answer.text(),
        };
        assert_eq!(text, r#"{"sum":5}"#, "{revision}");
        assert_eq!(client.names("tools/list").await, ["add", "deploy"]);
    }
    let client = TestClient::modern(&server());
    let answer = client.call("add", json!({"a": 2, "b": 3})).await;
    assert_eq!(answer.structured::<Sum>(), Sum { sum: 5 });
    let answer = client.call("add", json!({"a": "2"})).await;
    assert_eq!(answer.failure(), "bad_request");
    assert!(answer.failure_text().starts_with("arguments.a: "));
    let answer = client.call("sub", json!({})).await;
    assert_eq!(answer.error().code.0, -32602);
}

#[tokio::test]
async fn asks_are_answered_and_what_was_said_is_kept_in_both_eras() {
    let yes_then_no = |ask: &mcp_server::types::input::InputRequest| {
        let ask: Value = json!(ask);
        let yes = ask["params"]["message"] == "Deploy?";
        json!({"action": if yes { "accept" } else { "decline" }, "content": {"confirm": yes}})
    };
    for client in [TestClient::modern(&server()), TestClient::legacy(&server())] {
        let client = client
            .with_progress()
            .with_meta("io.modelcontextprotocol/logLevel", "info")
            .answering(yes_then_no);
        let answer = client.call("deploy", json!({})).await;
        assert_eq!(answer.text(), "true false");
        assert_eq!(answer.asked.len(), 2);
        assert_eq!(answer.asked[0].method(), "elicitation/create");
        let progress = answer.heard("notifications/progress");
        assert_eq!(progress[0]["message"], "asking");
        assert_eq!(answer.heard("notifications/message").len(), 1);
    }
}

#[tokio::test]
async fn a_client_that_nobody_answers_for_sees_what_a_client_sees() {
    let can = json!({"elicitation": {"form": {}}});
    let modern = TestClient::modern(&server()).capabilities(can.clone());
    let answer = modern.call("deploy", json!({})).await;
    assert_eq!(answer.result()["resultType"], "input_required");
    let legacy = TestClient::legacy(&server()).capabilities(can);
    let answer = legacy.call("deploy", json!({})).await;
    assert_eq!(answer.asked.len(), 1);
    assert_eq!(answer.failure(), "upstream_unknown");
}

#[tokio::test]
#[should_panic = "the tool failed: arguments.a: "]
async fn a_failure_that_a_test_does_not_want_says_what_it_is() {
    let client = TestClient::modern(&server());
    client.call("add", json!({"a": "2"})).await.text();
}
