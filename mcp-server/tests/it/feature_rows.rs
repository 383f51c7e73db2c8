//! Rows of §3.2, §3.4, §3.6, §6 and §8 of the study: capabilities, logging, headers, methods of one's own.

use mcp_server::{
    Args, Context, Extension, Headers, Json, LogLevel, Params, Prompt, Resource, ResourceTemplate,
    Server, SubscriptionPolicy, Tool,
    schemars::{self, JsonSchema},
};
use mcp_transport::Event;
use mcp_types::{Method, RawJson, Revision, icon::Icon, tool::Tool as Definition};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::peer::{Peer, event};

async fn echo() -> &'static str {
    "echo"
}

async fn logs(cx: Context) -> &'static str {
    cx.log(LogLevel::Debug, "", "d").await;
    cx.log(LogLevel::Info, "db", json!({"n": 1})).await;
    cx.log(LogLevel::Error, "db", "e").await;
    "logged"
}

async fn capabilities(server: &Server, revision: Revision) -> Value {
    if revision == Revision::LATEST {
        let peer = Peer::modern(server);
        return peer.result("server/discover", "{}").await["capabilities"].clone();
    }
    let peer = Peer::legacy(server, revision).await;
    let params = format!(
        r#"{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}"#
    );
    peer.result("initialize", &params).await["capabilities"].clone()
}

/// One method of each capability, with parameters that any server takes.
const METHODS: [(&str, &str, &str); 6] = [
    ("tools", "tools/list", "{}"),
    ("prompts", "prompts/list", "{}"),
    ("resources", "resources/list", "{}"),
    ("logging", "logging/setLevel", r#"{"level":"info"}"#),
    (
        "completions",
        "completion/complete",
        r#"{"ref":{"type":"ref/prompt","name":"c"},"argument":{"name":"a","value":""}}"#,
    ),
    ("extensions", "com.example/do", "{}"),
];

#[tokio::test]
async fn r3_2_12_what_is_said_is_served_and_what_is_not_said_is_not() {
    let completing = || {
        Prompt::new("c", async || "")
            .argument("a", "", false)
            .choices("a", ["1"])
    };
    let servers = [
        Server::new("s", "1"),
        Server::new("s", "1").tool(Tool::new("t", echo)),
        Server::new("s", "1").prompt(Prompt::new("p", async || "")),
        Server::new("s", "1").prompt(completing()),
        Server::new("s", "1").resource(Resource::text("a:b", "")),
        Server::new("s", "1").logging(),
        Server::new("s", "1")
            .extension("com.example/x", json!({"deep": true}))
            .method("com.example/do", async || ()),
    ];
    for server in servers {
        for revision in Revision::ALL {
            let said = capabilities(&server, revision).await;
            let peer = match revision {
                Revision::LATEST => Peer::modern(&server),
                _ => Peer::legacy(&server, revision).await,
            };
            for (capability, method, params) in METHODS {
                let is_said = said.get(capability).is_some();
                let served = peer.ask(method, params).await.1.is_ok();
                // Not said before 2025-03-26; no word for it in the legacy era; a request's own affair in the modern one.
                let excused = match capability {
                    "completions" => revision < Revision::V2025_03_26,
                    "extensions" => revision < Revision::LATEST,
                    "logging" => revision == Revision::LATEST,
                    _ => false,
                };
                assert!(
                    is_said == served || excused,
                    "{revision} {capability}: {said}"
                );
            }
        }
    }
}

#[tokio::test]
async fn r3_2_9_r3_2_12_each_era_has_its_own_words_for_what_is_offered() {
    let server = Server::new("s", "1")
        .tool(Tool::new("t", echo))
        .prompt(
            Prompt::new("p", async || "")
                .argument("a", "", false)
                .choices("a", ["1"]),
        )
        .resource(Resource::text("a:b", ""))
        .logging()
        .extension("com.example/x", json!({"deep": true}))
        .experimental("y", json!({}));
    let _handles = (server.tools(), server.prompts(), server.resources());
    for revision in Revision::ALL {
        let mut expected = json!({
            "tools": {"listChanged": true}, "prompts": {"listChanged": true},
            "resources": {"subscribe": true, "listChanged": true}, "logging": {}, "experimental": {"y": {}},
        });
        if revision >= Revision::V2025_03_26 {
            expected["completions"] = json!({});
        }
        if revision == Revision::LATEST {
            expected["extensions"] = json!({"com.example/x": {"deep": true}});
        }
        assert_eq!(
            capabilities(&server, revision).await,
            expected,
            "{revision}"
        );
    }
}

#[tokio::test]
async fn r8_22_a_list_that_nobody_can_change_is_not_said_to_change() {
    let server = Server::new("s", "1")
        .tool(Tool::new("t", echo))
        .prompt(Prompt::new("p", async || ""))
        .resource(Resource::text("a:b", ""));
    let all = |changes: Value| json!({"tools": changes, "prompts": changes, "resources": changes});
    let each = [Revision::V2025_11_25, Revision::LATEST];
    for revision in each {
        assert_eq!(capabilities(&server, revision).await, all(json!({})));
    }
    let _tools = server.tools();
    for revision in each {
        let said = capabilities(&server, revision).await;
        assert_eq!(said["tools"], json!({"listChanged": true}));
        assert_eq!(said["prompts"], json!({}));
    }
    let _hub = server.hub();
    for revision in each {
        let said = capabilities(&server, revision).await;
        assert_eq!(said["prompts"], json!({"listChanged": true}));
        assert_eq!(
            said["resources"],
            json!({"listChanged": true, "subscribe": true})
        );
    }
    // Whom nobody can tell is not promised to be told.
    let server = server.subscriptions(SubscriptionPolicy::off());
    assert_eq!(
        capabilities(&server, Revision::LATEST).await,
        all(json!({}))
    );
}

#[tokio::test]
async fn r3_2_12_what_is_registered_later_is_offered_then() {
    let server = Server::new("s", "1");
    assert_eq!(capabilities(&server, Revision::LATEST).await, json!({}));
    let prompts = server.prompts();
    assert_eq!(
        capabilities(&server, Revision::LATEST).await,
        json!({"prompts": {"listChanged": true}})
    );
    prompts
        .add(
            Prompt::new("p", async || "")
                .argument("a", "", false)
                .choices("a", ["1"]),
        )
        .unwrap();
    let said = capabilities(&server, Revision::LATEST).await;
    assert_eq!(
        said,
        json!({"prompts": {"listChanged": true}, "completions": {}})
    );
    prompts.remove("p");
    assert_eq!(
        capabilities(&server, Revision::LATEST).await,
        said,
        "it stays so"
    );
    let peer = Peer::modern(&server);
    assert_eq!(
        peer.result("prompts/list", "{}").await["prompts"],
        json!([])
    );
}

/// The levels of what `peer` hears of a call.
async fn heard(peer: &Peer) -> Vec<String> {
    let (told, _) = peer.ask("tools/call", r#"{"name":"logs"}"#).await;
    let levels = told.iter().map(|message| {
        assert_eq!(message["method"], "notifications/message");
        message["level"].as_str().unwrap().to_owned()
    });
    levels.collect()
}

#[tokio::test]
async fn r3_6_4_a_modern_request_hears_of_the_log_what_it_asks_for_and_by_default_nothing() {
    let server = Server::new("s", "1")
        .logging()
        .tool(Tool::new("logs", logs));
    assert!(heard(&Peer::modern(&server)).await.is_empty());
    for (level, expected) in [
        ("debug", &["debug", "info", "error"][..]),
        ("notice", &["error"]),
        ("emergency", &[]),
    ] {
        let peer = Peer::modern(&server).with_log_level(level);
        assert_eq!(heard(&peer).await, expected, "{level}");
    }
    let peer = Peer::modern(&server).with_log_level("info");
    let (told, _) = peer.ask("tools/call", r#"{"name":"logs"}"#).await;
    assert_eq!(
        told[0],
        json!({"method": "notifications/message", "level": "info", "logger": "db", "data": {"n": 1}})
    );
    assert_eq!(told[1]["data"], "e");
    let error = Peer::modern(&server)
        .with_log_level("loud")
        .error("tools/list", "{}")
        .await;
    assert_eq!(error.code.0, -32602);
    assert!(
        error
            .message
            .starts_with("Unknown log level: loud; use debug"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn r3_6_3_a_legacy_session_sets_the_level_of_its_log() {
    let server = Server::new("s", "1")
        .logging()
        .tool(Tool::new("logs", logs));
    for revision in &Revision::ALL[..5] {
        let peer = Peer::legacy(&server, *revision).await;
        assert_eq!(heard(&peer).await, ["info", "error"]);
        for (level, expected) in [
            ("debug", &["debug", "info", "error"][..]),
            ("error", &["error"]),
            ("alert", &[]),
        ] {
            let set = peer
                .result("logging/setLevel", &json!({"level": level}).to_string())
                .await;
            assert_eq!(set, json!({}));
            assert_eq!(heard(&peer).await, expected, "{revision} {level}");
        }
        for level in [json!({"level": "loud"}), json!({"level": 3}), json!({})] {
            let error = peer.error("logging/setLevel", &level.to_string()).await;
            assert_eq!(error.code.0, -32602, "{level}");
        }
        // A reserved key of the other era means nothing here.
        assert!(heard(&peer.with_log_level("debug")).await.is_empty());
    }
    let other = Peer::legacy(&server, Revision::V2025_11_25).await;
    assert_eq!(
        heard(&other).await,
        ["info", "error"],
        "each session has its own"
    );
}

#[tokio::test]
async fn r3_6_4_a_server_that_does_not_say_that_it_logs_does_not() {
    let server = Server::new("s", "1").tool(Tool::new("logs", logs));
    assert!(
        heard(&Peer::modern(&server).with_log_level("debug"))
            .await
            .is_empty()
    );
    let legacy = Peer::legacy(&server, Revision::V2025_11_25).await;
    assert!(heard(&legacy).await.is_empty());
    let error = legacy
        .error("logging/setLevel", r#"{"level":"debug"}"#)
        .await;
    assert_eq!(error.code.0, -32601);
    assert!(heard(&legacy.with_log_level("debug")).await.is_empty());
}

#[derive(Deserialize, JsonSchema)]
struct Sql {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
    #[serde(default)]
    query: String,
}

async fn sql(Args(Sql { region, query }): Args<Sql>) -> String {
    format!("{region}: {query}")
}

#[tokio::test]
async fn r6_mcp_param_headers_are_compared_on_modern_http_alone() {
    let server = Server::new("s", "1").tool(Tool::new("sql", sql));
    let call = r#"{"name":"sql","arguments":{"region":"Österreich","query":"x"}}"#;
    let ok = |result: Value| assert_eq!(result["content"][0]["text"], "Österreich: x");
    ok(Peer::modern(&server).result("tools/call", call).await);
    let wrapped = ("mcp-param-region", "=?base64?w5ZzdGVycmVpY2g=?=");
    ok(Peer::modern(&server)
        .with_headers(&[wrapped])
        .result("tools/call", call)
        .await);
    let unknown = ("mcp-param-other", "x");
    ok(Peer::modern(&server)
        .with_headers(&[wrapped, unknown])
        .result("tools/call", call)
        .await);
    for (headers, expected) in [
        (
            &[][..],
            "Header mismatch: missing Mcp-Param-Region header, the body says 'Österreich'",
        ),
        (
            &[("mcp-param-region", "Tirol")],
            "Header mismatch: Mcp-Param-Region header value 'Tirol' does not match body value 'Österreich'",
        ),
    ] {
        let error = Peer::modern(&server)
            .with_headers(headers)
            .error("tools/call", call)
            .await;
        assert_eq!((error.code.0, &*error.message), (-32020, expected));
    }
    let legacy = Peer::legacy(&server, Revision::V2025_11_25)
        .await
        .with_headers(&[]);
    ok(legacy.result("tools/call", call).await);
    let listed = Peer::modern(&server).result("tools/list", "{}").await;
    assert_eq!(
        listed["tools"][0]["inputSchema"]["properties"]["region"]["x-mcp-header"],
        "Region"
    );
}

#[test]
fn r3_4_6_a_tool_that_marks_an_argument_wrongly_is_refused() {
    #[derive(Deserialize, JsonSchema)]
    struct Odd {
        #[schemars(extend("x-mcp-header" = "a b"))]
        #[expect(dead_code, reason = "only its schema matters")]
        region: String,
    }
    async fn odd(_: Args<Odd>) -> &'static str {
        ""
    }
    let error = Server::new("s", "1")
        .try_tool(Tool::new("odd", odd))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool `odd`: `x-mcp-header` of property `region` is \"a b\", which is no part of a header's name; use letters, digits and `-`"
    );
    let schema = r#"{"type":"object","properties":{"n":{"type":"number","x-mcp-header":"N"}}}"#;
    let definition = Definition::new("raw", RawJson::parse(schema).unwrap());
    let service: std::sync::Arc<dyn mcp_server::Service> = std::sync::Arc::new(
        |_: mcp_server::Call| -> mcp_server::BoxFuture<mcp_server::Answer> { unreachable!() },
    );
    assert!(
        Server::new("s", "1")
            .try_tool(Tool::from_service(definition, service))
            .is_err()
    );
}

#[derive(Deserialize)]
struct Search {
    query: String,
}

#[derive(Serialize)]
struct Found {
    hits: Vec<String>,
}

async fn search(Params(Search { query }): Params<Search>, Headers(_): Headers) -> Json<Found> {
    Json(Found { hits: vec![query] })
}

#[tokio::test]
async fn a_method_of_ones_own_is_answered_in_every_revision() {
    let server = Server::new("s", "1")
        .method("com.example/search", search)
        .method("com.example/done", async || ())
        .method("com.example/ext", async |Extension(()): Extension<()>| ());
    for (revision, peer) in Peer::of_each_revision(&server).await {
        let found = peer.result("com.example/search", r#"{"query":"x"}"#).await;
        let done = peer.result("com.example/done", "{}").await;
        if revision == Revision::LATEST {
            assert_eq!(
                (&found["resultType"], &found["hits"]),
                (&json!("complete"), &json!(["x"]))
            );
            assert_eq!(done["resultType"], "complete");
        } else {
            assert_eq!((found, done), (json!({"hits": ["x"]}), json!({})));
        }
        let error = peer.error("com.example/search", "{}").await;
        assert_eq!(
            (error.code.0, &*error.message),
            (
                -32602,
                "Invalid parameters: missing field `query` at line 1 column 2"
            )
        );
        assert_eq!(peer.error("com.example/ext", "{}").await.code.0, -32603);
        assert_eq!(peer.error("com.example/other", "{}").await.code.0, -32601);
    }
}

#[test]
#[should_panic(
    expected = "`tools/call` is a method of the protocol; give yours a name with a prefix"
)]
fn a_method_of_the_protocol_is_not_taken() {
    let _server = Server::new("s", "1").method("tools/call", async || ());
}

#[test]
#[should_panic(expected = "the settings of `com.example/x` must be a JSON object")]
fn the_settings_of_an_extension_are_an_object() {
    let _server = Server::new("s", "1").extension("com.example/x", true);
}

#[tokio::test]
async fn r3_6_5_every_list_that_changes_is_told_once_to_every_legacy_session() {
    let server = Server::new("s", "1");
    let (tools, prompts, resources) = (server.tools(), server.prompts(), server.resources());
    let mut peers = Vec::new();
    for revision in &Revision::ALL[..5] {
        peers.push(Peer::legacy(&server, *revision).await);
    }
    for at in 0..100 {
        prompts
            .add(Prompt::new(format!("p{at}"), async || ""))
            .unwrap();
        resources
            .add(Resource::text(format!("r:{at}"), ""))
            .unwrap();
        tools.add(Tool::new(format!("t{at}"), echo)).unwrap();
    }
    for peer in peers {
        let mut unasked = peer.open("subscriptions/listen", "{}");
        for expected in ["prompts", "resources", "tools"] {
            let told = event(&mut unasked).await;
            let Event::Notification(told) = told else {
                panic!("{told:?}");
            };
            assert_eq!(
                told.method.as_str(),
                format!("notifications/{expected}/list_changed")
            );
        }
        let next = unasked
            .as_mut()
            .poll_event(&mut std::task::Context::from_waker(std::task::Waker::noop()));
        assert!(next.is_pending(), "a hundred changes are one");
    }
}

#[tokio::test]
async fn r3_3_a_tool_shows_its_picture_and_meta_where_the_revision_has_them() {
    let tool = Tool::new("t", echo)
        .icon(Icon::new("https://example.com/t.png"))
        .meta("com.example/k", &1);
    let server = Server::new("s", "1").tool(tool);
    for (revision, peer) in Peer::of_each_revision(&server).await {
        let listed = peer.result("tools/list", "{}").await;
        let tool = &listed["tools"][0];
        assert_eq!(
            tool.get("icons").is_some(),
            revision >= Revision::V2025_11_25
        );
        assert_eq!(
            tool.get("_meta").is_some(),
            revision >= Revision::V2025_06_18
        );
    }
}

/// One of everything that answers, and a request for each method.
fn of_everything() -> (Server, [(&'static str, &'static str); 11]) {
    let server = Server::new("s", "1")
        .tool(Tool::new("t", echo))
        .prompt(
            Prompt::new("p", async || "")
                .argument("a", "", false)
                .choices("a", ["1"]),
        )
        .resource(Resource::text("a:b", ""))
        .resource_template(ResourceTemplate::new("a:{x}", async || ""))
        .method("com.example/do", async || ())
        .logging();
    let _resources = server.resources();
    let complete = r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}"#;
    let methods = [
        ("tools/list", "{}"),
        ("tools/call", r#"{"name":"t"}"#),
        ("prompts/list", "{}"),
        ("prompts/get", r#"{"name":"p"}"#),
        ("resources/list", "{}"),
        ("resources/templates/list", "{}"),
        ("resources/read", r#"{"uri":"a:b"}"#),
        ("completion/complete", complete),
        ("com.example/do", "{}"),
        ("resources/subscribe", r#"{"uri":"a:b"}"#),
        ("logging/setLevel", r#"{"level":"info"}"#),
    ];
    (server, methods)
}

#[tokio::test]
async fn r8_17_every_modern_result_says_its_type_its_server_and_whether_it_may_be_kept() {
    let (server, methods) = of_everything();
    let peer = Peer::modern(&server);
    for (method, params) in [("server/discover", "{}")].iter().chain(&methods[..9]) {
        let result = peer.result(method, params).await;
        assert_eq!(result["resultType"], "complete", "{method}");
        let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(*server, json!({"name": "s", "version": "1"}), "{method}");
        let kept = Method::from(*method)
            .spec()
            .is_some_and(|spec| spec.cacheable);
        assert_eq!(
            result["ttlMs"].is_u64() && result["cacheScope"].is_string(),
            kept,
            "{method}"
        );
    }
}

#[tokio::test]
async fn r8_18_no_legacy_result_has_a_trace_of_the_modern_stamp() {
    let (server, methods) = of_everything();
    for revision in &Revision::ALL[..5] {
        let peer = Peer::legacy(&server, *revision).await;
        for (method, params) in methods {
            if (method, *revision) == ("resources/templates/list", Revision::V2024_10_07) {
                continue;
            }
            let result = peer.result(method, params).await;
            for stamp in ["resultType", "ttlMs", "cacheScope", "_meta"] {
                assert!(result.get(stamp).is_none(), "{revision} {method}: {result}");
            }
        }
    }
}
