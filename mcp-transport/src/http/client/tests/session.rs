//! client.md 4.2, row by row: what becomes of calls whose legacy session the server lost.

use std::{
    future::{Future as _, poll_fn},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Waker},
    time::Duration,
};

use mcp_errors::{Executed, Failure, FailureKind};

use super::{
    INITIALIZED, call, legacy, result,
    server::{Seen, Server, json},
};
use crate::{
    clock::ManualClock,
    exchange::{Endpoint, Event},
    http::client::{HttpAnswer, HttpClient, SessionLost},
    proto::limits::Limits,
};

const ACCEPTED: &str = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
const GONE: &str = "HTTP/1.1 404 No\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\ngone";
const OK: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{"ok":true}}"#;

fn begun(session: &str) -> String {
    let head = format!("\r\nMcp-Session-Id: {session}\r\n\r\n");
    json(200, INITIALIZED).replace("\r\n\r\n", &head)
}

fn error(status: u16, code: i64) -> String {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":{code},"message":"no session"}}}}"#
    );
    json(status, &body)
}

/// A server whose sessions are `s1`, `s2` and so on, and which answers the calls by `answer`.
async fn server(mut answer: impl FnMut(&Seen) -> String + Send + 'static) -> Server {
    let sessions = AtomicUsize::new(1);
    Server::answering(move |request| {
        Some(match request.kind() {
            (_, "initialize") => begun(&format!("s{}", sessions.fetch_add(1, Ordering::Relaxed))),
            (_, method) if method.starts_with("notifications/") => ACCEPTED.to_owned(),
            _ => answer(request),
        })
    })
    .await
}

async fn connect(server: &Server) -> HttpClient {
    let client = HttpClient::new(&server.url).unwrap();
    result(call(&client, legacy("initialize")).await.1);
    client
}

fn summaries(server: &Server) -> Vec<String> {
    server.requests().iter().map(Seen::summary).collect()
}

fn of_first(request: &Seen) -> bool {
    request.header("mcp-session-id") == Some("s1")
}

#[tokio::test]
async fn bl_203_a_404_begins_another_session_and_the_call_goes_on_there() {
    let server = server(|request| match of_first(request) {
        true => error(404, -32001),
        false => json(200, OK),
    })
    .await;
    let client = connect(&server).await;
    let reply = call(&client, legacy("tools/call")).await.1;
    assert_eq!(result(reply), r#"{"ok":true}"#);
    assert_eq!(
        summaries(&server),
        [
            "POST initialize version=- session=-",
            "POST tools/call version=2025-06-18 session=s1",
            "POST initialize version=- session=-",
            "POST notifications/initialized version=2025-06-18 session=s2",
            "POST tools/call version=2025-06-18 session=s2",
        ]
    );
    let seen = server.requests();
    assert_eq!(seen[1].body, seen[4].body);
    assert_eq!(client.renewals(), 1);
}

#[tokio::test]
async fn calls_that_are_lost_together_begin_one_session() {
    let server = server(|request| match of_first(request) {
        true => GONE.to_owned(),
        false => json(200, OK),
    })
    .await;
    let client = connect(&server).await;
    let one = || call(&client, legacy("tools/call"));
    let outcomes = tokio::join!(one(), one(), one(), one());
    let outcomes = [outcomes.0.1, outcomes.1.1, outcomes.2.1, outcomes.3.1];
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    let begins = summaries(&server).into_iter();
    let begins = begins.filter(|line| line.contains("initialize ")).count();
    assert_eq!((begins, client.renewals()), (2, 1));
}

#[track_caller]
fn lost(failure: &Failure, executed: Executed) {
    let lost = SessionLost::of(failure).unwrap();
    assert_eq!(
        (lost.executed, failure.executed()),
        (executed, executed),
        "{failure:?}"
    );
}

#[tokio::test]
async fn a_second_404_right_away_is_a_failure() {
    let server = server(|_| GONE.to_owned()).await;
    let client = connect(&server).await;
    for requests in [5, 6] {
        let failure = call(&client, legacy("tools/call")).await.1.unwrap_err();
        lost(&failure, Executed::No);
        assert_eq!(
            (failure.kind(), failure.http_status()),
            (FailureKind::Http, Some(404))
        );
        assert!(failure.to_string().contains("gone"), "{failure}");
        let source = std::error::Error::source(SessionLost::of(&failure).unwrap());
        assert!(source.unwrap().is::<HttpAnswer>());
        assert_eq!(summaries(&server).len(), requests);
    }
    assert_eq!(client.renewals(), 1);
}

#[tokio::test]
async fn after_the_pause_a_lost_session_is_replaced_again() {
    let server = server(|request| match request.header("mcp-session-id") {
        Some("s3") => json(200, OK),
        _ => GONE.to_owned(),
    })
    .await;
    let limits = Limits::default().with_renew_pause(Duration::ZERO);
    let client = HttpClient::builder(&server.url)
        .limits(limits)
        .build()
        .unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let failure = call(&client, legacy("tools/call")).await.1.unwrap_err();
    lost(&failure, Executed::No);
    result(call(&client, legacy("tools/call")).await.1);
    assert_eq!(client.renewals(), 2);
}

#[tokio::test]
async fn a_suspected_loss_by_400_repeats_no_call_that_may_have_run() {
    for code in [-32000, -32001, -32600] {
        let server = server(move |request| match of_first(request) {
            true => error(400, code),
            false => json(200, OK),
        })
        .await;
        let client = connect(&server).await;
        let failure = call(&client, legacy("tools/call")).await.1.unwrap_err();
        lost(&failure, Executed::Unknown);
        assert_eq!(failure.peer_error().unwrap().code.0, code);
        // The next one finds the new session.
        result(call(&client, legacy("tools/call")).await.1);
        let calls = summaries(&server).into_iter();
        let calls: Vec<_> = calls.filter(|line| line.contains("tools/call")).collect();
        assert_eq!(calls.len(), 2, "{calls:?}");
    }
}

#[tokio::test]
async fn a_suspected_loss_by_400_repeats_what_only_asks() {
    let server = server(|request| match of_first(request) {
        true => error(400, -32000),
        false => json(200, OK),
    })
    .await;
    let client = connect(&server).await;
    result(call(&client, legacy("tools/list")).await.1);
    assert_eq!(client.renewals(), 1);
}

/// How often the server was asked for `method`.
fn asked(server: &Server, method: &str) -> usize {
    let requests = server.requests();
    requests.iter().filter(|it| it.kind().1 == method).count()
}

#[tokio::test]
async fn a_400_for_another_reason_costs_a_ping_and_no_session() {
    for code in [-32000, -32001, -32600] {
        let server = server(move |request| match request.kind().1 {
            "ping" => json(200, OK),
            "tools/list" => json(200, OK),
            _ => error(400, code),
        })
        .await;
        let client = connect(&server).await;
        for _ in 0..20 {
            let failure = call(&client, legacy("tools/call")).await.1.unwrap_err();
            assert!(SessionLost::of(&failure).is_none(), "{failure:?}");
            assert_eq!(failure.peer_error().unwrap().code.0, code);
            // That a request is invalid is found out before anything runs.
            let executed = match code {
                -32600 => Executed::No,
                _ => Executed::Unknown,
            };
            assert_eq!(
                (failure.executed(), failure.http_status()),
                (executed, Some(400))
            );
            result(call(&client, legacy("tools/list")).await.1);
        }
        assert_eq!((asked(&server, "initialize"), client.renewals()), (1, 0));
        assert_eq!(asked(&server, "ping"), 1);
        assert_eq!(asked(&server, "tools/call"), 20);
    }
}

#[tokio::test]
async fn a_server_without_ping_answers_and_so_is_there() {
    let server = server(|request| match request.kind().1 {
        "ping" => error(404, -32601),
        _ => error(400, -32000),
    })
    .await;
    let client = connect(&server).await;
    call(&client, legacy("tools/call")).await.1.unwrap_err();
    assert_eq!((asked(&server, "initialize"), client.renewals()), (1, 0));
}

#[tokio::test]
async fn a_server_that_answers_400_to_all_costs_one_session() {
    let server = server(|_| error(400, -32000)).await;
    let limits = Limits::default().with_renew_pause(Duration::ZERO);
    let client = HttpClient::builder(&server.url).limits(limits);
    let client = client.build().unwrap();
    result(call(&client, legacy("initialize")).await.1);
    for _ in 0..20 {
        call(&client, legacy("tools/call")).await.1.unwrap_err();
        call(&client, legacy("tools/list")).await.1.unwrap_err();
    }
    assert_eq!((asked(&server, "initialize"), client.renewals()), (2, 1));
    assert_eq!(asked(&server, "ping"), 1);
}

#[tokio::test]
async fn a_session_that_was_good_once_can_be_suspected_again() {
    let server = server(|request| {
        let session = request.header("mcp-session-id").unwrap();
        match (session, request.kind().1) {
            ("s2", "tools/list") | ("s3", _) => json(200, OK),
            _ => error(400, -32000),
        }
    })
    .await;
    let limits = Limits::default().with_renew_pause(Duration::ZERO);
    let client = HttpClient::builder(&server.url).limits(limits);
    let client = client.build().unwrap();
    result(call(&client, legacy("initialize")).await.1);
    result(call(&client, legacy("tools/list")).await.1);
    call(&client, legacy("tools/call")).await.1.unwrap_err();
    result(call(&client, legacy("tools/call")).await.1);
    assert_eq!(client.renewals(), 2);
}

#[tokio::test]
async fn rust_peers_15_calls_of_a_replaced_session_end_with_it() {
    let server = server(|request| {
        let body = &request.body;
        match (of_first(request), request.kind().1) {
            (true, "tools/call") => "!hang".to_owned(),
            (true, _) => GONE.to_owned(),
            (false, _) => json(200, &OK.replace("true", &format!("{}", body.len()))),
        }
    })
    .await;
    let clock = ManualClock::new();
    let client = HttpClient::builder(&server.url).clock(Arc::new(clock.clone()));
    let client = client.build().unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let mut waiting = client.open(legacy("tools/call"));
    let mut never = Box::pin(poll_fn(|cx| waiting.as_mut().poll_event(cx)));
    tokio::select! {
        event = &mut never => panic!("{event:?}"),
        () = server.requests_seen(2) => {}
    }
    result(call(&client, legacy("tools/list")).await.1);
    assert_eq!(client.renewals(), 1);
    // It has the time of a farewell for an answer that is on its way.
    let grace = Limits::default().farewell_time;
    let mut cx = Context::from_waker(Waker::noop());
    clock.advance(grace - Duration::from_millis(1));
    assert!(never.as_mut().poll(&mut cx).is_pending());
    clock.advance(grace);
    let Event::Outcome(Err(failure)) = never.await else {
        panic!("it has no answer")
    };
    lost(&failure, Executed::Unknown);
    assert_eq!(failure.kind(), FailureKind::Lost);
    drop(waiting);
    // It was not sent again, and not cancelled in a session that does not know it.
    result(call(&client, legacy("tools/list")).await.1);
    assert_eq!(asked(&server, "tools/call"), 1);
    assert_eq!(asked(&server, "notifications/cancelled"), 0);
}

#[tokio::test]
async fn the_standalone_stream_goes_on_in_the_new_session() {
    let server = server(|request| match (of_first(request), request.kind()) {
        (true, ("GET", _)) => {
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nid: 7\n\n!hang".to_owned()
        }
        (false, ("GET", _)) => {
            let note = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
            format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {note}\n\n!hang"
            )
        }
        (true, _) => GONE.to_owned(),
        (false, _) => json(200, OK),
    })
    .await;
    let limits = Limits::default().with_farewell_time(Duration::ZERO);
    let client = HttpClient::builder(&server.url).limits(limits);
    let client = client.build().unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let mut stream = client.open(legacy("subscriptions/listen"));
    let mut next = Box::pin(poll_fn(|cx| stream.as_mut().poll_event(cx)));
    tokio::select! {
        event = &mut next => panic!("{event:?}"),
        () = server.answered(2) => {}
    }
    result(call(&client, legacy("tools/list")).await.1);
    let Event::Notification(note) = next.await else {
        panic!("the stream ended")
    };
    assert_eq!(note.method, "notifications/tools/list_changed");
    let gets = server.requests().into_iter();
    let gets: Vec<_> = gets.filter(|it| it.kind().0 == "GET").collect();
    assert_eq!(gets.len(), 2);
    assert_eq!(gets[1].header("mcp-session-id"), Some("s2"));
    assert_eq!(gets[1].header("last-event-id"), None);
}

#[tokio::test]
async fn other_refusals_are_no_session_loss() {
    let bare = "HTTP/1.1 413 No\r\ncontent-length: 0\r\n\r\n".to_owned();
    for answer in [
        error(404, -32601),
        error(400, -32602),
        error(200, -32600),
        bare,
    ] {
        let server = server(move |_| answer.clone()).await;
        let client = connect(&server).await;
        let failure = call(&client, legacy("tools/call")).await.1.unwrap_err();
        assert!(SessionLost::of(&failure).is_none(), "{failure:?}");
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_404_without_a_session_is_no_session_loss() {
    let server = Server::start([json(200, INITIALIZED), GONE.to_owned()]).await;
    let client = connect(&server).await;
    let failure = call(&client, legacy("tools/call")).await.1.unwrap_err();
    assert!(SessionLost::of(&failure).is_none(), "{failure:?}");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn where_sessions_are_the_callers_the_loss_is_told_and_nothing_sent() {
    let server = server(|_| GONE.to_owned()).await;
    let client = HttpClient::builder(&server.url)
        .renew_sessions(false)
        .build()
        .unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let failure = call(&client, legacy("tools/call")).await.1.unwrap_err();
    lost(&failure, Executed::No);
    assert_eq!((server.requests().len(), client.renewals()), (2, 0));
}

#[tokio::test]
async fn a_server_that_speaks_another_revision_now_gets_no_old_calls() {
    let other = INITIALIZED.replace("2025-06-18", "2025-11-25");
    let server = Server::start([begun("s1"), GONE.into(), json(200, &other), GONE.into()]).await;
    let client = connect(&server).await;
    for _ in 0..2 {
        let failure = call(&client, legacy("tools/call")).await.1.unwrap_err();
        lost(&failure, Executed::No);
    }
    assert_eq!(
        summaries(&server)[2..],
        [
            "POST initialize version=- session=-",
            "POST tools/call version=2025-06-18 session=s1",
        ]
    );
}

#[tokio::test]
async fn a_renewal_that_is_not_answered_ends() {
    let server = Server::start([begun("s1"), GONE.into(), "!hang".into()]).await;
    let limits = Limits::default().with_renew_time(Duration::from_millis(20));
    let client = HttpClient::builder(&server.url)
        .limits(limits)
        .build()
        .unwrap();
    result(call(&client, legacy("initialize")).await.1);
    let failure = call(&client, legacy("tools/call")).await.1.unwrap_err();
    lost(&failure, Executed::No);
}

#[tokio::test]
async fn a_renewal_whose_caller_leaves_is_the_next_callers() {
    let server = Server::start([
        begun("s1"),
        GONE.into(),
        "!hang".into(),
        ACCEPTED.into(),
        GONE.into(),
        begun("s2"),
        ACCEPTED.into(),
        json(200, OK),
    ])
    .await;
    let client = connect(&server).await;
    let mut exchange = client.open(legacy("tools/call"));
    tokio::select! {
        _ = poll_fn(|cx| exchange.as_mut().poll_event(cx)) => panic!("no answer came"),
        () = server.requests_seen(3) => {}
    }
    drop(exchange);
    // That is its cancellation.
    server.requests_seen(4).await;
    result(call(&client, legacy("tools/call")).await.1);
    assert_eq!(client.renewals(), 1);
}

#[tokio::test]
async fn after_close_no_session_is_begun() {
    let server = server(|_| GONE.to_owned()).await;
    let client = connect(&server).await;
    client.close().await;
    call(&client, legacy("tools/call")).await.1.unwrap_err();
    assert_eq!((server.requests().len(), client.renewals()), (3, 0));
}
