//! Compression is never asked for unless it was turned on, and limits count what comes out of it.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use mcp_errors::{Executed, FailureKind};

use super::{call, modern, result, server::Server};
use crate::{
    http::client::{HttpClient, HttpClientBuilder},
    proto::limits::Limits,
};

/// The result `{"a":1}`, with gzip.
const SMALL: &str = "\
    H4sIAAAAAAACA6tWyirOzysqSFayUjLSM1DSUcpMUbIy1FEqSi0uzSlRsqpWSgTya2sB5YP9ySkAAAA=";

/// The same as an event.
const EVENT: &str = "\
    H4sIAAAAAAACA0tJLEm0UqhWyirOzysqSFayUjLSM1DSUcpMUbIy1FEqSi0uzSlRsqpWSgTya2u5uABPZCkhMQAAAA==";

/// A result of 100,000 bytes, with gzip.
const BOMB: &str = "\
    H4sIAAAAAAACA+3BMQ5AQBAAwK/I1hdBed9BQQQ5VHJ/9w3FzLyxXsdezjFyDG0XKZYpcp+izNez3ZHfBgAAAAAAAAAAAAAAAAAA\
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
    AAAAAAAAAPitWj94dKk6xIYBAA==";

/// The same as an event.
const EVENT_BOMB: &str = "\
    H4sIAAAAAAACA+3BOw5AQBQAwN4p5NUbQbm3ERREEJ9K3N01FDMzdFeXyyfmc1uPvY8cbVVHimmI3KQ4xvNershPCQAAAAAAAAAA\
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
    AAAAAAAAAAAAAAAAAPzW+xbFB74zIjLMhgEA";

/// 100,000 letters, with gzip.
const PAGE: &str = "\
    H4sIAAAAAAACA+3BMQEAAADCoNqLbw0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBXA3ERB/6ghgEA";

/// A server that answers once with this body.
async fn server(status: u16, kind: &str, body: &str) -> Server {
    let body = STANDARD.decode(body).unwrap();
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    Server::start_bytes(&[head.as_bytes(), &body].concat()).await
}

fn compressing(server: &Server) -> HttpClientBuilder {
    // Between what is sent and what that becomes.
    let limits = Limits::default()
        .with_response_body(1_000)
        .with_event(1_000);
    HttpClient::builder(&server.url)
        .compression(true)
        .limits(limits)
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

#[tokio::test]
async fn it_is_asked_for_and_undone_where_it_was_turned_on() {
    for (kind, body) in [(JSON, SMALL), (EVENTS, EVENT)] {
        let server = server(200, kind, body).await;
        let client = compressing(&server).build().unwrap();
        let reply = call(&client, modern("tools/list", "{}")).await.1;
        assert_eq!(result(reply), r#"{"a":1}"#);
        assert_eq!(server.requests()[0].all("accept-encoding"), ["gzip"]);
    }
}

#[tokio::test]
async fn b5_limits_count_what_comes_out() {
    for (kind, body) in [(JSON, BOMB), (EVENTS, EVENT_BOMB)] {
        assert!(body.len() < 1_000);
        let server = server(200, kind, body).await;
        let client = compressing(&server).build().unwrap();
        let failure = call(&client, modern("tools/list", "{}"))
            .await
            .1
            .unwrap_err();
        assert_eq!(
            (failure.kind(), failure.executed()),
            (FailureKind::TooLarge, Executed::Yes)
        );
    }
    // Of an error page the beginning is kept.
    let server = server(500, "text/html", PAGE).await;
    let client = compressing(&server).build().unwrap();
    let failure = call(&client, modern("tools/list", "{}"))
        .await
        .1
        .unwrap_err();
    assert_eq!(
        (failure.kind(), failure.http_status()),
        (FailureKind::Http, Some(500))
    );
    assert!(failure.to_string().contains("body \"xxx"), "{failure}");
}

#[tokio::test]
async fn b5_where_it_is_off_it_is_not_asked_for_and_refused() {
    for client in [
        |url: &str| HttpClient::builder(url),
        |url: &str| {
            HttpClient::builder(url)
                .compression(true)
                .compression(false)
        },
    ] {
        let server = server(200, JSON, SMALL).await;
        let client = client(&server.url).build().unwrap();
        let failure = call(&client, modern("tools/list", "{}"))
            .await
            .1
            .unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Malformed);
        assert!(failure.to_string().contains("content coding"), "{failure}");
        assert_eq!(server.requests()[0].all("accept-encoding"), ["identity"]);
    }
}

#[tokio::test]
async fn what_cannot_be_undone_ends_the_call() {
    let broken = STANDARD.encode(b"no gzip at all");
    let server = server(200, JSON, &broken).await;
    let client = compressing(&server).build().unwrap();
    let failure = call(&client, modern("tools/list", "{}"))
        .await
        .1
        .unwrap_err();
    assert_eq!(
        (failure.kind(), failure.executed(), failure.http_status()),
        (FailureKind::Malformed, Executed::Unknown, Some(200))
    );
}
