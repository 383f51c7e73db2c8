//! More arguments than a handler takes.

//~ is no handler
//~ it takes up to six of

use mcp_server::{Context, Tool};

async fn greet(_: Context, _: Context, _: Context, _: Context, _: Context, _: Context, _: Context) -> String {
    String::new()
}

pub fn tool() -> Tool {
    Tool::new("greet", greet)
}
