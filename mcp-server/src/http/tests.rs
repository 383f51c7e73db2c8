//! A server on a real socket, in both eras, as bytes see it.

mod crowd;
mod features;
mod hosting;
mod legacy;
mod listening;
mod mirror;
mod modern;
mod pair;
mod resuming;
mod rows;
mod rows_3_8;
mod tasks;

use std::{net::SocketAddr, sync::Arc};

use mcp_transport::clock::ManualClock;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

use super::{HttpError, SseStream};
use crate::{
    Answer, Args, BoxFuture, Call, Context, Headers, Json, Server, Service, Tool, schemars,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Text {
    text: String,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

/// What a tool that hangs tells the test: that it began, and that it was dropped.
#[derive(Clone)]
struct Watcher(mpsc::UnboundedSender<&'static str>);

struct Dropped(Watcher);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.0.send("dropped").ok();
    }
}

/// A hosted server, and what its hanging tool says.
struct Hosted {
    address: SocketAddr,
    events: mpsc::UnboundedReceiver<&'static str>,
    go: Arc<tokio::sync::Notify>,
    clock: ManualClock,
    server: Arc<Server>,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Result<(), HttpError>>,
}

impl Hosted {
    async fn start(change: impl FnOnce(super::HttpHost) -> super::HttpHost) -> Self {
        let (said, events) = mpsc::unbounded_channel();
        let (watcher, go) = (Watcher(said), Arc::new(tokio::sync::Notify::new()));
        let watcher_of_ends = watcher.clone();
        let gate = Arc::clone(&go);
        let hang = move || {
            let (watcher, gate) = (watcher.clone(), Arc::clone(&gate));
            async move {
                watcher.0.send("began").ok();
                let dropped = Dropped(watcher);
                gate.notified().await;
                dropped.0.0.send("went on").ok();
                "done".to_owned()
            }
        };
        let (polls, gate) = (watcher_of_ends.clone(), Arc::clone(&go));
        let poll = move |cx: Context| {
            let (polls, gate) = (polls.clone(), Arc::clone(&gate));
            async move {
                let said = SseStream::of(&cx).map(SseStream::close);
                let said = said.map_or("no stream", |()| "closed the stream");
                polls.0.send(said).ok();
                gate.notified().await;
                "done".to_owned()
            }
        };
        let closes = watcher_of_ends.clone();
        // A call of `header` in a session tells when that session ends.
        let watch = move |inner: Arc<dyn Service>| -> Arc<dyn Service> {
            let closes = closes.clone();
            Arc::new(move |call: Call| -> BoxFuture<Answer> {
                if call.tool_name().as_deref() == Some("header")
                    && let Some(session) = call.session()
                {
                    let closes = closes.clone();
                    session.on_close(move || {
                        closes.0.send("closed").ok();
                    });
                }
                inner.call(call)
            })
        };
        let server = with_tools(Server::new("test", "1.0").layer(watch))
            .tool(Tool::new("hang", hang))
            .tool(Tool::new("poll", poll));
        let server = Arc::new(server);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let clock = ManualClock::new();
        let host = change(server.http().clock(Arc::new(clock.clone())));
        let (stop, stopped) = oneshot::channel();
        #[expect(clippy::disallowed_methods, reason = "the test's runtime owns it")]
        let serving = tokio::spawn(async move {
            let shutdown = async {
                stopped.await.ok();
            };
            host.serve_on(listener, shutdown).await
        });
        Self {
            address,
            events,
            go,
            clock,
            server,
            stop,
            serving,
        }
    }

    async fn send(&self, request: &str) -> Client {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        Client {
            stream,
            read: Vec::new(),
        }
    }

    /// Sends `request`; its status, head and body.
    async fn ask(&self, request: &str) -> Received {
        self.send(request).await.answer().await
    }

    async fn event(&mut self) -> &'static str {
        self.events.recv().await.unwrap()
    }
}

/// The tools that need nothing of the test.
fn with_tools(server: Server) -> Server {
    server
        .tool(Tool::new(
            "echo",
            |Args(Text { text }): Args<Text>| async move { Json(Echo { text }) },
        ))
        .tool(Tool::new("header", |headers: Headers| async move {
            let value = headers
                .0
                .get("x-test")
                .and_then(|value| value.to_str().ok());
            value.unwrap_or("none").to_owned()
        }))
}

struct Client {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Client {
    async fn until(&mut self, text: &str) -> String {
        loop {
            let so_far = String::from_utf8_lossy(&self.read).into_owned();
            if so_far.contains(text) {
                return so_far;
            }
            let count = self.stream.read_buf(&mut self.read).await.unwrap();
            assert!(count > 0, "closed after {so_far:?}, before {text:?}");
        }
    }

    async fn answer(mut self) -> Received {
        let head = self.until("\r\n\r\n").await;
        let (head, _) = head.split_once("\r\n\r\n").unwrap();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |length| length.parse().unwrap());
        while self.read.len() < head.len() + 4 + length {
            assert!(self.stream.read_buf(&mut self.read).await.unwrap() > 0);
        }
        let body = String::from_utf8(self.read[head.len() + 4..].to_vec()).unwrap();
        Received {
            status: head[9..12].parse().unwrap(),
            head: head.to_owned(),
            body,
        }
    }
}

#[derive(Debug)]
struct Received {
    status: u16,
    head: String,
    body: String,
}

impl Received {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// A request with `headers`, a line each, and a JSON body.
fn http(method: &str, headers: &[(&str, &str)], body: &Value) -> String {
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let headers: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    format!(
        "{method} /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
    })
}

/// A modern `tools/call`.
fn modern_call(id: u64, tool: &str, arguments: &Value) -> String {
    let body = json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": meta()},
    });
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
    ];
    http("POST", &headers, &body)
}
