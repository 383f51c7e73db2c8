//! Hosting on sockets: who gets in, what is held back, and how it ends. Real sockets, on loopback and in a directory.

use std::{
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use mcp_server::{Limits, Server, Tool, socket::SocketHost};
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _,
        BufReader, Lines, ReadHalf, WriteHalf, split,
    },
    net::{TcpListener, TcpStream, UnixStream},
    sync::{Semaphore, oneshot},
    task::JoinHandle,
};

/// A server on a socket in a task, with one tool that counts and one that waits.
struct Hosted {
    path: PathBuf,
    port: u16,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<io::Result<()>>,
    calls: Arc<AtomicUsize>,
    go: Arc<Semaphore>,
}

impl Hosted {
    fn parts(limits: Limits) -> (Server, Arc<AtomicUsize>, Arc<Semaphore>) {
        let (calls, go) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let (counted, gate) = (Arc::clone(&calls), Arc::clone(&go));
        let count = Tool::new("count", move || {
            counted.fetch_add(1, Ordering::Relaxed);
            async { "counted" }
        });
        let wait = Tool::new("wait", move || {
            let gate = Arc::clone(&gate);
            async move {
                gate.acquire().await.unwrap().forget();
                "done"
            }
        });
        let server = Server::new("s", "1").limits(limits).tool(count).tool(wait);
        (server, calls, go)
    }

    fn run<F: Future<Output = io::Result<()>> + Send + 'static>(
        limits: Limits,
        path: PathBuf,
        port: u16,
        serve: impl FnOnce(SocketHost, oneshot::Receiver<()>) -> F,
    ) -> Self {
        let (server, calls, go) = Self::parts(limits);
        let (stop, stopped) = oneshot::channel();
        #[expect(clippy::disallowed_methods, reason = "the test awaits it in `end`")]
        let serving = tokio::spawn(serve(server.sockets(), stopped));
        Self {
            path,
            port,
            stop,
            serving,
            calls,
            go,
        }
    }

    async fn tcp(limits: Limits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        Self::run(limits, PathBuf::new(), port, async move |host, stopped| {
            host.serve_tcp(listener, async { drop(stopped.await) })
                .await
        })
    }

    async fn unix(name: &str, limits: Limits) -> Self {
        let file = format!("mcp-sockets-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(file);
        let place = path.clone();
        let hosted = Self::run(limits, path, 0, async move |host, stopped| {
            host.serve_unix(place, async { drop(stopped.await) }).await
        });
        while !hosted.path.exists() {
            assert!(!hosted.serving.is_finished());
            tokio::task::yield_now().await;
        }
        hosted
    }

    async fn connect_tcp(&self) -> Peer<TcpStream> {
        Peer::new(TcpStream::connect(("127.0.0.1", self.port)).await.unwrap())
    }

    async fn connect_unix(&self) -> Peer<UnixStream> {
        Peer::new(UnixStream::connect(&self.path).await.unwrap())
    }

    fn stop(self) -> JoinHandle<io::Result<()>> {
        self.stop.send(()).unwrap();
        self.serving
    }
}

struct Peer<S> {
    write: WriteHalf<S>,
    lines: Lines<BufReader<ReadHalf<S>>>,
}

impl<S: AsyncRead + AsyncWrite> Peer<S> {
    fn new(stream: S) -> Self {
        let (read, write) = split(stream);
        let lines = BufReader::new(read).lines();
        Self { write, lines }
    }

    async fn send(&mut self, text: &str) {
        self.write.write_all(text.as_bytes()).await.unwrap();
    }

    async fn call(&mut self, id: i64, tool: &str) {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
        let params = json!({"name": tool, "_meta": meta});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        self.send(&format!("{call}\n")).await;
    }

    async fn next(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    async fn id(&mut self) -> Value {
        self.next().await.unwrap()["id"].clone()
    }

    /// Whether the connection is over without a word. What was sent and not read makes it end in a reset.
    async fn is_cut(&mut self) -> bool {
        matches!(self.lines.next_line().await, Ok(None) | Err(_))
    }
}

#[tokio::test]
async fn item_8_many_clients_of_a_unix_socket_are_served_and_it_goes_with_the_server() {
    let hosted = Hosted::unix("many", Limits::default()).await;
    let (mut one, mut two) = (hosted.connect_unix().await, hosted.connect_unix().await);
    one.call(1, "wait").await;
    two.call(1, "count").await;
    assert_eq!(two.id().await, 1);
    hosted.go.add_permits(1);
    assert_eq!(one.id().await, 1);
    assert_eq!(hosted.calls.load(Ordering::Relaxed), 1);
    let path = hosted.path.clone();
    hosted.stop().await.unwrap().unwrap();
    assert!(!path.exists());
    assert!(one.is_cut().await && two.is_cut().await);
}

#[tokio::test]
async fn item_8_a_shutdown_lets_calls_finish_and_reads_nothing_more() {
    let hosted = Hosted::tcp(Limits::default()).await;
    let (mut idle, mut busy) = (hosted.connect_tcp().await, hosted.connect_tcp().await);
    busy.call(1, "wait").await;
    busy.call(2, "count").await;
    assert_eq!(busy.id().await, 2);
    let (go, port) = (Arc::clone(&hosted.go), hosted.port);
    let serving = hosted.stop();
    // The idle one is closed while the other is still at work.
    assert!(idle.is_cut().await);
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err());
    go.add_permits(1);
    assert_eq!(busy.id().await, 1);
    assert!(busy.is_cut().await);
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn item_8_a_call_that_never_ends_is_cut_after_the_drain_time() {
    let limits = Limits::default().with_drain_time(std::time::Duration::ZERO);
    let hosted = Hosted::tcp(limits).await;
    let mut busy = hosted.connect_tcp().await;
    busy.call(1, "wait").await;
    busy.call(2, "count").await;
    assert_eq!(busy.id().await, 2);
    hosted.stop().await.unwrap().unwrap();
    assert!(busy.is_cut().await);
}

#[tokio::test]
async fn item_8_a_connection_over_the_cap_is_closed_and_a_place_is_given_back() {
    let hosted = Hosted::unix("cap", Limits::default().with_connections(1)).await;
    let mut first = hosted.connect_unix().await;
    first.call(1, "count").await;
    assert_eq!(first.id().await, 1);
    assert!(hosted.connect_unix().await.is_cut().await);
    drop(first);
    loop {
        let mut next = hosted.connect_unix().await;
        let call = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        // It may be closed before it could say something.
        let _cut = next.write.write_all(call).await;
        if !next.is_cut().await {
            break;
        }
    }
}

#[tokio::test]
async fn item_8_what_a_browser_can_send_runs_nothing() {
    let hosted = Hosted::tcp(Limits::default()).await;
    let mut browser = hosted.connect_tcp().await;
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n\r\n";
    browser.send(head).await;
    // The rest of the form may come too late to be sent.
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let params = json!({"name": "count", "_meta": meta});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let _cut = browser
        .write
        .write_all(format!("{call}\n").as_bytes())
        .await;
    assert!(browser.is_cut().await);
    assert_eq!(hosted.calls.load(Ordering::Relaxed), 0);
    let mut client = hosted.connect_tcp().await;
    client.call(1, "count").await;
    assert_eq!(client.id().await, 1);
}

#[tokio::test]
async fn item_8_beyond_loopback_needs_a_word() {
    let (server, ..) = Hosted::parts(Limits::default());
    let bind = || TcpListener::bind("0.0.0.0:0");
    let now = async || ();
    let error = server
        .sockets()
        .serve_tcp(bind().await.unwrap(), now())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    assert!(error.to_string().contains("beyond_loopback"), "{error}");
    let allowed = server.sockets().beyond_loopback();
    allowed
        .serve_tcp(bind().await.unwrap(), now())
        .await
        .unwrap();
}

#[tokio::test]
async fn item_8_each_connection_has_an_era_of_its_own() {
    let hosted = Hosted::unix("eras", Limits::default()).await;
    let (mut legacy, mut modern) = (hosted.connect_unix().await, hosted.connect_unix().await);
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let open = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    legacy.send(&format!("{open}\n")).await;
    assert_eq!(
        legacy.next().await.unwrap()["result"]["protocolVersion"],
        "2025-06-18"
    );
    modern.call(1, "count").await;
    assert_eq!(
        modern.next().await.unwrap()["result"]["resultType"],
        "complete"
    );
    // On a Unix socket noise is answered as on stdio.
    modern.send("noise\n").await;
    assert_eq!(modern.next().await.unwrap()["error"]["code"], -32700);
    let mut rest = String::new();
    modern.write.shutdown().await.unwrap();
    modern
        .lines
        .into_inner()
        .read_to_string(&mut rest)
        .await
        .unwrap();
    assert_eq!(rest, "");
}
