//! A scripted HTTP server: the n-th request it reads gets the n-th answer, byte by byte as written.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{mpsc::UnboundedReceiver, watch},
};

/// In an answer, `$ID` is the id of the request. At its end, `!close` closes the connection, `!hang` keeps it,
/// `!bytes` says that each character is a byte, `!flood` sends comments for as long as somebody takes them, and `!stream` sends what is pushed.
pub(in crate::http::client) struct Server {
    pub(in crate::http::client) url: String,
    shared: Arc<Shared>,
    task: tokio::task::JoinHandle<()>,
}

struct Shared {
    answers: Mutex<Box<Answers>>,
    requests: Mutex<Vec<Seen>>,
    seen: watch::Sender<usize>,
    answered: watch::Sender<usize>,
    connections: watch::Sender<usize>,
    hung_closed: watch::Sender<bool>,
    pushed: tokio::sync::Mutex<Option<UnboundedReceiver<String>>>,
}

type Answers = dyn FnMut(&Seen) -> Option<String> + Send;

/// A request as it came.
#[derive(Clone, Debug)]
pub(in crate::http::client) struct Seen {
    pub(in crate::http::client) line: String,
    headers: Vec<(String, String)>,
    pub(in crate::http::client) body: String,
}

impl Seen {
    pub(in crate::http::client) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    pub(in crate::http::client) fn all(&self, name: &str) -> Vec<&str> {
        let headers = self.headers.iter().filter(|(key, _)| key == name);
        headers.map(|(_, value)| value.as_str()).collect()
    }

    /// The HTTP method, and that of the message.
    pub(in crate::http::client) fn kind(&self) -> (&str, &str) {
        let verb = self.line.split(' ').next().unwrap();
        let method = between(&self.body, "\"method\":\"", "\"").unwrap_or_default();
        (verb, method)
    }

    pub(in crate::http::client) fn summary(&self) -> String {
        let (verb, method) = self.kind();
        let version = self.header("mcp-protocol-version").unwrap_or("-");
        let session = self.header("mcp-session-id").unwrap_or("-");
        format!("{verb} {method} version={version} session={session}")
    }
}

impl Server {
    pub(in crate::http::client) async fn start(answers: impl IntoIterator<Item = String>) -> Self {
        let mut answers: VecDeque<_> = answers.into_iter().collect();
        Self::answering(move |_| answers.pop_front()).await
    }

    /// Answers one request with these bytes.
    pub(in crate::http::client) async fn start_bytes(answer: &[u8]) -> Self {
        // Each byte of the text becomes one again when it is written.
        let text: String = answer.iter().map(|byte| char::from(*byte)).collect();
        Self::start([format!("{text}!bytes")]).await
    }

    /// Answers each request by what it is; to `None` it closes the connection.
    pub(in crate::http::client) async fn answering(
        answers: impl FnMut(&Seen) -> Option<String> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            answers: Mutex::new(Box::new(answers)),
            requests: Mutex::default(),
            seen: watch::channel(0).0,
            answered: watch::channel(0).0,
            connections: watch::channel(0).0,
            hung_closed: watch::channel(false).0,
            pushed: tokio::sync::Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        #[expect(
            clippy::disallowed_methods,
            reason = "aborted when the server is dropped"
        )]
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                accepting.connections.send_modify(|count| *count += 1);
                #[expect(clippy::disallowed_methods, reason = "ends with its connection")]
                tokio::spawn(connection(stream, Arc::clone(&accepting)));
            }
        });
        Self { url, shared, task }
    }

    /// What its `!stream` sends.
    pub(in crate::http::client) async fn streams(self, pushed: UnboundedReceiver<String>) -> Self {
        *self.shared.pushed.lock().await = Some(pushed);
        self
    }

    pub(in crate::http::client) fn requests(&self) -> Vec<Seen> {
        self.shared.requests.lock().unwrap().clone()
    }

    pub(in crate::http::client) fn connections(&self) -> usize {
        *self.shared.connections.borrow()
    }

    pub(in crate::http::client) async fn request_seen(&self) {
        self.requests_seen(1).await;
    }

    pub(in crate::http::client) async fn requests_seen(&self, count: usize) {
        self.shared
            .seen
            .subscribe()
            .wait_for(|seen| *seen >= count)
            .await
            .unwrap();
    }

    /// Waits until so many answers were written.
    pub(in crate::http::client) async fn answered(&self, count: usize) {
        self.shared
            .answered
            .subscribe()
            .wait_for(|answered| *answered >= count)
            .await
            .unwrap();
    }

    pub(in crate::http::client) async fn hung_connection_closed(&self) {
        self.shared
            .hung_closed
            .subscribe()
            .wait_for(|closed| *closed)
            .await
            .unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn connection(mut stream: TcpStream, shared: Arc<Shared>) {
    while let Some(request) = read(&mut stream).await {
        let id = between(&request.body, "\"id\":", ",")
            .unwrap_or("null")
            .to_owned();
        let answer = (shared.answers.lock().unwrap())(&request);
        shared.requests.lock().unwrap().push(request);
        shared.seen.send_modify(|seen| *seen += 1);
        let Some(answer) = answer else { return };
        let mut answer = answer.replace("$ID", &id);
        if let Some(length) = answer.find("$LEN") {
            let body = answer.len() - answer.find("\r\n\r\n").unwrap() - 4;
            answer.replace_range(length..length + 4, &body.to_string());
        }
        let text = answer.trim_end_matches("!close").trim_end_matches("!hang");
        let text = text.trim_end_matches("!flood");
        let text = text.trim_end_matches("!stream");
        let bytes = match text.strip_suffix("!bytes") {
            Some(text) => text
                .chars()
                .map(|char| u8::try_from(char).unwrap())
                .collect(),
            None => text.as_bytes().to_vec(),
        };
        stream.write_all(&bytes).await.unwrap();
        shared.answered.send_modify(|answered| *answered += 1);
        if answer.ends_with("!flood") {
            while stream.write_all(&b": more\n\n".repeat(1000)).await.is_ok() {}
            shared.hung_closed.send_replace(true);
            return;
        }
        if answer.ends_with("!close") {
            return;
        }
        if answer.ends_with("!stream") {
            let Some(mut pushed) = shared.pushed.lock().await.take() else {
                return;
            };
            // Until nobody pushes any more, or the client is gone.
            loop {
                let mut byte = [0];
                tokio::select! {
                    text = pushed.recv() => match text {
                        Some(text) => stream.write_all(text.as_bytes()).await.unwrap(),
                        None => return,
                    },
                    _ = stream.read(&mut byte) => {
                        shared.hung_closed.send_replace(true);
                        return;
                    }
                }
            }
        }
        if answer.ends_with("!hang") {
            let _ = stream.read(&mut [0]).await;
            shared.hung_closed.send_replace(true);
            return;
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.lines();
    let line = lines.next()?.to_owned();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers: Vec<_> = headers
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut seen = Seen {
        line,
        headers,
        body: String::new(),
    };
    let length = seen
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    seen.body = String::from_utf8(body).unwrap();
    Some(seen)
}

/// An answer with a JSON body.
pub(in crate::http::client) fn json(status: u16, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: $LEN\r\n\r\n{body}"
    )
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let text = &text[text.find(start)? + start.len()..];
    Some(&text[..text.find(end)?])
}
