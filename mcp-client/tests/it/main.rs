//! Conversations of the client with a scripted peer, under a clock that only moves when all wait.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod calls;
mod connect;
#[cfg(feature = "http")]
mod http;
mod listening;
mod lists;
#[cfg(feature = "http")]
mod mirrored;
#[cfg(all(unix, feature = "stdio"))]
mod process;
#[cfg(all(unix, feature = "stdio"))]
mod process_rows;

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use mcp_client::{Client, ConnectError};
use mcp_transport::{
    Clock as _, Endpoint,
    clock::ManualClock,
    test_util::{Script, ScriptedServer},
};
use serde_json::{Value, json};

/// Runs `work`, and moves the clock to the next deadline whenever it waits.
#[track_caller]
fn run<T>(clock: &ManualClock, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(done) = work.as_mut().poll(&mut cx) {
            return done;
        }
        let deadline = clock
            .next_deadline()
            .expect("it waits for something without a deadline");
        clock.advance(deadline.saturating_duration_since(clock.now()));
    }
}

/// A modern server's answer to `server/discover`.
fn discover() -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {} },
        "instructions": "Be brief.",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "ops", "version": "2.1" } },
    })
}

/// A legacy server's answer to `initialize`.
fn initialize(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": { "listChanged": true } },
        "serverInfo": { "name": "old", "version": "0.9" },
    })
}

/// The script of a modern server that has been discovered.
fn modern() -> Script {
    Script::new().expects("server/discover").replies(discover())
}

/// The script of a legacy server that has been opened.
fn legacy() -> Script {
    Script::new()
        .expects("server/discover")
        .fails(-32601, "Method not found")
        .expects("initialize")
        .replies(initialize("2025-11-25"))
        .expects_notification("notifications/initialized")
}

/// One client, its peer and their clock.
struct Stage {
    clock: ManualClock,
    server: ScriptedServer,
    client: Client,
}

impl Stage {
    #[track_caller]
    fn new(script: Script) -> Self {
        let clock = ManualClock::new();
        let server = script.into_endpoint();
        let client = connect(&clock, &server).expect("the script opens a connection");
        Self {
            clock,
            server,
            client,
        }
    }

    #[track_caller]
    fn run<T>(&self, work: impl Future<Output = T>) -> T {
        run(&self.clock, work)
    }

    /// That the peer saw all that its script expects.
    #[track_caller]
    fn finish(self) {
        self.server.finish().unwrap();
    }
}

#[track_caller]
fn connect(clock: &ManualClock, server: &ScriptedServer) -> Result<Client, ConnectError> {
    let endpoint: Arc<dyn Endpoint> = Arc::new(server.clone());
    let builder = Client::builder("tester", "1.0").clock(Arc::new(clock.clone()));
    run(clock, builder.connect_endpoint(endpoint))
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}
