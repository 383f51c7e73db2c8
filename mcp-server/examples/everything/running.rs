//! What a tool can say while it runs.

use std::time::Duration;

use mcp_server::{Context, LogLevel, Server, Tool, http::SseStream};

pub(crate) fn add(server: Server) -> Server {
    server
        .tool(
            Tool::new("test_tool_with_progress", progress)
                .description("Says how far it has come, in three steps")
                .read_only(),
        )
        .tool(
            Tool::new("test_tool_with_logging", logging)
                .description("Logs three lines for the client while it runs")
                .read_only(),
        )
        .tool(
            Tool::new("test_logging_tool", log_once)
                .description("Logs a line for a client that asks for it")
                .read_only(),
        )
        .tool(
            Tool::new("test_reconnection", reconnection)
                .description(
                    "Closes its stream before it answers; the client comes back for the answer",
                )
                .read_only(),
        )
}

async fn progress(cx: Context) -> &'static str {
    cx.progress(0, 100, "starting").await;
    pause().await;
    cx.progress(50, 100, "half of it").await;
    pause().await;
    cx.progress(100, 100, "done").await;
    "All three steps are done"
}

async fn logging(cx: Context) -> &'static str {
    cx.log(LogLevel::Info, "everything", "Tool execution started")
        .await;
    pause().await;
    cx.log(LogLevel::Info, "everything", "Tool processing data")
        .await;
    pause().await;
    cx.log(LogLevel::Info, "everything", "Tool execution completed")
        .await;
    "Three lines are logged"
}

async fn log_once(cx: Context) -> &'static str {
    cx.log(LogLevel::Info, "everything", "A line of the log")
        .await;
    "A line is logged for whoever asked"
}

async fn reconnection(cx: Context) -> &'static str {
    if let Some(stream) = SseStream::of(&cx) {
        stream.close();
    }
    pause().await;
    "The client came back"
}

/// A moment in which something would be done.
pub(crate) async fn pause() {
    wait(Duration::from_millis(50)).await;
}

#[expect(
    clippy::disallowed_methods,
    reason = "waiting is what these tools are for"
)]
pub(crate) async fn wait(time: Duration) {
    tokio::time::sleep(time).await;
}
