//! Many calls at once: how much they hold, and that one that is stuck delays no other.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

use allocation_counter::measure;
use mcp_server::{Server, Tool};
use mcp_transport::{Endpoint, Event, Exchange};
use tokio::sync::Semaphore;

use crate::peer::Peer;

const CROWD: usize = 10_000;

/// Calls that wait until the test lets them go on.
#[derive(Clone)]
struct Gate {
    open: Arc<Semaphore>,
    inside: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Gate {
    fn new() -> Self {
        Self {
            open: Arc::new(Semaphore::new(0)),
            inside: Arc::default(),
            most: Arc::default(),
        }
    }

    /// A server with a tool that waits, and one that does not.
    fn server(&self) -> Server {
        let gate = self.clone();
        let wait = move || {
            let gate = gate.clone();
            async move {
                let inside = gate.inside.fetch_add(1, Ordering::SeqCst) + 1;
                gate.most.fetch_max(inside, Ordering::SeqCst);
                let passed = gate.open.acquire().await.unwrap();
                passed.forget();
                gate.inside.fetch_sub(1, Ordering::SeqCst);
                "waited"
            }
        };
        Server::new("s", "1")
            .tool(Tool::new("wait", wait))
            .tool(Tool::new("now", async || "now"))
    }
}

fn poll(exchange: &mut Pin<Box<dyn Exchange>>) -> Poll<Event> {
    let mut cx = Context::from_waker(Waker::noop());
    exchange.as_mut().poll_event(&mut cx)
}

#[track_caller]
fn answered(exchange: &mut Pin<Box<dyn Exchange>>, text: &str) {
    match poll(exchange) {
        Poll::Ready(Event::Outcome(Ok(reply))) => assert!(reply.result.as_str().contains(text)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn ten_thousand_modern_calls_wait_at_once_and_leave_nothing() {
    let gate = Gate::new();
    let server = gate.server();
    let peer = Peer::modern(&server);
    let call = |tool: &str| {
        peer.open(
            "tools/call",
            &format!(r#"{{"name":"{tool}","arguments":{{}}}}"#),
        )
    };
    answered(&mut call("now"), "now");
    let mut calls: Vec<Pin<Box<dyn Exchange>>> = Vec::with_capacity(CROWD);
    let held = measure(|| {
        for _ in 0..CROWD {
            let mut waiting = call("wait");
            assert!(poll(&mut waiting).is_pending());
            calls.push(waiting);
        }
    });
    assert_eq!(gate.inside.load(Ordering::SeqCst), CROWD);
    // Those that are stuck delay nobody.
    answered(&mut call("now"), "now");
    let each = usize::try_from(held.bytes_current).unwrap() / CROWD;
    gate.open.add_permits(CROWD);
    let released = measure(|| {
        for mut waiting in calls.drain(..) {
            answered(&mut waiting, "waited");
        }
    });
    let left = held.bytes_current + released.bytes_current;
    println!(
        "{CROWD} calls at once: {each} bytes each, {} KiB in all; {left} bytes left after them",
        held.bytes_current / 1024
    );
    assert!(each <= 4_096, "{each} bytes a call");
    assert_eq!(gate.inside.load(Ordering::SeqCst), 0);
    assert!(left < 1_024, "{left} bytes are left");
}

#[test]
fn a_stuck_call_delays_no_other_of_its_connection_in_memory() {
    let gate = Gate::new();
    let peer = Peer::modern(&gate.server());
    let open = |tool: &str| {
        let params = format!(r#"{{"name":"{tool}"}}"#);
        peer.connection().open(peer.request("tools/call", &params))
    };
    let mut stuck = open("wait");
    for _ in 0..100 {
        assert!(poll(&mut stuck).is_pending());
        answered(&mut open("now"), "now");
    }
    gate.open.add_permits(1);
    answered(&mut stuck, "waited");
}

#[cfg(feature = "stdio")]
mod on_a_stream {
    use std::collections::HashSet;

    use mcp_server::Limits;
    use serde_json::{Value, json};
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, duplex, split};

    use super::*;

    fn message(id: usize, method: &str, tool: &str) -> String {
        let mut params = json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }});
        if method == "tools/call" {
            params["name"] = tool.into();
        }
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        format!("{message}\n")
    }

    async fn read(lines: &mut tokio::io::Lines<impl tokio::io::AsyncBufRead + Unpin>) -> Value {
        serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap()
    }

    /// Ten thousand requests on one stream: 64 run, the others wait, and each is answered once.
    #[tokio::test]
    async fn ten_thousand_calls_on_one_stream_run_so_many_at_a_time() {
        let gate = Gate::new();
        let limits = Limits::default().with_running(64).with_queued(CROWD - 64);
        let server = gate.server().limits(limits);
        let (ours, theirs) = duplex(64 * 1024);
        let (reader, writer) = split(theirs);
        let (read_half, mut write) = split(ours);
        let mut lines = BufReader::new(read_half).lines();
        let client = async {
            for id in 0..CROWD {
                let line = message(id, "tools/call", "wait");
                write.write_all(line.as_bytes()).await.unwrap();
            }
            // One more is refused at once; by then everything before it is read.
            let line = message(CROWD, "tools/call", "wait");
            write.write_all(line.as_bytes()).await.unwrap();
            let refused = read(&mut lines).await;
            assert_eq!(
                (&refused["id"], &refused["error"]["code"]),
                (&json!(CROWD), &json!(-32603))
            );
            assert_eq!(gate.inside.load(Ordering::SeqCst), 64);
            gate.open.add_permits(CROWD);
            let mut ids = HashSet::new();
            while ids.len() < CROWD {
                let answer = read(&mut lines).await;
                assert_eq!(answer["result"]["content"][0]["text"], "waited", "{answer}");
                assert!(ids.insert(answer["id"].as_u64().unwrap()));
            }
            write.shutdown().await.unwrap();
        };
        let (served, ()) = tokio::join!(server.serve(reader, writer), client);
        served.unwrap();
        let most = gate.most.load(Ordering::SeqCst);
        println!("{CROWD} calls on one stream: {most} at a time, the others queued");
        assert_eq!(most, 64);
    }

    /// With the limits as they are, what comes beyond is refused at once, and what is admitted is answered.
    #[tokio::test]
    async fn beyond_the_limits_a_call_is_refused_at_once() {
        let gate = Gate::new();
        let server = gate.server();
        let (ours, theirs) = duplex(64 * 1024);
        let (reader, writer) = split(theirs);
        let (read_half, mut write) = split(ours);
        let mut lines = BufReader::new(read_half).lines();
        let client = async {
            for id in 0..129 {
                let line = message(id, "tools/call", "wait");
                write.write_all(line.as_bytes()).await.unwrap();
            }
            let refused = read(&mut lines).await;
            assert_eq!(
                (&refused["id"], &refused["error"]["code"]),
                (&json!(128), &json!(-32603))
            );
            gate.open.add_permits(128);
            for _ in 0..128 {
                let answer = read(&mut lines).await;
                assert_eq!(answer["result"]["content"][0]["text"], "waited", "{answer}");
            }
            write.shutdown().await.unwrap();
        };
        let (served, ()) = tokio::join!(server.serve(reader, writer), client);
        served.unwrap();
    }

    #[tokio::test]
    async fn a_stuck_call_delays_no_other_of_its_stream() {
        let gate = Gate::new();
        let server = gate.server();
        let (ours, theirs) = duplex(64 * 1024);
        let (reader, writer) = split(theirs);
        let (read_half, mut write) = split(ours);
        let mut lines = BufReader::new(read_half).lines();
        let client = async {
            let stuck = message(0, "tools/call", "wait");
            write.write_all(stuck.as_bytes()).await.unwrap();
            for id in 1..100 {
                let line = message(id, "tools/call", "now");
                write.write_all(line.as_bytes()).await.unwrap();
                let answer = read(&mut lines).await;
                assert_eq!(
                    (&answer["id"], &answer["result"]["content"][0]["text"]),
                    (&json!(id), &json!("now"))
                );
            }
            gate.open.add_permits(1);
            assert_eq!(read(&mut lines).await["id"], 0);
            write.shutdown().await.unwrap();
        };
        let (served, ()) = tokio::join!(server.serve(reader, writer), client);
        served.unwrap();
    }
}
