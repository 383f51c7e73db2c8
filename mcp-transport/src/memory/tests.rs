//! The in-memory endpoint: as it is, and through JSON.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use mcp_errors::{Failure, FailureKind};
use mcp_types::{ErrorCode, ErrorObject, RawJson, RawParams, RequestMeta};

use super::Memory;
use crate::exchange::{Endpoint, Event, Exchange, Full, Notification, Reply, Request};

/// Remembers what it was asked and answers one notification and one outcome.
struct Server {
    outcome: fn() -> Result<Reply, Failure>,
    asked: Mutex<Vec<Request>>,
    told: Mutex<Vec<Notification>>,
}

struct Answer(Vec<Event>);

impl Exchange for Answer {
    fn poll_event(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Event> {
        self.0.pop().map_or(Poll::Pending, Poll::Ready)
    }
}

impl Endpoint for Server {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        self.asked.lock().unwrap().push(request);
        let progress = Notification::new(
            "notifications/progress",
            params(r#"{"progressToken":1,"progress":2}"#),
        );
        Box::pin(Answer(vec![
            Event::Outcome((self.outcome)()),
            Event::Notification(progress),
        ]))
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.told.lock().unwrap().push(notification);
        Ok(())
    }
}

fn params(text: &'static str) -> RawParams {
    RawParams::parse(text).unwrap()
}

fn server(outcome: fn() -> Result<Reply, Failure>) -> Arc<Server> {
    Arc::new(Server {
        outcome,
        asked: Mutex::default(),
        told: Mutex::default(),
    })
}

async fn events(
    endpoint: &Memory,
    request: Request,
) -> (Vec<Notification>, Result<Reply, Failure>) {
    let mut exchange = endpoint.open(request);
    let mut notifications = Vec::new();
    loop {
        match poll_fn(|cx| exchange.as_mut().poll_event(cx)).await {
            Event::Notification(notification) => notifications.push(notification),
            Event::Ask(ask, _) => panic!("{ask:?}"),
            Event::Outcome(outcome) => return (notifications, outcome),
        }
    }
}

fn reply() -> Result<Reply, Failure> {
    let mut reply = Reply::new(RawJson::parse(r#"{"content":[]}"#).unwrap());
    reply.ext.insert(7u8);
    Ok(reply)
}

fn request() -> Request {
    let mut meta = RequestMeta::new();
    meta.set("traceparent", RawJson::parse("\"00-1\"").unwrap());
    let mut request = Request::new("tools/call", params(r#"{"name":"echo"}"#)).with_meta(meta);
    request.ext.insert(9u8);
    request
}

/// Plays `outcome` as it is and over a wire; `seen` gets what came out, and whether it went over a wire.
async fn check(
    outcome: fn() -> Result<Reply, Failure>,
    seen: impl Fn(&Request, &[Notification], Result<Reply, Failure>, bool),
) {
    for (endpoint, wire) in [
        (Memory::new as fn(Arc<dyn Endpoint>) -> Memory, false),
        (Memory::strict, true),
    ] {
        let server = server(outcome);
        let (notifications, outcome) = events(&endpoint(server.clone()), request()).await;
        let asked = server.asked.lock().unwrap();
        assert_eq!(asked.len(), 1);
        seen(&asked[0], &notifications, outcome, wire);
    }
}

#[tokio::test]
async fn item_7_an_exchange_is_the_same_in_both_modes_but_for_extensions() {
    check(reply, |asked, notifications, outcome, wire| {
        assert_eq!(
            (asked.method.as_str(), asked.params.get("name"), &asked.meta),
            ("tools/call", Some("\"echo\""), &request().meta)
        );
        assert_eq!(asked.ext.get::<u8>(), (!wire).then_some(&9));
        assert_eq!(notifications.len(), 1);
        assert_eq!(notifications[0].method, "notifications/progress");
        assert_eq!(notifications[0].params.get("progress"), Some("2"));
        let reply = outcome.unwrap();
        assert_eq!(reply.result.as_str(), r#"{"content":[]}"#);
        assert_eq!(reply.ext.get::<u8>(), (!wire).then_some(&7));
    })
    .await;
}

#[tokio::test]
async fn item_7_an_error_stays_whose_it_is_in_both_modes() {
    let peer = || {
        Err(Failure::peer(
            ErrorObject::new(ErrorCode(-32602), "Unknown tool").with_data(&1),
        ))
    };
    check(peer, |_, _, outcome, _| {
        let failure = outcome.unwrap_err();
        let error = failure.peer_error().unwrap();
        assert_eq!(
            (error.code.0, &*error.message, error.data.is_some()),
            (-32602, "Unknown tool", true)
        );
    })
    .await;
    let local = || Err(Failure::new(FailureKind::Timeout, "no answer"));
    check(local, |_, _, outcome, _| {
        assert!(outcome.unwrap_err().is_timeout())
    })
    .await;
}

#[tokio::test]
async fn item_7_line_breaks_between_tokens_survive_both_modes() {
    let spread = || Ok(Reply::new(RawJson::parse("{\n \"a\":\r\n1}").unwrap()));
    check(spread, |_, _, outcome, _| {
        let value = outcome
            .unwrap()
            .result
            .decode::<std::collections::HashMap<String, i64>>();
        assert_eq!(value.unwrap()["a"], 1);
    })
    .await;
}

#[tokio::test]
async fn item_7_dropping_an_exchange_drops_the_servers_in_both_modes() {
    struct Held {
        _held: Arc<()>,
    }
    impl Exchange for Held {
        fn poll_event(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Event> {
            Poll::Pending
        }
    }
    struct Holding(Arc<()>);
    impl Endpoint for Holding {
        fn open(&self, _: Request) -> Pin<Box<dyn Exchange>> {
            Box::pin(Held {
                _held: Arc::clone(&self.0),
            })
        }
        fn notify(&self, _: Notification) -> Result<(), Full> {
            Err(Full)
        }
    }
    for endpoint in [Memory::new, Memory::strict] {
        let held = Arc::new(());
        let endpoint = endpoint(Arc::new(Holding(Arc::clone(&held))));
        let exchange = endpoint.open(request());
        assert_eq!(Arc::strong_count(&held), 3);
        drop(exchange);
        assert_eq!(Arc::strong_count(&held), 2, "the call is cancelled");
        let full = endpoint.notify(Notification::new("n", RawParams::empty()));
        assert_eq!(full, Err(Full));
    }
}

#[tokio::test]
async fn notifications_arrive_in_both_modes() {
    for endpoint in [Memory::new, Memory::strict] {
        let server = server(reply);
        let endpoint = endpoint(server.clone());
        let notification =
            Notification::new("notifications/cancelled", params(r#"{"requestId":"a"}"#));
        endpoint.notify(notification.clone()).unwrap();
        assert_eq!(*server.told.lock().unwrap(), [notification]);
    }
}
