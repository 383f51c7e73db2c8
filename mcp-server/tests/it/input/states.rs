//! The sealed state between two servers, two principals, and over time (reference server.md §5.4, report 30).

use std::{sync::Arc, time::Duration};

use mcp_server::{
    Answer, BoxFuture, Call, Context, InputPolicy, KeyRing, Principal, Server, Service, Tool,
    ToolError, input::StateKey,
};
use mcp_transport::clock::ManualClock;
use serde_json::{Value, json};

use crate::asker::{ALL, Asker, accept};

fn yes(_: &str) -> Value {
    accept(&json!({"confirm": true}))
}

fn server(name: &str, keys: Option<KeyRing>) -> Server {
    async fn confirm(cx: Context) -> Result<String, ToolError> {
        Ok(cx.confirm("go", "Go?").await?.to_string())
    }
    let server = Server::new(name, "1").tool(Tool::new("confirm", confirm));
    match keys {
        Some(keys) => server.state_keys(keys),
        None => server,
    }
}

fn ring(fill: &str) -> KeyRing {
    KeyRing::new(StateKey::new(fill.repeat(32)).unwrap())
}

/// The retry of a call that `first` was asked, and whose question was answered.
async fn retry(first: &Server) -> Value {
    let params = json!({"name": "confirm", "arguments": {}});
    let client = Asker::modern(first, ALL, yes);
    let asked = client.round("tools/call", &params).await.unwrap();
    let mut retry = params;
    retry["requestState"] = asked["requestState"].clone();
    retry["inputResponses"] = json!({"go": yes("")});
    retry
}

/// Whether `second` goes on with what `first` began.
async fn check(first: &Server, second: &Server, goes_on: bool) {
    let retry = retry(first).await;
    let answered = Asker::modern(second, ALL, yes)
        .round("tools/call", &retry)
        .await;
    match answered {
        Ok(result) => assert_eq!(
            (&result["content"][0]["text"], goes_on),
            (&json!("true"), true)
        ),
        Err(error) => {
            assert_eq!((error.code.0, goes_on), (-32602, false));
            assert_eq!(error.message, "Invalid or expired requestState");
            let data: Value = error.data.unwrap().decode().unwrap();
            assert_eq!(data, json!({"reason": "invalid_request_state"}));
        }
    }
}

#[tokio::test]
async fn r30_instances_with_one_ring_go_on_and_others_refuse() {
    let (a, b) = (server("s", Some(ring("a"))), server("s", Some(ring("a"))));
    check(&a, &a, true).await;
    check(&a, &b, true).await;
    check(&a, &server("s", Some(ring("b"))), false).await;
    let rotated = ring("b").accept(StateKey::new("a".repeat(32)).unwrap());
    check(&a, &server("s", Some(rotated)), true).await;
    // Without keys each has its own.
    let (c, d) = (server("s", None), server("s", None));
    check(&c, &c, true).await;
    check(&c, &d, false).await;
}

#[tokio::test]
async fn r30_a_policy_without_keys_leaves_those_that_were_set() {
    let of = |server: Server| server.input(InputPolicy::default().with_rounds(3));
    let (a, b) = (server("s", Some(ring("a"))), server("s", Some(ring("a"))));
    check(&of(a), &of(b), true).await;
    let with = InputPolicy::default().with_keys(ring("b"));
    let replaced = server("s", Some(ring("a"))).input(with);
    check(&server("s", Some(ring("b"))), &replaced, true).await;
    check(&server("s", Some(ring("a"))), &replaced, false).await;
}

#[tokio::test]
async fn another_server_refuses_though_it_has_the_ring() {
    let (a, b) = (server("s", Some(ring("a"))), server("t", Some(ring("a"))));
    check(&a, &b, false).await;
}

#[tokio::test]
async fn a_state_expires() {
    let clock = ManualClock::new();
    let server = server("s", None).clock(Arc::new(clock.clone()));
    let retry = retry(&server).await;
    let client = Asker::modern(&server, ALL, yes);
    clock.advance(Duration::from_secs(599));
    client.round("tools/call", &retry).await.unwrap();
    clock.advance(Duration::from_secs(1));
    client.round("tools/call", &retry).await.unwrap_err();
}

/// Calls on behalf of whoever the argument `as` names.
fn as_named(inner: Arc<dyn Service>) -> Arc<dyn Service> {
    Arc::new(move |mut call: Call| -> BoxFuture<Answer> {
        if let Some(principal) = call.meta.decode::<String>("test/as") {
            call.ext.insert(Principal(principal.into()));
        }
        inner.call(call)
    })
}

#[tokio::test]
async fn another_principal_is_refused() {
    let server = server("s", None).layer(as_named);
    let name = |name: &str| {
        let mut client = Asker::modern(&server, ALL, yes);
        client.peer = client.peer.with_meta("test/as", &json!(name));
        client
    };
    let (ann, bob) = (name("ann"), name("bob"));
    let params = json!({"name": "confirm", "arguments": {}});
    let asked = ann.round("tools/call", &params).await.unwrap();
    let mut retry = params;
    retry["requestState"] = asked["requestState"].clone();
    retry["inputResponses"] = json!({"go": yes("")});
    ann.round("tools/call", &retry).await.unwrap();
    bob.round("tools/call", &retry).await.unwrap_err();
    let nobody = Asker::modern(&server, ALL, yes);
    nobody.round("tools/call", &retry).await.unwrap_err();
}

#[tokio::test]
async fn a_state_that_no_question_needs_is_judged_all_the_same() {
    let server = Server::new("s", "1").tool(Tool::new("plain", async || "plain"));
    let client = Asker::modern(&server, ALL, yes);
    let params = json!({"name": "plain", "requestState": "forged"});
    assert_eq!(
        client
            .round("tools/call", &params)
            .await
            .unwrap_err()
            .code
            .0,
        -32602
    );
    let params = json!({"name": "plain", "requestState": null});
    client.round("tools/call", &params).await.unwrap();
    // A legacy client's members of that name mean nothing.
    let legacy = Asker::legacy(&server, ALL, yes).await;
    let params = json!({"name": "plain", "requestState": "forged", "inputResponses": 7});
    legacy.round("tools/call", &params).await.unwrap();
}

#[tokio::test]
async fn what_is_too_large_to_travel_fails_the_call() {
    async fn large(cx: Context) -> Result<String, ToolError> {
        let big = || async { Ok::<_, ToolError>("x".repeat(20_000)) };
        let big: String = cx.step("big", big).await?;
        let go = cx.confirm("go", "Go?").await?;
        Ok(format!("{go} {}", big.len()))
    }
    let server = Server::new("s", "1").tool(Tool::new("large", large));
    let [modern, legacy] = Asker::both(&server, yes).await;
    assert_eq!(modern.error("large").await.code.0, -32603);
    assert_eq!(legacy.text("large").await, "true 20000");
}

#[test]
fn keys_are_shown_to_nobody() {
    let secret = "0123456789abcdef0123456789abcdef";
    let shown = format!("{:?}", KeyRing::new(StateKey::new(secret).unwrap()));
    assert!(!shown.contains("0123"), "{shown}");
    let weak = StateKey::new("0123").unwrap_err();
    assert_eq!(
        weak.to_string(),
        "a secret of 4 bytes is too short; take at least 32 random ones"
    );
}
