//! The script as a machine: messages in, what is to be sent out.

use std::fmt;

use mcp_types::{
    ErrorObject, Message, Method, RawJson, RawParams, RequestId,
    jsonrpc::{NotificationMessage, RequestMessage, ResponseMessage},
};
use serde_json::Value;

use super::{Script, Step};

/// A script on its way.
#[derive(Debug)]
pub(super) struct Machine {
    script: Script,
    /// How many asks went out.
    asks: i64,
    /// The request that replies answer.
    asked: Option<RequestId>,
    problem: Option<Problem>,
}

/// Where a peer left its script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem(String);

impl Problem {
    #[cfg(any(feature = "client-stdio", feature = "server-stdio"))]
    pub(super) fn new(problem: String) -> Self {
        Self(problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Problem {}

/// What a script does.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    Send(Message),
    Raw(Vec<u8>),
    Close,
}

impl Machine {
    pub(super) fn new(script: Script) -> Self {
        Self {
            script,
            asks: 0,
            asked: None,
            problem: None,
        }
    }

    /// Takes a message of the other side.
    pub(super) fn handle(&mut self, message: &Message) -> Result<(), Problem> {
        let step = self.script.steps.pop_front();
        let fits = match (&step, message) {
            (
                Some(Step::Expect {
                    method,
                    request: true,
                    params,
                }),
                Message::Request(got),
            ) => {
                self.asked = Some(got.id.clone());
                got.method == method.as_str()
                    && params
                        .as_ref()
                        .is_none_or(|params| holds(&got.params, params))
            }
            (
                Some(Step::Expect {
                    method,
                    request: false,
                    ..
                }),
                Message::Notification(got),
            ) => got.method == method.as_str(),
            (Some(Step::ExpectResponse(expected)), Message::Response(got)) => {
                contains(&response(got), expected)
            }
            _ => false,
        };
        if fits {
            return Ok(());
        }
        let expected = step.map_or_else(|| "nothing more".to_owned(), |step| step.to_string());
        self.fail(format!("the script expects {expected}; it got {message:?}"))
    }

    /// Whether the script waits for an answer to what it asked.
    pub(super) fn awaits_answer(&self) -> bool {
        matches!(self.script.steps.front(), Some(Step::ExpectResponse(_)))
    }

    /// What the script does before it expects something again.
    pub(super) fn poll_action(&mut self) -> Option<Action> {
        if self.problem.is_some() || !self.script.steps.front().is_some_and(Step::is_action) {
            return None;
        }
        Some(match self.script.steps.pop_front()? {
            Step::Reply(outcome) => Action::Send(Message::Response(ResponseMessage {
                id: self.asked.clone(),
                body: outcome
                    .map(|result| raw(&result))
                    .map_err(|error| error_object(&error)),
            })),
            Step::Notify(method, params) => {
                Action::Send(Message::Notification(NotificationMessage {
                    method: Method::from(method.as_str()),
                    params: RawParams::from_serialize(&params).unwrap_or_default(),
                }))
            }
            Step::Ask(method, params) => {
                self.asks += 1;
                Action::Send(Message::Request(RequestMessage {
                    id: RequestId::Number(self.asks),
                    method: Method::from(method.as_str()),
                    params: RawParams::from_serialize(&params).unwrap_or_default(),
                }))
            }
            Step::Raw(bytes) => Action::Raw(bytes),
            Step::Close | Step::Expect { .. } | Step::ExpectResponse(_) => Action::Close,
        })
    }

    /// Whether everything happened as written.
    pub(super) fn finish(&self) -> Result<(), Problem> {
        match (&self.problem, self.script.steps.front()) {
            (Some(problem), _) => Err(problem.clone()),
            (None, Some(step)) => Err(Problem(format!(
                "the script ended early: {step} never came"
            ))),
            (None, None) => Ok(()),
        }
    }

    fn fail(&mut self, problem: String) -> Result<(), Problem> {
        let problem = self.problem.get_or_insert(Problem(problem));
        Err(problem.clone())
    }
}

impl Step {
    fn is_action(&self) -> bool {
        !matches!(self, Self::Expect { .. } | Self::ExpectResponse(_))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expect {
                method,
                request: true,
                params: None,
            } => write!(f, "request {method}"),
            Self::Expect {
                method,
                request: true,
                params: Some(params),
            } => write!(f, "request {method} with {params}"),
            Self::Expect {
                method,
                request: false,
                ..
            } => write!(f, "notification {method}"),
            Self::ExpectResponse(response) => write!(f, "response {response}"),
            Self::Reply(Ok(_)) => f.write_str("a reply"),
            Self::Reply(Err(_)) => f.write_str("an error"),
            Self::Notify(method, _) => write!(f, "sending {method}"),
            Self::Ask(method, _) => write!(f, "asking {method}"),
            Self::Raw(_) => f.write_str("sending bytes"),
            Self::Close => f.write_str("closing"),
        }
    }
}

/// Whether `actual` has all that `expected` has: objects member by member, everything else alike.
pub(super) fn contains(actual: &Value, expected: &Value) -> bool {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => expected.iter().all(|(name, value)| {
            actual
                .get(name)
                .is_some_and(|actual| contains(actual, value))
        }),
        (actual, expected) => actual == expected,
    }
}

fn holds(params: &RawParams, expected: &Value) -> bool {
    params
        .decode::<Value>()
        .is_ok_and(|actual| contains(&actual, expected))
}

fn response(message: &ResponseMessage) -> Value {
    let mut value = serde_json::json!({ "id": message.id });
    match &message.body {
        Ok(result) => value["result"] = result.decode().unwrap_or_default(),
        Err(error) => value["error"] = serde_json::json!(error),
    }
    value
}

fn raw(value: &Value) -> RawJson {
    RawJson::from_serialize(value).unwrap_or_else(|_| RawJson::null())
}

fn error_object(value: &Value) -> ErrorObject {
    serde_json::from_value(value.clone()).unwrap_or_else(|_| {
        ErrorObject::new(mcp_types::ErrorCode::INTERNAL_ERROR, value.to_string())
    })
}
