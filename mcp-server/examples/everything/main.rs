//! A server with something of everything: for the official conformance suite and Inspector, and for whoever wants
//! to see how a thing is written.
//!
//! `cargo run -p mcp-server --all-features --example everything` serves at a free port of this machine and prints its
//! URL; `-- --http 127.0.0.1:8080` at that address; `-- stdio` on stdin and stdout.
//!
//! Each file holds one topic, and its `add` what is done to a [`Server`] for it. Names and texts are those that the
//! suite looks for.

mod asking;
mod changing;
mod content;
mod jobs;
mod media;
mod prompts;
mod resources;
mod rounds;
mod running;
mod schemas;
mod skills;

use std::{env, error::Error, future::pending};

use mcp_server::{Server, http::MemoryEventStore};
use tokio::net::TcpListener;

/// The server. Hosts see tools in this order, and the suite calls the first one without arguments.
fn server() -> Server {
    let server = Server::new("everything", env!("CARGO_PKG_VERSION"))
        .instructions("Something of everything, to try a client with.")
        .logging();
    [
        content::add,
        running::add,
        schemas::add,
        changing::add,
        resources::add,
        prompts::add,
        asking::add,
        rounds::add,
        jobs::add,
        skills::add,
    ]
    .into_iter()
    .fold(server, |server, add| add(server))
}

async fn serve_http(address: &str) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(address).await?;
    say(&format!(
        "listening on http://{}/mcp",
        listener.local_addr()?
    ));
    server()
        .http()
        .event_store(MemoryEventStore::new())
        .legacy_sse(true)
        .serve_on(listener, pending())
        .await?;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "whoever started it waits for the line")]
fn say(line: &str) {
    println!("{line}");
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["stdio"] => server().serve_stdio().await?,
        [] => serve_http("127.0.0.1:0").await?,
        ["--http", address] => serve_http(address).await?,
        _ => return Err("say how to serve: `--http ADDRESS`, or `stdio`".into()),
    }
    Ok(())
}
