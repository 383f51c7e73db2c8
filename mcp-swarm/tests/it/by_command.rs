//! A server of ours as a child process, by its command line. The child is this program again.

use mcp_client::Client;

use crate::{
    caller::{Caller, ERAS},
    pipes::{adds, calculator},
    wait::soon,
};

/// The command that runs nothing but [`the_child`]. What the test harness says on stdout is no message, and is skipped.
fn command() -> String {
    let program = std::env::current_exe().unwrap();
    let program = program.to_str().unwrap();
    format!("'{program}' --exact by_command::the_child --ignored --nocapture")
}

#[tokio::test]
#[ignore = "is no test, but the child of one"]
async fn the_child() {
    calculator().serve_stdio().await.unwrap();
}

#[tokio::test]
async fn a_server_is_reached_by_its_command() {
    for era in ERAS {
        let connecting = Client::builder("caller", "1.0").pin(era).connect(command());
        let caller = Caller::new(soon("connecting", connecting).await.unwrap());
        soon("the calls", adds(&caller)).await;
        soon("the end of the child", caller.client.close()).await;
    }
}

#[tokio::test]
async fn its_era_is_found_out() {
    let connecting = Client::builder("caller", "1.0").connect(command());
    let client = soon("connecting", connecting).await.unwrap();
    assert!(client.is_modern(), "{}", client.negotiation());
    let caller = Caller::new(client);
    soon("the calls", adds(&caller)).await;
    soon("the end of the child", caller.client.close()).await;
}
