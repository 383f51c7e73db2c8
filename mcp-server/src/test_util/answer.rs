//! What came of a request.

use mcp_transport::Notification;
use mcp_types::{ErrorObject, input::InputRequest};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What came of a request, and on the way to it.
///
/// Its methods panic where the answer is another one than the test wants, and say what it was.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TestAnswer {
    /// The result, or the error.
    pub outcome: Result<Value, ErrorObject>,
    /// What the server said on the way, in order.
    pub notifications: Vec<Notification>,
    /// What the server asked, in order.
    pub asked: Vec<InputRequest>,
}

impl TestAnswer {
    /// The result.
    ///
    /// # Panics
    /// When the request failed.
    #[track_caller]
    pub fn result(&self) -> &Value {
        match &self.outcome {
            Ok(result) => result,
            Err(error) => panic!("the request failed: {} ({})", error.message, error.code.0),
        }
    }

    /// The error.
    ///
    /// # Panics
    /// When the request succeeded.
    #[track_caller]
    pub fn error(&self) -> &ErrorObject {
        match &self.outcome {
            Ok(result) => panic!("the request succeeded: {result}"),
            Err(error) => error,
        }
    }

    /// The texts of a tool's result, a line each.
    ///
    /// # Panics
    /// When the request or the tool failed.
    #[track_caller]
    pub fn text(&self) -> String {
        self.succeeded();
        self.texts()
    }

    /// The structured content of a tool's result, read as a `T`.
    ///
    /// # Panics
    /// When the request or the tool failed, or there is no such content.
    #[track_caller]
    pub fn structured<T: DeserializeOwned>(&self) -> T {
        let content = &self.succeeded()["structuredContent"];
        match T::deserialize(content) {
            Ok(value) => value,
            Err(error) => panic!("structuredContent is another one ({error}): {content}"),
        }
    }

    /// The code of a tool's failure, such as `bad_request`; empty if it has none.
    ///
    /// # Panics
    /// When the request failed, or the tool did not.
    #[track_caller]
    pub fn failure(&self) -> String {
        let result = self.result();
        assert!(result["isError"] == true, "the tool succeeded: {result}");
        let code = result["structuredContent"]["code"].as_str();
        code.unwrap_or_default().to_owned()
    }

    /// What a tool's failure says.
    ///
    /// # Panics
    /// When the request failed, or the tool did not.
    #[track_caller]
    pub fn failure_text(&self) -> String {
        self.failure();
        self.texts()
    }

    /// The parameters of the notifications of this method.
    pub fn heard(&self, method: &str) -> Vec<Value> {
        let of_method = self.notifications.iter().filter(|it| it.method == method);
        let params = of_method.map(|it| it.params.decode().unwrap_or_default());
        params.collect()
    }

    #[track_caller]
    fn succeeded(&self) -> &Value {
        let result = self.result();
        assert!(
            result["isError"] != true,
            "the tool failed: {}",
            self.texts()
        );
        result
    }

    fn texts(&self) -> String {
        let content = self.outcome.as_ref().ok().map(|result| &result["content"]);
        let blocks = content.and_then(Value::as_array).into_iter().flatten();
        let texts: Vec<_> = blocks.filter_map(|block| block["text"].as_str()).collect();
        texts.join("\n")
    }
}
