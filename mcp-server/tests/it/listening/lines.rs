//! Subscriptions on a byte stream, beside calls: ids, cancellation, places, the end.

use mcp_server::{Limits, Server, SubscriptionPolicy};
use mcp_transport::clock::ManualClock;
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf,
        WriteHalf, duplex, split,
    },
    task::JoinHandle,
};

use super::*;

/// A modern client at the other end of a stream that a task serves.
struct Client {
    write: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Client {
    fn new(server: Server) -> Self {
        let (ours, theirs) = duplex(4096);
        let (reader, writer) = split(theirs);
        #[expect(clippy::disallowed_methods, reason = "the client awaits it in `end`")]
        let serving = tokio::spawn(async move { server.serve(reader, writer).await });
        let (read, write) = split(ours);
        Self {
            write,
            lines: BufReader::new(read).lines(),
            serving,
        }
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.write.write_all(line.as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, id: &Value, method: &str, mut params: Value) {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&message).await;
    }

    async fn listen(&mut self, id: &Value, filter: Value) {
        let params = json!({"notifications": filter});
        self.ask(id, "subscriptions/listen", params).await;
    }

    /// The same, acknowledged.
    async fn begin(&mut self, id: &Value, filter: Value) {
        self.listen(id, filter).await;
        let message = self.next().await;
        assert_eq!(message["method"], ACKNOWLEDGED, "{message}");
        assert_eq!(super::id(&message["params"]), id);
    }

    async fn cancel(&mut self, id: &Value) {
        let params = json!({"requestId": id});
        let message =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        self.send(&message).await;
    }

    async fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap()
    }

    /// What comes before the answer to a call that is made now: the method of each, or the id it answers.
    async fn before_a_call(&mut self) -> Vec<String> {
        let id = json!("call");
        self.ask(&id, "tools/call", json!({"name": "t"})).await;
        let mut before = Vec::new();
        loop {
            let message = self.next().await;
            if message["id"] == id {
                assert_eq!(message["result"]["content"][0]["text"], "done");
                return before;
            }
            before.push(word(&message));
        }
    }

    /// Ends the stream and gives what still comes.
    async fn end(mut self) -> Vec<String> {
        self.write.shutdown().await.unwrap();
        let mut rest = Vec::new();
        while let Some(line) = self.lines.next_line().await.unwrap() {
            rest.push(word(&serde_json::from_str(&line).unwrap()));
        }
        self.serving.await.unwrap().unwrap();
        rest
    }
}

/// What a message is, in a word.
fn word(message: &Value) -> String {
    match (&message["method"], &message["error"]) {
        (Value::String(method), _) => method.clone(),
        (_, Value::Null) => format!("result {}", message["id"]),
        (_, error) => format!("error {} {}", message["id"], error["code"]),
    }
}

fn tools_alone() -> Value {
    json!({"toolsListChanged": true})
}

#[tokio::test]
async fn c2_the_id_of_the_request_tags_all_that_comes_in_its_own_type() {
    let it = changing();
    let mut client = Client::new(it.server);
    for id in [json!(7), json!("7"), json!(-1)] {
        client.begin(&id, tools_alone()).await;
    }
    it.tools.add(tool("u")).unwrap();
    let mut tagged = Vec::new();
    for _ in 0..3 {
        let message = client.next().await;
        assert_eq!(message["method"], TOOLS);
        tagged.push(id(&message["params"]).clone());
    }
    tagged.sort_by_key(ToString::to_string);
    assert_eq!(tagged, [json!("7"), json!(-1), json!(7)]);
    let mut ended = client.end().await;
    ended.sort();
    assert_eq!(ended, ["result \"7\"", "result -1", "result 7"]);
}

#[tokio::test]
async fn r8_22_an_empty_listen_ends_at_once_with_the_id_of_its_request() {
    let it = changing();
    let mut client = Client::new(it.server);
    client.begin(&json!("listen-1"), json!({})).await;
    let message = client.next().await;
    assert_eq!(message["id"], "listen-1");
    assert_eq!(id(&message["result"]), "listen-1");
    assert_eq!(message["result"]["resultType"], "complete");
    assert!(client.end().await.is_empty());
}

#[tokio::test]
async fn d26_a_listen_first_of_all_blocks_nobody_and_can_be_cancelled() {
    let it = changing();
    let mut client = Client::new(it.server);
    let listen = json!(1);
    client.begin(&listen, tools_alone()).await;
    assert!(client.before_a_call().await.is_empty());
    client.cancel(&listen).await;
    assert!(client.before_a_call().await.is_empty());
    it.tools.add(tool("u")).unwrap();
    assert!(client.before_a_call().await.is_empty());
    // Its id is free again, and it has no answer.
    client.begin(&listen, tools_alone()).await;
    assert_eq!(client.end().await, ["result 1"]);
}

#[tokio::test]
async fn d27_an_id_that_listens_is_in_flight() {
    let it = changing();
    let mut client = Client::new(it.server);
    client.begin(&json!(1), tools_alone()).await;
    client.listen(&json!(1), tools_alone()).await;
    assert_eq!(word(&client.next().await), "error 1 -32600");
    client.ask(&json!(1), "tools/list", json!({})).await;
    assert_eq!(word(&client.next().await), "error 1 -32600");
    it.tools.add(tool("u")).unwrap();
    assert_eq!(word(&client.next().await), TOOLS, "the first goes on");
}

#[tokio::test]
async fn c11_so_many_subscriptions_a_connection_take_no_places_of_calls() {
    let it = changing();
    let limits = Limits::default().with_running(1).with_queued(0);
    let mut client = Client::new(it.server.limits(limits));
    for id in 0..8 {
        client.begin(&json!(id), tools_alone()).await;
    }
    assert!(client.before_a_call().await.is_empty());
    client.listen(&json!(8), tools_alone()).await;
    let refused = client.next().await;
    assert_eq!(word(&refused), "error 8 -32603");
    assert_eq!(refused["error"]["message"], "Subscription limit reached");
    client.cancel(&json!(3)).await;
    assert!(client.before_a_call().await.is_empty());
    client.begin(&json!(8), tools_alone()).await;
    it.tools.add(tool("u")).unwrap();
    let mut heard = Vec::new();
    for _ in 0..8 {
        heard.push(id(&client.next().await["params"]).as_i64().unwrap());
    }
    heard.sort_unstable();
    assert_eq!(heard, [0, 1, 2, 4, 5, 6, 7, 8]);
}

#[tokio::test]
async fn s6_at_the_end_of_the_stream_listens_end_with_their_result() {
    let it = changing();
    let mut client = Client::new(it.server);
    client.begin(&json!(1), tools_alone()).await;
    assert_eq!(client.end().await, ["result 1"]);
    let policy = SubscriptionPolicy::default().with_announced_end(true);
    let mut client = Client::new(changing_under(policy).server);
    client.begin(&json!(1), tools_alone()).await;
    assert_eq!(client.end().await, ["notifications/cancelled", "result 1"]);
}

#[tokio::test]
async fn s6_after_its_longest_duration_a_listen_ends_and_the_connection_goes_on() {
    let clock = ManualClock::new();
    let policy = SubscriptionPolicy::default().with_max_duration(Duration::from_secs(60));
    let it = changing_under(policy);
    let mut client = Client::new(it.server.clock(Arc::new(clock.clone())));
    client.begin(&json!(1), tools_alone()).await;
    clock.advance(Duration::from_secs(60));
    assert_eq!(word(&client.next().await), "result 1");
    assert!(client.before_a_call().await.is_empty());
    it.tools.add(tool("u")).unwrap();
    assert!(client.before_a_call().await.is_empty());
}

/// Who reads slowly gets the newest of what it missed, not all of it.
#[tokio::test]
async fn c6_a_client_that_reads_nothing_makes_nothing_grow() {
    let it = changing();
    let mut client = Client::new(it.server);
    let filter = json!({"toolsListChanged": true, "resourceSubscriptions": ["test://a"]});
    client.begin(&json!(1), filter).await;
    for _ in 0..5_000 {
        it.resources.updated("test://a");
        tokio::task::yield_now().await;
    }
    it.tools.add(tool("u")).unwrap();
    let mut told = 0;
    while word(&client.next().await) != TOOLS {
        told += 1;
    }
    // What fits in the pipe, in the queue, and in the hands of those between.
    assert!((1..200).contains(&told), "{told}");
    assert!(client.before_a_call().await.is_empty());
}

#[tokio::test]
async fn d30_on_a_legacy_connection_there_is_no_such_method() {
    let it = changing();
    let mut client = Client::new(it.server);
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    client
        .send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}))
        .await;
    assert_eq!(word(&client.next().await), "result 0");
    for id in 1..20 {
        client.listen(&json!(id), tools_alone()).await;
        assert_eq!(word(&client.next().await), format!("error {id} -32601"));
    }
}
