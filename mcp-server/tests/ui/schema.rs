//! Arguments of a type that has no schema.

//~ is no handler
//~ `Args<T>` (T: Deserialize + JsonSchema)

use mcp_server::{Args, Tool};

pub struct Name;

async fn greet(Args(_): Args<Name>) -> String {
    String::new()
}

pub fn tool() -> Tool {
    Tool::new("greet", greet)
}
