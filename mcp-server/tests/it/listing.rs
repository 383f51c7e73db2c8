//! Pages, cursors, caching hints and who sees what, of all four lists.

use std::{sync::Arc, time::Duration};

use mcp_server::{
    Answer, BoxFuture, CacheHint, Call, Layer, List, Prompt, Resource, ResourceTemplate, Server,
    Service, Tool,
    input::{InputPolicy, KeyRing, StateKey},
};
use mcp_types::{Outcome, Payload, Revision};
use serde_json::{Value, json};

use crate::peer::Peer;

async fn echo() -> &'static str {
    "echo"
}

/// A server with so many of each kind, named `a`, `b`, ….
fn server_of(names: &[&str]) -> Server {
    names.iter().fold(Server::new("s", "1"), |server, name| {
        server
            .tool(Tool::new(*name, echo))
            .prompt(Prompt::new(*name, async || ""))
            .resource(Resource::text(format!("r:{name}"), "").name(*name))
            .resource_template(
                ResourceTemplate::new(format!("t:{name}/{{x}}"), async || "").name(*name),
            )
    })
}

const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tools"),
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
];

/// The names on a page, and the cursor of the next.
async fn page(peer: &Peer, list: (&str, &str), cursor: Option<&str>) -> (String, Option<String>) {
    let params = cursor.map_or_else(
        || "{}".into(),
        |cursor| json!({"cursor": cursor}).to_string(),
    );
    let result = peer.result(list.0, &params).await;
    let items = result[list.1].as_array().unwrap();
    let names = items
        .iter()
        .map(|item| item["name"].as_str().unwrap())
        .collect();
    (names, result["nextCursor"].as_str().map(str::to_owned))
}

#[tokio::test]
async fn r3_1_11_every_list_comes_in_pages_in_every_revision() {
    let server = server_of(&["a", "b", "c", "d", "e"]).page_size(2);
    for (revision, peer) in Peer::of_each_revision(&server).await {
        for list in LISTS {
            if (revision, list.0) == (Revision::V2024_10_07, "resources/templates/list") {
                continue;
            }
            let (names, next) = page(&peer, list, None).await;
            assert_eq!(names, "ab", "{revision} {}", list.0);
            let (names, next) = page(&peer, list, next.as_deref()).await;
            assert_eq!(names, "cd");
            let (names, next) = page(&peer, list, next.as_deref()).await;
            assert_eq!((names.as_str(), next), ("e", None));
        }
    }
}

#[tokio::test]
async fn r3_1_11_a_cursor_is_good_on_any_connection_and_instance_that_has_the_key() {
    let key = [7; 32];
    let one = server_of(&["a", "b", "c"]).page_size(1).cursor_key(key);
    let other = server_of(&["a", "b", "c"]).page_size(2).cursor_key(key);
    let (_, next) = page(&Peer::modern(&one), LISTS[0], None).await;
    let (names, rest) = page(&Peer::modern(&other), LISTS[0], next.as_deref()).await;
    assert_eq!((names.as_str(), rest), ("bc", None));
    let legacy = Peer::legacy(&one, Revision::V2024_11_05).await;
    assert_eq!(page(&legacy, LISTS[0], next.as_deref()).await.0, "b");
}

#[tokio::test]
async fn r3_1_11_the_keys_of_states_sign_cursors_too_and_rotate() {
    let key = |secret: &str| StateKey::new(secret.repeat(32)).unwrap();
    let of = |ring: KeyRing| server_of(&["a", "b"]).page_size(1).state_keys(ring);
    let old = of(KeyRing::new(key("a")));
    let new = of(KeyRing::new(key("b")).accept(key("a")));
    let (_, cursor) = page(&Peer::modern(&old), LISTS[0], None).await;
    assert_eq!(
        page(&Peer::modern(&new), LISTS[0], cursor.as_deref())
            .await
            .0,
        "b"
    );
    let (_, cursor) = page(&Peer::modern(&new), LISTS[0], None).await;
    let params = json!({"cursor": cursor}).to_string();
    assert_eq!(
        Peer::modern(&old).error("tools/list", &params).await.code.0,
        -32602
    );
    let said = InputPolicy::default().with_keys(KeyRing::new(key("b")));
    let said = server_of(&["a", "b"]).page_size(1).input(said);
    let (names, _) = page(&Peer::modern(&said), LISTS[0], cursor.as_deref()).await;
    assert_eq!(names, "b");
    let own = of(KeyRing::new(key("a"))).cursor_key([1; 32]);
    assert_eq!(
        Peer::modern(&own).error("tools/list", &params).await.code.0,
        -32602
    );
}

#[tokio::test]
async fn r3_1_11_a_foreign_cursor_is_refused() {
    let server = server_of(&["a", "b", "c"]).page_size(1);
    let peer = Peer::modern(&server);
    let (_, ours) = page(&peer, LISTS[0], None).await;
    let (_, of_prompts) = page(&peer, LISTS[1], None).await;
    let other = server_of(&["a", "b", "c"]).page_size(1);
    let (_, of_other) = page(&Peer::modern(&other), LISTS[0], None).await;
    let ours = ours.unwrap();
    for cursor in [
        &of_prompts.unwrap(),
        &of_other.unwrap(),
        "",
        "1",
        "é",
        &ours[1..],
        &format!("{ours}A"),
    ] {
        let error = peer
            .error("tools/list", &json!({"cursor": cursor}).to_string())
            .await;
        assert_eq!(error.code.0, -32602, "{cursor}");
        assert_eq!(
            error.message,
            format!("Invalid cursor: {cursor}; list from the start")
        );
    }
    assert_eq!(
        peer.error("tools/list", r#"{"cursor":2}"#).await.code.0,
        -32602
    );
    let again = page(&peer, LISTS[0], Some(&ours)).await.0;
    assert_eq!(again, "b", "it is good for ever");
}

#[tokio::test]
async fn what_comes_and_goes_between_pages_repeats_nothing_and_skips_nothing() {
    let server = server_of(&["a", "b", "c", "d"]).page_size(2);
    let (tools, peer) = (server.tools(), Peer::modern(&server));
    let (names, next) = page(&peer, LISTS[0], None).await;
    assert_eq!(names, "ab");
    tools.remove("a");
    tools.add(Tool::new("e", echo)).unwrap();
    assert_eq!(page(&peer, LISTS[0], next.as_deref()).await.0, "cd");
    // Even where the last one of the page before is gone.
    tools.remove("b");
    assert_eq!(page(&peer, LISTS[0], next.as_deref()).await.0, "cd");
    tools.remove("c");
    let (names, next) = page(&peer, LISTS[0], next.as_deref()).await;
    assert_eq!((names.as_str(), next), ("de", None));
}

/// A layer that does not look into lists.
struct Blind;

impl Layer for Blind {
    fn wrap(&self, inner: Arc<dyn Service>) -> Arc<dyn Service> {
        Arc::new(move |call: Call| -> BoxFuture<Answer> {
            let answer = inner.call(call);
            Box::pin(async move {
                let answer = answer.await;
                let written = matches!(answer.outcome, Ok(Outcome::Complete(Payload::Written(_))));
                assert!(written, "{answer:?}");
                answer
            })
        })
    }

    fn reads_lists(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn a_list_is_the_same_text_whether_it_is_put_together_or_written_by_layers() {
    let plain = |inner: Arc<dyn Service>| -> Arc<dyn Service> {
        Arc::new(move |call: Call| -> BoxFuture<Answer> { inner.call(call) })
    };
    let build = || {
        server_of(&["a", "b", "c"])
            .page_size(2)
            .cursor_key([1; 32])
            .cache(CacheHint::public(Duration::from_secs(1)))
    };
    let (fast, slow) = (build().layer(Blind), build().layer(plain));
    let peers = Peer::of_each_revision(&fast).await.into_iter();
    for ((revision, fast), (_, slow)) in peers.zip(Peer::of_each_revision(&slow).await) {
        for (method, _) in LISTS {
            let fast = fast.ask(method, "{}").await.1;
            let slow = slow.ask(method, "{}").await.1;
            assert_eq!(fast, slow, "{revision} {method}");
        }
    }
}

#[tokio::test]
async fn r3_1_10_hints_are_those_of_the_server_unless_a_list_or_a_resource_has_its_own() {
    let hint = |seconds| CacheHint::public(Duration::from_secs(seconds));
    let server = server_of(&["a"])
        .cache(hint(60))
        .cache_list(List::Tools, CacheHint::private(Duration::from_millis(5)))
        .resource(Resource::text("r:cached", "").cache(hint(9)));
    let peer = Peer::modern(&server);
    let check = async |method: &str, params: &str, expected: (u64, &str)| {
        let result = peer.result(method, params).await;
        let found = (
            result["ttlMs"].as_u64().unwrap(),
            result["cacheScope"].as_str().unwrap(),
        );
        assert_eq!(found, expected, "{method} {params}");
    };
    check("server/discover", "{}", (60_000, "public")).await;
    check("tools/list", "{}", (5, "private")).await;
    for (method, _) in &LISTS[1..] {
        check(method, "{}", (60_000, "public")).await;
    }
    check("resources/read", r#"{"uri":"r:cached"}"#, (9_000, "public")).await;
    check("resources/read", r#"{"uri":"r:a"}"#, (0, "private")).await;
    let legacy = Peer::legacy(&server, Revision::V2025_11_25).await;
    let listed = legacy.result("tools/list", "{}").await;
    assert!(listed.get("ttlMs").is_none() && listed.get("cacheScope").is_none());
}

fn is_admin(call: &Call) -> bool {
    call.headers()
        .is_some_and(|headers| headers.contains_key("x-admin"))
}

#[tokio::test]
async fn what_a_caller_does_not_see_does_not_exist_for_it() {
    let server = server_of(&["a"])
        .cache(CacheHint::public(Duration::from_secs(60)))
        .tool(Tool::new("h", echo).visible(is_admin))
        .prompt(Prompt::new("h", async || "").visible(is_admin))
        .resource(
            Resource::text("r:h", "")
                .name("h")
                .visible(is_admin)
                .cache(CacheHint::public(Duration::MAX)),
        )
        .resource_template(
            ResourceTemplate::new("t:h/{x}", async || "")
                .name("h")
                .visible(is_admin),
        )
        .tool(Tool::new("z", echo));
    let other = Peer::modern(&server);
    let admin = Peer::modern(&server).with_headers(&[("x-admin", "1")]);
    for list in LISTS {
        let all = if list.1 == "tools" {
            ("az", "ahz")
        } else {
            ("a", "ah")
        };
        assert_eq!(page(&other, list, None).await.0, all.0);
        assert_eq!(page(&admin, list, None).await.0, all.1);
        let listed = other.result(list.0, "{}").await;
        assert_eq!(listed["cacheScope"], "private", "it depends on who asks");
    }
    let uses = [
        ("tools/call", r#"{"name":"h"}"#, "Unknown tool: h"),
        ("prompts/get", r#"{"name":"h"}"#, "Unknown prompt: h"),
        (
            "resources/read",
            r#"{"uri":"r:h"}"#,
            "Resource not found: r:h",
        ),
        (
            "resources/read",
            r#"{"uri":"t:h/1"}"#,
            "Resource not found: t:h/1",
        ),
    ];
    for (method, params, refusal) in uses {
        let error = other.error(method, params).await;
        assert_eq!((error.code.0, &*error.message), (-32602, refusal));
        let result = admin.result(method, params).await;
        if method == "resources/read" {
            assert_eq!(result["cacheScope"], "private");
        }
    }
    let named: Value =
        json!({"ref": {"type": "ref/prompt", "name": "h"}, "argument": {"name": "x", "value": ""}});
    let error = other.error("completion/complete", &named.to_string()).await;
    assert_eq!(error.code.0, -32601, "nothing is completed here");
}

#[tokio::test]
async fn pages_are_of_what_the_caller_sees() {
    let server = ["a", "b", "c", "d", "e"].iter().fold(
        Server::new("s", "1").page_size(2),
        |server, name| {
            let tool = Tool::new(*name, echo);
            server.tool(if "bd".contains(name) {
                tool.visible(is_admin)
            } else {
                tool
            })
        },
    );
    let peer = Peer::modern(&server);
    let (names, next) = page(&peer, LISTS[0], None).await;
    assert_eq!(names, "ac");
    let (names, next) = page(&peer, LISTS[0], next.as_deref()).await;
    assert_eq!((names.as_str(), next), ("e", None));
}
