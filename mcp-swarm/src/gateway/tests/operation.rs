//! Handing over and back without a client's call.

use serde_json::json;

use super::world::World;
use crate::proto::handoff::{Principal, SessionKey};
use crate::{SwarmCode, handoff};

#[tokio::test]
async fn a_host_hands_over_and_back_itself() {
    let world = World::new();
    let (key, me) = (SessionKey::legacy(0), Principal::named("host"));
    let request = handoff("finance").carry(&json!({"k": 1}));
    let activated = world
        .gateway
        .activate_handoff(key.clone(), me.clone(), &request)
        .await
        .unwrap();
    assert_eq!(activated.domain.as_str(), "finance");
    assert_eq!(activated.tools[0].name, "status");
    assert!(world.gateway.has_active_handoff(&key));
    assert!(!world.gateway.is_connecting(&key));
    let foreign = world
        .gateway
        .activate_handoff(key.clone(), Principal::anonymous(), &handoff("support"))
        .await;
    assert_eq!(foreign.unwrap_err().code(), SwarmCode::Unknown);
    let foreign = world
        .gateway
        .return_to_gateway(key.clone(), Principal::anonymous());
    assert_eq!(foreign.unwrap_err().code(), SwarmCode::Unknown);
    let back = world
        .gateway
        .return_to_gateway(key.clone(), me.clone())
        .unwrap();
    assert_eq!(back.as_str(), "finance");
    let again = world.gateway.return_to_gateway(key.clone(), me);
    assert_eq!(again.unwrap_err().code(), SwarmCode::Expired);
    assert!(!world.gateway.has_active_handoff(&key));
}

#[tokio::test]
async fn operations_see_what_clients_do() {
    let world = World::new();
    let client = world.legacy().await;
    world
        .call(&client, "route", json!({"target": "finance"}))
        .await;
    let somebody_else = SessionKey::legacy(0);
    assert!(!world.gateway.has_active_handoff(&somebody_else));
    assert_eq!(
        (
            world.gateway.session_count(),
            world.gateway.connecting_count()
        ),
        (1, 0)
    );
    world.gateway.dispose().await;
    assert_eq!(world.gateway.session_count(), 0);
    assert_eq!(world.list(&client).await, ["route", "help", "both"]);
}
