//! Where a server may be bound, whom it answers, and how it fits into a router.

use std::{future, net::SocketAddr, sync::Arc};

use mcp_transport::clock::ManualClock;
use serde_json::json;
use tokio::net::TcpListener;

use super::{Hosted, http, modern_call};
use crate::{
    Extension, Server, Tool,
    http::{Cors, HttpError, Principal},
};

async fn serve(host: &super::super::HttpHost, address: &str) -> Result<(), HttpError> {
    let listener = TcpListener::bind(address).await.unwrap();
    host.serve_on(listener, future::ready(())).await
}

#[tokio::test]
async fn a5_off_loopback_it_does_not_start_without_an_allow_list() {
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

/// Serves a router on a free port, until the test's runtime ends.
pub(super) async fn serve_router(app: axum::Router) -> SocketAddr {
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
    address
}

#[tokio::test]
async fn it_nests_in_a_router() {
    async fn whoami(Extension(principal): Extension<Principal>) -> String {
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
    let hosted = Hosted {
        address: serve_router(app).await,
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

/// A preflight for `path`.
fn preflight(path: &str, origin: &str) -> String {
    format!(
        "OPTIONS {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\n\
         Access-Control-Request-Method: POST\r\n\
         Access-Control-Request-Headers: content-type, mcp-param-region\r\n\r\n"
    )
}

#[tokio::test]
async fn a4_nothing_is_said_of_cors_unless_it_is_configured() {
    let hosted = Hosted::start(|host| host.allowed_origins("https://app.example")).await;
    let answer = hosted.ask(&preflight("/mcp", "https://app.example")).await;
    assert_eq!(answer.status, 405, "{answer:?}");
    let call = modern_call(1, "echo", &json!({"text": "x"}));
    let call = call.replacen("Host", "Origin: https://app.example\r\nHost", 1);
    for answer in [answer, hosted.ask(&call).await] {
        assert!(!answer.head.contains("access-control"), "{answer:?}");
    }
}

#[tokio::test]
async fn a_page_of_a_listed_origin_calls_and_reads_also_in_a_nested_service() {
    let cors = Cors::for_origins("https://app.example").unwrap();
    let service = Server::new("test", "1.0").http().cors(cors.clone());
    let app = axum::Router::new().nest_service("/tools", service.service().unwrap());
    let nested = serve_router(app).await;
    let hosted = Hosted::start(|host| host.cors(cors)).await;
    let nested = Hosted {
        address: nested,
        ..Hosted::start(|host| host).await
    };
    for (hosted, path) in [(&hosted, "/mcp"), (&hosted, "/"), (&nested, "/tools")] {
        let answer = hosted.ask(&preflight(path, "https://app.example")).await;
        assert_eq!(answer.status, 204, "{path} {answer:?}");
        for (name, value) in [
            ("access-control-allow-origin", "https://app.example"),
            ("access-control-allow-methods", "GET, POST, DELETE"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}");
        }
        let allowed = answer.header("access-control-allow-headers").unwrap();
        assert!(allowed.ends_with(", mcp-param-region"), "{allowed}");
        let answer = hosted.ask(&preflight(path, "https://evil.example")).await;
        assert_eq!(answer.status, 405, "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
        let rebound =
            preflight(path, "https://app.example").replacen("localhost", "evil.example", 1);
        assert_eq!(hosted.ask(&rebound).await.status, 403, "{path}");
        let call = modern_call(1, "echo", &json!({"text": "x"})).replacen("/mcp", path, 1);
        let call = call.replacen("Host", "Origin: https://app.example\r\nHost", 1);
        // Errors can be read as well.
        for call in [
            call.clone(),
            call.replacen("application/json", "text/plain", 1),
        ] {
            let answer = hosted.ask(&call).await;
            let (shown, exposed) = (
                answer.header("access-control-allow-origin"),
                answer.header("access-control-expose-headers"),
            );
            assert_eq!(shown, Some("https://app.example"), "{path} {answer:?}");
            assert!(exposed.unwrap().contains("mcp-session-id"), "{path}");
            assert_eq!(answer.header("vary"), Some("origin"));
        }
    }
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

#[tokio::test]
async fn probes_of_health_are_answered_under_any_host_where_they_are_asked_for() {
    let probe = |method: &str, path: &str| {
        format!("{method} {path} HTTP/1.1\r\nHost: 10.1.2.3:9\r\nContent-Length: 0\r\n\r\n")
    };
    let hosted = Hosted::start(|host| host.health(true)).await;
    for (method, path, status, body) in [
        ("GET", "/healthz", 200, "ok\n"),
        ("GET", "/readyz", 200, "ok\n"),
        ("POST", "/healthz", 405, ""),
    ] {
        let answer = hosted.ask(&probe(method, path)).await;
        assert_eq!(
            (answer.status, &*answer.body),
            (status, body),
            "{method} {path}"
        );
    }
    let hosted = Hosted::start(|host| host).await;
    let answer = hosted.ask(&probe("GET", "/healthz")).await;
    assert_eq!(answer.status, 404, "{answer:?}");
}
