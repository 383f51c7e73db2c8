//! Where a server may be bound, whom it answers, and how it fits into a router.

use std::{future, sync::Arc};

use mcp_transport::clock::ManualClock;
use serde_json::json;
use tokio::net::TcpListener;

use super::{Hosted, http, modern_call};
use crate::{
    Ext, Server, Tool,
    http::{HttpError, Principal},
};

async fn serve(host: &super::super::HttpHost, address: &str) -> Result<(), HttpError> {
    let listener = TcpListener::bind(address).await.unwrap();
    host.serve_on(listener, future::ready(())).await
}

#[tokio::test]
async fn off_loopback_it_does_not_start_without_an_allow_list() {
    let server = Server::new("test", "1.0");
    let error = serve(&server.http(), "0.0.0.0:0").await.unwrap_err();
    assert!(error.is_no_hosts());
    let text = error.to_string();
    for line in [
        ".allowed_hosts(\"mcp.example.com\")",
        "MCP_ALLOWED_HOSTS=mcp.example.com",
        "0.0.0.0:",
    ] {
        assert!(text.contains(line), "{text}");
    }
    for hosts in ["mcp.example.com", "*"] {
        serve(&server.http().allowed_hosts(hosts), "0.0.0.0:0")
            .await
            .unwrap();
    }
    serve(&server.http(), "127.0.0.1:0").await.unwrap();
}

#[tokio::test]
async fn an_entry_that_is_no_host_is_named() {
    let server = Server::new("test", "1.0");
    let host = server.http().allowed_hosts("good.example, http://bad");
    let error = serve(&host, "127.0.0.1:0").await.unwrap_err();
    assert!(error.to_string().contains("http://bad"), "{error}");
    assert!(host.service().is_err());
    let host = server.http().allowed_origins("no origin");
    assert!(host.service().is_err());
}

#[tokio::test]
async fn hosts_and_origins_that_are_allowed() {
    let hosted = Hosted::start(|host| {
        host.allowed_hosts("a.example")
            .allowed_hosts("b.example:8443")
            .allowed_origins("https://app.example")
    })
    .await;
    let table = [
        ("localhost", None, 200),
        ("127.0.0.1:1", None, 200),
        ("[::1]:2", Some("http://localhost:3"), 200),
        ("a.example", None, 200),
        ("A.example:9", None, 200),
        ("b.example:8443", Some("https://app.example"), 200),
        ("b.example:1", None, 403),
        ("c.example", None, 403),
        ("localhost.example", None, 403),
        ("localhost", Some("http://app.example"), 403),
        ("localhost", Some("https://app.example.evil"), 403),
        ("localhost", Some("null"), 403),
    ];
    for (host, origin, status) in table {
        let origin = origin.map_or_else(String::new, |origin| format!("Origin: {origin}\r\n"));
        let request = modern_call(1, "echo", &json!({"text": "x"}));
        let request = request.replacen(
            "Host: localhost\r\n",
            &format!("Host: {host}\r\n{origin}"),
            1,
        );
        let answer = hosted.ask(&request).await;
        assert_eq!(answer.status, status, "{host} {origin}");
        assert_eq!(answer.json()["jsonrpc"], "2.0");
        assert_eq!(answer.json().get("error").is_some(), status == 403);
    }
}

#[tokio::test]
async fn it_nests_in_a_router() {
    async fn whoami(Ext(principal): Ext<Principal>) -> String {
        principal.0.to_string()
    }
    let server = Server::new("test", "1.0").tool(Tool::new("whoami", whoami));
    let service = server
        .http()
        .clock(Arc::new(ManualClock::new()))
        .service()
        .unwrap();
    let app = axum::Router::new()
        .nest_service("/tools", service)
        .layer(axum::Extension(Principal("ada".into())));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (limits, clock) = (crate::Limits::default(), Arc::new(ManualClock::new()));
    #[expect(clippy::disallowed_methods, reason = "the test's runtime owns it")]
    tokio::spawn(mcp_transport::http::server::serve(
        listener,
        app,
        limits,
        clock,
        future::pending(),
    ));
    let hosted = Hosted {
        address,
        ..Hosted::start(|host| host).await
    };
    let request = modern_call(1, "whoami", &json!({})).replacen("/mcp", "/tools", 1);
    let answer = hosted.ask(&request).await;
    assert_eq!(
        answer.json()["result"]["content"][0]["text"],
        "ada",
        "{answer:?}"
    );
    let get = http("PUT", &[], &json!({})).replacen("/mcp", "/tools", 1);
    assert_eq!(hosted.ask(&get).await.status, 405);
}

#[tokio::test]
async fn it_answers_at_its_paths_and_says_so_at_others() {
    let hosted = Hosted::start(|host| host).await;
    for (path, status) in [
        ("/mcp", 200),
        ("/mcp/", 200),
        ("/", 200),
        ("//mcp", 404),
        ("/MCP", 404),
        ("/mcp/x", 404),
    ] {
        let request = modern_call(1, "whoami", &json!({})).replacen("/mcp", path, 1);
        let answer = hosted.ask(&request).await;
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.json()["error"]["message"].is_string(), "{path}");
    }
}
