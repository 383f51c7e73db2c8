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

#[tokio::test]
async fn plain_hands_over_values_and_extensions() {
    let server = server(reply);
    let (notifications, outcome) = events(&Memory::new(server.clone()), request()).await;
    assert_eq!(notifications.len(), 1);
    assert_eq!(outcome.unwrap().ext.get::<u8>(), Some(&7));
    assert_eq!(server.asked.lock().unwrap()[0].ext.get::<u8>(), Some(&9));
}

#[tokio::test]
async fn strict_hands_over_what_json_carries() {
    let server = server(reply);
    let (notifications, outcome) = events(&Memory::strict(server.clone()), request()).await;
    assert_eq!(notifications[0].params.get("progress"), Some("2"));
    let reply = outcome.unwrap();
    assert_eq!(
        (reply.result.as_str(), reply.ext.len()),
        (r#"{"content":[]}"#, 0)
    );
    let asked = &server.asked.lock().unwrap()[0];
    assert_eq!(
        (asked.method.as_str(), asked.params.get("name")),
        ("tools/call", Some("\"echo\""))
    );
    assert_eq!(asked.meta, request().meta);
    assert!(asked.ext.is_empty());
}

#[tokio::test]
async fn strict_keeps_whose_error_it_is() {
    let peer = server(|| {
        Err(Failure::peer(
            ErrorObject::new(ErrorCode(-32602), "Unknown tool").with_data(&1),
        ))
    });
    let failure = events(&Memory::strict(peer), request())
        .await
        .1
        .unwrap_err();
    let error = failure.peer_error().unwrap();
    assert_eq!(
        (error.code.0, &*error.message, error.data.is_some()),
        (-32602, "Unknown tool", true)
    );
    let local = server(|| Err(Failure::new(FailureKind::Timeout, "no answer")));
    assert!(
        events(&Memory::strict(local), request())
            .await
            .1
            .unwrap_err()
            .is_timeout()
    );
}

#[tokio::test]
async fn notifications_arrive() {
    for strict in [false, true] {
        let server = server(reply);
        let endpoint = Memory {
            server: server.clone(),
            strict,
        };
        let notification =
            Notification::new("notifications/cancelled", params(r#"{"requestId":"a"}"#));
        endpoint.notify(notification.clone()).unwrap();
        assert_eq!(*server.told.lock().unwrap(), [notification]);
    }
}
