//! Beginnings and ends of handoffs: races, timeouts, caps, clients that go away.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mcp_errors::FailureKind;
use serde_json::{Value, json};

use super::peer::{Broken, Hold, poll_once};
use super::world::{World, code, finance, handle, support, wire};

const FINANCE: &str = "finance";

/// A world whose finance is held back.
fn held() -> (World, Hold) {
    let hold = Hold::default();
    let world = World::with(|builder, parts| {
        builder
            .specialist_endpoint("finance", hold.around(wire(finance(parts))))
            .specialist_endpoint("support", wire(support(parts)))
            .max_sessions(2)
    });
    (world, hold)
}

fn to(target: &str) -> Value {
    json!({"target": target})
}

#[tokio::test]
async fn b1_the_newest_handoff_of_a_session_wins() {
    let (world, hold) = held();
    let client = world.legacy().await;
    let mut slow = Box::pin(world.call(&client, "route", to(FINANCE)));
    // Two calls of one turn: both are at the gateway's own tool when the first one hands over.
    let mut fast = Box::pin(world.call(&client, "both", to("support")));
    assert!(poll_once(&mut fast).await.is_none());
    assert!(poll_once(&mut slow).await.is_none());
    world.second.let_go();
    assert_eq!(code(&fast.await), "");
    hold.let_go();
    assert_eq!(code(&slow.await), "HANDOFF_SUPERSEDED");
    assert_eq!(world.gateway.session_count(), 1);
    let names = world.list(&client).await;
    assert_eq!(names, ["support__open", "triage__return_to_triage"]);
}

#[tokio::test]
async fn b2_a_disposed_gateway_stays_closed() {
    let (world, hold) = held();
    let client = world.modern().await;
    let mut handing = Box::pin(world.call(&client, "route", to(FINANCE)));
    assert!(poll_once(&mut handing).await.is_none());
    assert_eq!(world.gateway.connecting_count(), 1);
    world.gateway.dispose().await;
    hold.let_go();
    assert_eq!(code(&handing.await), "GATEWAY_CLOSED");
    assert_eq!(world.gateway.session_count(), 0);
    let late = world.call(&client, "route", to("support")).await;
    assert_eq!(code(&late), "GATEWAY_CLOSED");
    assert_eq!(world.gateway.session_count(), 0);
}

#[tokio::test]
async fn b3_an_idle_handoff_frees_its_place() {
    let world = World::new();
    let client = world.modern().await;
    let handle = handle(&world.call(&client, "route", to(FINANCE)).await);
    world.clock.advance(Duration::from_secs(299));
    let used = json!({"handoff": handle, "n": 1});
    assert_eq!(
        code(&world.call(&client, "finance__status", used.clone()).await),
        ""
    );
    world.clock.advance(Duration::from_secs(299));
    assert_eq!(world.gateway.session_count(), 1);
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.gateway.session_count(), 0);
    let late = world.call(&client, "finance__status", used).await;
    assert_eq!(code(&late), "HANDOFF_EXPIRED");
    assert!(
        text(&late).contains("The gateway's tool that starts one: route"),
        "{late}"
    );
}

#[tokio::test]
async fn b3_a_legacy_client_hears_of_it() {
    let world = World::new();
    let client = world.legacy().await;
    let mut heard = client.listen().unwrap();
    world.call(&client, "route", to(FINANCE)).await;
    assert!(world.changed(&mut heard).await);
    world.clock.advance(Duration::from_secs(300));
    assert_eq!(world.list(&client).await, ["route", "help", "both"]);
    assert!(world.changed(&mut heard).await);
}

#[tokio::test]
async fn b3_a_call_in_flight_is_no_idleness() {
    let world = World::new();
    let client = world.modern().await;
    let handle = handle(&world.call(&client, "route", to(FINANCE)).await);
    let mut working = Box::pin(world.call(&client, "finance__slow", json!({"handoff": handle})));
    assert!(poll_once(&mut working).await.is_none());
    world.clock.advance(Duration::from_secs(59));
    assert_eq!(world.gateway.session_count(), 1);
    drop(working);
    world.clock.advance(Duration::from_secs(299));
    assert_eq!(world.gateway.session_count(), 1);
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.gateway.session_count(), 0);
}

#[tokio::test]
async fn b4_a_client_that_goes_frees_its_place() {
    let world = World::new();
    let client = world.legacy().await;
    world.call(&client, "route", to(FINANCE)).await;
    assert_eq!(world.gateway.session_count(), 1);
    drop(client);
    assert_eq!(world.gateway.session_count(), 0);
}

#[tokio::test]
async fn b4_also_while_connecting() {
    let (world, hold) = held();
    let client = world.legacy().await;
    let mut handing = Box::pin(world.call(&client, "route", to(FINANCE)));
    assert!(poll_once(&mut handing).await.is_none());
    assert_eq!(world.gateway.session_count(), 1);
    drop(handing);
    assert_eq!(world.gateway.session_count(), 0);
    hold.let_go();
    assert_eq!(world.gateway.session_count(), 0);
    assert_eq!(world.list(&client).await, ["route", "help", "both"]);
}

#[tokio::test]
async fn b14_a_failed_handoff_says_so() {
    let broken = Broken::new();
    let world = World::with(|builder, parts| {
        builder.specialist_endpoint("finance", broken.around(wire(finance(parts))))
    });
    for client in [world.modern().await, world.legacy().await] {
        let check = |result: &Value, expected: &str| {
            assert_eq!(code(result), expected, "{result}");
            let said = result.to_string();
            assert!(
                !said.contains("10.0.0.1") && !said.contains("secret"),
                "{said}"
            );
        };
        check(
            &world.call(&client, "route", to("nobody")).await,
            "REGISTRY_LOOKUP_FAILED",
        );
        check(
            &world.call(&client, "route", to("")).await,
            "HANDOFF_INVALID",
        );
        let list = json!({"target": FINANCE, "carry": [1]});
        check(&world.call(&client, "route", list).await, "HANDOFF_INVALID");
        for method in ["server/discover", "tools/list"] {
            let before = broken.connections.load(Ordering::Relaxed);
            broken.fail(method, FailureKind::Unreachable);
            check(
                &world.call(&client, "route", to(FINANCE)).await,
                "HANDOFF_UPSTREAM_UNAVAILABLE",
            );
            assert_eq!(broken.connections.load(Ordering::Relaxed), before + 1);
        }
        broken.mend();
        assert_eq!(world.gateway.session_count(), 0);
        assert_eq!(code(&world.call(&client, "help", json!({})).await), "");
    }
}

#[tokio::test]
async fn a_specialist_that_does_not_answer_is_given_up_in_time() {
    let (world, _hold) = held();
    for client in [world.modern().await, world.legacy().await] {
        let mut handing = Box::pin(world.call(&client, "route", to(FINANCE)));
        assert!(poll_once(&mut handing).await.is_none());
        world.clock.advance(Duration::from_millis(4999));
        assert!(poll_once(&mut handing).await.is_none());
        world.clock.advance(Duration::from_millis(1));
        let failed = poll_once(&mut handing).await.expect("in time");
        assert_eq!(code(&failed), "UPSTREAM_CONNECT_TIMEOUT");
        assert_eq!(failed["structuredContent"]["retryAfter"], 30);
        assert_eq!(world.gateway.session_count(), 0);
        assert_eq!(code(&world.call(&client, "help", json!({})).await), "");
    }
}

#[tokio::test]
async fn b15_a_failed_handoff_leaves_the_one_there_is() {
    let (world, _hold) = held();
    let client = world.legacy().await;
    let mut heard = client.listen().unwrap();
    // All three are at the gateway's own tool before the first one has handed over.
    let mut good = Box::pin(world.call(&client, "route", to("support")));
    let mut bad = Box::pin(world.call(&client, "both", to("nobody")));
    let mut dead = Box::pin(world.call(&client, "both", to(FINANCE)));
    assert!(poll_once(&mut bad).await.is_none());
    assert!(poll_once(&mut dead).await.is_none());
    assert_eq!(code(&poll_once(&mut good).await.unwrap()), "");
    assert!(world.changed(&mut heard).await);
    world.second.let_go();
    assert_eq!(code(&bad.await), "REGISTRY_LOOKUP_FAILED");
    assert!(poll_once(&mut dead).await.is_none());
    let open = || world.call(&client, "support__open", json!({}));
    assert_eq!(code(&open().await), "");
    world.clock.advance(Duration::from_secs(5));
    assert_eq!(code(&dead.await), "UPSTREAM_CONNECT_TIMEOUT");
    assert_eq!(code(&open().await), "");
    assert!(!world.changed(&mut heard).await);
}

#[tokio::test]
async fn while_connecting_nothing_runs_in_the_specialists_place() {
    let (world, hold) = held();
    let client = world.legacy().await;
    let mut handing = Box::pin(world.call(&client, "route", to(FINANCE)));
    assert!(poll_once(&mut handing).await.is_none());
    for tool in ["finance__status", "help", "route"] {
        let early = world
            .call(&client, tool, json!({"n": 1, "target": FINANCE}))
            .await;
        assert_eq!(code(&early), "HANDOFF_CONNECTING", "{tool}");
        assert_eq!(early["structuredContent"]["retryAfter"], 2);
    }
    hold.let_go();
    assert_eq!(code(&handing.await), "");
    assert_eq!(
        code(
            &world
                .call(&client, "finance__status", json!({"n": 1}))
                .await
        ),
        ""
    );
}

#[tokio::test]
async fn a_return_while_connecting_ends_it() {
    let (world, hold) = held();
    let client = world.legacy().await;
    let mut handing = Box::pin(world.call(&client, "route", to(FINANCE)));
    assert!(poll_once(&mut handing).await.is_none());
    let back = world
        .call(&client, "triage__return_to_triage", json!({}))
        .await;
    assert_eq!(back["structuredContent"]["return"]["from"], "finance");
    hold.let_go();
    assert_eq!(code(&handing.await), "HANDOFF_EXPIRED");
    assert_eq!(world.gateway.session_count(), 0);
}

#[tokio::test]
async fn there_are_as_many_handoffs_as_allowed() {
    let (world, hold) = held();
    let client = world.modern().await;
    let first = handle(&world.call(&client, "route", to("support")).await);
    let mut second = Box::pin(world.call(&client, "route", to(FINANCE)));
    assert!(poll_once(&mut second).await.is_none());
    let third = world.call(&client, "route", to("support")).await;
    assert_eq!(code(&third), "SESSION_LIMIT_EXCEEDED");
    let back = json!({"handoff": first});
    world.call(&client, "triage__return_to_triage", back).await;
    assert_eq!(code(&world.call(&client, "route", to("support")).await), "");
    hold.let_go();
    assert_eq!(code(&second.await), "");
    assert_eq!(world.gateway.session_count(), 2);
}

#[tokio::test]
async fn what_comes_after_the_return_is_not_given() {
    let world = World::new();
    let client = world.modern().await;
    let handle = handle(&world.call(&client, "route", to(FINANCE)).await);
    let mut working = Box::pin(world.call(&client, "finance__gated", json!({"handoff": handle})));
    assert!(poll_once(&mut working).await.is_none());
    world
        .call(
            &client,
            "triage__return_to_triage",
            json!({"handoff": handle}),
        )
        .await;
    world.gate.let_go();
    assert_eq!(code(&working.await), "HANDOFF_EXPIRED");
}

#[tokio::test]
async fn a_gateway_that_is_gone_leaves_nothing() {
    let world = World::new();
    let client = world.legacy().await;
    world.call(&client, "route", to(FINANCE)).await;
    let shared = Arc::downgrade(&world.gateway.0);
    drop((world, client));
    // A timer task holds it only while it looks.
    tokio::task::yield_now().await;
    assert!(shared.upgrade().is_none());
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}
