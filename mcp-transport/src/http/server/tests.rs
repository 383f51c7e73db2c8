//! Real sockets against an app whose exchanges the test feeds by hand.

mod answering;
#[cfg(feature = "http2")]
mod http2;
mod refusing;
mod waiting;

use std::{
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{StatusCode, request::Parts};
use mcp_types::{
    Era, Message, RawJson, RawParams,
    jsonrpc::{ErrorId, Malformed, MalformedKind, decode_batch},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

use super::{BatchItem, HttpAnswer, HttpApp, HttpService, Served, serve};
use crate::{
    clock::ManualClock,
    exchange::{Event, Exchange, Notification, Reply},
    proto::limits::Limits,
};

/// The test's end of an exchange: send events in; `closed()` resolves once the exchange is dropped.
type Feed = mpsc::UnboundedSender<Event>;

struct Fed(mpsc::UnboundedReceiver<Event>);

impl Exchange for Fed {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        match self.0.poll_recv(cx) {
            Poll::Ready(Some(event)) => Poll::Ready(event),
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }
}

struct App {
    feeds: mpsc::UnboundedSender<Feed>,
    has_sessions: bool,
}

impl App {
    fn open(&self) -> Pin<Box<dyn Exchange>> {
        let (feed, events) = mpsc::unbounded_channel();
        self.feeds.send(feed).unwrap();
        Box::pin(Fed(events))
    }
}

impl HttpApp for App {
    fn has_sessions(&self) -> bool {
        self.has_sessions
    }

    fn post(&self, _: Parts, message: Result<Message, Malformed>, body: &Bytes) -> HttpAnswer {
        match message {
            Ok(Message::Request(request)) if request.method == "kept" => {
                HttpAnswer::exchange(request.id, self.open(), Era::Legacy).kept()
            }
            Ok(Message::Request(request)) => {
                HttpAnswer::exchange(request.id, self.open(), Era::Modern)
            }
            Ok(Message::Notification(_) | Message::Response(_)) => {
                HttpAnswer::empty(StatusCode::ACCEPTED)
            }
            Err(malformed) if malformed.kind == MalformedKind::Batch => {
                let items =
                    decode_batch(body, 64)
                        .unwrap()
                        .into_iter()
                        .filter_map(|item| match item {
                            Ok(Message::Request(request)) => {
                                Some(BatchItem::exchange(request.id, self.open()))
                            }
                            Ok(_) => None,
                            Err(bad) => Some(BatchItem::error(&ErrorId::Null, &bad.answer()?)),
                        });
                HttpAnswer::batch(items)
            }
            Err(malformed) => HttpAnswer::error(
                StatusCode::BAD_REQUEST,
                &ErrorId::Omitted,
                &malformed.answer().unwrap(),
            ),
        }
    }

    fn get(&self, _: Parts) -> HttpAnswer {
        HttpAnswer::stream(self.open())
    }

    fn delete(&self, _: Parts) -> HttpAnswer {
        HttpAnswer::empty(StatusCode::NO_CONTENT)
    }
}

/// A server on a free port, with a clock that the test moves.
struct Server {
    address: SocketAddr,
    clock: ManualClock,
    feeds: mpsc::UnboundedReceiver<Feed>,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Served>,
}

impl Server {
    async fn start(limits: Limits) -> Self {
        let (feeds_in, feeds) = mpsc::unbounded_channel();
        let app = Arc::new(App {
            feeds: feeds_in,
            has_sessions: true,
        });
        let clock = ManualClock::new();
        let service = HttpService::new(app)
            .with_limits(limits.clone())
            .with_clock(Arc::new(clock.clone()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let shutdown = async {
            stopped.await.ok();
        };
        let serving = serve(listener, service, limits, Arc::new(clock.clone()), shutdown);
        #[expect(clippy::disallowed_methods, reason = "the test's runtime owns it")]
        let serving = tokio::spawn(serving);
        Self {
            address,
            clock,
            feeds,
            stop,
            serving,
        }
    }

    async fn connect(&self) -> Client {
        Client {
            stream: TcpStream::connect(self.address).await.unwrap(),
            read: Vec::new(),
        }
    }

    /// Sends a POST of `body` on a new connection.
    async fn post(&self, body: &str) -> Client {
        let mut client = self.connect().await;
        client.send(&post(body)).await;
        client
    }

    /// The test's end of the exchange that was opened last.
    async fn feed(&mut self) -> Feed {
        self.feeds.recv().await.unwrap()
    }

    /// Lets the server's tasks run until the clock is asked to wake somebody `at` that time from now.
    async fn until_waiting(&self, seconds: u64) {
        let at = crate::clock::Clock::now(&self.clock) + std::time::Duration::from_secs(seconds);
        while self.clock.next_deadline() != Some(at) {
            tokio::task::yield_now().await;
        }
    }
}

struct Client {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Client {
    async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
    }

    /// Reads until `text` has come.
    async fn until(&mut self, text: &str) -> String {
        self.until_count(text, 1).await
    }

    /// Reads until `text` has come so often.
    async fn until_count(&mut self, text: &str, times: usize) -> String {
        loop {
            let so_far = String::from_utf8_lossy(&self.read).into_owned();
            if so_far.matches(text).count() >= times {
                return so_far;
            }
            let count = self.stream.read_buf(&mut self.read).await.unwrap();
            assert!(count > 0, "closed after {so_far:?}, before {text:?}");
        }
    }

    /// Reads to the end of the connection.
    async fn rest(&mut self) -> String {
        while self.stream.read_buf(&mut self.read).await.unwrap_or(0) > 0 {}
        String::from_utf8_lossy(&self.read).into_owned()
    }
}

fn post(body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn call(id: u64, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)
}

fn result(text: &str) -> Event {
    Event::Outcome(Ok(Reply::new(RawJson::parse(text).unwrap())))
}

fn said(method: &str) -> Event {
    Event::Notification(Notification::new(method, RawParams::empty()))
}
