//! A peer that reads like a transcript.

mod endpoint;
mod machine;
#[cfg(any(feature = "client-stdio", feature = "server-stdio"))]
mod stream;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use serde_json::Value;

pub use self::{endpoint::ScriptedServer, machine::Problem};

/// What a peer expects and does, in order.
///
/// As an endpoint ([`Self::into_endpoint`]) it is a server in the same process; over a byte stream
/// (`Self::run`) it is a server or a client that speaks lines.
///
/// ```
/// use std::future::poll_fn;
/// use mcp_transport::{Endpoint, Event, Request, test_util::Script};
/// use mcp_types::RawParams;
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), mcp_transport::test_util::Problem> {
/// let server = Script::new()
///     .expects_with("tools/call", json!({ "name": "add" }))
///     .notifies("notifications/progress", json!({ "progressToken": 1, "progress": 1 }))
///     .replies(json!({ "content": [] }))
///     .into_endpoint();
///
/// // In its place a client of one's own.
/// let params = RawParams::from_serialize(&json!({ "name": "add" })).expect("an object");
/// let mut exchange = server.open(Request::new("tools/call", params));
/// let Event::Notification(progress) = poll_fn(|cx| exchange.as_mut().poll_event(cx)).await else {
///     panic!("the notification comes first")
/// };
/// assert_eq!(progress.method, "notifications/progress");
/// let Event::Outcome(Ok(reply)) = poll_fn(|cx| exchange.as_mut().poll_event(cx)).await else {
///     panic!("then the answer")
/// };
/// assert_eq!(reply.result.as_str(), r#"{"content":[]}"#);
///
/// server.finish() // Everything happened as written.
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Script {
    steps: VecDeque<Step>,
}

impl Script {
    /// An empty script.
    pub fn new() -> Self {
        Self::default()
    }

    /// Expects a request with this method.
    #[must_use]
    pub fn expects(self, method: &str) -> Self {
        self.step(Step::Expect {
            method: method.to_owned(),
            request: true,
            params: None,
        })
    }

    /// Expects a request with this method whose params contain `params`: members that are not named may be
    /// there as well.
    #[must_use]
    pub fn expects_with(self, method: &str, params: Value) -> Self {
        self.step(Step::Expect {
            method: method.to_owned(),
            request: true,
            params: Some(params),
        })
    }

    /// Expects a notification with this method.
    #[must_use]
    pub fn expects_notification(self, method: &str) -> Self {
        self.step(Step::Expect {
            method: method.to_owned(),
            request: false,
            params: None,
        })
    }

    /// Expects a response that contains `response`, with its `id`, `result` or `error`.
    #[must_use]
    pub fn expects_response(self, response: Value) -> Self {
        self.step(Step::ExpectResponse(response))
    }

    /// Answers the request that was expected last with this result.
    #[must_use]
    pub fn replies(self, result: Value) -> Self {
        self.step(Step::Reply(Ok(result)))
    }

    /// Answers the request that was expected last with an error.
    #[must_use]
    pub fn fails(self, code: i64, message: &str) -> Self {
        self.fails_with(serde_json::json!({ "code": code, "message": message }))
    }

    /// Answers the request that was expected last with this error object: `code`, `message` and `data`.
    #[must_use]
    pub fn fails_with(self, error: Value) -> Self {
        self.step(Step::Reply(Err(error)))
    }

    /// Sends a notification; for an endpoint it belongs to the request that was expected last.
    #[must_use]
    pub fn notifies(self, method: &str, params: Value) -> Self {
        self.step(Step::Notify(method.to_owned(), params))
    }

    /// Asks the other side, as a legacy server does, under an id that counts from 1; for an endpoint it belongs to the
    /// request that was expected last. The answer is expected with [`Self::expects_response`]: what comes after it is
    /// done when it is there, and who cannot answer an endpoint answers with -32601.
    #[must_use]
    pub fn asks(self, method: &str, params: Value) -> Self {
        self.step(Step::Ask(method.to_owned(), params))
    }

    /// Sends a message as it is, one line. Only over a stream.
    #[must_use]
    pub fn sends(self, message: &Value) -> Self {
        self.sends_raw(format!("{message}\n"))
    }

    /// Sends bytes as they are. Only over a stream.
    #[must_use]
    pub fn sends_raw(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.step(Step::Raw(bytes.into()))
    }

    /// Closes the connection: over a stream at once, as an endpoint by losing each request from here on.
    ///
    /// A script that ends without this stays silent and open.
    #[must_use]
    pub fn closes(self) -> Self {
        self.step(Step::Close)
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push_back(step);
        self
    }
}

#[derive(Clone, Debug)]
enum Step {
    Expect {
        method: String,
        request: bool,
        params: Option<Value>,
    },
    ExpectResponse(Value),
    Reply(Result<Value, Value>),
    Notify(String, Value),
    Ask(String, Value),
    Raw(Vec<u8>),
    Close,
}
