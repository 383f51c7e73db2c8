//! Subscriptions on HTTP: a POST whose answer is a stream. Rows of the server's checklist (`s6`), of reports (`r8`), of
//! limits (`c11`), and of the official suite (`c2`).

use std::{net::SocketAddr, sync::Arc, time::Duration};

use mcp_transport::clock::ManualClock;
use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt as _,
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
};

use super::{Client, HttpError, Received, http, meta};
use crate::{
    Answer, BoxFuture, Call, Principal, Prompt, Prompts, Resource, Resources, Server, Service,
    SubscriptionPolicy, Tool, Tools,
};

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const TOOLS: &str = "notifications/tools/list_changed";

/// A server on a socket whose lists change.
struct Changing {
    address: SocketAddr,
    clock: ManualClock,
    tools: Tools,
    prompts: Prompts,
    resources: Resources,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<Result<(), HttpError>>,
}

fn server(policy: SubscriptionPolicy) -> Server {
    Server::new("s", "1")
        .subscriptions(policy)
        .tool(tool("t"))
        .prompt(Prompt::new("p", async || ""))
        .resource(Resource::text("test://a", "a"))
}

fn tool(name: &str) -> Tool {
    Tool::new(name, async || "done")
}

impl Changing {
    async fn start(policy: SubscriptionPolicy) -> Self {
        let server = server(policy);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let clock = ManualClock::new();
        let (stop, stopped) = oneshot::channel::<()>();
        let host = server.http().clock(Arc::new(clock.clone()));
        #[expect(clippy::disallowed_methods, reason = "the test's runtime owns it")]
        let serving = tokio::spawn(async move {
            let shutdown = async {
                stopped.await.ok();
            };
            host.serve_on(listener, shutdown).await
        });
        Self {
            tools: server.tools(),
            prompts: server.prompts(),
            resources: server.resources(),
            address,
            clock,
            stop: Some(stop),
            serving,
        }
    }

    async fn listen(&self, id: &Value, filter: &Value) -> Stream {
        Stream::open(self.address, &listen(id, filter)).await
    }

    /// A subscription that is acknowledged.
    async fn begin(&self, id: &Value, filter: &Value) -> Stream {
        let mut stream = self.listen(id, filter).await;
        let message = stream.next().await;
        assert_eq!(message["method"], ACKNOWLEDGED, "{message}");
        stream
    }
}

fn listen(id: &Value, filter: &Value) -> String {
    let body = json!({
        "jsonrpc": "2.0", "id": id, "method": "subscriptions/listen",
        "params": {"notifications": filter, "_meta": meta()},
    });
    let headers = [
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "subscriptions/listen"),
    ];
    http("POST", &headers, &body)
}

/// The answer to a request, event by event.
struct Stream {
    client: Client,
    head: String,
    /// How much of what came was looked at.
    seen: usize,
}

impl Stream {
    async fn open(address: SocketAddr, request: &str) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut client = Client {
            stream,
            read: Vec::new(),
        };
        let text = client.until("\r\n\r\n").await;
        let (head, _) = text.split_once("\r\n\r\n").unwrap();
        Self {
            head: head.to_owned(),
            seen: head.len() + 4,
            client,
        }
    }

    fn is_accepted(&self) -> bool {
        self.head.starts_with("HTTP/1.1 200")
    }

    /// The next message; comments and the frames of the transfer are passed over.
    async fn next(&mut self) -> Value {
        loop {
            let text = String::from_utf8_lossy(&self.client.read[self.seen..]).into_owned();
            if let Some((before, rest)) = text.split_once("data: ")
                && let Some((message, _)) = rest.split_once("\n\n")
            {
                self.seen += before.len() + "data: ".len() + message.len() + 2;
                return serde_json::from_str(message).unwrap();
            }
            self.more().await;
        }
    }

    /// Reads on; says what is not looked at yet.
    async fn more(&mut self) -> String {
        use tokio::io::AsyncReadExt as _;
        let Client { stream, read } = &mut self.client;
        let count = stream.read_buf(read).await.unwrap();
        let text = String::from_utf8_lossy(&read[self.seen..]).into_owned();
        assert!(count > 0, "closed after {text:?}");
        text
    }

    /// That the stream ends here, whole.
    async fn ends(mut self) {
        while !String::from_utf8_lossy(&self.client.read[self.seen..]).contains("0\r\n\r\n") {
            let text = self.more().await;
            assert!(!text.contains("data: "), "{text}");
        }
    }
}

fn id(params: &Value) -> &Value {
    &params["_meta"]["io.modelcontextprotocol/subscriptionId"]
}

fn tools_alone() -> Value {
    json!({"toolsListChanged": true})
}

#[tokio::test]
async fn c2_server_sends_subscription_ack_and_tags_subscription_id() {
    let it = Changing::start(SubscriptionPolicy::default()).await;
    for request in [json!(5), json!("listen-1")] {
        let mut stream = it.listen(&request, &tools_alone()).await;
        assert!(stream.is_accepted(), "{}", stream.head);
        for header in [
            "content-type: text/event-stream",
            "x-accel-buffering: no",
            "cache-control: no-cache, no-transform",
        ] {
            assert!(stream.head.contains(header), "{}", stream.head);
        }
        let message = stream.next().await;
        assert_eq!(message["method"], ACKNOWLEDGED);
        assert_eq!(message["params"]["notifications"], tools_alone());
        assert_eq!(id(&message["params"]), &request);
        it.tools.remove("t");
        it.tools.add(tool("t")).unwrap();
        let message = stream.next().await;
        assert_eq!(message["method"], TOOLS);
        assert_eq!(id(&message["params"]), &request);
    }
}

#[tokio::test]
async fn c2_server_honors_notification_filter() {
    let it = Changing::start(SubscriptionPolicy::default()).await;
    let filter = json!({"promptsListChanged": true, "resourceSubscriptions": ["test://a"]});
    let mut stream = it.begin(&json!(1), &filter).await;
    it.tools.remove("t");
    it.resources.updated("test://b");
    it.prompts.remove("p");
    it.resources.updated("test://a");
    let message = stream.next().await;
    assert_eq!(message["method"], "notifications/prompts/list_changed");
    let message = stream.next().await;
    assert_eq!(message["method"], "notifications/resources/updated");
    assert_eq!(message["params"]["uri"], "test://a");
}

#[tokio::test]
async fn r8_22_a_listen_with_nothing_to_deliver_ends_with_its_result_at_once() {
    let it = Changing::start(SubscriptionPolicy::default()).await;
    let mut stream = it
        .begin(
            &json!("x"),
            &json!({"resourceSubscriptions": ["test://no"]}),
        )
        .await;
    let message = stream.next().await;
    assert_eq!(message["id"], "x");
    assert_eq!(id(&message["result"]), "x");
    stream.ends().await;
}

/// Bytes at once, so that no proxy keeps the head back, and a comment in time on a stream where nothing happens.
#[tokio::test]
async fn r8_23_an_idle_stream_is_kept_from_being_cut() {
    let it = Changing::start(SubscriptionPolicy::default()).await;
    let mut stream = it.begin(&json!(1), &tools_alone()).await;
    for _ in 0..3 {
        it.clock.advance(Duration::from_secs(15));
        let text = loop {
            let text = stream.more().await;
            if text.contains("\n\n") {
                break text;
            }
        };
        assert!(text.contains(": "), "{text}");
        assert!(!text.contains("data: "), "{text}");
        stream.seen = stream.client.read.len();
    }
}

#[tokio::test]
async fn s6_on_shutdown_listens_end_with_their_result_and_nobody_waits_for_the_drain_time() {
    let mut it = Changing::start(SubscriptionPolicy::default()).await;
    let mut streams = Vec::new();
    for number in 0..3 {
        streams.push(it.begin(&json!(number), &tools_alone()).await);
    }
    it.stop.take().unwrap().send(()).unwrap();
    for (number, mut stream) in streams.into_iter().enumerate() {
        let message = stream.next().await;
        assert_eq!(message["id"], number);
        assert_eq!(message["result"]["resultType"], "complete");
        stream.ends().await;
    }
    it.serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn s6_after_its_longest_duration_a_listen_ends_with_its_result() {
    let policy = SubscriptionPolicy::default()
        .with_max_duration(Duration::from_secs(50))
        .with_announced_end(true);
    let it = Changing::start(policy).await;
    let mut stream = it.begin(&json!(1), &tools_alone()).await;
    it.clock.advance(Duration::from_secs(50));
    let message = stream.next().await;
    assert_eq!(message["method"], "notifications/cancelled");
    assert_eq!(message["params"]["requestId"], 1);
    assert_eq!(stream.next().await["id"], 1);
    stream.ends().await;
}

/// What `request` is refused with.
async fn refusal(address: SocketAddr, request: &str) -> Received {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let read = Vec::new();
    Client { stream, read }.answer().await
}

#[tokio::test]
async fn c11_so_many_subscriptions_a_host_and_a_client_that_is_gone_gives_its_place_back() {
    let it = Changing::start(SubscriptionPolicy::default().with_total(1)).await;
    let stream = it.begin(&json!(1), &tools_alone()).await;
    let refused = refusal(it.address, &listen(&json!(2), &tools_alone())).await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("5"));
    let body = refused.json();
    assert_eq!(
        (&body["id"], &body["error"]["code"]),
        (&json!(2), &json!(-32603))
    );
    assert_eq!(body["error"]["message"], "Subscription limit reached");
    drop(stream);
    // The server sees it when it next looks at the connection.
    while !it.listen(&json!(3), &tools_alone()).await.is_accepted() {}
}

#[tokio::test]
async fn s6_so_many_subscriptions_a_principal() {
    let policy = SubscriptionPolicy::default().with_per_principal(1);
    let server = server(policy);
    let _tools = server.tools();
    let host = server.http().clock(Arc::new(ManualClock::new()));
    let app = axum::Router::new().nest_service("/mcp", host.service().unwrap());
    let named = async |mut request: axum::extract::Request, next: axum::middleware::Next| {
        let name = request.headers().get("x-user").cloned();
        if let Some(name) = name {
            let name = Principal(name.to_str().unwrap().into());
            request.extensions_mut().insert(name);
        }
        next.run(request).await
    };
    let app = app.layer(axum::middleware::from_fn(named));
    let address = super::hosting::serve_router(app).await;
    let by = |id: i64, user: &str| {
        let line = format!("X-User: {user}\r\nHost");
        listen(&json!(id), &tools_alone()).replacen("Host", &line, 1)
    };
    let ada = Stream::open(address, &by(1, "ada")).await;
    let bob = Stream::open(address, &by(2, "bob")).await;
    assert!(ada.is_accepted() && bob.is_accepted());
    let refused = refusal(address, &by(3, "ada")).await;
    assert_eq!(refused.status, 503);
    // Who is nobody is counted with all alone.
    for id in 4..8 {
        let nobody = Stream::open(address, &listen(&json!(id), &tools_alone())).await;
        assert!(nobody.is_accepted());
    }
}

/// What a layer of the server has found out counts as well.
#[tokio::test]
async fn s6_so_many_subscriptions_a_principal_that_a_layer_names() {
    let policy = SubscriptionPolicy::default().with_per_principal(1);
    let named = |inner: Arc<dyn Service>| -> Arc<dyn Service> {
        Arc::new(move |mut call: Call| -> BoxFuture<Answer> {
            call.ext.insert(Principal("ada".into()));
            inner.call(call)
        })
    };
    let server = server(policy).layer(named);
    let host = server.http().clock(Arc::new(ManualClock::new()));
    let app = axum::Router::new().nest_service("/mcp", host.service().unwrap());
    let address = super::hosting::serve_router(app).await;
    let stream = Stream::open(address, &listen(&json!(1), &tools_alone())).await;
    assert!(stream.is_accepted(), "{}", stream.head);
    let refused = refusal(address, &listen(&json!(2), &tools_alone())).await;
    assert_eq!(refused.status, 503, "{refused:?}");
    assert_eq!(refused.header("retry-after"), Some("5"));
    let error = &refused.json()["error"];
    assert_eq!(error["message"], "Subscription limit reached");
    assert_eq!(error["data"]["limit"], 1);
}

/// A router of one's own ends its streams by hand.
#[tokio::test]
async fn s6_a_nested_service_ends_its_streams_when_it_is_told_to() {
    let server = server(SubscriptionPolicy::default());
    let _tools = server.tools();
    let host = server.http().clock(Arc::new(ManualClock::new()));
    let service = host.service().unwrap();
    let app = axum::Router::new().nest_service("/mcp", service.clone());
    let address = super::hosting::serve_router(app).await;
    let mut stream = Stream::open(address, &listen(&json!(1), &tools_alone())).await;
    assert_eq!(stream.next().await["method"], ACKNOWLEDGED);
    service.end_streams();
    assert_eq!(stream.next().await["id"], 1);
    stream.ends().await;
    // Who comes later is told at once.
    let mut stream = Stream::open(address, &listen(&json!(2), &tools_alone())).await;
    assert_eq!(stream.next().await["method"], ACKNOWLEDGED);
    assert_eq!(stream.next().await["id"], 2);
    stream.ends().await;
}

#[tokio::test]
async fn c2_server_stateless_method_not_found_where_there_are_none() {
    let it = Changing::start(SubscriptionPolicy::off()).await;
    let refused = refusal(it.address, &listen(&json!(1), &tools_alone())).await;
    assert_eq!(
        (refused.status, &refused.json()["error"]["code"]),
        (404, &json!(-32601))
    );
}

/// A subscription that cannot be read is refused as JSON, before anything is a stream.
#[tokio::test]
async fn s6_what_cannot_be_read_is_no_stream() {
    let it = Changing::start(SubscriptionPolicy::default()).await;
    let refused = refusal(it.address, &listen(&json!(1), &json!(7))).await;
    assert_eq!(refused.header("content-type"), Some("application/json"));
    assert_eq!(refused.json()["error"]["code"], -32602);
}
