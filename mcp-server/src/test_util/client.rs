//! The client.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::Once,
    task::{Context, Poll, Waker},
};

use mcp_transport::{Endpoint, Event, Exchange, Request};
use mcp_types::{
    RawJson, RawParams, RequestMeta, Revision,
    capability::{ClientCapabilities, Implementation},
    input::InputRequest,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::TestAnswer;
use crate::{connection::Connection, server::Server};

/// How many rounds of questions a call may have.
const ROUNDS: usize = 100;

/// A client in memory, of one era, that tests a server: see [the module](super).
///
/// It panics where a server does what no test expects: an outcome that is neither a result nor an error, a call that
/// asks without end.
pub struct TestClient {
    connection: Connection,
    revision: Revision,
    capabilities: Value,
    meta: RequestMeta,
    answers: Option<Box<Answers>>,
    opened: Once,
}

type Answers = dyn Fn(&InputRequest) -> Value + Send + Sync;

impl TestClient {
    /// A client of 2026-07-28.
    pub fn modern(server: &Server) -> Self {
        Self::of(server, Revision::LATEST)
    }

    /// A client of 2025-11-25, which opens a session with `initialize` before its first request.
    pub fn legacy(server: &Server) -> Self {
        Self::of(server, Revision::LATEST_LEGACY)
    }

    /// A client of any revision.
    pub fn of(server: &Server, revision: Revision) -> Self {
        Self {
            connection: server.connect(),
            revision,
            capabilities: json!({}),
            meta: RequestMeta::new(),
            answers: None,
            opened: Once::new(),
        }
    }

    /// Answers what handlers ask by `answer`: the result of `elicitation/create`, `sampling/createMessage` or
    /// `roots/list`. The client then says that it can be asked all of them, unless it said what it can.
    #[must_use]
    pub fn answering(
        mut self,
        answer: impl Fn(&InputRequest) -> Value + Send + Sync + 'static,
    ) -> Self {
        self.answers = Some(Box::new(answer));
        if self.capabilities == json!({}) {
            self.capabilities =
                json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}});
        }
        self
    }

    /// Says that the client can do this: a JSON object, `{"sampling": {}}`.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Asks for progress.
    #[must_use]
    pub fn with_progress(mut self) -> Self {
        self.meta.set_progress_token(&"progress".into());
        self
    }

    /// Says this in `_meta` of each request.
    ///
    /// # Panics
    /// When `value` cannot be written as JSON.
    #[must_use]
    #[track_caller]
    pub fn with_meta(mut self, key: &str, value: impl Serialize) -> Self {
        self.meta.set(key, raw(&value));
        self
    }

    /// Calls a tool, and answers what it asks.
    ///
    /// # Panics
    /// When `arguments` cannot be written as JSON.
    pub async fn call(&self, tool: &str, arguments: impl Serialize) -> TestAnswer {
        let arguments = value(&arguments);
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
            .await
    }

    /// Sends a request, and answers what is asked.
    ///
    /// # Panics
    /// When `params` cannot be written as a JSON object.
    pub async fn request(&self, method: &str, params: impl Serialize) -> TestAnswer {
        self.open();
        let params = value(&params);
        let mut all = TestAnswer {
            outcome: Ok(Value::Null),
            notifications: Vec::new(),
            asked: Vec::new(),
        };
        let mut retry = params.clone();
        for _ in 0..ROUNDS {
            self.round(method, &retry, &mut all).await;
            let Some(answers) = &self.answers else {
                return all;
            };
            let Ok(result) = &all.outcome else {
                return all;
            };
            if self.revision != Revision::LATEST || result["resultType"] != "input_required" {
                return all;
            }
            retry.clone_from(&params);
            retry["requestState"] = result["requestState"].clone();
            let mut responses = json!({});
            for (key, request) in result["inputRequests"].as_object().into_iter().flatten() {
                let request = serde_json::from_value::<InputRequest>(request.clone());
                let request =
                    request.unwrap_or_else(|error| panic!("what is asked is odd: {error}"));
                responses[key] = answers(&request);
                all.asked.push(request);
            }
            retry["inputResponses"] = responses;
        }
        panic!("`{method}` asks without end");
    }

    /// The names in a list, such as that of `tools/list`, all pages of it.
    ///
    /// # Panics
    /// When the request fails.
    pub async fn names(&self, method: &str) -> Vec<String> {
        let mut names = Vec::new();
        let mut params = json!({});
        loop {
            let answer = self.request(method, &params).await;
            let result = answer.result();
            let lists = result.as_object().into_iter().flat_map(|it| it.values());
            let items = lists.filter_map(Value::as_array).flatten();
            let named = items.filter_map(|item| item["name"].as_str());
            names.extend(named.map(str::to_owned));
            match result.get("nextCursor") {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => return names,
            }
        }
    }

    /// One request, until its outcome.
    async fn round(&self, method: &str, params: &Value, all: &mut TestAnswer) {
        let mut exchange = self.connection.open(self.request_of(method, params));
        loop {
            match poll_fn(|cx| exchange.as_mut().poll_event(cx)).await {
                Event::Notification(notification) => all.notifications.push(notification),
                Event::Ask(ask, reply) => {
                    let params: Option<RawJson> = ask.params.decode().ok();
                    let request = InputRequest::from_parts(ask.method.as_str(), params.as_ref());
                    let request =
                        request.unwrap_or_else(|error| panic!("what is asked is odd: {error}"));
                    if let Some(answers) = &self.answers {
                        reply.answer(Ok(raw(&answers(&request))));
                    }
                    all.asked.push(request);
                }
                Event::Outcome(outcome) => {
                    all.outcome = match outcome {
                        Ok(reply) => Ok(value(&reply.result)),
                        Err(failure) => match failure.peer_error() {
                            Some(error) => Err(error.clone()),
                            None => panic!("the exchange broke: {failure}"),
                        },
                    };
                    return;
                }
                other => panic!("no test expects {other:?}"),
            }
        }
    }

    fn request_of(&self, method: &str, params: &Value) -> Request {
        let params = RawParams::parse(params.to_string());
        let params = params.unwrap_or_else(|error| panic!("params are an object: {error}"));
        if self.revision != Revision::LATEST {
            return Request::new(method, params).with_meta(self.meta.clone());
        }
        let capabilities = self.read_capabilities();
        let mut meta = RequestMeta::modern(self.revision, &this(), &capabilities);
        for (key, value) in self.meta.as_object().iter() {
            meta.set(key, value.clone());
        }
        Request::new(method, params).with_meta(meta)
    }

    /// Opens the session of a legacy client.
    fn open(&self) {
        if self.revision == Revision::LATEST {
            return;
        }
        self.opened.call_once(|| {
            let params = json!({
                "protocolVersion": self.revision.as_str(),
                "capabilities": self.read_capabilities(),
                "clientInfo": this(),
            });
            let params = RawParams::parse(params.to_string());
            let params = params.unwrap_or_else(|error| panic!("params are an object: {error}"));
            let exchange = self.connection.open(Request::new("initialize", params));
            if let Err(reason) = at_once(exchange) {
                panic!("`initialize` for {} is refused: {reason}", self.revision);
            }
        });
    }

    fn read_capabilities(&self) -> ClientCapabilities {
        let read = serde_json::from_value(self.capabilities.clone());
        read.unwrap_or_else(|error| {
            panic!("these are no capabilities ({error}): {}", self.capabilities)
        })
    }
}

impl fmt::Debug for TestClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestClient")
            .field("revision", &self.revision)
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}

fn this() -> Implementation {
    Implementation::new("test-client", "1")
}

/// Whether what needs no waiting succeeded.
fn at_once(mut exchange: Pin<Box<dyn Exchange>>) -> Result<(), String> {
    let mut cx = Context::from_waker(Waker::noop());
    match exchange.as_mut().poll_event(&mut cx) {
        Poll::Ready(Event::Outcome(Ok(_))) => Ok(()),
        Poll::Ready(Event::Outcome(Err(failure))) => Err(failure.to_string()),
        other => Err(format!("{other:?}")),
    }
}

#[track_caller]
fn value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_else(|error| panic!("it is no JSON: {error}"))
}

#[track_caller]
fn raw(value: &impl Serialize) -> RawJson {
    RawJson::from_serialize(value).unwrap_or_else(|error| panic!("it is no JSON: {error}"))
}
