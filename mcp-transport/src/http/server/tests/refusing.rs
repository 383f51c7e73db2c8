//! What HTTP refuses by itself: each with its status and a JSON-RPC body.

use super::{Server, call, post, result};
use crate::proto::limits::Limits;

/// Sends `request`, expects `status` and a JSON-RPC error with `code` and `message` in it, and no id.
async fn check(server: &Server, request: &str, status: u16, code: i64, message: &str) -> String {
    let mut client = server.connect().await;
    client.send(request).await;
    let answer = client.until("}}").await;
    assert!(
        answer.starts_with(&format!("HTTP/1.1 {status} ")),
        "{request}\n{answer}"
    );
    assert!(
        answer.contains("content-type: application/json\r\n"),
        "{answer}"
    );
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["error"]["code"], code, "{answer}");
    let said = body["error"]["message"].as_str().unwrap();
    assert!(said.contains(message), "{answer}");
    assert!(
        body.get("id").is_none() && body["jsonrpc"] == "2.0",
        "{answer}"
    );
    answer
}

#[tokio::test]
async fn heads_that_are_refused() {
    let server = Server::start(Limits::default()).await;
    let good = post(&call(1, "call"));
    let with = |from: &str, to: &str| good.replace(from, to);
    let table = [
        (with("POST", "PUT"), 405, -32600, "Use POST /mcp"),
        (with("POST", "OPTIONS"), 405, -32600, "Use POST /mcp"),
        (
            with("\r\n\r\n", "\r\nOrigin: http://evil.example\r\n\r\n"),
            403,
            -32600,
            "Origin http://evil.example is not in the allowlist",
        ),
        (
            with("Host: localhost", "Host: evil.example"),
            403,
            -32600,
            "Host evil.example is not in the allowlist",
        ),
        (
            with("application/json", "text/plain"),
            415,
            -32600,
            "text/plain",
        ),
        (
            with("\r\n\r\n", "\r\nAccept: application/json\r\n\r\n"),
            406,
            -32600,
            "text/event-stream",
        ),
        (post("{not json"), 400, -32700, "Parse error"),
        (
            post(r#"{"jsonrpc":"2.0","id":[],"method":"call"}"#),
            400,
            -32600,
            "`id` must be",
        ),
        (
            "GET /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n".into(),
            403,
            -32600,
            "Host evil.example",
        ),
        (
            "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n".into(),
            406,
            -32600,
            "text/event-stream",
        ),
        (
            "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n\r\n".into(),
            403,
            -32600,
            "Origin null",
        ),
    ];
    for (request, status, code, message) in table {
        let answer = check(&server, &request, status, code, message).await;
        assert_eq!(
            answer.contains("allow: GET, POST, DELETE\r\n"),
            status == 405
        );
    }
}

#[tokio::test]
async fn b1_the_limit_of_a_body_holds_to_the_byte() {
    const LIMIT: usize = 1000;
    let mut server = Server::start(Limits::default().with_request_body(LIMIT)).await;
    let message = call(1, "call");
    let sized = |size: usize| message.clone() + &" ".repeat(size - message.len());
    for size in [LIMIT - 1, LIMIT] {
        let mut client = server.post(&sized(size)).await;
        server.feed().await.send(result("{}")).unwrap();
        client.until(r#""id":1,"result":{}}"#).await;
    }
    for size in [LIMIT + 1, 100 * LIMIT] {
        check(&server, &post(&sized(size)), 413, -32600, "1000 bytes").await;
    }
}

#[tokio::test]
async fn b2_a_declared_length_over_the_limit_is_refused_before_a_byte_is_read() {
    let server = Server::start(Limits::default()).await;
    let request = post("").replace("Content-Length: 0", "Content-Length: 4194305");
    let answer = check(&server, &request, 413, -32600, "4194304 bytes").await;
    assert!(answer.contains("connection: close\r\n"), "{answer}");
}

#[tokio::test]
async fn b2_a_chunked_body_counts_what_it_brings() {
    let server = Server::start(Limits::default().with_request_body(8)).await;
    let chunked =
        |chunks: &str| post("").replace("Content-Length: 0", "Transfer-Encoding: chunked") + chunks;
    check(
        &server,
        &chunked("5\r\n     \r\n4\r\n    \r\n"),
        413,
        -32600,
        "8 bytes",
    )
    .await;
    // What is within the limit is joined and read.
    check(
        &server,
        &chunked("5\r\n{    \r\n3\r\n   \r\n0\r\n\r\n"),
        400,
        -32700,
        "Parse error",
    )
    .await;
}

#[tokio::test]
async fn b1_the_answer_to_a_refused_body_arrives_although_the_client_goes_on_sending() {
    let server = Server::start(Limits::default().with_request_body(8)).await;
    let mut client = server.connect().await;
    let length = 1 << 20;
    client
        .send(&post("").replace("Content-Length: 0", &format!("Content-Length: {length}")))
        .await;
    client.send(&" ".repeat(length)).await;
    tokio::io::AsyncWriteExt::shutdown(&mut client.stream)
        .await
        .unwrap();
    let answer = client.rest().await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[tokio::test]
async fn a11_ambiguous_framing_is_never_served() {
    let mut server = Server::start(Limits::default()).await;
    for headers in [
        "Content-Length: 5\r\nContent-Length: 6",
        "Transfer-Encoding: xchunked\r\nContent-Length: 5",
    ] {
        let mut client = server.connect().await;
        client
            .send(&post("").replace("Content-Length: 0", headers))
            .await;
        client.send("{}{}{}").await;
        let answer = client.rest().await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }
    assert!(server.feeds.try_recv().is_err());
}

#[tokio::test]
async fn b4_too_many_headers_are_431() {
    let server = Server::start(Limits::default()).await;
    let mut client = server.connect().await;
    let many: String = (0..200).map(|at| format!("X-{at}: y\r\n")).collect();
    client
        .send(&post("").replace("Host", &format!("{many}Host")))
        .await;
    assert!(client.rest().await.starts_with("HTTP/1.1 431 "));
}
