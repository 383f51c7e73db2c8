//! The server: tools that say which call they are.

use std::{future, sync::Arc};

use mcp_server::{
    Args, Context, Json, Server, Tool, ToolError,
    schemars::{self, JsonSchema},
};
use serde::{Deserialize, Serialize};

/// What every call is told about.
pub(crate) trait Ran: Send + Sync + 'static {
    /// This call runs.
    fn ran(&self, call: u64);
    /// So many calls more, or less, wait for ever.
    fn waits(&self, more: i64);
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Echo {
    pub(crate) call: u64,
    pub(crate) text: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Add {
    pub(crate) call: u64,
    pub(crate) a: i64,
    pub(crate) b: i64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Sum {
    pub(crate) call: u64,
    pub(crate) sum: i64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Only {
    pub(crate) call: u64,
}

/// The names of its tools, in order.
pub(crate) const NAMES: [&str; 5] = ["echo", "add", "steps", "fail", "wait"];

/// How many notifications `steps` sends.
pub(crate) const STEPS: u32 = 3;

/// A server that reports its calls to `ran`.
pub(crate) fn server(ran: Arc<impl Ran>) -> Server {
    let run = move |call: u64| {
        ran.ran(call);
        Arc::clone(&ran)
    };
    let (echo, add, steps, fail, wait) = (run.clone(), run.clone(), run.clone(), run.clone(), run);
    Server::new("soak", "1.0")
        .tool(Tool::new("echo", move |Args(args): Args<Echo>| {
            echo(args.call);
            future::ready(format!("{}:{}", args.call, args.text))
        }))
        .tool(Tool::new("add", move |Args(args): Args<Add>| {
            add(args.call);
            future::ready(Json(Sum {
                call: args.call,
                sum: args.a + args.b,
            }))
        }))
        .tool(Tool::new(
            "steps",
            move |Args(args): Args<Only>, cx: Context| {
                steps(args.call);
                async move {
                    for step in 1..=STEPS {
                        cx.progress(step, STEPS, args.call.to_string()).await;
                        tokio::task::yield_now().await;
                    }
                    args.call.to_string()
                }
            },
        ))
        .tool(Tool::new("fail", move |Args(args): Args<Only>| {
            fail(args.call);
            future::ready(Err::<String, _>(ToolError::bad_request(
                args.call.to_string(),
            )))
        }))
        .tool(Tool::new("wait", move |Args(args): Args<Only>| {
            let waits = Waits::new(wait(args.call));
            async move {
                future::pending::<()>().await;
                drop(waits);
                String::new()
            }
        }))
}

/// A call that waits for as long as this is held.
struct Waits<R: Ran>(Arc<R>);

impl<R: Ran> Waits<R> {
    fn new(ran: Arc<R>) -> Self {
        ran.waits(1);
        Self(ran)
    }
}

impl<R: Ran> Drop for Waits<R> {
    fn drop(&mut self) {
        self.0.waits(-1);
    }
}
