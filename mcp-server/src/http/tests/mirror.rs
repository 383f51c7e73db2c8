//! Arguments that a modern client repeats in headers, on a real socket.

use std::{future::poll_fn, sync::Arc};

use http::{HeaderMap, HeaderValue};
use mcp_transport::{Endpoint as _, Event, Request};
use mcp_types::{
    RawJson, RawParams, RequestMeta, Revision,
    capability::{ClientCapabilities, Implementation},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Hosted, modern_call};
use crate::{Answer, Args, BoxFuture, Call, Server, Service, Tool, schemars};

#[derive(Deserialize, schemars::JsonSchema)]
struct Sql {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: Option<String>,
    #[schemars(extend("x-mcp-header" = "Limit"))]
    limit: i64,
}

async fn sql(Args(Sql { region, limit }): Args<Sql>) -> String {
    format!("{region:?} {limit}")
}

#[tokio::test]
async fn r6_mcp_param_headers_are_required_and_equal_or_else_400() {
    let hosted = Hosted::start(|host| host).await;
    hosted.server.tools().add(Tool::new("sql", sql)).unwrap();
    let check = async |headers: &str, arguments: Value, expected: (u16, Value)| {
        let request = modern_call(7, "sql", &arguments);
        let request = request.replacen("Mcp-Name", &format!("{headers}Mcp-Name"), 1);
        let answer = hosted.ask(&request).await;
        let body = answer.json();
        assert_eq!(body["id"], 7);
        let code = body["error"]["code"].clone();
        assert_eq!((answer.status, code), expected, "{headers} {arguments}");
    };
    let (ok, refused) = ((200, Value::Null), (400, json!(-32020)));
    check(
        "Mcp-Param-Region: us-west1\r\nmcp-param-limit: 5.0\r\n",
        json!({"region": "us-west1", "limit": 5}),
        ok.clone(),
    )
    .await;
    check(
        "mcp-PARAM-region: =?base64?w5ZzdGVycmVpY2g=?=\r\nMcp-Param-Limit:  5 \r\nMcp-Param-Other: \u{fc}\r\n",
        json!({"region": "Österreich", "limit": 5}),
        ok.clone(),
    )
    .await;
    check("Mcp-Param-Limit: 5\r\n", json!({"limit": 5}), ok.clone()).await;
    check(
        "Mcp-Param-Limit: 5\r\n",
        json!({"region": null, "limit": 5}),
        ok,
    )
    .await;
    for headers in [
        "",
        "Mcp-Param-Limit: 6\r\n",
        "Mcp-Param-Limit: 5\r\nMcp-Param-Limit: 5\r\n",
        "Mcp-Param-Limit: 5\r\nMcp-Param-Region: x\r\n",
        "Mcp-Param-Limit: =?base64?NQ?=\r\n",
        "Mcp-Param-Limit: \u{e9}\r\n",
    ] {
        check(headers, json!({"limit": 5}), refused.clone()).await;
    }
}

#[tokio::test]
async fn r6_headers_repeat_what_the_client_said_not_what_layers_make_of_it() {
    let raise = |inner: Arc<dyn Service>| -> Arc<dyn Service> {
        Arc::new(move |mut call: Call| -> BoxFuture<Answer> {
            let arguments = RawJson::parse(r#"{"limit":10}"#).unwrap();
            call.params = call.params.with("arguments", &arguments);
            inner.call(call)
        })
    };
    let server = Server::new("s", "1").layer(raise);
    let connection = server.tool(Tool::new("sql", sql)).connect();
    let check = async |header: &'static str, expected: &str| {
        let params = RawParams::parse(r#"{"name":"sql","arguments":{"limit":5}}"#).unwrap();
        let client = Implementation::new("client", "1");
        let meta = RequestMeta::modern(Revision::LATEST, &client, &ClientCapabilities::default());
        let mut request = Request::new("tools/call", params).with_meta(meta);
        let header = (
            "mcp-param-limit".parse().unwrap(),
            HeaderValue::from_static(header),
        );
        request.ext.insert(HeaderMap::from_iter([header]));
        let mut exchange = connection.open(request);
        let event = poll_fn(|cx| exchange.as_mut().poll_event(cx)).await;
        let Event::Outcome(outcome) = event else {
            panic!("{event:?}");
        };
        let said = outcome.map_or_else(
            |failure| failure.to_string(),
            |reply| reply.result.as_str().to_owned(),
        );
        assert!(said.contains(expected), "{said}");
    };
    check("5", "None 10").await;
    check("10", "does not match body value '5'").await;
}
