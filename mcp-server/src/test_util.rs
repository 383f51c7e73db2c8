//! A client to test servers with: in memory, in either era.
//!
//! ```
//! # use mcp_server::{Args, Server, Tool, schemars::{self, JsonSchema}, test_util::TestClient};
//! # use serde::Deserialize;
//! # use serde_json::json;
//! # #[derive(Deserialize, JsonSchema)] struct Add { a: i64, b: i64 }
//! # async fn add(Args(Add { a, b }): Args<Add>) -> String { (a + b).to_string() }
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! # let server = Server::new("calculator", "1.0.0").tool(Tool::new("add", add));
//! let client = TestClient::modern(&server);
//! let answer = client.call("add", json!({"a": 2, "b": 3})).await;
//! assert_eq!(answer.text(), "5");
//! # }
//! ```
//!
//! [`TestClient::legacy`] is one of the other era; both answer what a handler asks, and tell what they heard:
//!
//! ```
//! # use mcp_server::{Context, Server, Tool, ToolError, test_util::TestClient};
//! # use serde_json::json;
//! async fn deploy(cx: Context) -> Result<&'static str, ToolError> {
//!     cx.progress(1, 2, "asking").await;
//!     Ok(if cx.confirm("go", "Deploy?").await? { "deployed" } else { "left alone" })
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! # let clock = std::sync::Arc::new(mcp_transport::clock::ManualClock::new());
//! # let server = Server::new("ops", "1.0.0").clock(clock).tool(Tool::new("deploy", deploy));
//! for client in [TestClient::modern(&server), TestClient::legacy(&server)] {
//!     let client = client.with_progress().answering(|_| json!({"action": "accept", "content": {"confirm": true}}));
//!     let answer = client.call("deploy", json!({})).await;
//!     assert_eq!(answer.text(), "deployed");
//!     assert_eq!(answer.asked[0].method(), "elicitation/create");
//!     assert_eq!(answer.heard("notifications/progress")[0]["message"], "asking");
//! }
//! # }
//! ```

mod answer;
mod client;

pub use self::{answer::TestAnswer, client::TestClient};
