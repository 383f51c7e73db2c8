//! Every request to a specialist has a token of its own, with what the handoff carries.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use mcp_client::CallTool;
use mcp_server::{Call, Server};
use mcp_types::RawJson;
use serde_json::{Value, json};

use super::peer::raw_tool;
use super::world::{World, code, finance, handle, secret, support, wire};
use crate::proto::forward::DELEGATION_KEY;
use crate::proto::token::{Verified, VerifyPolicy, verify};
use crate::store::{HandoffStateStore, StoreError};
use crate::{KeyRing, Secret, require_gateway_clearance};

/// A specialist that tells which requests came with which token.
#[derive(Clone, Default)]
struct Witness(Arc<Mutex<Vec<(String, String)>>>);

impl Witness {
    fn server(&self) -> Server {
        let definition = r#"{"name":"do","inputSchema":{"type":"object"}}"#;
        let tool = raw_tool(definition, |_| super::peer::result(r#"{"content":[]}"#));
        let seen = self.0.clone();
        let watch = move |inner: Arc<dyn mcp_server::Service>| -> Arc<dyn mcp_server::Service> {
            let seen = seen.clone();
            Arc::new(
                move |call: Call| -> mcp_server::BoxFuture<mcp_server::Answer> {
                    let token = call.meta.as_object().decode::<String>(DELEGATION_KEY);
                    let method = call.method.as_str().to_owned();
                    seen.lock()
                        .unwrap()
                        .push((method, token.unwrap_or_default()));
                    inner.call(call)
                },
            )
        };
        Server::new("doer", "1.0").tool(tool).layer(watch)
    }

    fn take(&self) -> Vec<(String, String)> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn claims(token: &str, now: u64) -> Value {
    let keys = KeyRing::new(secret());
    let policy = VerifyPolicy::new("doer")
        .with_audience("doer")
        .with_issuers(["triage"]);
    let Verified::Complete(claims) = verify(token, &keys, &policy, now).unwrap() else {
        panic!("state is in the store");
    };
    let state = claims
        .state
        .map(|state| RawJson::from(state).decode::<Value>().unwrap());
    json!({"tid": claims.tid, "state": state, "trace": claims.traceparent, "lives": claims.expires_at - claims.issued_at})
}

#[tokio::test]
async fn b5_a_handoff_outlives_its_first_token() {
    let world = World::new();
    for client in [world.modern().await, world.legacy().await] {
        let carry = json!({"target": "finance", "carry": {"k": 1}});
        let handed = world.call(&client, "route", carry).await;
        let mut args = json!({"n": 1});
        if client.is_modern() {
            args["handoff"] = json!(handle(&handed));
        }
        for _ in 0..5 {
            world.clock.advance(Duration::from_secs(66));
            let answer = world.call(&client, "finance__status", args.clone()).await;
            assert_eq!(
                answer["structuredContent"]["carried"],
                json!({"k": 1}),
                "{answer}"
            );
        }
    }
}

#[tokio::test]
async fn b6_large_state_is_there_in_every_call() {
    let world = World::new();
    for client in [world.modern().await, world.legacy().await] {
        let large = "y".repeat(10_000);
        let carry = json!({"target": "finance", "carry": {"large": large}});
        let handed = world.call(&client, "route", carry).await;
        let mut args = json!({"n": 1});
        if client.is_modern() {
            args["handoff"] = json!(handle(&handed));
        }
        for _ in 0..3 {
            world.clock.advance(Duration::from_secs(100));
            let answer = world.call(&client, "finance__status", args.clone()).await;
            assert_eq!(
                answer["structuredContent"]["carried"]["large"], large,
                "{answer}"
            );
        }
    }
}

#[tokio::test]
async fn each_request_has_its_own_token_and_place_in_the_trace() {
    let witness = Witness::default();
    let world = World::of(witness.server());
    let client = world.modern().await;
    let now = 1_785_196_800;
    world.list(&client).await;
    let handed = world
        .call(
            &client,
            "route",
            json!({"target": "doer", "carry": {"k": 1}}),
        )
        .await;
    let listings = witness.take();
    let methods: Vec<_> = listings.iter().map(|(method, _)| method.as_str()).collect();
    assert_eq!(methods, ["tools/list", "tools/list"]);
    for (_, token) in &listings {
        assert_eq!(claims(token, now)["state"], Value::Null);
    }
    let traced = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let mut seen = Vec::new();
    for parent in [
        traced,
        traced,
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
    ] {
        let call = CallTool::new("doer__do", json!({"handoff": handle(&handed)}));
        let call = client.request(call).meta("traceparent", parent);
        call.send_raw().await.unwrap();
        let (method, token) = witness.take().pop().unwrap();
        assert_eq!(method, "tools/call");
        seen.push(claims(&token, now));
    }
    let trace = |at: usize| seen[at]["trace"].as_str().unwrap();
    for claims in &seen {
        assert_eq!(
            (&claims["state"], &claims["lives"]),
            (&json!({"k": 1}), &json!(60))
        );
    }
    assert_ne!(seen[0]["tid"], seen[1]["tid"]);
    assert_ne!(trace(0), trace(1));
    assert_eq!(trace(0)[..36], traced[..36]);
    assert_eq!(trace(1)[..36], traced[..36]);
    assert!(!trace(2).contains("0AF7651916CD") && !trace(2).contains("0af7651916cd"));
}

#[tokio::test]
async fn a_token_is_for_one_specialist() {
    let world = World::with(|builder, parts| {
        // Each takes itself for the other one.
        builder
            .specialist_endpoint("finance", wire(support(parts)))
            .specialist_endpoint("support", wire(finance(parts)))
    });
    for client in [world.modern().await, world.legacy().await] {
        let handed = world
            .call(&client, "route", json!({"target": "finance"}))
            .await;
        assert_eq!(code(&handed), "HANDOFF_UPSTREAM_PROTOCOL_ERROR");
    }
    assert_eq!(world.gateway.session_count(), 0);
}

#[tokio::test]
async fn a_specialist_with_another_secret_does_its_own_refusing() {
    let other = Secret::new("fedcba9876543210fedcba9876543210").unwrap();
    let world = World::with(|builder, parts| {
        let clearance = require_gateway_clearance("doer", other);
        let tool = raw_tool(r#"{"name":"do","inputSchema":{"type":"object"}}"#, |_| {
            super::peer::result(r#"{"content":[]}"#)
        });
        // Only the tool is guarded, so that listing is free.
        let tool = tool.layer(clearance.clock(Arc::new(parts.clock.clone())));
        let server = Server::new("doer", "1.0").tool(tool);
        builder.specialist_endpoint("doer", wire(server))
    });
    let client = world.legacy().await;
    world
        .call(&client, "route", json!({"target": "doer"}))
        .await;
    let answer = world.call(&client, "doer__do", json!({})).await;
    assert_eq!(code(&answer), "INVALID_SIGNATURE");
    assert_eq!(answer["structuredContent"]["service"], "doer");
    assert!(answer["structuredContent"].get("retryAfter").is_none());
}

/// A store of which nobody knows anything.
struct Down;

#[async_trait::async_trait]
impl HandoffStateStore for Down {
    async fn put(&self, _: &str, _: Bytes, _: Duration) -> Result<(), StoreError> {
        Err(StoreError::backend("10.0.0.1 refused"))
    }

    async fn take(&self, _: &str) -> Result<Option<Bytes>, StoreError> {
        Err(StoreError::backend("10.0.0.1 refused"))
    }
}

#[tokio::test]
async fn a_store_that_is_down_is_no_expired_handoff() {
    let world = World::with(|builder, parts| {
        builder
            .specialist_endpoint("finance", wire(finance(parts)))
            .state_store(Arc::new(Down))
    });
    let client = world.legacy().await;
    let carry = json!({"target": "finance", "carry": {"large": "y".repeat(3000)}});
    assert_eq!(code(&world.call(&client, "route", carry).await), "");
    let answer = world
        .call(&client, "finance__status", json!({"n": 1}))
        .await;
    assert_eq!(code(&answer), "HANDOFF_STATE_UNAVAILABLE");
    assert!(!answer.to_string().contains("10.0.0.1"));
}

#[tokio::test]
async fn state_that_the_specialist_could_not_take_is_refused_at_once() {
    let world = World::with(|builder, _| builder.specialist("far", "http://127.0.0.1:1"));
    let client = world.modern().await;
    let carry = |bytes: usize| json!({"target": "far", "carry": {"x": "y".repeat(bytes)}});
    let refused = world.call(&client, "route", carry(2041)).await;
    assert_eq!(code(&refused), "HANDOFF_STATE_NOT_SHARED");
    assert_eq!(world.gateway.session_count(), 0);
    let fits = world.call(&client, "route", carry(2040)).await;
    assert_eq!(code(&fits), "HANDOFF_UPSTREAM_UNAVAILABLE");
}
