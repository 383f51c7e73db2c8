//! A future that cannot change threads.

//~ is no handler
//~ its future is `Send`: let go of `Rc`

use std::rc::Rc;

use mcp_server::{Context, Tool};

async fn greet(cx: Context) -> String {
    let name = Rc::new("hello".to_owned());
    cx.progress(1, 2, "half").await;
    name.to_string()
}

pub fn tool() -> Tool {
    Tool::new("greet", greet)
}
