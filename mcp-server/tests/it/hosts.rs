//! One script for every host of a server: memory, a byte stream, and HTTP on a socket. Each host is sent the same
//! messages and gives back the message that answers; only HTTP adds what stands outside of it, as a client would.

use std::sync::Arc;

use bytes::Bytes;
use mcp_server::{Connection, Server, http::HttpHost};
use mcp_transport::{Endpoint as _, Notification, Request};
use mcp_types::{ErrorObject, Message, RequestMeta, jsonrpc::decode};
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream,
        Lines, ReadHalf, WriteHalf, duplex, split,
    },
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use crate::peer::finish;

pub(crate) const PV: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CC: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const CI: &str = "io.modelcontextprotocol/clientInfo";

/// A request with these parameters.
pub(crate) fn request(id: u64, method: &str, params: Value) -> Value {
    let mut message = notification(method, params);
    message["id"] = json!(id);
    message
}

/// The same, with the whole envelope of 2026-07-28.
pub(crate) fn modern(id: u64, method: &str, mut params: Value) -> Value {
    params["_meta"] = envelope("2026-07-28");
    request(id, method, params)
}

pub(crate) fn envelope(version: &str) -> Value {
    json!({PV: version, CC: {}, CI: {"name": "c", "version": "1"}})
}

pub(crate) fn initialize(id: u64, version: &str) -> Value {
    let client = json!({"name": "c", "version": "1"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    request(id, "initialize", params)
}

pub(crate) fn notification(method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    message["params"] = params;
    message
}

/// The code of an error, or 0.
pub(crate) fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or(0)
}

/// A connection to a server on one of its hosts.
pub(crate) enum Host {
    Memory(Connection),
    Lines(Stream),
    Http(Http),
}

impl Host {
    /// A connection of each kind.
    pub(crate) async fn each(server: Server) -> [Self; 3] {
        let server = Arc::new(server);
        [
            Self::Memory(server.connect()),
            Self::Lines(Stream::new(Arc::clone(&server))),
            Self::Http(Http::new(server.http()).await),
        ]
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Memory(_) => "memory",
            Self::Lines(_) => "lines",
            Self::Http(_) => "http",
        }
    }

    pub(crate) fn is_http(&self) -> bool {
        matches!(self, Self::Http(_))
    }

    /// Sends a request; the answer to it. On HTTP the request has the headers that its era wants.
    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        match self {
            Self::Memory(connection) => in_memory(connection, message).await,
            Self::Lines(stream) => stream.ask(message).await,
            Self::Http(http) => http.ask(message).await.json(),
        }
    }

    /// Sends a notification, which nothing answers.
    pub(crate) async fn tell(&mut self, message: &Value) {
        match self {
            Self::Memory(connection) => {
                let Ok(Message::Notification(told)) = read(message) else {
                    panic!("{message} is no notification");
                };
                let told = Notification::new(told.method, told.params);
                connection.notify(told).unwrap();
            }
            Self::Lines(stream) => stream.send(message).await,
            Self::Http(http) => {
                let answer = http.ask(message).await;
                assert_eq!((answer.status, &*answer.body), (202, ""), "{message}");
            }
        }
    }

    /// Opens a legacy session and gives what it settled on.
    pub(crate) async fn open(&mut self, version: &str) -> Value {
        let answer = self.ask(&initialize(0, version)).await;
        self.tell(&notification("notifications/initialized", json!({})))
            .await;
        answer["result"].clone()
    }
}

fn read(message: &Value) -> Result<Message, mcp_types::jsonrpc::Malformed> {
    decode(&Bytes::from(message.to_string()))
}

/// A request as its exchange in memory answers it, with the id it had.
pub(crate) async fn in_memory(connection: &Connection, message: &Value) -> Value {
    let Ok(Message::Request(asked)) = read(message) else {
        panic!("{message} is no request");
    };
    let meta = RequestMeta::of(&asked.params).unwrap();
    let request = Request::new(asked.method, asked.params).with_meta(meta);
    let (_, outcome) = finish(connection.open(request)).await;
    let mut answer = json!({"jsonrpc": "2.0", "id": message["id"]});
    match outcome {
        Ok(result) => answer["result"] = result,
        Err(error) => answer["error"] = written(&error),
    }
    answer
}

fn written(error: &ErrorObject) -> Value {
    serde_json::to_value(error).unwrap()
}

/// A byte stream that a task serves, as stdio is.
pub(crate) struct Stream {
    write: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    _serving: JoinSet<()>,
}

impl Stream {
    fn new(server: Arc<Server>) -> Self {
        let (ours, theirs) = duplex(1 << 16);
        let (reader, writer) = split(theirs);
        let (read, write) = split(ours);
        let mut serving = JoinSet::new();
        #[expect(clippy::disallowed_methods, reason = "the set ends it")]
        serving.spawn(async move { server.serve(reader, writer).await.unwrap() });
        Self {
            write,
            lines: BufReader::new(read).lines(),
            _serving: serving,
        }
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.write.write_all(line.as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        loop {
            let line = self.lines.next_line().await.unwrap().expect("an answer");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer.get("method").is_none() {
                return answer;
            }
        }
    }
}

/// A server on a socket, and the session that a client has there.
pub(crate) struct Http {
    address: std::net::SocketAddr,
    pub(crate) session: Option<String>,
    /// The version of the last claim.
    claimed: Option<String>,
    _serving: JoinSet<()>,
}

/// What came back for one request.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The message in the body, or the last one of its stream.
    pub(crate) fn json(&self) -> Value {
        let data = self.body.lines().rev();
        let data = data.filter_map(|line| line.strip_prefix("data: "));
        let text = data.into_iter().next().unwrap_or(&self.body);
        serde_json::from_str(text).unwrap_or_else(|_| panic!("{self:?}"))
    }
}

impl Http {
    pub(crate) async fn new(host: HttpHost) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut serving = JoinSet::new();
        #[expect(clippy::disallowed_methods, reason = "the set ends it")]
        serving.spawn(async move {
            let never = std::future::pending();
            host.serve_on(listener, never).await.unwrap();
        });
        Self {
            address,
            session: None,
            claimed: None,
            _serving: serving,
        }
    }

    /// Posts a message as a client would: in its session if it has one, else with the headers of its claim; a
    /// notification says the version of the claim before it.
    pub(crate) async fn ask(&mut self, message: &Value) -> Received {
        let mut headers = Vec::new();
        let params = &message["params"];
        let claim = params["_meta"][PV].as_str();
        let method = message["method"].as_str().unwrap_or_default();
        if let Some(session) = &self.session {
            headers.push(("Mcp-Session-Id", session.as_str()));
        } else if let (Some(version), false) = (claim, method == "initialize") {
            headers.extend([("MCP-Protocol-Version", version), ("Mcp-Method", method)]);
            let name = ["name", "uri", "taskId"];
            let name = name.iter().find_map(|member| params[member].as_str());
            headers.extend(name.map(|name| ("Mcp-Name", name)));
        }
        if let (None, Some(version), true) =
            (&self.session, &self.claimed, message.get("id").is_none())
        {
            headers.push(("MCP-Protocol-Version", version));
        }
        let answer = self.post(&headers, message).await;
        self.claimed = claim.map(ToOwned::to_owned).or_else(|| self.claimed.take());
        if let Some(session) = answer.header("mcp-session-id") {
            self.session = Some(session.to_owned());
        }
        answer
    }

    /// Posts with these headers alone.
    pub(crate) async fn post(&self, headers: &[(&str, &str)], body: &Value) -> Received {
        self.send("POST", "/mcp", headers, &body.to_string()).await
    }

    /// Any request; `Content-Type` and `Host` are what they should be unless they are among the headers.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Received {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let usual = [
            ("Host", "localhost"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let unsaid = |name: &str| !headers.iter().any(|(said, _)| *said == name);
        for (name, value) in usual.iter().filter(|(name, _)| unsaid(name)).chain(headers) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        Received {
            status: head[9..12].parse().unwrap(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }
}
