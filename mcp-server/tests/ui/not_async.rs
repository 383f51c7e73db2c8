//! A function that is not async.

//~ is no handler
//~ a handler is an `async fn`

use mcp_server::{Context, Tool};

fn greet(_: Context) -> String {
    String::new()
}

pub fn tool() -> Tool {
    Tool::new("greet", greet)
}
