//! An argument that is taken from nothing: a bare `String`.

//~ is no handler
//~ it takes up to six of: `Args<T>` (T: Deserialize + JsonSchema), `Context`

use mcp_server::Tool;

async fn greet(name: String) -> String {
    name
}

pub fn tool() -> Tool {
    Tool::new("greet", greet)
}
