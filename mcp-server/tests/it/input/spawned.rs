//! Questions from tasks that a handler has spawned.

use std::sync::{Arc, Mutex};

use mcp_server::{AskError, Context, Server, Tool, ToolError};
use serde_json::{Value, json};

use crate::asker::{Asker, accept};

fn yes(_: &str) -> Value {
    accept(&json!({"confirm": true}))
}

#[tokio::test]
async fn a_question_of_a_spawned_task_ends_the_round_too() {
    async fn spawn(cx: Context) -> Result<String, ToolError> {
        #[expect(clippy::disallowed_methods, reason = "awaited below")]
        let asking = tokio::spawn(async move {
            tokio::task::yield_now().await;
            cx.confirm("go", "Go?").await
        });
        Ok(asking.await.unwrap()?.to_string())
    }
    let server = Server::new("s", "1").tool(Tool::new("spawn", spawn));
    for client in Asker::both(&server, yes).await {
        assert_eq!(client.text("spawn").await, "true");
        assert_eq!(client.asked(), ["Go?"]);
    }
}

#[tokio::test]
async fn a_task_that_outlives_the_round_is_not_left_waiting() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&heard);
    let tool = Tool::new("detached", move |cx: Context| {
        let log = Arc::clone(&log);
        let inner = cx.clone();
        #[expect(clippy::disallowed_methods, reason = "that it ends is what is tested")]
        tokio::spawn(async move {
            let answer = inner.confirm("aside", "Aside?").await;
            log.lock().unwrap().push(answer);
        });
        async move { Ok::<_, ToolError>(cx.confirm("go", "Go?").await?.to_string()) }
    });
    let server = Server::new("s", "1").tool(tool);
    let [modern, _] = Asker::both(&server, yes).await;
    let params = json!({"name": "detached", "arguments": {}});
    let result = modern.round("tools/call", &params).await.unwrap();
    assert_eq!(result["resultType"], "input_required");
    while heard.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(*heard.lock().unwrap(), [Err(AskError::Cancelled)]);
}
