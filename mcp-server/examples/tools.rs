//! A server with four tools, for the runners of cases and for trying things out.
//!
//! `cargo run -p mcp-server --features http,stdio --example tools -- stdio`, or `http 8080` for
//! <http://127.0.0.1:8080/mcp>.
//!
//! Tools: `echo {text}`, `add {a, b}` → `{sum}`, `blob {n}` → n bytes of text, `sleep {ms}`; `TOOLS=N` in
//! the environment adds N more.

use std::{env, error::Error, time::Duration};

use mcp_server::{
    Args, Context, Json, Server, Tool, ToolError,
    schemars::{self, JsonSchema},
};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to say back.
    text: String,
}

async fn echo(Args(Echo { text }): Args<Echo>) -> String {
    text
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: f64,
}

async fn add(Args(Add { a, b }): Args<Add>) -> Json<Sum> {
    Json(Sum { sum: a + b })
}

#[derive(Deserialize, JsonSchema)]
struct Blob {
    /// How many bytes, up to 64 MiB.
    n: usize,
}

async fn blob(Args(Blob { n }): Args<Blob>) -> Result<String, ToolError> {
    const MOST: usize = 64 << 20;
    if n > MOST {
        let error = format!("n is {n}; at most {MOST} bytes are given");
        return Err(ToolError::bad_request(error));
    }
    Ok("x".repeat(n))
}

#[derive(Deserialize, JsonSchema)]
struct Sleep {
    /// How long, in milliseconds.
    ms: u64,
}

async fn sleep(Args(Sleep { ms }): Args<Sleep>, cx: Context) -> String {
    cx.progress(0, ms, "sleeping").await;
    #[expect(
        clippy::disallowed_methods,
        reason = "waiting is what this tool is for"
    )]
    tokio::time::sleep(Duration::from_millis(ms)).await;
    cx.progress(ms, ms, "awake").await;
    "slept".to_owned()
}

fn server() -> Server {
    let mut server = Server::new("tools", env!("CARGO_PKG_VERSION"))
        .instructions("Tools to try a client with.")
        .tool(
            Tool::new("echo", echo)
                .description("Says a text back")
                .read_only(),
        )
        .tool(
            Tool::new("add", add)
                .description("Adds two numbers")
                .read_only(),
        )
        .tool(
            Tool::new("blob", blob)
                .description("Makes a text of n bytes")
                .read_only(),
        )
        .tool(Tool::new("sleep", sleep).description("Waits").read_only());
    let more = env::var("TOOLS").ok().and_then(|more| more.parse().ok());
    for number in 0..more.unwrap_or(0u32) {
        let tool = Tool::new(format!("extra_{number}"), echo);
        server = server.tool(tool.description("Says a text back").read_only());
    }
    server
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    match arguments.next().as_deref() {
        Some("stdio") => server().serve_stdio().await?,
        Some("http") => {
            let port = arguments.next().ok_or("say on which port: `http 8080`")?;
            let address = format!("127.0.0.1:{port}");
            server().serve_http(address).await?;
        }
        _ => return Err("say how to serve: `stdio`, or `http PORT`".into()),
    }
    Ok(())
}
