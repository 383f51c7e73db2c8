//! Calls a tool of any server, and shows how the connection came about.
//!
//! `cargo run -p mcp-client --features http,stdio --example call -- TARGET [TOOL [JSON]]`, where TARGET is a URL
//! or a command; without a tool, the tools are listed.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]

use std::{error::Error, process::ExitCode};

use mcp_client::Client;
use mcp_types::{RawJson, tool::Tool};

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let target = args.next().ok_or("usage: call TARGET [TOOL [JSON]]")?;
    let client = Client::builder("call-example", "1.0")
        .connect(target)
        .await?;
    println!("{}", client.negotiation());
    match args.next() {
        None => {
            for Tool {
                name, description, ..
            } in client.list_tools().await?.tools
            {
                println!("{name}: {}", description.unwrap_or_default());
            }
        }
        Some(tool) => {
            let input = RawJson::parse(args.next().unwrap_or_else(|| "{}".to_owned()))?;
            let output: String = client.call(&tool, &input).await?;
            println!("{output}");
        }
    }
    client.close().await;
    Ok(())
}
