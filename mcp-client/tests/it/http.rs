//! `connect` by URL: where nothing listens, and the fallback to HTTP+SSE.

use std::{
    error::Error as _,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_client::{
    Builder, Client, ConnectError, HttpClient,
    proto::probe::{Confidence, Reason, Wire},
};
use mcp_transport::proto::limits::Limits;
use mcp_types::Era;
use serde_json::{Value, json};

use super::{initialize, text};

#[tokio::test]
async fn a_port_where_nothing_listens_is_unreachable() {
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let url = format!("http://user:secret@{address}/mcp?key=secret");
    let error = Client::builder("tester", "1.0")
        .connect(url)
        .await
        .unwrap_err();
    assert_eq!(error.reason(), &Reason::Unreachable);
    assert_eq!(error.attempts().len(), 1);
    let told = error.to_string();
    assert!(
        told.starts_with(&format!("cannot connect to http://{address}/mcp: ")),
        "{told}"
    );
    assert!(
        !told.contains("secret") && !format!("{error:?}").contains("secret"),
        "{error:?}"
    );
}

/// A server that knows only HTTP+SSE: `stream` answers its GET, and a POST to `/mcp` gets 405 or what it is told.
struct OldServer {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
const REFUSED: &str = "HTTP/1.1 405 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const ACCEPTED: &str = "HTTP/1.1 202 Yes\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

impl OldServer {
    fn start(stream: String) -> Self {
        Self::posting(stream, REFUSED.to_owned())
    }

    /// The same, where a POST to `/mcp` gets `post`.
    fn posting(stream: String, post: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        #[expect(clippy::disallowed_methods, reason = "it ends with the test's process")]
        std::thread::spawn(move || {
            let mut events = None;
            for connection in listener.incoming() {
                Self::serve(connection.unwrap(), (&stream, &post), &mut events, &log);
            }
        });
        Self { url, seen }
    }

    fn serve(
        mut connection: TcpStream,
        (stream, post): (&str, &str),
        events: &mut Option<TcpStream>,
        log: &Mutex<Vec<String>>,
    ) {
        let (head, body) = read(&connection);
        let line = head.split(" HTTP/").next().unwrap().to_owned();
        let token = head.contains("authorization: Bearer t");
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default();
        log.lock().unwrap().push(format!("{line} {method} {token}"));
        let answer = match (line.as_str(), method) {
            ("GET /mcp", _) => {
                connection.write_all(stream.as_bytes()).unwrap();
                *events = stream.starts_with(STREAM).then_some(connection);
                return;
            }
            ("POST /messages?s=1", "initialize") => Some(initialize("2024-11-05")),
            ("POST /messages?s=1", "tools/call") => Some(text("hi")),
            ("POST /messages?s=1", _) => None,
            _ => {
                connection.write_all(post.as_bytes()).unwrap();
                return;
            }
        };
        connection.write_all(ACCEPTED.as_bytes()).unwrap();
        if let Some(result) = answer {
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
            write!(events.as_mut().unwrap(), "data: {answer}\n\n").unwrap();
        }
    }

    async fn connect(&self, furnish: fn(Builder) -> Builder) -> Result<Client, ConnectError> {
        let builder = Client::builder("tester", "1.0").header("authorization", "Bearer t");
        furnish(builder).connect(&self.url).await
    }

    /// What was asked for, and whether each request carried the token.
    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

/// The head of a request and its body.
pub(super) fn read(connection: &TcpStream) -> (String, Vec<u8>) {
    let mut reader = BufReader::new(connection);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (head, body)
}

fn announcing(endpoint: &str) -> String {
    format!("{STREAM}event: endpoint\ndata: {endpoint}\n\n")
}

#[tokio::test]
async fn s1_a_server_of_only_http_sse_is_reached() {
    let server = OldServer::start(announcing("/messages?s=1"));
    let client = server.connect(|builder| builder).await.unwrap();
    let link = client.link();
    assert_eq!((link.wire, link.era), (Wire::Sse, Era::Legacy));
    assert_eq!(link.confidence, Confidence::Firm);
    let told = client.negotiation().to_string();
    for part in [
        "(HTTP 405) → try HTTP+SSE (the server said so)",
        "\n3. initialize over HTTP+SSE (2025-11-25): speaks 2024-11-05 → legacy, 2024-11-05",
        "\nchosen: legacy, revision 2024-11-05, over HTTP+SSE, server \"old\" \"0.9\"",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let said: String = client.call("echo", &json!({})).await.unwrap();
    assert_eq!(said, "hi");
    client.close().await;
    assert!(client.call_raw("echo", &json!({})).await.is_err());
    let seen = server.seen();
    assert!(seen.iter().all(|line| line.ends_with(" true")), "{seen:?}");
    assert_eq!(
        seen[..4],
        [
            "POST /mcp server/discover true",
            "POST /mcp initialize true",
            "GET /mcp  true",
            "POST /messages?s=1 initialize true",
        ]
    );
}

/// The first failure is the headline, and all three are told.
#[track_caller]
fn is_no_server(error: &ConnectError, third: &str) {
    assert_eq!(error.reason(), &Reason::NoTransport, "{error}");
    assert_eq!(error.failure().unwrap().http_status(), Some(405));
    assert!(error.source().is_some());
    assert_eq!(error.attempts().len(), 3);
    let told = error.to_string();
    assert!(told.contains("; 2. initialize (2025-11-25): "), "{told}");
    let over = told.split("; 3. initialize over HTTP+SSE (2025-11-25): ");
    assert!(over.last().unwrap().contains(third), "{told}");
}

#[tokio::test]
async fn s2_a_stream_that_announces_nothing_is_given_up() {
    let server = OldServer::start(STREAM.to_owned());
    let limits = Limits::default().with_connect_time(Duration::from_millis(400));
    let hasty = HttpClient::builder(&server.url).limits(limits);
    let builder = Client::builder("tester", "1.0");
    let error = builder.connect_http(hasty).await.unwrap_err();
    is_no_server(&error, "announced no endpoint within");
}

#[tokio::test]
async fn s3_an_endpoint_elsewhere_is_not_used() {
    let server = OldServer::start(announcing("http://127.0.0.2:1/messages?s=1"));
    let error = server.connect(|builder| builder).await.unwrap_err();
    is_no_server(&error, "127.0.0.2");
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn s4_the_first_failure_is_the_headline_where_there_is_no_stream() {
    let missing = "HTTP/1.1 404 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nhi";
    for (answer, third) in [(missing, "HTTP 404"), (page, "text/html")] {
        let server = OldServer::start(answer.to_owned());
        let error = server.connect(|builder| builder).await.unwrap_err();
        is_no_server(&error, third);
    }
}

#[tokio::test]
async fn s5_a_stream_that_wants_authorization_says_so() {
    let denied = "HTTP/1.1 401 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let server = OldServer::start(denied.to_owned());
    let error = server.connect(|builder| builder).await.unwrap_err();
    assert!(error.is_unauthorized(), "{error}");
    assert_eq!(error.failure().unwrap().http_status(), Some(401));
}

#[tokio::test]
async fn s6_a_redirect_elsewhere_is_not_followed() {
    let moved =
        "HTTP/1.1 302 No\r\nlocation: http://127.0.0.2:1/login\r\ncontent-length: 0\r\n\r\n";
    let server = OldServer::start(moved.to_owned());
    let error = server.connect(|builder| builder).await.unwrap_err();
    is_no_server(&error, "127.0.0.2");
}

#[tokio::test]
async fn u1_a_post_answered_by_the_stream_leads_to_the_old_transport() {
    let server = OldServer::posting(announcing("/messages?s=1"), announcing("/messages?s=0"));
    let client = server.connect(|builder| builder).await.unwrap();
    let link = client.link();
    assert_eq!(
        (link.wire, link.confidence),
        (Wire::Sse, Confidence::Assumed)
    );
    let said: String = client.call("echo", &json!({})).await.unwrap();
    assert_eq!(said, "hi");
    let told = client.negotiation().to_string();
    assert!(told.contains("→ try HTTP+SSE (assumed)"), "{told}");
    assert_eq!(
        server.seen()[..3],
        [
            "POST /mcp server/discover true",
            "GET /mcp  true",
            "POST /messages?s=1 initialize true",
        ]
    );
}

#[tokio::test]
async fn i7_an_initialize_answered_by_the_stream_leads_to_the_old_transport() {
    let server = OldServer::posting(announcing("/messages?s=1"), announcing("/messages?s=0"));
    let legacy = |builder: Builder| builder.pin(Era::Legacy);
    let client = server.connect(legacy).await.unwrap();
    assert_eq!(client.link().wire, Wire::Sse);
    assert_eq!(
        server.seen()[..3],
        [
            "POST /mcp initialize true",
            "GET /mcp  true",
            "POST /messages?s=1 initialize true",
        ]
    );
}

#[tokio::test]
async fn a_client_pinned_to_modern_never_opens_the_stream() {
    let server = OldServer::start(announcing("/messages?s=1"));
    let modern = |builder: Builder| builder.pin(Era::Modern);
    let error = server.connect(modern).await.unwrap_err();
    assert_eq!(error.reason(), &Reason::Pinned(Era::Modern));
    assert_eq!(server.seen(), ["POST /mcp server/discover true"]);
}
