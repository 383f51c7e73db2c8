//! What a clock moved by hand can show.

use std::time::Duration;

use mcp_transport::clock::ManualClock;
use tokio::io::{AsyncWriteExt as _, duplex, split};

use super::*;
use crate::Server;

#[tokio::test]
async fn a_peer_that_reads_nothing_loses_the_connection() {
    let clock = Arc::new(ManualClock::new());
    let (ours, theirs) = duplex(256);
    let (reader, writer) = split(theirs);
    let gate = Gate::new(Server::new("s", "1").core());
    let now = Arc::clone(&clock) as Arc<dyn Clock>;
    let serving = serve(gate, reader, writer, now, std::future::pending());
    let flood = async {
        let (_unread, mut write) = split(ours);
        let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        // It ends when the server has closed its end.
        while write.write_all(ping).await.is_ok() {}
    };
    let time = async {
        loop {
            clock.advance(Duration::from_secs(1));
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        (served, ()) = async { tokio::join!(serving, flood) } => {
            assert_eq!(served.unwrap_err().kind(), io::ErrorKind::TimedOut);
        }
        () = time => {}
    }
}
