//! How many allocations the server's side takes: exact, the same on every machine.

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

use allocation_counter::{AllocationInfo, measure};
use mcp_server::{
    Args, Server, Tool,
    schemars::{self, JsonSchema},
};
use mcp_transport::{Endpoint, Event, Exchange, Reply};
use serde::Deserialize;

use crate::peer::Peer;

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

async fn add(Args(Add { a, b }): Args<Add>) -> String {
    (a + b).to_string()
}

/// What the server's side of a request takes, from the request to the reply.
fn cost(peer: &Peer, method: &str, params: &str) -> (AllocationInfo, Reply) {
    let request = peer.request(method, params);
    let mut request = Some(request);
    let mut reply = None;
    let info = measure(|| {
        let mut exchange = peer.connection().open(request.take().unwrap());
        reply = Some(outcome(&mut exchange));
    });
    (info, reply.unwrap())
}

fn outcome(exchange: &mut Pin<Box<dyn Exchange>>) -> Reply {
    let mut cx = Context::from_waker(Waker::noop());
    match exchange.as_mut().poll_event(&mut cx) {
        Poll::Ready(Event::Outcome(Ok(reply))) => reply,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_modern_tools_call_takes_twenty_at_most() {
    let server = Server::new("s", "1").tool(Tool::new("add", add));
    let peer = Peer::modern(&server);
    let params = r#"{"name":"add","arguments":{"a":2,"b":3}}"#;
    // What is made once a connection is not a call's.
    cost(&peer, "tools/call", params);
    let (info, reply) = cost(&peer, "tools/call", params);
    assert!(reply.result.as_str().contains(r#""text":"5""#));
    println!("tools/call: {}", info.count_total);
    assert!(info.count_total <= 20, "{}", info.count_total);
}

fn server_of(count: usize) -> Server {
    (0..count).fold(Server::new("s", "1"), |server, at| {
        server.tool(Tool::new(format!("tool_{at}"), add).description("Adds two integers"))
    })
}

#[test]
fn a_list_takes_as_many_however_long_it_is() {
    let mut counts = Vec::new();
    for count in [1, 1_000] {
        let peer = Peer::modern(&server_of(count));
        let (first, _) = cost(&peer, "tools/list", "{}");
        let (info, reply) = cost(&peer, "tools/list", "{}");
        assert!(
            first.count_total > info.count_total,
            "items are written once"
        );
        let length = u64::try_from(reply.result.as_str().len()).unwrap();
        assert!(
            info.bytes_total < length + 4_096,
            "a page is one copy: {} for {length}",
            info.bytes_total
        );
        counts.push(info.count_total);
    }
    assert!(counts[1] <= counts[0] && counts[0] <= 30, "{counts:?}");
}
