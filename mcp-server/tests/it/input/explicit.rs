//! Handlers that give back what they ask.

use std::sync::{Arc, Mutex};

use mcp_server::{
    Context, Elicited, Server, Tool,
    input::{RequestState, Round},
    types::{
        elicitation::{ElicitFormParams, Field, FormSchema, StringSchema},
        input::{InputRequest, InputRequired, InputResponses, Question},
        roots::ListRootsParams,
    },
};
use serde_json::{Value, json};

use crate::asker::{ALL, Asker, accept};

fn form(message: &str) -> InputRequest {
    let name = Field::String(StringSchema::default());
    ElicitFormParams::new(message, FormSchema::new().with_required("v", &name)).into()
}

fn value(responses: &InputResponses, key: &str) -> Option<String> {
    let answer: Value = responses.as_object().decode(key)?;
    answer["content"]["v"].as_str().map(str::to_owned)
}

/// Two rounds, with a state of its own.
async fn trip(responses: InputResponses, RequestState(state): RequestState) -> Round<String> {
    match (value(&responses, "from"), value(&responses, "to")) {
        (Some(from), Some(to)) => Round::Done(format!(
            "{from} to {to}, state {}",
            state.unwrap_or_default()
        )),
        (Some(from), None) => InputRequired::ask("to", form("To?"))
            .with_state(format!("from {from}"))
            .into(),
        (None, _) => {
            assert_eq!(state, None);
            InputRequired::ask("from", form("From?")).into()
        }
    }
}

fn answers(said: &str) -> Value {
    match said {
        "From?" => accept(&json!({"v": "Rome"})),
        "To?" => accept(&json!({"v": "Oslo"})),
        "roots/list" => json!({"roots": []}),
        other => panic!("nobody knows {other}"),
    }
}

#[tokio::test]
async fn a_handler_that_gives_back_questions_is_run_again_in_both_eras() {
    let server = Server::new("s", "1").tool(Tool::new("trip", trip));
    for client in Asker::both(&server, answers).await {
        assert_eq!(client.text("trip").await, "Rome to Oslo, state from Rome");
        assert_eq!(client.asked(), ["From?", "To?"]);
    }
}

#[tokio::test]
async fn its_state_is_sealed() {
    async fn secret(RequestState(state): RequestState) -> Round<String> {
        match state {
            None => InputRequired::again("hidden").into(),
            Some(state) => Round::Done(state),
        }
    }
    let server = Server::new("s", "1").tool(Tool::new("secret", secret));
    let client = Asker::modern(&server, "{}", answers);
    let params = json!({"name": "secret"});
    let result = client.round("tools/call", &params).await.unwrap();
    assert!(!result["requestState"].as_str().unwrap().contains("hidden"));
    assert!(result.get("inputRequests").is_none());
    let forged = json!({"name": "secret", "requestState": "hidden"});
    assert_eq!(
        client
            .round("tools/call", &forged)
            .await
            .unwrap_err()
            .code
            .0,
        -32602
    );
    for client in Asker::both(&server, answers).await {
        assert_eq!(client.text("secret").await, "hidden");
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_left_out_unless_it_is_all() {
    async fn both(responses: InputResponses) -> Round<String> {
        let roots = Question::Roots(Some(ListRootsParams::default()));
        match responses.is_empty() {
            true => InputRequired::ask("from", form("From?"))
                .and("roots", roots)
                .into(),
            false => {
                let keys: Vec<_> = responses.as_object().iter().map(|(key, _)| key).collect();
                Round::Done(keys.join(" "))
            }
        }
    }
    let server = Server::new("s", "1").tool(Tool::new("both", both));
    for (capabilities, expected) in [(r#"{"roots":{}}"#, "roots"), (ALL, "from roots")] {
        let modern = Asker::modern(&server, capabilities, answers);
        let legacy = Asker::legacy(&server, capabilities, answers).await;
        for client in [modern, legacy] {
            let text = client.text("both").await;
            let mut keys: Vec<_> = text.split(' ').collect();
            keys.sort_unstable();
            assert_eq!(keys.join(" "), expected);
        }
    }
    let error = Asker::modern(&server, "{}", answers).error("both").await;
    assert_eq!(error.code.0, -32021);
    let data: Value = error.data.unwrap().decode().unwrap();
    let required = json!({"requiredCapabilities": {"elicitation": {}, "roots": {}}});
    assert_eq!(data, required);
    let legacy = Asker::legacy(&server, "{}", answers).await;
    let result = legacy.call("both", &json!({})).await.unwrap();
    assert_eq!(result["isError"], true);
    let text = &result["content"][0]["text"];
    assert_eq!(text, "the client does not support elicitation and roots");
}

#[tokio::test]
async fn a_handler_that_always_asks_is_ended() {
    async fn always() -> InputRequired {
        InputRequired::ask("from", form("From?"))
    }
    let server = Server::new("s", "1").tool(Tool::new("always", always));
    for client in Asker::both(&server, answers).await {
        let error = client.error("always").await;
        assert_eq!(error.code.0, -32603);
        assert!(error.message.contains("10 rounds"), "{}", error.message);
        assert_eq!(client.asked().len(), 10);
    }
}

#[tokio::test]
async fn both_ways_of_asking_go_together() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let tool = Tool::new("mixed", move |cx: Context, responses: InputResponses| {
        let log = Arc::clone(&log);
        async move {
            let from = cx.ask("from", form("From?")).await;
            log.lock().unwrap().push(from.is_ok());
            match value(&responses, "to") {
                Some(to) => Round::Done(to),
                None => Round::from(InputRequired::ask("to", form("To?"))),
            }
        }
    });
    let server = Server::new("s", "1").tool(tool);
    for client in Asker::both(&server, answers).await {
        assert_eq!(client.text("mixed").await, "Oslo");
        assert_eq!(client.asked(), ["From?", "To?"]);
    }
    assert!(seen.lock().unwrap().iter().all(|known| *known));
}

#[tokio::test]
async fn what_was_accepted_can_be_taken_out() {
    assert_eq!(Elicited::Accepted(7).accepted(), Some(7));
    assert_eq!(Elicited::<u8>::Declined.accepted(), None);
    assert_eq!(Elicited::<u8>::Cancelled.accepted(), None);
}
