//! Replies that are no answer: each ends its call with an error that says what came instead.

use std::{error::Error as _, future::poll_fn};

use ::http::{HeaderMap, HeaderValue, header};
use mcp_errors::{Executed, Failure, FailureKind};

use super::{
    INITIALIZED, call, legacy, modern, outcome, result,
    server::{Server, json},
};
use crate::{
    exchange::Endpoint as _,
    http::client::{HttpAnswer, HttpClient},
    proto::answer::EndpointAnnounced,
};

const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

/// An answer with any content type.
fn typed(kind: &str, body: &str) -> String {
    json(200, body).replace("application/json", kind)
}

#[track_caller]
fn is(failure: &Failure, kind: FailureKind, status: Option<u16>, quoted: &str) {
    assert_eq!(
        (failure.kind(), failure.executed(), failure.http_status()),
        (kind, Executed::Unknown, status),
        "{failure:?}"
    );
    let told = failure.to_string();
    assert!(told.contains(quoted), "{quoted:?} in {told}");
}

#[tokio::test]
async fn every_undecodable_reply_ends_the_call_and_is_quoted() {
    let no_type = "HTTP/1.1 200 OK\r\ncontent-length: $LEN\r\n\r\nhello";
    let foreign = r#"{"jsonrpc":"2.0","id":77,"result":{}}"#;
    let spelled = r#"{"jsonrpc":"2.0","id":"$ID","result":{}}"#;
    let ours = r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#;
    let request = r#"{"jsonrpc":"2.0","id":$ID,"method":"ping"}"#;
    let cut = r#"{"jsonrpc":"2.0","id":1,"resu"#;
    for (reply, quoted) in [
        // HTML, text, nothing, and the wrong type.
        (typed("text/html", "<html>Log in</html>"), "<html>Log in"),
        (typed("text/plain", ours), "text/plain"),
        (no_type.to_owned(), r#"no content type, body "hello""#),
        (json(200, ""), r#"body """#),
        // JSON that is none, or no message.
        (json(200, cut), r#"\"resu"#),
        (json(200, "null"), r#""null""#),
        (json(200, "{}"), r#""{}""#),
        (json(200, "\u{1b}[31mred"), r#"body "[31mred""#),
        (json(200, r#"{"ok":true}"#), r#"{\"ok\":true}"#),
        (
            json(200, r#"{"jsonrpc":"2.0","result":5}"#),
            r#"\"result\":5"#,
        ),
        (json(200, request), r#"\"ping\""#),
        (json(200, &format!("{ours}{ours}")), r#"\"result\":{}}{"#),
        // Batches without an answer to this.
        (json(200, "[]"), r#""[]""#),
        (json(200, &format!("[{foreign}]")), r#"[{\"jsonrpc\""#),
        // An id of another request, or spelled otherwise.
        (json(200, foreign), "for the request 77, and this is 1;"),
        (json(200, spelled), r#"for the request "1", and this is 1;"#),
    ] {
        let failure = outcome(reply.clone()).await.unwrap_err();
        is(&failure, FailureKind::Malformed, Some(200), quoted);
        let answer = failure.source().unwrap();
        assert!(answer.is::<HttpAnswer>(), "{reply}");
    }
    for (status, reply) in [
        (202, "HTTP/1.1 202 X\r\ncontent-length: 0\r\n\r\n"),
        (
            202,
            "HTTP/1.1 202 X\r\ncontent-type: a/b\r\ncontent-length: 4\r\n\r\nsoon",
        ),
        (204, "HTTP/1.1 204 X\r\n\r\n"),
        (200, "HTTP/1.1 200 X\r\ncontent-length: 0\r\n\r\n"),
    ] {
        let failure = outcome(reply).await.unwrap_err();
        let told = format!("is empty; status {status}");
        is(&failure, FailureKind::Malformed, Some(status), &told);
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_quoted_as_far_as_they_are() {
    let server = Server::start_bytes(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{\"a\":\"\xff\"}",
    )
    .await;
    let client = HttpClient::new(&server.url).unwrap();
    let failure = call(&client, modern("tools/list", "{}"))
        .await
        .1
        .unwrap_err();
    let quoted = "body \"{\\\"a\\\":\\\"\u{fffd}\\\"}\"";
    is(&failure, FailureKind::Malformed, Some(200), quoted);
}

#[tokio::test]
async fn what_broke_off_is_quoted() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n";
    let cut = outcome(format!("{head}{{\"jso!close")).await.unwrap_err();
    is(
        &cut,
        FailureKind::Lost,
        Some(200),
        r#"after 5 bytes, "{\"jso""#,
    );
    let none = outcome(format!("{head}!close")).await.unwrap_err();
    is(&none, FailureKind::Lost, Some(200), "broke off");

    let noise = outcome(format!("{EVENTS}data: oh\n\ndata: no\n\n!close")).await;
    let told = r#"; 2 events were no messages, the first "oh""#;
    is(&noise.unwrap_err(), FailureKind::Lost, Some(200), told);
    let spelled = r#"{"jsonrpc":"2.0","id":"$ID","result":{}}"#;
    let other = outcome(format!("{EVENTS}data: {spelled}\n\n!close")).await;
    let told = r#"for the request "1", and this is 1;"#;
    is(&other.unwrap_err(), FailureKind::Lost, Some(200), told);
    let broken = r#"{"jsonrpc":"1.0","id":$ID,"result":{"a":7}}"#;
    let broken = outcome(format!("{EVENTS}data: {broken}\n\n!hang")).await;
    is(
        &broken.unwrap_err(),
        FailureKind::Malformed,
        None,
        r#"{\"a\":7}"#,
    );
}

#[tokio::test]
async fn u5_garbage_before_the_answer_is_skipped_and_named_to_whoever_gives_up() {
    let ours = r#"{"jsonrpc":"2.0","id":$ID,"result":{"a":1}}"#;
    let answered = outcome(format!("{EVENTS}data: oh\n\ndata: {ours}\n\n!close")).await;
    assert_eq!(result(answered), r#"{"a":1}"#);

    let spelled = r#"{"jsonrpc":"2.0","id":"$ID","result":{}}"#;
    let note = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
    let stream = format!("{EVENTS}data: oh\n\ndata: {spelled}\n\ndata: {note}\n\n!hang");
    let server = Server::start([stream]).await;
    let client = HttpClient::new(&server.url).unwrap();
    let mut exchange = client.open(modern("tools/list", "{}"));
    assert_eq!(exchange.noise(), None);
    poll_fn(|cx| exchange.as_mut().poll_event(cx)).await;
    let told = exchange.noise().unwrap();
    assert!(told.contains(r#"1 event was no message: "oh""#), "{told}");
    assert!(
        told.contains(r#"for the request "1", and this is 1;"#),
        "{told}"
    );
}

#[tokio::test]
async fn of_two_answers_in_a_batch_the_first_counts() {
    let two =
        r#"[{"jsonrpc":"2.0","id":$ID,"result":{"a":1}},{"jsonrpc":"2.0","id":$ID,"result":{}}]"#;
    assert_eq!(result(outcome(json(200, two)).await), r#"{"a":1}"#);
}

#[tokio::test]
async fn u1_and_i7_an_endpoint_event_ends_the_call_and_is_told_by_type() {
    let endpoint = "event: endpoint\ndata: /messages?s=1\n\n";
    for begin in ["", ": hello\n\n", "retry: 100\n\n"] {
        for request in [modern("tools/list", "{}"), legacy("initialize")] {
            let server = Server::start([format!("{EVENTS}{begin}{endpoint}!hang")]).await;
            let client = HttpClient::new(&server.url).unwrap();
            let failure = call(&client, request).await.1.unwrap_err();
            is(&failure, FailureKind::Malformed, Some(200), "HTTP+SSE");
            assert!(EndpointAnnounced::explains(&failure));
            // The stream is not kept open.
            server.hung_connection_closed().await;
            assert_eq!(server.requests().len(), 1);
        }
    }
    // Later on it is an event that nobody knows.
    let note = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n";
    let answer = "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}}\n\n";
    result(outcome(format!("{EVENTS}{note}{endpoint}{answer}!close")).await);
}

#[tokio::test]
async fn what_authorized_the_request_is_not_quoted() {
    let echo = |status| {
        let body = "you sent Bearer t0ken-of-mine, key-1234 and s1-secret";
        typed("text/html", body).replacen("200", status, 1)
    };
    let begin = json(200, INITIALIZED).replace("\r\n\r\n", "\r\nMcp-Session-Id: s1-secret\r\n\r\n");
    let server = Server::start([begin, echo("200"), echo("500")]).await;
    let mut headers = HeaderMap::new();
    let token = HeaderValue::from_static("Bearer t0ken-of-mine");
    headers.insert(header::AUTHORIZATION, token);
    let mut key = HeaderValue::from_static("key-1234");
    key.set_sensitive(true);
    headers.insert("x-key", key);
    let client = HttpClient::builder(&server.url).headers(headers);
    let client = client.build().unwrap();
    result(call(&client, legacy("initialize")).await.1);
    for _ in 0..2 {
        let failure = call(&client, legacy("tools/call")).await.1.unwrap_err();
        for told in [failure.to_string(), format!("{failure:?}")] {
            assert!(told.contains("you sent ***, *** and ***"), "{told}");
        }
        let answer = failure.source().unwrap().downcast_ref::<HttpAnswer>();
        assert_eq!(answer.unwrap().body, "you sent ***, *** and ***");
    }
}
