//! client.md 4.1 to 4.5: the rows that no other file here is about.

use std::{future::poll_fn, time::Duration};

use ::http::HeaderMap;
use mcp_types::{ErrorCode, ErrorObject, RawJson, RawParams};

use super::{
    INITIALIZED, MODERN, call, legacy, modern, result,
    server::{Server, json},
};
use crate::{
    exchange::{Endpoint, Event, Notification},
    http::client::HttpClient,
    proto::{limits::Limits, mirror::Mirror},
};

const OK: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#;
const ACCEPTED: &str = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";

fn with_session(answer: &str) -> String {
    answer.replacen("\r\n\r\n", "\r\nMcp-Session-Id: s1\r\n\r\n", 1)
}

#[tokio::test]
async fn row_4_1_modern_has_no_session_no_resumption_and_no_farewell() {
    let ok = with_session(&json(200, OK));
    let cut = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nid: 7\n\n!close";
    let server = Server::start([ok.clone(), with_session(cut), ok]).await;
    let client = HttpClient::new(&server.url).unwrap();
    result(call(&client, modern("tools/list", "{}")).await.1);
    call(&client, modern("tools/list", "{}"))
        .await
        .1
        .unwrap_err();
    result(call(&client, modern("tools/list", "{}")).await.1);
    client.close().await;
    let expected = format!("POST tools/list version={MODERN} session=-");
    let seen = server.requests();
    let summaries: Vec<_> = seen.iter().map(|it| it.summary()).collect();
    assert_eq!(summaries, [&*expected, &expected, &expected]);
}

#[tokio::test]
async fn row_4_1_legacy_mirrors_nothing_into_headers() {
    let server = Server::start([
        with_session(&json(200, INITIALIZED)),
        ACCEPTED.to_owned(),
        json(200, OK),
    ])
    .await;
    let client = HttpClient::new(&server.url).unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let initialized = Notification::new("notifications/initialized", RawParams::empty());
    client.notify(initialized).unwrap();
    let mut request = legacy("tools/call");
    request.params = RawParams::parse(r#"{"name":"t","arguments":{"a":"x"}}"#).unwrap();
    let schema = r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}"#;
    let mirror = Mirror::of(&RawJson::parse(schema).unwrap()).unwrap();
    let headers = mirror.headers(request.params.get("arguments")).unwrap();
    assert!(!headers.is_empty());
    request.ext.insert(headers);
    result(call(&client, request).await.1);
    for seen in server.requests() {
        for name in ["mcp-method", "mcp-name", "mcp-param-a"] {
            assert_eq!(seen.header(name), None, "{name} in {}", seen.summary());
        }
    }
}

#[tokio::test]
async fn row_4_4_mcp_name_says_whom_a_request_is_for() {
    let rows = [
        ("tools/call", r#"{"name":"t","arguments":{}}"#, Some("t")),
        ("prompts/get", r#"{"name":"p"}"#, Some("p")),
        (
            "resources/read",
            r#"{"uri":"file:///a%20b"}"#,
            Some("file:///a%20b"),
        ),
        ("tasks/get", r#"{"taskId":"k1"}"#, Some("k1")),
        ("tasks/update", r#"{"taskId":"k1"}"#, Some("k1")),
        ("tasks/cancel", r#"{"taskId":"k1"}"#, Some("k1")),
        ("tools/list", "{}", None),
        ("server/discover", "{}", None),
    ];
    let server = Server::start(rows.iter().map(|_| json(200, OK))).await;
    let client = HttpClient::new(&server.url).unwrap();
    for (method, params, _) in rows {
        result(call(&client, modern(method, params)).await.1);
    }
    for (seen, (method, _, name)) in server.requests().iter().zip(rows) {
        assert_eq!(seen.header("mcp-method"), Some(method));
        assert_eq!(seen.header("mcp-name"), name, "{method}");
    }
}

#[tokio::test]
async fn row_4_4_marked_arguments_stand_above_headers_set_by_hand() {
    let server = Server::start([json(200, OK)]).await;
    let client = HttpClient::new(&server.url).unwrap();
    let mut request = modern("tools/call", r#"{"name":"t","arguments":{"a":"x"}}"#);
    let schema = r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}"#;
    let mirror = Mirror::of(&RawJson::parse(schema).unwrap()).unwrap();
    let headers = mirror.headers(request.params.get("arguments")).unwrap();
    request.ext.insert(headers);
    let mut by_hand = HeaderMap::new();
    for (name, value) in [("mcp-param-a", "forged"), ("mcp-param-b", "b")] {
        by_hand.insert(name, value.parse().unwrap());
    }
    request.ext.insert(by_hand);
    result(call(&client, request).await.1);
    let seen = &server.requests()[0];
    assert_eq!(seen.all("mcp-param-a"), ["x"]);
    assert_eq!(seen.all("mcp-param-b"), ["b"]);
}

#[tokio::test]
async fn row_42_a_get_without_a_head_holds_up_nothing() {
    let server = Server::answering(|request| {
        Some(match request.kind() {
            ("GET", _) => "!hang".to_owned(),
            (_, "initialize") => with_session(&json(200, INITIALIZED)),
            (_, "tools/list") => json(200, OK),
            _ => ACCEPTED.to_owned(),
        })
    })
    .await;
    let client = HttpClient::new(&server.url).unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let mut stream = client.open(legacy("subscriptions/listen"));
    tokio::select! {
        event = poll_fn(|cx| stream.as_mut().poll_event(cx)) => panic!("{event:?}"),
        () = server.requests_seen(2) => {}
    }
    let initialized = Notification::new("notifications/initialized", RawParams::empty());
    client.notify(initialized).unwrap();
    result(call(&client, legacy("tools/list")).await.1);
    let seen = server.requests();
    let kinds: Vec<_> = seen.iter().map(|it| it.kind()).collect();
    assert_eq!(
        kinds,
        [
            ("POST", "initialize"),
            ("GET", ""),
            ("POST", "notifications/initialized"),
            ("POST", "tools/list"),
        ]
    );
}

#[tokio::test]
async fn row_4_1_what_a_legacy_server_asks_on_a_stream_is_answered_by_a_post() {
    let events = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let ask = |id: &str, method: &str| {
        format!(
            "data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{\"a\":1}}}}\n\n"
        )
    };
    let stream = [
        ask("1", "elicitation/create"),
        ask("\"q\"", "roots/list"),
        ask("3", "sampling/createMessage"),
        format!("data: {OK}\n\n!close"),
    ];
    let server = Server::start([
        with_session(&json(200, INITIALIZED)),
        format!("{events}{}", stream.concat()),
        ACCEPTED.to_owned(),
        ACCEPTED.to_owned(),
        ACCEPTED.to_owned(),
    ])
    .await;
    let client = HttpClient::new(&server.url).unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let mut exchange = client.open(legacy("tools/call"));
    let mut asked = Vec::new();
    loop {
        match poll_fn(|cx| exchange.as_mut().poll_event(cx)).await {
            Event::Ask(ask, reply) => {
                assert_eq!(ask.params.get("a"), Some("1"));
                match ask.method.as_str() {
                    "elicitation/create" => reply.answer(Ok(RawJson::parse("{\"b\":2}").unwrap())),
                    "roots/list" => reply.answer(Err(ErrorObject::new(ErrorCode(-1), "no"))),
                    _ => drop(reply),
                }
                asked.push(ask.method.as_str().to_owned());
            }
            Event::Outcome(outcome) => break assert_eq!(result(outcome), "{}"),
            Event::Notification(note) => panic!("{note:?}"),
        }
    }
    assert_eq!(
        asked,
        ["elicitation/create", "roots/list", "sampling/createMessage"]
    );
    server.requests_seen(5).await;
    let seen = server.requests();
    let answers: Vec<_> = seen[2..].iter().map(|it| it.body.as_str()).collect();
    assert_eq!(
        answers,
        [
            r#"{"jsonrpc":"2.0","id":1,"result":{"b":2}}"#,
            r#"{"jsonrpc":"2.0","id":"q","error":{"code":-1,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found: sampling/createMessage"}}"#,
        ]
    );
    for answer in &seen[2..] {
        assert_eq!(answer.summary(), "POST  version=2025-06-18 session=s1");
    }
}

#[tokio::test]
async fn row_39_a_close_takes_any_answer_to_its_delete_and_waits_for_none() {
    let limits = Limits::default().with_farewell_time(Duration::from_millis(20));
    for answer in [
        "HTTP/1.1 204 X\r\n\r\n",
        "HTTP/1.1 404 X\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 405 X\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 500 X\r\ncontent-length: 0\r\n\r\n",
        "!close",
        "!hang",
    ] {
        let begin = with_session(&json(200, INITIALIZED));
        let server = Server::start([begin, answer.to_owned()]).await;
        let client = HttpClient::builder(&server.url).limits(limits.clone());
        let client = client.build().unwrap();
        result(call(&client, legacy("initialize")).await.1);
        client.close().await;
        server.requests_seen(2).await;
        let seen = server.requests();
        assert_eq!(seen[1].summary(), "DELETE  version=2025-06-18 session=s1");
    }
}

#[tokio::test]
async fn peers_18_a_slow_answer_holds_up_no_other_call() {
    let server = Server::answering(|request| {
        Some(match request.kind() {
            (_, "slow") => "!hang".to_owned(),
            _ => json(200, OK),
        })
    })
    .await;
    let client = HttpClient::new(&server.url).unwrap();
    let mut slow: Vec<_> = (0..32).map(|_| client.open(modern("slow", "{}"))).collect();
    let waiting = poll_fn(|cx| {
        for call in &mut slow {
            assert!(call.as_mut().poll_event(cx).is_pending());
        }
        std::task::Poll::<()>::Pending
    });
    tokio::select! {
        () = waiting => {}
        () = server.requests_seen(32) => {}
    }
    result(call(&client, modern("tools/list", "{}")).await.1);
}
