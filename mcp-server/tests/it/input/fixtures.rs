//! The fixtures of the conformance suite's scenarios on input, and the tools that push, in both eras.

use mcp_server::{
    AskError, Context, Elicited, Server, Tool, ToolError,
    schemars::{self, JsonSchema},
    types::{
        content::Role,
        elicitation::{ElicitFormParams, Field, FormSchema, StringSchema},
        input::InputResponse,
        sampling::{CreateMessageParams, SamplingBlock, SamplingMessage},
    },
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::asker::{ALL, Asker, accept, sampled};

#[derive(Debug, Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Color {
    color: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Okay {
    ok: bool,
}

async fn elicitation(cx: Context) -> Result<String, ToolError> {
    let name = cx.elicit::<Name>("user_name", "What is your name?").await?;
    Ok(match name {
        Elicited::Accepted(Name { name }) => format!("Hello, {name}!"),
        other => format!("{:?}", other.accepted().map(|_| ())),
    })
}

fn question(text: &str, tokens: u64) -> CreateMessageParams {
    let block = json!({"type": "text", "text": text});
    let content: SamplingBlock = serde_json::from_value(block).unwrap();
    let message = SamplingMessage::new(Role::User, content);
    CreateMessageParams::new(vec![message], tokens)
}

fn text_of(blocks: &[SamplingBlock]) -> String {
    json!(blocks)[0]["text"].as_str().unwrap().to_owned()
}

async fn sampling(cx: Context) -> Result<String, ToolError> {
    let asked = question("What is the capital of France?", 100);
    let answer = cx.sample("capital_question", asked).await?;
    Ok(format!(
        "LLM response: {}",
        text_of(answer.content.blocks())
    ))
}

async fn list_roots(cx: Context) -> Result<String, ToolError> {
    let roots = cx.roots("client_roots").await?;
    let uris: Vec<_> = roots.into_iter().map(|root| root.uri).collect();
    Ok(uris.join(" "))
}

async fn request_state(cx: Context) -> Result<String, ToolError> {
    let okay = cx.elicit::<Okay>("confirm", "Please confirm").await?;
    Ok(match okay {
        Elicited::Accepted(Okay { ok: true }) => "state-ok".to_owned(),
        _ => "no".to_owned(),
    })
}

async fn multiple(cx: Context) -> Result<String, ToolError> {
    let (name, greeting, roots) = tokio::join!(
        cx.elicit::<Name>("user_name", "What is your name?"),
        cx.sample("greeting", question("Generate a greeting", 50)),
        cx.roots("client_roots"),
    );
    let name = name?.accepted().map(|name| name.name).unwrap_or_default();
    let greeting = text_of(greeting?.content.blocks());
    Ok(format!("{greeting}, {name}! {} roots", roots?.len()))
}

async fn multi_round(cx: Context) -> Result<String, ToolError> {
    let name = cx
        .elicit::<Name>("step1", "Step 1: What is your name?")
        .await?;
    let color = cx
        .elicit::<Color>("step2", "Step 2: What is your favorite color?")
        .await?;
    let name = name.accepted().map(|it| it.name).unwrap_or_default();
    let color = color.accepted().map(|it| it.color).unwrap_or_default();
    Ok(format!("{name} likes {color}"))
}

async fn capabilities(cx: Context) -> Result<String, ToolError> {
    let (name, answer) = tokio::join!(
        cx.elicit::<Name>("user_name", "What is your name?"),
        cx.sample("greeting", question("Generate a greeting", 50)),
    );
    let said = match (name, answer) {
        (Err(AskError::MissingCapability(_)), Ok(answer)) => text_of(answer.content.blocks()),
        other => format!("{other:?}"),
    };
    Ok(said)
}

/// The push-style tool with a form of one's own.
async fn push(cx: Context) -> Result<String, ToolError> {
    let field = |text: &str| {
        Field::String(StringSchema {
            description: Some(text.to_owned()),
            ..StringSchema::default()
        })
    };
    let form = FormSchema::new()
        .with_required("username", &field("User's response"))
        .with_required("email", &field("User's email address"));
    let answer = cx.ask("user", ElicitFormParams::new("Who?", form)).await?;
    let InputResponse::Elicit(answer) = answer else {
        return Err(ToolError::upstream_unknown("no form came back"));
    };
    let content = json!(answer.content.unwrap_or_default());
    Ok(format!("User response: {} {content}", answer.action))
}

fn server() -> Server {
    Server::new("everything", "1")
        .tool(Tool::new("elicitation", elicitation))
        .tool(Tool::new("sampling", sampling))
        .tool(Tool::new("list_roots", list_roots))
        .tool(Tool::new("request_state", request_state))
        .tool(Tool::new("multiple", multiple))
        .tool(Tool::new("multi_round", multi_round))
        .tool(Tool::new("capabilities", capabilities))
        .tool(Tool::new("push", push))
}

fn answers(said: &str) -> Value {
    match said {
        "What is your name?" | "Step 1: What is your name?" => accept(&json!({"name": "Ann"})),
        "Step 2: What is your favorite color?" => accept(&json!({"color": "blue"})),
        "Please confirm" => accept(&json!({"ok": true})),
        "Who?" => accept(&json!({"username": "ann", "email": "a@b.c"})),
        "sampling/createMessage" => sampled("Paris"),
        "roots/list" => json!({"roots": [{"uri": "file:///a"}, {"uri": "file:///b"}]}),
        other => panic!("nobody knows {other}"),
    }
}

/// What a tool says in both eras.
async fn check(tool: &str, expected: &str) {
    for client in Asker::both(&server(), answers).await {
        assert_eq!(client.text(tool).await, expected);
    }
}

/// The first round of a modern call: what it answers.
async fn first(tool: &str, more: &Value) -> Value {
    let client = Asker::modern(&server(), ALL, answers);
    let mut params = json!({"name": tool, "arguments": {}});
    params
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    client.round("tools/call", &params).await.unwrap()
}

#[tokio::test]
async fn basic_elicitation() {
    check("elicitation", "Hello, Ann!").await;
    let result = first("elicitation", &json!({})).await;
    assert_eq!(result["resultType"], "input_required");
    let form =
        json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    assert_eq!(
        result["inputRequests"],
        json!({"user_name": {"method": "elicitation/create", "params": {
            "mode": "form", "message": "What is your name?", "requestedSchema": form,
        }}})
    );
}

#[tokio::test]
async fn basic_sampling() {
    check("sampling", "LLM response: Paris").await;
    let result = first("sampling", &json!({})).await;
    let asked = &result["inputRequests"]["capital_question"];
    assert_eq!(asked["method"], "sampling/createMessage");
    assert_eq!(asked["params"]["maxTokens"], 100);
}

#[tokio::test]
async fn basic_list_roots() {
    check("list_roots", "file:///a file:///b").await;
    let result = first("list_roots", &json!({})).await;
    let asked = json!({"client_roots": {"method": "roots/list", "params": {}}});
    assert_eq!(result["inputRequests"], asked);
}

#[tokio::test]
async fn the_request_state_is_a_text() {
    check("request_state", "state-ok").await;
    let result = first("request_state", &json!({})).await;
    assert!(result["requestState"].is_string());
}

#[tokio::test]
async fn multiple_input_requests_are_one_round() {
    check("multiple", "Paris, Ann! 2 roots").await;
    let client = Asker::modern(&server(), ALL, answers);
    client.text("multiple").await;
    let asked = client.asked();
    assert_eq!(asked.len(), 1);
    for part in ["What is your name?", "sampling/createMessage", "roots/list"] {
        assert!(asked[0].contains(part), "{asked:?}");
    }
    let legacy = Asker::legacy(&server(), ALL, answers).await;
    legacy.text("multiple").await;
    assert_eq!(legacy.asked().len(), 3);
}

#[tokio::test]
async fn multi_round_states_differ() {
    check("multi_round", "Ann likes blue").await;
    let client = Asker::modern(&server(), ALL, answers);
    let mut params = json!({"name": "multi_round", "arguments": {}});
    let one = client.round("tools/call", &params).await.unwrap();
    params["requestState"] = one["requestState"].clone();
    params["inputResponses"] = json!({"step1": accept(&json!({"name": "Ann"}))});
    let two = client.round("tools/call", &params).await.unwrap();
    assert!(two["inputRequests"]["step2"].is_object());
    assert_ne!(one["requestState"], two["requestState"]);
    params["requestState"] = two["requestState"].clone();
    params["inputResponses"] = json!({"step2": accept(&json!({"color": "red"}))});
    let three = client.round("tools/call", &params).await.unwrap();
    assert_eq!(three["content"][0]["text"], "Ann likes red");
    assert_eq!(three["resultType"], "complete");
}

#[tokio::test]
async fn missing_and_wrong_answers_are_asked_again() {
    let name = accept(&json!({"name": "Ann"}));
    for responses in [
        json!({}),
        json!({"other": name}),
        json!({"user_name": 12345}),
        json!({"user_name": null}),
        json!({"user_name": {"action": "accept"}}),
        json!({"user_name": {"action": "accept", "content": {"name": 5}}}),
        json!({"user_name": {"action": "shrug"}}),
        Value::Null,
    ] {
        let result = first("elicitation", &json!({"inputResponses": responses})).await;
        assert_eq!(result["resultType"], "input_required", "{responses}");
        assert!(result["inputRequests"]["user_name"].is_object());
    }
}

#[tokio::test]
async fn extra_answers_are_ignored_and_a_first_call_can_complete() {
    let responses =
        json!({"user_name": accept(&json!({"name": "Ann"})), "more": {"a": 1}, "odd": 7});
    let result = first("elicitation", &json!({"inputResponses": responses})).await;
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["content"][0]["text"], "Hello, Ann!");
}

#[tokio::test]
async fn answers_that_are_no_object_are_an_error() {
    let client = Asker::modern(&server(), ALL, answers);
    for responses in [json!(7), json!([]), json!("a")] {
        let params = json!({"name": "elicitation", "inputResponses": responses});
        let error = client.round("tools/call", &params).await.unwrap_err();
        assert_eq!(error.code.0, -32602);
    }
}

#[tokio::test]
async fn tampered_state_is_an_error() {
    let state = first("request_state", &json!({})).await["requestState"].clone();
    let client = Asker::modern(&server(), ALL, answers);
    for state in [
        json!(format!("{}-TAMPERED", state.as_str().unwrap())),
        json!("x"),
        json!(""),
        json!(7),
    ] {
        let params = json!({"name": "request_state", "arguments": {}, "requestState": state});
        let error = client.round("tools/call", &params).await.unwrap_err();
        assert_eq!(error.code.0, -32602);
        assert_eq!(error.message, "Invalid or expired requestState");
    }
}

#[tokio::test]
async fn capability_check_asks_what_is_possible_alone() {
    let server = server();
    let modern = Asker::modern(&server, r#"{"sampling":{}}"#, answers);
    let legacy = Asker::legacy(&server, r#"{"sampling":{}}"#, answers).await;
    for client in [modern, legacy] {
        assert_eq!(client.text("capabilities").await, "Paris");
        assert_eq!(client.asked(), ["sampling/createMessage"]);
    }
}

#[tokio::test]
async fn lists_never_ask() {
    let client = Asker::modern(&server(), ALL, answers);
    let result = client.round("tools/list", &json!({})).await.unwrap();
    assert_eq!(result["resultType"], "complete");
}

#[tokio::test]
async fn the_push_tool_says_action_and_content() {
    let said = r#"User response: accept {"email":"a@b.c","username":"ann"}"#;
    for client in Asker::both(&server(), answers).await {
        let got = client.text("push").await;
        let content = got.strip_prefix("User response: accept ").unwrap();
        let content: Value = serde_json::from_str(content).unwrap();
        assert_eq!(
            content,
            json!({"email": "a@b.c", "username": "ann"}),
            "{said}"
        );
    }
}
