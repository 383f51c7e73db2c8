//! Reports about results: what belongs to which revision, and what is structured.

use mcp_server::{Json, Server, Tool, ToolError, schemars};
use mcp_types::Method;
use serde_json::{Value, json};

use super::{LEGACY, code, echo, initialize, modern, request, server};
use crate::hosts::Host;

/// A method, and parameters that it takes.
fn methods() -> Vec<(&'static str, Value)> {
    vec![
        ("tools/list", json!({})),
        ("tools/call", echo()),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "p"})),
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": "file:///a"})),
    ]
}

#[tokio::test]
async fn report_17_every_modern_result_is_stamped() {
    for mut host in Host::each(server()).await {
        let all = [("server/discover", json!({}))]
            .into_iter()
            .chain(methods());
        for (id, (method, params)) in (1..).zip(all) {
            let answer = host.ask(&modern(id, method, params)).await;
            let result = &answer["result"];
            assert_eq!(
                result["resultType"],
                "complete",
                "{} {method}: {answer}",
                host.name()
            );
            let kept = Method::from(method)
                .spec()
                .is_some_and(|spec| spec.cacheable);
            let said = result["ttlMs"].is_u64() && result["cacheScope"].is_string();
            assert_eq!(said, kept, "{} {method}", host.name());
        }
    }
}

/// The Inspector refuses a handshake with a member that it does not know, and an empty result that is not empty.
#[tokio::test]
async fn report_18_no_legacy_result_is_stamped() {
    for version in LEGACY {
        for mut host in Host::each(server()).await {
            let opened = host.ask(&initialize(0, version)).await;
            let mut answers = vec![("initialize", opened)];
            for (id, (method, params)) in (1..).zip(methods()) {
                answers.push((method, host.ask(&request(id, method, params)).await));
            }
            for (method, answer) in answers {
                let result = answer["result"]
                    .as_object()
                    .unwrap_or_else(|| panic!("{answer}"));
                for stamp in ["resultType", "ttlMs", "cacheScope", "_meta"] {
                    assert!(
                        !result.contains_key(stamp),
                        "{} {version} {method}",
                        host.name()
                    );
                }
            }
            for (id, method) in [(90, "ping"), (91, "logging/setLevel")] {
                let answer = host
                    .ask(&request(id, method, json!({"level": "info"})))
                    .await;
                assert_eq!(
                    answer["result"],
                    json!({}),
                    "{} {version} {method}",
                    host.name()
                );
            }
        }
    }
}

/// An object or a text.
#[derive(serde::Serialize)]
struct Either(Value);

impl schemars::JsonSchema for Either {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Either".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"anyOf": [{"type": "object"}, {"type": "string"}]})
    }
}

/// Whether a value is wrapped follows from its schema, so that whoever reads the list knows it.
#[tokio::test]
async fn report_37_a_value_is_wrapped_by_the_root_of_its_schema() {
    async fn either() -> Json<Either> {
        Json(Either(json!({"name": "n"})))
    }
    let make = || Server::new("s", "1").tool(Tool::new("either", either));
    let call = json!({"name": "either"});
    for version in ["2025-06-18", "2025-11-25"] {
        for mut host in Host::each(make()).await {
            host.open(version).await;
            let listed = host.ask(&request(1, "tools/list", json!({}))).await;
            let schema = &listed["result"]["tools"][0]["outputSchema"];
            assert_eq!(
                schema["type"],
                "object",
                "{} {version}: {schema}",
                host.name()
            );
            assert!(schema["properties"]["result"].is_object(), "{schema}");
            let answer = host.ask(&request(2, "tools/call", call.clone())).await;
            let expected = json!({"result": {"name": "n"}});
            assert_eq!(
                answer["result"]["structuredContent"],
                expected,
                "{}",
                host.name()
            );
        }
    }
    for mut host in Host::each(make()).await {
        let answer = host.ask(&modern(1, "tools/call", call.clone())).await;
        assert_eq!(
            answer["result"]["structuredContent"],
            json!({"name": "n"}),
            "{}",
            host.name()
        );
    }
}

/// A failure needs no structured content, and what is empty is an empty object.
#[tokio::test]
async fn report_38_a_failure_of_a_tool_with_a_schema_is_an_answer() {
    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Sum {
        sum: i64,
    }
    async fn fails() -> Result<Json<Sum>, ToolError> {
        Err(ToolError::not_found("no such sum"))
    }
    async fn adds() -> Json<Sum> {
        Json(Sum { sum: 3 })
    }
    let make = || {
        Server::new("s", "1")
            .tool(Tool::new("fails", fails))
            .tool(Tool::new("adds", adds))
    };
    let fits = |answer: &Value, host: &str| {
        assert_eq!(answer["result"]["isError"], true, "{host}: {answer}");
        assert!(
            answer["result"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .contains("no such sum"),
            "{host}"
        );
    };
    for mut host in Host::each(make()).await {
        fits(
            &host
                .ask(&modern(1, "tools/call", json!({"name": "fails"})))
                .await,
            host.name(),
        );
        let good = host
            .ask(&modern(2, "tools/call", json!({"name": "adds"})))
            .await;
        assert_eq!(
            good["result"]["structuredContent"],
            json!({"sum": 3}),
            "{}",
            host.name()
        );
    }
    for mut host in Host::each(make()).await {
        host.open("2025-11-25").await;
        fits(
            &host
                .ask(&request(1, "tools/call", json!({"name": "fails"})))
                .await,
            host.name(),
        );
        let good = host
            .ask(&request(2, "tools/call", json!({"name": "adds"})))
            .await;
        assert_eq!(
            good["result"]["structuredContent"],
            json!({"sum": 3}),
            "{}",
            host.name()
        );
        assert_eq!(
            host.ask(&request(3, "ping", json!({}))).await["result"],
            json!({})
        );
    }
}

/// What a server says of itself stands in `_meta` since 2026-07-28, and before in the answer to `initialize`.
#[tokio::test]
async fn report_42_a_server_names_itself_where_its_revision_says_and_offers_what_it_has() {
    let key = "io.modelcontextprotocol/serverInfo";
    let offers = ["logging", "prompts", "resources", "tools"];
    for mut host in Host::each(server()).await {
        let probed = host.ask(&modern(1, "server/discover", json!({}))).await;
        let result = &probed["result"];
        assert_eq!(
            result["_meta"][key]["name"],
            "s",
            "{}: {probed}",
            host.name()
        );
        assert!(result.get("serverInfo").is_none(), "{probed}");
        let opened = host.open("2025-11-25").await;
        assert_eq!(opened["serverInfo"]["name"], "s", "{}", host.name());
        for said in [&result["capabilities"], &opened["capabilities"]] {
            for offer in offers {
                assert!(said[offer].is_object(), "{} {offer}: {said}", host.name());
            }
        }
    }
    for mut host in Host::each(Server::new("bare", "1")).await {
        let probed = host.ask(&modern(1, "server/discover", json!({}))).await;
        for offer in offers {
            assert!(
                probed["result"]["capabilities"].get(offer).is_none(),
                "{} {probed}",
                host.name()
            );
        }
        let answer = host.ask(&modern(2, "prompts/list", json!({}))).await;
        assert_eq!(code(&answer), -32601, "{}", host.name());
    }
}
