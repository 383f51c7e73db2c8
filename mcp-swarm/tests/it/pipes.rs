//! The same without HTTP: client and gateway over a byte stream, as on stdio, and in memory.

use std::sync::Arc;

use mcp_server::{Args, Json, Server, Tool, schemars::JsonSchema};
use mcp_transport::{proto::limits::Limits, stdio::duplex::Duplex};
use mcp_types::Era;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::io::{duplex, split};

use crate::{
    caller::{Caller, ERAS},
    house::House,
    trip::whole_trip,
    wait::soon,
};

/// Runs `with` a client of `server` at the other end of a byte stream.
pub(crate) async fn over_stream(server: &Server, era: Era, with: impl AsyncFnOnce(Caller)) {
    let (near, far) = duplex(4096);
    let (from_client, to_client) = split(far);
    let (from_server, to_server) = split(near);
    let (endpoint, driver) = Duplex::new(from_server, to_server, &Limits::default());
    let work = async {
        let caller = Caller::on(Arc::new(endpoint), era).await;
        with(caller).await;
    };
    tokio::select! {
        ended = server.serve(from_client, to_client) => panic!("the server has ended: {ended:?}"),
        ended = driver.run() => panic!("the stream has ended: {ended:?}"),
        () = soon("the work over a stream", work) => {}
    }
}

#[tokio::test]
async fn a_whole_trip_over_a_byte_stream() {
    for era in ERAS {
        let house = House::in_memory();
        over_stream(&house.triage, era, async |mut caller| {
            whole_trip(&mut caller).await
        })
        .await;
        assert_eq!(house.gateway.session_count(), 0);
        assert_eq!(house.seen.states(), [r#"{"case":1}"#, "{}"]);
    }
}

#[tokio::test]
async fn a_whole_trip_in_memory() {
    for era in ERAS {
        let house = House::in_memory();
        let mut caller = Caller::on(Arc::new(house.triage.connect()), era).await;
        soon("the trip", whole_trip(&mut caller)).await;
        assert_eq!(house.gateway.session_count(), 0);
        assert_eq!(house.seen.states(), [r#"{"case":1}"#, "{}"]);
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Sum {
    sum: i64,
}

async fn add(Args(Add { a, b }): Args<Add>) -> Json<Sum> {
    Json(Sum { sum: a + b })
}

/// A server with one tool.
pub(crate) fn calculator() -> Server {
    Server::new("calculator", "1.0").tool(Tool::new("add", add))
}

/// Calls that tool, rightly and wrongly.
pub(crate) async fn adds(caller: &Caller) {
    assert_eq!(caller.names().await, ["add"]);
    let sum: Sum = caller
        .client
        .call("add", &Add { a: 2, b: 3 })
        .await
        .unwrap();
    assert_eq!(sum, Sum { sum: 5 });
    let wrong = caller
        .client
        .call::<Sum>("add", &json!({"a": 2}))
        .await
        .unwrap_err();
    assert_eq!(wrong.tool_error().unwrap().code.as_str(), "bad_request");
    let unknown = caller
        .client
        .call::<Sum>("sub", &json!({}))
        .await
        .unwrap_err();
    assert!(!unknown.is_tool_error(), "{unknown}");
}

#[tokio::test]
async fn typed_calls_over_a_byte_stream() {
    for era in ERAS {
        over_stream(&calculator(), era, async |caller| adds(&caller).await).await;
    }
}

#[tokio::test]
async fn typed_calls_in_memory() {
    for era in ERAS {
        let caller = Caller::on(Arc::new(calculator().connect()), era).await;
        soon("the calls", adds(&caller)).await;
    }
}
