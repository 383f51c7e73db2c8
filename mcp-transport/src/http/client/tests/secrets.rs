//! Headers of the user: which go out, which win, and that no secret is shown.

use ::http::{HeaderMap, HeaderValue};
use mcp_types::RawParams;

use super::{
    INITIALIZED, call, legacy, modern, result,
    server::{Server, json},
};
use crate::{exchange::Notification, http::client::HttpClient};

const OK: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#;

fn with(headers: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_static(value));
    }
    map
}

#[tokio::test]
async fn the_headers_of_a_call_replace_those_of_the_client_name_by_name() {
    let server = Server::start([json(200, OK), json(200, OK)]).await;
    let client = HttpClient::builder(&server.url)
        .headers(with(&[
            ("authorization", "Bearer client"),
            ("x-a", "1"),
            ("x-a", "2"),
            ("x-b", "kept"),
            ("mcp-session-id", "forged"),
            ("last-event-id", "forged"),
            ("mcp-protocol-version", "forged"),
        ]))
        .build()
        .unwrap();
    let mut request = modern("tools/list", "{}");
    request.ext.insert(with(&[
        ("authorization", "Bearer call"),
        ("x-a", "3"),
        ("x-a", "4"),
        ("accept", "text/html"),
        ("content-type", "text/plain"),
        ("content-length", "1"),
        ("transfer-encoding", "chunked"),
        ("mcp-session-id", "forged"),
    ]));
    result(call(&client, request).await.1);
    result(call(&client, modern("tools/list", "{}")).await.1);
    let seen = server.requests();
    assert_eq!(seen[0].all("authorization"), ["Bearer call"]);
    assert_eq!(seen[0].all("x-a"), ["3", "4"]);
    assert_eq!(seen[0].all("x-b"), ["kept"]);
    assert_eq!(
        seen[0].all("accept"),
        ["application/json, text/event-stream"]
    );
    assert_eq!(seen[0].all("content-type"), ["application/json"]);
    assert_eq!(seen[0].all("transfer-encoding"), [""; 0]);
    assert_eq!(seen[0].all("mcp-protocol-version"), [super::MODERN]);
    assert_eq!(seen[1].all("authorization"), ["Bearer client"]);
    assert_eq!(seen[1].all("x-a"), ["1", "2"]);
    for seen in seen {
        assert_eq!(seen.all("mcp-session-id"), [""; 0]);
        assert_eq!(seen.all("last-event-id"), [""; 0]);
    }
}

#[tokio::test]
async fn a_session_is_authorized_from_its_stream_to_its_end() {
    let events = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
        data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n\n!hang";
    let accepted = || "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned();
    let server = Server::start([
        json(200, INITIALIZED).replace("\r\n\r\n", "\r\nMcp-Session-Id: s1\r\n\r\n"),
        accepted(),
        events.into(),
        accepted(),
        accepted(),
    ])
    .await;
    let client = HttpClient::builder(&server.url)
        .headers(with(&[("authorization", "Bearer client")]))
        .build()
        .unwrap();
    result(call(&client, legacy("initialize")).await.1);
    crate::Endpoint::notify(&client, Notification::new("n", RawParams::empty())).unwrap();
    let mut listen = legacy("subscriptions/listen");
    listen
        .ext
        .insert(with(&[("authorization", "Bearer listener")]));
    tokio::select! {
        (_, outcome) = call(&client, listen) => panic!("the stream ended: {outcome:?}"),
        () = server.requests_seen(4) => {}
    }
    client.close().await;
    let seen = server.requests();
    let told: Vec<_> = seen
        .iter()
        .map(|seen| {
            let verb = seen.line.split(' ').next().unwrap();
            let session = seen.header("mcp-session-id").unwrap_or("-");
            format!(
                "{verb} {session} {}",
                seen.header("authorization").unwrap_or("-")
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "POST - Bearer client",
            "POST s1 Bearer client",
            "GET s1 Bearer listener",
            "POST s1 Bearer listener",
            "DELETE s1 Bearer client",
        ]
    );
}

#[tokio::test]
async fn credentials_in_the_url_become_a_header() {
    let check = async |userinfo: &str, headers: HeaderMap, expected: &str| {
        let server = Server::start([json(200, OK)]).await;
        let url = server
            .url
            .replace("http://", &format!("http://{userinfo}@"));
        let client = HttpClient::builder(&url).headers(headers).build().unwrap();
        result(call(&client, modern("tools/list", "{}")).await.1);
        assert_eq!(server.requests()[0].all("authorization"), [expected]);
        assert!(!server.requests()[0].line.contains('@'));
    };
    check("user:p%40ss", HeaderMap::new(), "Basic dXNlcjpwQHNz").await;
    check("user", HeaderMap::new(), "Basic dXNlcjo=").await;
    check(
        "user:pass",
        with(&[("authorization", "Bearer x")]),
        "Bearer x",
    )
    .await;
}

#[test]
fn neither_a_client_nor_its_settings_show_secrets() {
    for url in [
        "https://user:secret@example.com/mcp?key=secret#secret",
        "https://example.com:bad-port/mcp?key=secret",
        "https://user:secret@/mcp",
        "user:secret@example.com/mcp",
        "ftp://user:secret@example.com/mcp?key=secret",
        "example.com/mcp?key=secret",
    ] {
        let builder = HttpClient::builder(url).headers(with(&[("x-key", "secret")]));
        let shown = format!("{builder:?}");
        assert!(!shown.contains("secret"), "{shown}");
        let built = match builder.build() {
            Ok(client) => format!("{client:?} {}", client.url()),
            Err(failure) => format!("{failure} {failure:?}"),
        };
        assert!(!built.contains("secret"), "{url}: {built}");
        assert!(built.contains("/mcp"), "{url}: {built}");
    }
}
