//! A client that answers what it is asked, in the way of its era, and writes down what that was.

use std::sync::Mutex;

use mcp_server::{
    Server,
    types::{ErrorObject, RawJson, Revision, input::InputRequest},
};
use mcp_transport::Event;
use serde_json::{Value, json};

use crate::peer::{Asked, Peer, event};

/// What a client of each kind declares that can be asked everything.
pub(crate) const ALL: &str = r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}"#;

/// Says what to answer: to the message of an elicitation, else to the method.
type Answers = Box<dyn Fn(&str) -> Value + Send + Sync>;

/// One client.
pub(crate) struct Asker {
    pub(crate) peer: Peer,
    answers: Answers,
    /// What was asked, a line a round: on a legacy connection each question is one.
    asked: Mutex<Vec<String>>,
}

impl Asker {
    pub(crate) fn modern(
        server: &Server,
        capabilities: &str,
        answers: impl Fn(&str) -> Value + Send + Sync + 'static,
    ) -> Self {
        Self::of(Peer::modern_with(server, capabilities), answers)
    }

    pub(crate) async fn legacy(
        server: &Server,
        capabilities: &str,
        answers: impl Fn(&str) -> Value + Send + Sync + 'static,
    ) -> Self {
        let peer = Peer::legacy_with(server, Revision::V2025_11_25, capabilities);
        Self::of(peer.await, answers)
    }

    /// One of each era, which can be asked everything.
    pub(crate) async fn both(server: &Server, answers: fn(&str) -> Value) -> [Self; 2] {
        [
            Self::modern(server, ALL, answers),
            Self::legacy(server, ALL, answers).await,
        ]
    }

    pub(crate) fn of(peer: Peer, answers: impl Fn(&str) -> Value + Send + Sync + 'static) -> Self {
        Self {
            peer,
            answers: Box::new(answers),
            asked: Mutex::default(),
        }
    }

    /// What was asked since it was last looked at.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    /// Calls a tool until there is an answer that asks nothing.
    pub(crate) async fn call(&self, tool: &str, arguments: &Value) -> Asked {
        let params = json!({"name": tool, "arguments": arguments});
        self.request("tools/call", params).await
    }

    /// The text of what a tool gives.
    pub(crate) async fn text(&self, tool: &str) -> String {
        let result = self.call(tool, &json!({})).await.unwrap();
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The error that a tool ends in.
    pub(crate) async fn error(&self, tool: &str) -> ErrorObject {
        self.call(tool, &json!({})).await.unwrap_err()
    }

    pub(crate) async fn request(&self, method: &str, params: Value) -> Asked {
        let mut retry = params.clone();
        loop {
            let result = self.round(method, &retry).await?;
            if result["resultType"] != "input_required" {
                return Ok(result);
            }
            retry = params.clone();
            retry["requestState"] = result["requestState"].clone();
            retry["inputResponses"] = self.answer_all(&result["inputRequests"]);
        }
    }

    /// Sends one request, and answers what comes before its outcome.
    pub(crate) async fn round(&self, method: &str, params: &Value) -> Asked {
        let mut exchange = self.peer.open(method, &params.to_string());
        loop {
            match event(&mut exchange).await {
                Event::Ask(ask, reply) => {
                    let params: RawJson = ask.params.decode().unwrap();
                    let asked = InputRequest::from_parts(ask.method.as_str(), Some(&params));
                    let asked = json!(asked.unwrap());
                    self.asked.lock().unwrap().push(said(&asked).to_owned());
                    let answer = (self.answers)(said(&asked));
                    reply.answer(match answer.get("error") {
                        Some(error) => Err(serde_json::from_value(error.clone()).unwrap()),
                        None => Ok(RawJson::from_serialize(&answer).unwrap()),
                    });
                }
                Event::Outcome(outcome) => {
                    let outcome = outcome.map(|reply| reply.result.decode().unwrap());
                    return outcome.map_err(|failure| failure.peer_error().unwrap().clone());
                }
                _ => {}
            }
        }
    }

    fn answer_all(&self, requests: &Value) -> Value {
        let Value::Object(requests) = requests else {
            return json!({});
        };
        let line: Vec<_> = requests.values().map(said).collect();
        self.asked.lock().unwrap().push(line.join(" + "));
        let answers = requests
            .iter()
            .map(|(key, request)| (key.clone(), (self.answers)(said(request))));
        answers.collect::<serde_json::Map<_, _>>().into()
    }
}

/// What a question is, in a word.
fn said(request: &Value) -> &str {
    let message = request["params"]["message"].as_str();
    message.or_else(|| request["method"].as_str()).unwrap()
}

/// A form, filled in.
pub(crate) fn accept(content: &Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// What a model says.
pub(crate) fn sampled(text: &str) -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "m"})
}
