//! Prompts and resources ask as tools do.

use mcp_server::{
    Context, Messages, Prompt, Resource, Server, ToolError,
    schemars::{self, JsonSchema},
    types::Revision,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    asker::{ALL, Asker, accept},
    peer::Peer,
};

#[derive(Deserialize, JsonSchema)]
struct Why {
    context: String,
}

async fn ask(cx: Context) -> Result<String, ToolError> {
    let asked = cx.elicit::<Why>("user_context", "What context should the prompt use?");
    let why = asked.await?.accepted();
    Ok(why.map(|why| why.context).unwrap_or_default())
}

async fn prompt(cx: Context) -> Result<Messages, ToolError> {
    Ok(Messages::new().user(format!("Use {}", ask(cx).await?)))
}

fn server() -> Server {
    Server::new("s", "1")
        .prompt(Prompt::new("asks", prompt))
        .resource(Resource::new("test://asks", ask))
}

fn answers(said: &str) -> Value {
    assert_eq!(said, "What context should the prompt use?");
    accept(&json!({"context": "less"}))
}

#[tokio::test]
async fn non_tool_request_a_prompt_asks() {
    for client in Asker::both(&server(), answers).await {
        let result = client
            .request("prompts/get", json!({"name": "asks"}))
            .await
            .unwrap();
        assert_eq!(result["messages"][0]["content"]["text"], "Use less");
        assert_eq!(client.asked().len(), 1);
    }
    let client = Asker::modern(&server(), ALL, answers);
    let first = client
        .round("prompts/get", &json!({"name": "asks"}))
        .await
        .unwrap();
    assert_eq!(first["resultType"], "input_required");
    assert!(first.get("ttlMs").is_none());
}

#[tokio::test]
async fn a_resource_asks() {
    for client in Asker::both(&server(), answers).await {
        let result = client
            .request("resources/read", json!({"uri": "test://asks"}))
            .await
            .unwrap();
        assert_eq!(result["contents"][0]["text"], "less");
        assert_eq!(result["contents"][0]["uri"], "test://asks");
    }
    let client = Asker::modern(&server(), ALL, answers);
    let first = client
        .round("resources/read", &json!({"uri": "test://asks"}))
        .await
        .unwrap();
    assert_eq!(first["resultType"], "input_required");
    assert!(first.get("ttlMs").is_none());
}

#[tokio::test]
async fn s3_7_what_is_no_tool_fails_with_an_error_where_it_cannot_ask() {
    for (method, params) in [
        ("prompts/get", json!({"name": "asks"})),
        ("resources/read", json!({"uri": "test://asks"})),
    ] {
        let modern = Asker::modern(&server(), "{}", answers);
        let error = modern.round(method, &params).await.unwrap_err();
        assert_eq!(error.code.0, -32021, "{method}");
        let legacy = Peer::legacy(&server(), Revision::V2025_11_25).await;
        let legacy = Asker::of(legacy, answers);
        let error = legacy.round(method, &params).await.unwrap_err();
        assert_eq!(error.code.0, -32602, "{method}");
        assert_eq!(error.message, "the client does not support elicitation");
    }
}

#[tokio::test]
async fn a_state_of_one_method_is_none_of_another() {
    let client = Asker::modern(&server(), ALL, answers);
    let first = client
        .round("prompts/get", &json!({"name": "asks"}))
        .await
        .unwrap();
    let stolen = json!({"uri": "test://asks", "requestState": first["requestState"]});
    let error = client.round("resources/read", &stolen).await.unwrap_err();
    assert_eq!(error.code.0, -32602);
}
