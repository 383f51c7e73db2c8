//! A value that cannot be written, given back as JSON.

//~ is no handler
//~ `Json<T>` (T: Serialize + JsonSchema)

use mcp_server::{Json, Tool};

pub struct Sum;

async fn add() -> Json<Sum> {
    Json(Sum)
}

pub fn tool() -> Tool {
    Tool::new("add", add)
}
