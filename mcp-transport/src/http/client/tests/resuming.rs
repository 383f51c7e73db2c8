//! client.md 4.3, the rows about streams that break: a legacy one is taken up again, a modern one never.

use std::{future::poll_fn, sync::Arc, time::Duration};

use mcp_errors::{Executed, Failure, FailureKind};

use super::{
    INITIALIZED, call,
    hasty::{Hasty, patient},
    legacy, modern, result,
    server::{Seen, Server, json},
};
use crate::{
    exchange::{Endpoint, Notification},
    http::client::{HttpClient, SessionLost},
};

const ACCEPTED: &str = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
const ANSWER: &str = "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":1}}\n\n";
const CHANGED: &str =
    "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";

fn events(text: &str) -> String {
    format!("{EVENTS}{text}!close")
}

fn status(status: u16) -> String {
    format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n")
}

struct Played {
    notifications: Vec<Notification>,
    outcome: Result<String, Failure>,
    /// The requests after `initialize`.
    seen: Vec<Seen>,
    waits: Vec<Duration>,
}

impl Played {
    fn verbs(&self) -> Vec<&str> {
        self.seen.iter().map(|request| request.kind().0).collect()
    }

    fn last_ids(&self) -> Vec<Option<&str>> {
        let seen = self.seen.iter();
        seen.map(|request| request.header("last-event-id"))
            .collect()
    }

    fn failure(self) -> Failure {
        self.outcome.unwrap_err()
    }
}

/// Begins a session and makes one call, which and whose further connections get `answers`; the last one for ever.
async fn play(method: &str, answers: impl IntoIterator<Item = String>) -> Played {
    let begin = json(200, INITIALIZED).replace("\r\n\r\n", "\r\nMcp-Session-Id: s1\r\n\r\n");
    let answers: Vec<_> = answers.into_iter().collect();
    let mut answers = answers.into_iter();
    let mut last = None;
    let server = Server::answering(move |request| match request.kind() {
        (_, "initialize") => Some(begin.clone()),
        (_, method) if method.starts_with("notifications/") => Some(ACCEPTED.to_owned()),
        _ => {
            last = answers.next().or_else(|| last.clone());
            last.clone()
        }
    })
    .await;
    let clock = Arc::new(Hasty::default());
    let client = HttpClient::builder(&server.url)
        .clock(Arc::clone(&clock) as _)
        .limits(patient())
        .build()
        .unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let (notifications, outcome) = call(&client, legacy(method)).await;
    Played {
        notifications,
        outcome: outcome.map(|reply| reply.result.as_str().to_owned()),
        seen: server.requests().split_off(1),
        waits: clock.waits(),
    }
}

#[tokio::test]
async fn a_post_stream_that_breaks_after_an_id_goes_on_by_get_after_the_retry() {
    let first = events(&format!("id: e1\nretry: 700\ndata:\n\nid: e2\n{CHANGED}"));
    let second = events(&format!("id: e3\n{ANSWER}"));
    let played = play("tools/call", [first, second]).await;
    assert_eq!(played.verbs(), ["POST", "GET"]);
    assert_eq!(played.last_ids(), [None, Some("e2")]);
    let get = &played.seen[1];
    assert_eq!(get.header("accept"), Some("text/event-stream"));
    assert_eq!(get.header("mcp-session-id"), Some("s1"));
    assert_eq!(get.header("mcp-protocol-version"), Some("2025-06-18"));
    assert_eq!(get.header("content-type"), None);
    let wait = played.waits[0].as_millis();
    assert!((690..=770).contains(&wait), "{:?}", played.waits);
    assert_eq!(played.notifications.len(), 1);
    assert_eq!(played.outcome.unwrap(), r#"{"a":1}"#);
}

#[tokio::test]
async fn a_post_stream_without_ids_is_lost() {
    let played = play("tools/call", [events("retry: 100\n\n: hi\n\n")]).await;
    assert_eq!(played.verbs(), ["POST"]);
    let failure = played.failure();
    assert_eq!(
        (failure.kind(), failure.executed()),
        (FailureKind::Lost, Executed::Unknown)
    );
}

#[tokio::test]
async fn a_modern_stream_is_never_taken_up_again() {
    let server = Server::start([events("id: e1\nretry: 100\ndata:\n\n")]).await;
    let client = HttpClient::builder(&server.url)
        .clock(Arc::new(Hasty::default()))
        .limits(patient())
        .build()
        .unwrap();
    let failure = call(&client, modern("tools/call", r#"{"name":"a"}"#))
        .await
        .1
        .unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Lost);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn same_last_event_id_again_and_again_stops_after_five() {
    let played = play("tools/call", [events("id: e1\ndata:\n\n")]).await;
    assert_eq!(played.verbs(), ["POST", "GET", "GET", "GET", "GET", "GET"]);
    assert_eq!(played.waits.len(), 5);
    let failure = played.failure();
    assert_eq!(
        (failure.kind(), failure.executed()),
        (FailureKind::Lost, Executed::Unknown)
    );
}

#[tokio::test]
async fn progress_lets_it_go_on_beyond_five() {
    let pieces = (0..9).map(|piece| events(&format!("id: e{piece}\ndata:\n\n")));
    let played = play("tools/call", pieces.chain([events(ANSWER)])).await;
    assert_eq!(played.verbs().len(), 10);
    assert_eq!(played.last_ids()[9], Some("e8"));
    assert_eq!(played.outcome.unwrap(), r#"{"a":1}"#);
}

#[tokio::test]
async fn a_resumption_that_is_refused_says_so_and_that_the_call_may_have_run() {
    for refusal in [400, 405, 406, 501] {
        let played = play("tools/call", [events("id: e1\ndata:\n\n"), status(refusal)]).await;
        assert_eq!(played.verbs(), ["POST", "GET"]);
        let failure = played.failure();
        assert_eq!(
            (failure.kind(), failure.executed()),
            (FailureKind::Lost, Executed::Unknown)
        );
        assert!(
            failure.to_string().contains(&refusal.to_string()),
            "{failure}"
        );
    }
}

#[tokio::test]
async fn a_resumption_in_a_lost_session_is_the_sessions_loss() {
    let played = play("tools/call", [events("id: e1\ndata:\n\n"), status(404)]).await;
    assert_eq!(played.verbs(), ["POST", "GET"]);
    let failure = played.failure();
    let lost = SessionLost::of(&failure).unwrap();
    assert_eq!(
        (lost.executed, failure.executed()),
        (Executed::Unknown, Executed::Unknown)
    );
}

#[tokio::test]
async fn a_resumption_that_fails_for_a_moment_is_tried_again() {
    for refusal in [status(503), status(500), status(429), "!close".to_owned()] {
        let answers = [events("id: e1\ndata:\n\n"), refusal, events(ANSWER)];
        let played = play("tools/call", answers).await;
        assert_eq!(played.verbs(), ["POST", "GET", "GET"]);
        assert_eq!(played.last_ids()[2], Some("e1"));
        assert_eq!(played.outcome.unwrap(), r#"{"a":1}"#);
    }
}

#[tokio::test]
async fn the_peers_error_on_the_second_connection_is_the_answer() {
    let error =
        "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32000,\"message\":\"m\"}}\n\n";
    let played = play("tools/call", [events("id: e1\ndata:\n\n"), events(error)]).await;
    assert_eq!(played.verbs(), ["POST", "GET"]);
    assert_eq!(played.failure().peer_error().unwrap().code.0, -32000);
}

#[tokio::test]
async fn the_standalone_stream_reconnects_with_its_last_id() {
    let answers = [
        events(&format!("id: g1\n{CHANGED}")),
        events(&format!("id: g2\n{CHANGED}")),
        status(405),
    ];
    let played = play("subscriptions/listen", answers).await;
    assert_eq!(played.verbs(), ["GET", "GET", "GET"]);
    assert_eq!(played.last_ids(), [None, Some("g1"), Some("g2")]);
    assert_eq!(played.notifications.len(), 2);
    assert_eq!(played.failure().http_status(), Some(405));
}

#[tokio::test]
async fn row_22_a_standalone_stream_that_fails_for_a_moment_gets_five_more_tries() {
    for answer in [status(503), "!close".to_owned(), events(": hi\n\n")] {
        let played = play("subscriptions/listen", [answer]).await;
        assert_eq!((played.verbs().len(), played.waits.len()), (6, 5));
        let most = [500, 1_000, 2_000, 4_000, 8_000].map(Duration::from_millis);
        for (wait, most) in played.waits.iter().zip(most) {
            assert!(
                *wait <= most && *wait > Duration::from_millis(80),
                "{wait:?}"
            );
        }
        played.failure();
    }
}

#[tokio::test]
async fn row_22_a_200_that_is_no_stream_stops_for_good() {
    let played = play("subscriptions/listen", [json(200, "{}")]).await;
    assert_eq!(played.verbs(), ["GET"]);
    assert_eq!(played.failure().kind(), FailureKind::Malformed);
}

#[tokio::test]
async fn row_22_a_standalone_stream_whose_head_never_comes_is_given_up() {
    let server = Server::start(std::iter::repeat_n("!hang".to_owned(), 9)).await;
    let clock = Arc::new(Hasty::default());
    let client = HttpClient::builder(&server.url)
        .clock(Arc::clone(&clock) as _)
        .limits(patient().with_head_time(Duration::from_secs(30)))
        .build()
        .unwrap();
    let failure = call(&client, legacy("subscriptions/listen"))
        .await
        .1
        .unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Timeout, "{failure:?}");
    assert_eq!(clock.waits().len(), 6 + 5);
}

#[tokio::test]
async fn a_session_lost_under_the_standalone_stream_is_told() {
    let answers = [events(&format!("id: g1\n{CHANGED}")), status(404)];
    let failure = play("subscriptions/listen", answers).await.failure();
    assert!(SessionLost::of(&failure).is_some(), "{failure:?}");
    let failure = play("subscriptions/listen", [status(404)]).await.failure();
    assert!(SessionLost::of(&failure).is_none(), "{failure:?}");
}

#[tokio::test]
async fn a_call_that_is_dropped_between_connections_is_cancelled() {
    let mut first = true;
    let server = Server::answering(move |request| {
        Some(match request.kind() {
            (_, "initialize") => json(200, INITIALIZED),
            (_, "tools/call") => events("id: e1\nretry: 60000\ndata:\n\n"),
            (_, _) if std::mem::take(&mut first) => ACCEPTED.to_owned(),
            _ => return None,
        })
    })
    .await;
    let client = HttpClient::new(&server.url).unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let mut exchange = client.open(legacy("tools/call"));
    tokio::select! {
        _ = poll_fn(|cx| exchange.as_mut().poll_event(cx)) => panic!("no answer came"),
        () = server.answered(2) => {}
    }
    drop(exchange);
    server.requests_seen(3).await;
    let summary = server.requests()[2].summary();
    assert!(
        summary.starts_with("POST notifications/cancelled"),
        "{summary}"
    );
}
