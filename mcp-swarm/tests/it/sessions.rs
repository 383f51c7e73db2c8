//! A legacy client that goes takes its handoff with it; one that hands over twice has the later one.

use std::time::Duration;

use mcp_types::Era;
use serde_json::json;

use crate::{
    caller::{Caller, code},
    house::{House, serve},
};

#[tokio::test]
async fn a_client_that_goes_frees_its_slot() {
    let house = House::over_http(|builder| builder.max_sessions(1)).await;
    let triage = serve(house.triage).await;
    let mut first = Caller::at(&triage.url, Era::Legacy).await;
    assert_eq!(code(&first.route("finance").await), None);
    assert_eq!(house.gateway.session_count(), 1);
    // A DELETE; the handoff is over before it is answered.
    first.client.close().await;
    assert_eq!(house.gateway.session_count(), 0);
    let mut second = Caller::at(&triage.url, Era::Legacy).await;
    assert_eq!(code(&second.route("support").await), None);
}

#[tokio::test]
async fn an_idle_handoff_ends_though_nobody_calls_and_its_client_is_told() {
    let idle = Duration::from_millis(200);
    let house = House::over_http(|builder| builder.idle_timeout(idle)).await;
    let triage = serve(house.triage).await;
    let mut caller = Caller::at(&triage.url, Era::Legacy).await;
    caller.route("finance").await;
    caller.hears_of_change().await;
    // On a slow machine it may be over already; each listing makes it last.
    while caller.names().await != ["route"] {
        caller.hears_of_change().await;
    }
    assert_eq!(house.gateway.session_count(), 0);
    let late = caller
        .call("finance__status", json!({"invoice": "42"}))
        .await;
    assert_eq!(code(&late).as_deref(), Some("HANDOFF_EXPIRED"));
}

#[tokio::test]
async fn sessions_do_not_see_each_others_handoffs() {
    let house = House::over_http(|builder| builder).await;
    let triage = serve(house.triage).await;
    let mut one = Caller::at(&triage.url, Era::Legacy).await;
    let other = Caller::at(&triage.url, Era::Legacy).await;
    one.route("finance").await;
    assert_eq!(other.names().await, ["route"]);
    let foreign = other
        .call("finance__status", json!({"invoice": "42"}))
        .await;
    assert_eq!(code(&foreign).as_deref(), Some("HANDOFF_REQUIRED"));
    assert!(house.seen.states().is_empty());
}

#[tokio::test]
async fn a_handle_works_for_whoever_has_it_and_nobody_else() {
    let house = House::over_http(|builder| builder).await;
    let triage = serve(house.triage).await;
    let mut one = Caller::at(&triage.url, Era::Modern).await;
    let mut other = Caller::at(&triage.url, Era::Modern).await;
    one.route("finance").await;
    for (handle, expected) in [
        (None, Some("HANDOFF_REQUIRED")),
        (
            Some("hnd_AAAAAAAAAAAAAAAAAAAAAA".to_owned()),
            Some("HANDOFF_UNKNOWN"),
        ),
        (Some("finance".to_owned()), Some("HANDOFF_UNKNOWN")),
        (one.handle.clone(), None),
    ] {
        other.handle = handle;
        let result = other
            .call("finance__status", json!({"invoice": "42"}))
            .await;
        assert_eq!(code(&result).as_deref(), expected, "{:?}", other.handle);
    }
}
