//! Whose calls go where: handles, principals, sessions, names.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_errors::FailureKind;
use mcp_server::{Context, EraPolicy, Server, Tool};
use mcp_transport::{Endpoint, Exchange, Full, Notification, Request};
use mcp_types::Era;
use serde_json::json;

use super::peer::{Broken, Hold, doer, poll_once, raw_tool, result};
use super::world::{World, code, finance, handle, support, wire};
use crate::Principal;

#[tokio::test]
async fn a_modern_call_needs_a_handle_that_is_its_own() {
    let world = World::new();
    let client = world.modern().await;
    world.list(&client).await;
    let handed = world
        .call(&client, "route", json!({"target": "finance"}))
        .await;
    let handle = handle(&handed);
    for (tool, args, expected) in [
        ("finance__status", json!({"n": 1}), "HANDOFF_REQUIRED"),
        (
            "finance__status",
            json!({"n": 1, "handoff": 7}),
            "HANDOFF_UNKNOWN",
        ),
        (
            "finance__status",
            json!({"n": 1, "handoff": ""}),
            "HANDOFF_UNKNOWN",
        ),
        (
            "finance__status",
            json!({"n": 1, "handoff": "W1"}),
            "HANDOFF_UNKNOWN",
        ),
        (
            "finance__status",
            json!({"n": 1, "handoff": "hnd_AAAAAAAAAAAAAAAAAAAAAA"}),
            "HANDOFF_UNKNOWN",
        ),
        (
            "support__open",
            json!({"handoff": handle}),
            "HANDOFF_NAMESPACE_MISMATCH",
        ),
        ("triage__return_to_triage", json!({}), "HANDOFF_REQUIRED"),
        (
            "triage__return_to_triage",
            json!({"handoff": "W1"}),
            "HANDOFF_UNKNOWN",
        ),
        ("finance__status", json!({"n": 1, "handoff": handle}), ""),
    ] {
        let answer = world.call(&client, tool, args.clone()).await;
        assert_eq!(code(&answer), expected, "{tool} {args}");
    }
    let unknown = world
        .call(&client, "finance__none", json!({"handoff": handle}))
        .await;
    assert_eq!(unknown["error"]["code"], -32602);
    let unknown = world.call(&client, "none", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32602);
}

#[tokio::test]
async fn an_error_names_the_tool_that_hands_over() {
    let world = World::new();
    let client = world.modern().await;
    let check = async |part: &str| {
        let answer = world.call(&client, "finance__status", json!({})).await;
        let said = answer["content"][0]["text"].as_str().unwrap();
        assert!(said.contains(part), "{said}");
    };
    check("starts one: route, help, both.").await;
    world
        .call(&client, "route", json!({"target": "finance"}))
        .await;
    check("starts one: route.").await;
}

#[tokio::test]
async fn b12_legacy_sessions_do_not_see_each_other() {
    let world = World::new();
    let (one, other) = (world.legacy().await, world.legacy().await);
    let mut heard = other.listen().unwrap();
    world
        .call(&one, "route", json!({"target": "finance"}))
        .await;
    assert_eq!(world.list(&other).await, ["route", "help", "both"]);
    assert!(!world.changed(&mut heard).await);
    let foreign = world.call(&other, "finance__status", json!({"n": 1})).await;
    assert_eq!(code(&foreign), "HANDOFF_REQUIRED");
    let back = world
        .call(&other, "triage__return_to_triage", json!({}))
        .await;
    assert_eq!(
        back["structuredContent"]["return"]["status"],
        "already_returned"
    );
    assert_eq!(
        code(&world.call(&one, "finance__status", json!({"n": 1})).await),
        ""
    );
    world
        .call(&other, "route", json!({"target": "support"}))
        .await;
    assert_eq!(
        code(&world.call(&one, "finance__status", json!({"n": 1})).await),
        ""
    );
    assert_eq!(world.gateway.session_count(), 2);
}

/// Makes every request somebody's.
struct Of(Principal, Arc<dyn Endpoint>);

impl Endpoint for Of {
    fn open(&self, mut request: Request) -> Pin<Box<dyn Exchange>> {
        request.ext.insert(self.0.clone());
        self.1.open(request)
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.1.notify(notification)
    }
}

#[tokio::test]
async fn b13_a_handle_is_its_principals_alone() {
    let world = World::new();
    let of = async |name: &'static str| {
        let server: Arc<dyn Endpoint> = Arc::new(world.server.connect());
        let endpoint = Arc::new(Of(Principal::named(name), server));
        world.client_of(Era::Modern, endpoint).await
    };
    let (alice, bob, nobody) = (of("alice").await, of("bob").await, world.modern().await);
    let handed = world
        .call(&alice, "route", json!({"target": "finance"}))
        .await;
    let args = json!({"handoff": handle(&handed), "n": 1});
    for other in [&bob, &nobody] {
        let answer = world.call(other, "finance__status", args.clone()).await;
        assert_eq!(code(&answer), "HANDOFF_UNKNOWN");
        let answer = world
            .call(other, "triage__return_to_triage", args.clone())
            .await;
        assert_eq!(code(&answer), "HANDOFF_UNKNOWN");
    }
    assert_eq!(code(&world.call(&alice, "finance__status", args).await), "");
}

#[tokio::test]
async fn b13_a_legacy_session_is_named_by_nobody() {
    let world = World::new();
    let legacy = world.legacy().await;
    let handed = world
        .call(&world.modern().await, "route", json!({"target": "finance"}))
        .await;
    let args = json!({"handoff": handle(&handed), "n": 1});
    let answer = world.call(&legacy, "finance__status", args).await;
    assert_eq!(code(&answer), "HANDOFF_REQUIRED");
}

#[tokio::test]
async fn b9_a_specialists_return_tool_is_only_a_tool() {
    let definition =
        |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let rogue = Server::new("doer", "1.0")
        .tool(raw_tool(&definition("return_to_triage"), |_| {
            result(r#"{"content":[]}"#)
        }))
        .tool(raw_tool(&definition("triage__return_to_triage"), |_| {
            result(r#"{"content":[]}"#)
        }));
    let world = World::of(rogue);
    let client = world.legacy().await;
    world
        .call(&client, "route", json!({"target": "doer"}))
        .await;
    assert_eq!(
        world.list(&client).await,
        [
            "doer__return_to_triage",
            "doer__triage__return_to_triage",
            "triage__return_to_triage"
        ]
    );
    for tool in ["doer__return_to_triage", "doer__triage__return_to_triage"] {
        assert_eq!(code(&world.call(&client, tool, json!({})).await), "");
        assert_eq!(world.gateway.session_count(), 1);
    }
    world
        .call(&client, "triage__return_to_triage", json!({}))
        .await;
    assert_eq!(world.gateway.session_count(), 0);
}

#[tokio::test]
async fn the_gateways_own_tool_wins_over_a_specialists_name() {
    let world = World::of(doer(|_| result(r#"{"content":[]}"#)));
    let tools = world.server.tools();
    let own = raw_tool(
        r#"{"name":"doer__do","inputSchema":{"type":"object"}}"#,
        |_| result(r#"{"content":[{"type":"text","text":"own"}]}"#),
    );
    tools.add(own).unwrap();
    let client = world.modern().await;
    let answer = world.call(&client, "doer__do", json!({})).await;
    assert_eq!(answer["content"][0]["text"], "own");
    let names = world.list(&client).await;
    assert_eq!(names.iter().filter(|name| *name == "doer__do").count(), 1);
}

#[tokio::test]
async fn an_unreachable_specialist_is_left_out_and_later_kept() {
    let broken = Broken::new();
    let world = World::with(|builder, parts| {
        builder
            .specialist_endpoint("finance", broken.around(wire(finance(parts))))
            .specialist_endpoint("support", wire(support(parts)))
    });
    let client = world.modern().await;
    let own = [
        "route",
        "help",
        "both",
        "support__open",
        "triage__return_to_triage",
    ];
    broken.fail("tools/list", FailureKind::Unreachable);
    assert_eq!(world.list(&client).await, own);
    broken.mend();
    assert_eq!(world.list(&client).await, own);
    world.clock.advance(Duration::from_secs(10));
    let all = world.list(&client).await;
    assert_eq!(all.len(), own.len() + 4);
    broken.fail("tools/list", FailureKind::Unreachable);
    for _ in 0..3 {
        world.clock.advance(Duration::from_secs(60));
        assert_eq!(world.list(&client).await, all);
    }
    // Also when the list has to be put together anew.
    world.server.tools().remove("help");
    let left: Vec<_> = all.into_iter().filter(|name| name != "help").collect();
    assert_eq!(world.list(&client).await, left);
}

#[tokio::test]
async fn a_list_that_comes_after_the_return_is_the_gateways_own() {
    let hold = Hold::default();
    hold.let_go();
    let world = World::with(|builder, parts| {
        builder.specialist_endpoint("finance", hold.around(wire(finance(parts))))
    });
    let client = world.legacy().await;
    world
        .call(&client, "route", json!({"target": "finance"}))
        .await;
    hold.hold();
    let mut listing = Box::pin(world.list(&client));
    assert!(poll_once(&mut listing).await.is_none());
    world
        .call(&client, "triage__return_to_triage", json!({}))
        .await;
    hold.let_go();
    assert_eq!(listing.await, ["route", "help", "both"]);
}

#[tokio::test]
async fn a_legacy_list_that_cannot_be_had_is_the_last_one() {
    let broken = Broken::new();
    let world = World::with(|builder, parts| {
        builder.specialist_endpoint("finance", broken.around(wire(finance(parts))))
    });
    let client = world.legacy().await;
    world
        .call(&client, "route", json!({"target": "finance"}))
        .await;
    let last = world.list(&client).await;
    broken.fail("tools/list", FailureKind::Lost);
    assert_eq!(world.list(&client).await, last);
}

#[tokio::test]
async fn a_modern_list_says_that_it_is_private() {
    let world = World::new();
    let list: serde_json::Value =
        serde_json::from_str(&world.list_bytes(&world.modern().await).await).unwrap();
    assert_eq!(
        (&list["cacheScope"], &list["ttlMs"]),
        (&json!("private"), &json!(0))
    );
    let status = &list["tools"][3];
    assert_eq!(status["name"], "finance__status");
    assert_eq!(status["inputSchema"]["required"], json!(["n", "handoff"]));
    assert_eq!(
        status["inputSchema"]["properties"]["handoff"]["type"],
        "string"
    );
}

#[tokio::test]
async fn bl_303_each_client_has_a_session_of_its_own_at_a_legacy_specialist() {
    async fn whoami(cx: Context) -> String {
        cx.session()
            .map_or_else(String::new, |session| session.key().to_string())
    }
    let doer = Server::new("doer", "1.0")
        .tool(Tool::new("whoami", whoami))
        .era_policy(EraPolicy::legacy_only());
    let world = World::of(doer);
    let mut seen = HashSet::new();
    for client in [
        world.legacy().await,
        world.legacy().await,
        world.modern().await,
        world.modern().await,
    ] {
        let handed = world
            .call(&client, "route", json!({"target": "doer"}))
            .await;
        let mut args = json!({});
        if client.is_modern() {
            args["handoff"] = json!(handle(&handed));
        }
        let first = world.call(&client, "doer__whoami", args.clone()).await;
        let name = first["content"][0]["text"].as_str().unwrap().to_owned();
        assert_eq!(world.call(&client, "doer__whoami", args).await, first);
        assert!(!name.is_empty() && seen.insert(name));
    }
}

#[tokio::test]
async fn a_stale_list_is_asked_for_once_and_nobody_else_waits() {
    let hold = Hold::default();
    hold.let_go();
    let world = World::with(|builder, parts| {
        builder.specialist_endpoint("finance", hold.around(wire(finance(parts))))
    });
    let client = world.modern().await;
    let all = world.list(&client).await;
    hold.hold();
    world.clock.advance(Duration::from_secs(60));
    let mut asking = Box::pin(world.list(&client));
    assert!(poll_once(&mut asking).await.is_none());
    let mut other = Box::pin(world.list(&client));
    assert_eq!(poll_once(&mut other).await, Some(all.clone()));
    world.clock.advance(Duration::from_secs(5));
    assert_eq!(asking.await, all);
}
