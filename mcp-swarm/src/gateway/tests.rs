//! The gateway end to end, in memory: both eras, and the lifecycle bugs of its predecessor.

mod world;

use serde_json::json;

use self::world::{World, code};

#[tokio::test]
async fn a_modern_conversation_goes_and_comes_back() {
    let world = World::new();
    let client = world.modern().await;
    let before = world.list(&client).await;
    assert_eq!(
        before,
        [
            "route",
            "help",
            "finance__status",
            "finance__slow",
            "support__open",
            "triage__return_to_triage"
        ]
    );
    let bytes = world.list_bytes(&client).await;
    let handed = world
        .call(
            &client,
            "route",
            json!({"target": "mcp://finance-agent", "carry": {"invoice": 42}}),
        )
        .await;
    let handle = handed["structuredContent"]["handoff"]["handle"].clone();
    let status = world
        .call(
            &client,
            "finance__status",
            json!({"handoff": handle, "n": 7}),
        )
        .await;
    assert_eq!(
        status["structuredContent"],
        json!({"n": 7, "carried": {"invoice": 42}})
    );
    assert_eq!(world.list_bytes(&client).await, bytes);
    let back = world
        .call(
            &client,
            "triage__return_to_triage",
            json!({"handoff": handle, "summary": "Paid."}),
        )
        .await;
    assert_eq!(
        back["structuredContent"]["return"],
        json!({"from": "finance", "to": "triage", "summary": "Paid.", "status": "returned"})
    );
    let after = world
        .call(
            &client,
            "finance__status",
            json!({"handoff": handle, "n": 7}),
        )
        .await;
    assert_eq!(code(&after), "HANDOFF_EXPIRED");
    assert_eq!(world.list_bytes(&client).await, bytes);
    assert_eq!(world.gateway.session_count(), 0);
}

#[tokio::test]
async fn a_legacy_conversation_goes_and_comes_back() {
    let world = World::new();
    let client = world.legacy().await;
    let mut heard = client.listen().unwrap();
    let own = ["route", "help"];
    assert_eq!(world.list(&client).await, own);
    let handed = world
        .call(
            &client,
            "route",
            json!({"target": "finance", "carry": {"invoice": 42}}),
        )
        .await;
    assert_eq!(handed["structuredContent"]["handoff"]["domain"], "finance");
    assert!(
        handed["structuredContent"]["handoff"]
            .get("handle")
            .is_none()
    );
    assert!(world.changed(&mut heard).await);
    assert_eq!(
        world.list(&client).await,
        [
            "finance__status",
            "finance__slow",
            "triage__return_to_triage"
        ]
    );
    let status = world
        .call(&client, "finance__status", json!({"n": 7}))
        .await;
    assert_eq!(
        status["structuredContent"],
        json!({"n": 7, "carried": {"invoice": 42}})
    );
    assert_eq!(
        code(&world.call(&client, "help", json!({})).await),
        "HANDOFF_NAMESPACE_MISMATCH"
    );
    let back = world
        .call(
            &client,
            "triage__return_to_triage",
            json!({"summary": "Paid."}),
        )
        .await;
    assert_eq!(back["structuredContent"]["return"]["status"], "returned");
    assert!(world.changed(&mut heard).await);
    assert_eq!(world.list(&client).await, own);
    let after = world
        .call(&client, "finance__status", json!({"n": 7}))
        .await;
    assert_eq!(code(&after), "HANDOFF_EXPIRED");
    let again = world
        .call(&client, "triage__return_to_triage", json!({}))
        .await;
    assert_eq!(
        again["structuredContent"]["return"]["status"],
        "already_returned"
    );
    assert!(!world.changed(&mut heard).await);
}
