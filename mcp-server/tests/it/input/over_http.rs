//! Questions over HTTP: on the stream of the call that asks, answered by a POST of its own.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use mcp_server::{Context, KeyRing, Server, Tool, ToolError, input::StateKey, policy::LegacyMode};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tracing::{
    Event, Level, Metadata, Subscriber,
    span::{Attributes, Id, Record},
};

use crate::asker::{ALL, accept};

/// A server on a socket, as long as it lives.
struct Hosted {
    address: std::net::SocketAddr,
    _serving: JoinSet<()>,
}

impl Hosted {
    async fn start(legacy: LegacyMode) -> Self {
        async fn confirm(cx: Context) -> Result<String, ToolError> {
            Ok(cx.confirm("go", "Go?").await?.to_string())
        }
        let server = Server::new("s", "1").tool(Tool::new("confirm", confirm));
        let host = server.http().legacy(legacy);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut serving = JoinSet::new();
        #[expect(clippy::disallowed_methods, reason = "the set ends it")]
        serving.spawn(async move {
            host.serve_on(listener, std::future::pending())
                .await
                .unwrap();
        });
        Self {
            address,
            _serving: serving,
        }
    }

    /// Posts `body` with `headers`, a line each.
    async fn post(&self, headers: &str, body: &Value) -> Client {
        let body = body.to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        Client {
            stream,
            read: String::new(),
        }
    }

    /// The header that names a new session.
    async fn session(&self) -> String {
        let capabilities: Value = serde_json::from_str(ALL).unwrap();
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "c", "version": "1"}});
        let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let answer = self.post("", &message).await.until("serverInfo").await;
        let id = answer
            .lines()
            .find_map(|line| line.strip_prefix("mcp-session-id: "));
        format!("Mcp-Session-Id: {}\r\n", id.unwrap())
    }
}

struct Client {
    stream: TcpStream,
    read: String,
}

impl Client {
    /// What came, once it holds `text`.
    async fn until(&mut self, text: &str) -> String {
        let mut piece = [0; 4096];
        while !self.read.contains(text) {
            let count = self.stream.read(&mut piece).await.unwrap();
            assert!(count > 0, "closed after {:?}, before {text}", self.read);
            self.read
                .push_str(&String::from_utf8_lossy(&piece[..count]));
        }
        self.read.clone()
    }
}

fn call(id: u64, more: &Value) -> Value {
    let mut params = json!({"name": "confirm", "arguments": {}});
    let more = more.as_object().unwrap().clone();
    params.as_object_mut().unwrap().extend(more);
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

fn answer(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": accept(&json!({"confirm": true}))})
}

#[tokio::test]
async fn a_legacy_session_is_asked_on_the_stream_of_its_call() {
    let hosted = Hosted::start(LegacyMode::Stateful).await;
    let (ours, others) = (hosted.session().await, hosted.session().await);
    let mut stream = hosted.post(&ours, &call(7, &json!({}))).await;
    let asked = stream.until(r#""method":"elicitation/create""#).await;
    assert!(asked.contains("content-type: text/event-stream"), "{asked}");
    assert!(
        asked.contains(r#"{"jsonrpc":"2.0","id":1,"method""#),
        "{asked}"
    );
    // Ids are a session's own: what another answers is nothing here.
    for (session, id) in [(&others, 1), (&ours, 2), (&ours, 1)] {
        hosted
            .post(session, &answer(id))
            .await
            .until("202 Accepted")
            .await;
    }
    let told = stream.until(r#""id":7,"result""#).await;
    assert!(told.contains(r#""text":"true""#), "{told}");
}

#[tokio::test]
async fn r28_a_legacy_client_without_a_session_is_told_at_once() {
    let hosted = Hosted::start(LegacyMode::Stateless).await;
    let mut told = hosted
        .post("MCP-Protocol-Version: 2025-06-18\r\n", &call(7, &json!({})))
        .await;
    let told = told.until(r#""isError":true"#).await;
    let why = "the client cannot be asked: the connection has no way back to it";
    assert!(told.contains(why), "{told}");
}

#[tokio::test]
async fn a_modern_client_is_asked_in_the_answer_and_refused_with_400() {
    let hosted = Hosted::start(LegacyMode::Stateful).await;
    let headers =
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: confirm\r\n";
    let meta = |capabilities: &str| {
        let capabilities: Value = serde_json::from_str(capabilities).unwrap();
        json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }})
    };
    let mut refused = hosted.post(headers, &call(1, &meta("{}"))).await;
    let refused = refused.until("requiredCapabilities").await;
    assert!(refused.starts_with("HTTP/1.1 400 "), "{refused}");
    assert!(refused.contains("-32021"), "{refused}");
    let mut asked = hosted.post(headers, &call(2, &meta(ALL))).await;
    let asked = asked.until("requestState").await;
    assert!(asked.starts_with("HTTP/1.1 200 "), "{asked}");
    assert!(asked.contains("content-type: application/json"), "{asked}");
    let mut forged = meta(ALL);
    forged["requestState"] = json!("forged");
    let mut refused = hosted.post(headers, &call(3, &forged)).await;
    refused
        .until(r#""data":{"reason":"invalid_request_state"}"#)
        .await;
}

/// Counts what the log is warned of about asking.
#[derive(Clone, Default)]
struct Warnings(Arc<AtomicUsize>);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN && metadata.target().starts_with("mcp_server::input")
    }

    fn event(&self, _: &Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn r30_lesson3_a_server_on_http_without_keys_warns_once() {
    let warnings = Warnings::default();
    tracing::subscriber::with_default(warnings.clone(), || {
        let keys = KeyRing::new(StateKey::new("k".repeat(32)).unwrap());
        let with = Server::new("s", "1").state_keys(keys);
        drop(with.http_service());
        assert_eq!(warnings.0.load(Ordering::Relaxed), 0);
        let without = Server::new("s", "1");
        drop((without.http_service(), without.http_service()));
    });
    assert_eq!(warnings.0.load(Ordering::Relaxed), 1);
}
