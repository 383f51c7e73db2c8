//! What a legacy server asks in the middle of a request, and where the answer goes.

use std::fmt;

use bytes::Bytes;
use mcp_types::{ErrorObject, Method, RawJson, RawParams, RequestId, jsonrpc};

/// A request of a legacy server to its client: `elicitation/create`, `sampling/createMessage`, `roots/list`.
///
/// Its parameters are written for the revision of the connection.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Ask {
    /// Under which id the answer comes, in a space of its own: that of the server's requests.
    pub id: RequestId,
    /// What is asked.
    pub method: Method,
    /// With what.
    pub params: RawParams,
}

impl Ask {
    /// Asks `method` under `id`.
    pub fn new(id: RequestId, method: impl Into<Method>, params: RawParams) -> Self {
        Self {
            id,
            method: method.into(),
            params,
        }
    }

    /// The ask as one JSON-RPC message, without a line's end.
    pub fn to_message(&self) -> Bytes {
        let mut text = Vec::with_capacity(256);
        let method = self.method.as_str();
        jsonrpc::write_request(&self.id, method, &self.params, None, &mut text);
        text.into()
    }
}

/// What a client answers to an [`Ask`]: the bare result, or the error of its answer.
pub type AskAnswer = Result<RawJson, ErrorObject>;

/// Where the answer to an [`Ask`] goes.
///
/// Who drops it without an answer says that nobody can be asked, so that no server waits in vain. Who sends
/// the ask over a wire, where the answer comes as a message of its own, says so with [`Self::elsewhere`].
pub struct AskReply(Option<Hear>);

type Hear = Box<dyn FnOnce(Option<AskAnswer>) + Send>;

impl AskReply {
    /// Hands the answer to `hear`, once: `None` if nobody can be asked.
    pub fn new(hear: impl FnOnce(Option<AskAnswer>) + Send + 'static) -> Self {
        Self(Some(Box::new(hear)))
    }

    /// Answers.
    pub fn answer(mut self, answer: AskAnswer) {
        self.hear(Some(answer));
    }

    /// The ask is on its way, and its answer comes by another.
    pub fn elsewhere(mut self) {
        self.0 = None;
    }

    fn hear(&mut self, answer: Option<AskAnswer>) {
        if let Some(hear) = self.0.take() {
            hear(answer);
        }
    }
}

impl Drop for AskReply {
    fn drop(&mut self) {
        self.hear(None);
    }
}

impl fmt::Debug for AskReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AskReply")
            .field("is_open", &self.0.is_some())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// What is heard of a reply that `end` ends.
    fn check(end: impl FnOnce(AskReply), expected: &[Option<AskAnswer>]) {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hear = Arc::clone(&heard);
        end(AskReply::new(move |answer| {
            hear.lock().unwrap().push(answer);
        }));
        assert_eq!(*heard.lock().unwrap(), expected);
    }

    #[test]
    fn a_reply_is_heard_once_or_not_at_all() {
        let answer = || Ok(RawJson::null());
        check(|reply| reply.answer(answer()), &[Some(answer())]);
        check(drop, &[None]);
        check(AskReply::elsewhere, &[]);
    }

    #[test]
    fn an_ask_is_one_message() {
        let params = RawParams::parse(r#"{"a":1}"#).unwrap();
        let ask = Ask::new(RequestId::Number(7), "roots/list", params);
        let message = r#"{"jsonrpc":"2.0","id":7,"method":"roots/list","params":{"a":1}}"#;
        assert_eq!(ask.to_message(), message);
    }
}
