//! What the protocol demands of whoever asks (reference server.md §5.2), as tests.

use mcp_server::{
    AskError, Context, Elicited, InputPolicy, Server, Tool, ToolError,
    schemars::{self, JsonSchema},
    types::Revision,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    asker::{ALL, Asker, accept},
    peer::Peer,
};

fn yes(_: &str) -> Value {
    accept(&json!({"confirm": true}))
}

async fn confirm(cx: Context) -> Result<String, ToolError> {
    Ok(cx.confirm("go", "Go?").await?.to_string())
}

fn server() -> Server {
    Server::new("s", "1").tool(Tool::new("confirm", confirm))
}

#[tokio::test]
async fn c1_a_layer_around_another_method_cannot_ask() {
    use mcp_server::{Answer, BoxFuture, Call, FromCall, Service};
    use std::sync::Arc;
    let layer = |_: Arc<dyn Service>| -> Arc<dyn Service> {
        Arc::new(|call: Call| -> BoxFuture<Answer> {
            Box::pin(async move {
                let cx = Context::from_call(&call).unwrap();
                let error = cx.confirm("go", "Go?").await.unwrap_err();
                assert!(matches!(error, AskError::NotHere { .. }), "{error}");
                Answer::new(mcp_server::types::tool::CallToolResult::text("no"))
            })
        })
    };
    let server = server().layer(layer);
    for client in Asker::both(&server, yes).await {
        client.round("tools/list", &json!({})).await.unwrap();
    }
}

#[tokio::test]
async fn c2_there_is_always_a_state_or_a_question() {
    let client = Asker::modern(&server(), ALL, yes);
    let params = json!({"name": "confirm", "arguments": {}});
    let result = client.round("tools/call", &params).await.unwrap();
    assert!(result["inputRequests"]["go"].is_object() && result["requestState"].is_string());
}

#[tokio::test]
async fn c3_what_is_not_declared_is_not_asked() {
    let bare = Asker::modern(&server(), "{}", yes);
    let error = bare.error("confirm").await;
    assert_eq!(error.code.0, -32021);
    let data: Value = error.data.unwrap().decode().unwrap();
    assert_eq!(data, json!({"requiredCapabilities": {"elicitation": {}}}));
    let legacy = Asker::legacy(&server(), "{}", yes).await;
    let result = legacy.call("confirm", &json!({})).await.unwrap();
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(text, "the client does not support elicitation");
    // Whoever goes to addresses only has no forms.
    let urls = Asker::modern(&server(), r#"{"elicitation":{"url":{}}}"#, yes);
    assert_eq!(urls.error("confirm").await.code.0, -32021);
}

#[tokio::test]
async fn c3_an_address_needs_its_mode() {
    async fn sign_in(cx: Context) -> Result<String, ToolError> {
        let gone = cx
            .elicit_url("sign_in", "Sign in", "https://example.com/in")
            .await?;
        Ok(format!("{gone:?}"))
    }
    let server = Server::new("s", "1").tool(Tool::new("sign_in", sign_in));
    let accepts = |_: &str| json!({"action": "accept"});
    for client in Asker::both(&server, accepts).await {
        assert_eq!(client.text("sign_in").await, "Accepted(())");
        assert_eq!(client.asked(), ["Sign in"]);
    }
    let forms = Asker::modern(&server, r#"{"elicitation":{}}"#, accepts);
    let error = forms.error("sign_in").await;
    let data: Value = error.data.unwrap().decode().unwrap();
    assert_eq!(
        data,
        json!({"requiredCapabilities": {"elicitation": {"url": {}}}})
    );
}

#[tokio::test]
async fn c4_a_retry_must_be_the_same_request() {
    let client = Asker::modern(&server(), ALL, yes);
    let mut params = json!({"name": "confirm", "arguments": {"a": 1}});
    let result = client.round("tools/call", &params).await.unwrap();
    params["requestState"] = result["requestState"].clone();
    params["inputResponses"] = json!({"go": yes("")});
    let mut other = params.clone();
    other["arguments"]["a"] = json!(2);
    assert_eq!(
        client.round("tools/call", &other).await.unwrap_err().code.0,
        -32602
    );
    let same = client.round("tools/call", &params).await.unwrap();
    assert_eq!(same["content"][0]["text"], "true");
}

#[tokio::test]
async fn c5_a_key_for_two_questions_is_a_mistake_of_the_handler() {
    async fn twice(cx: Context) -> Result<String, ToolError> {
        let (a, b) = tokio::join!(cx.confirm("go", "A?"), cx.confirm("go", "B?"));
        Ok(format!("{} {}", a?, b?))
    }
    let server = Server::new("s", "1").tool(Tool::new("twice", twice));
    for client in Asker::both(&server, yes).await {
        let error = client.error("twice").await;
        assert_eq!((error.code.0, &*error.message), (-32603, "Internal error"));
    }
}

#[tokio::test]
async fn c5_a_question_within_a_step_is_a_mistake_of_the_handler() {
    async fn nested(cx: Context) -> Result<bool, ToolError> {
        let inner = cx.clone();
        let ask = || async move { inner.confirm("go", "Go?").await };
        cx.step("ask", ask).await
    }
    let tool = Tool::new("nested", async |cx: Context| {
        nested(cx).await.map(|go| go.to_string())
    });
    let server = Server::new("s", "1").tool(tool);
    for client in Asker::both(&server, yes).await {
        assert_eq!(client.error("nested").await.code.0, -32603);
    }
}

#[tokio::test]
async fn c6_rounds_end() {
    #[derive(Deserialize, JsonSchema)]
    struct Name {
        name: String,
    }
    async fn name(cx: Context) -> Result<String, ToolError> {
        match cx.elicit::<Name>("name", "Name?").await? {
            Elicited::Accepted(Name { name }) => Ok(name),
            _ => Ok("none".to_owned()),
        }
    }
    let server = Server::new("s", "1")
        .input(InputPolicy::default().with_rounds(3))
        .tool(Tool::new("name", name));
    let wrong = |_: &str| accept(&json!({"name": 7}));
    let [modern, legacy] = Asker::both(&server, wrong).await;
    let error = modern.error("name").await;
    assert_eq!(error.code.0, -32603);
    assert!(error.message.contains("3 rounds"), "{}", error.message);
    assert_eq!(modern.asked().len(), 3);
    let result = legacy.call("name", &json!({})).await.unwrap();
    assert_eq!(result["isError"], true);
    assert_eq!(legacy.asked().len(), 3);
}

#[tokio::test]
async fn c6_questions_have_a_cap() {
    async fn many(cx: Context) -> Result<String, ToolError> {
        for number in 0..=64 {
            cx.confirm(&format!("key{number}"), "Go?").await?;
        }
        Ok("all".to_owned())
    }
    let server = Server::new("s", "1")
        .input(InputPolicy::default().with_rounds(100))
        .tool(Tool::new("many", many));
    for client in Asker::both(&server, yes).await {
        assert_eq!(client.error("many").await.code.0, -32603);
        assert_eq!(client.asked().len(), 64);
    }
}

#[tokio::test]
async fn c7_a_type_that_is_no_form_is_a_mistake_of_the_handler() {
    #[derive(Deserialize, JsonSchema)]
    struct Deep {
        #[expect(dead_code, reason = "it is never filled in")]
        within: Vec<String>,
    }
    async fn deep(cx: Context) -> Result<String, ToolError> {
        let error = cx.elicit::<Deep>("deep", "Deep?").await.err();
        assert!(
            error
                .as_ref()
                .unwrap()
                .to_string()
                .contains("field `within`")
        );
        Err(error.unwrap().into())
    }
    let server = Server::new("s", "1").tool(Tool::new("deep", deep));
    for client in Asker::both(&server, yes).await {
        assert_eq!(client.error("deep").await.code.0, -32603);
    }
}

#[tokio::test]
async fn s3_7_older_revisions_are_asked_what_they_have_words_for() {
    for (revision, capabilities, expected) in [
        (Revision::V2025_11_25, ALL, "true"),
        (Revision::V2025_06_18, ALL, "true"),
        (
            Revision::V2025_03_26,
            ALL,
            "the client cannot be asked: `elicitation/create` cannot be said in revision 2025-03-26",
        ),
        (
            Revision::V2024_11_05,
            "{}",
            "the client does not support elicitation",
        ),
    ] {
        let peer = Peer::legacy_with(&server(), revision, capabilities).await;
        let client = Asker::of(peer, yes);
        let result = client.call("confirm", &json!({})).await.unwrap();
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(expected), "{revision}: {text}");
    }
}
