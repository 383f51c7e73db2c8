//! A handler without a mistake, so that what the others are told is told of theirs.

use mcp_server::{Context, Tool, ToolError};

async fn greet(cx: Context) -> Result<String, ToolError> {
    cx.progress(1, 2, "half").await;
    Ok("hello".to_owned())
}

pub fn tool() -> Tool {
    Tool::new("greet", greet)
}
