//! What ends without a call: only where there is a runtime to watch it.

use std::time::Duration;

use serde_json::json;

use super::world::World;

/// Lets the watching task do what it has to.
async fn settle() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn b3_an_idle_legacy_client_hears_of_it_though_nobody_calls() {
    let world = World::new();
    let client = world.legacy().await;
    let mut heard = client.listen().unwrap();
    world
        .call(&client, "route", json!({"target": "finance"}))
        .await;
    assert!(world.changed(&mut heard).await);
    settle().await;
    world.clock.advance(Duration::from_secs(299));
    settle().await;
    assert!(!world.changed(&mut heard).await);
    world.clock.advance(Duration::from_secs(1));
    settle().await;
    assert!(world.changed(&mut heard).await);
    assert!(!world.changed(&mut heard).await);
}

#[tokio::test]
async fn the_watch_ends_with_the_gateway() {
    let world = World::new();
    let client = world.legacy().await;
    world
        .call(&client, "route", json!({"target": "finance"}))
        .await;
    settle().await;
    assert!(world.clock.next_deadline().is_some());
    let clock = world.clock.clone();
    drop((world, client));
    settle().await;
    assert_eq!(clock.next_deadline(), None);
}
