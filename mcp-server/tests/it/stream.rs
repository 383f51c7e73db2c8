//! A byte stream: what runs beside what, what is cancelled, and how it ends.

use std::sync::{Arc, Mutex};

use mcp_server::{Args, Context, Limits, Server, Tool, schemars::JsonSchema};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream,
        Lines, ReadHalf, WriteHalf, duplex, split,
    },
    sync::oneshot,
    task::JoinHandle,
};

/// Sends all of `input`, ends the stream, and reads what came back until it ends.
pub(crate) async fn talk(server: &Server, input: &str) -> Vec<Value> {
    let (ours, theirs) = duplex(1 << 20);
    let (reader, writer) = split(theirs);
    let client = async {
        let (mut read, mut write) = split(ours);
        write.write_all(input.as_bytes()).await.unwrap();
        write.shutdown().await.unwrap();
        let mut output = String::new();
        read.read_to_string(&mut output).await.unwrap();
        output
    };
    let (served, output) = tokio::join!(server.serve(reader, writer), client);
    served.unwrap();
    let lines = output.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A client at the other end of a stream that a task serves.
pub(crate) struct Client {
    write: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Client {
    /// Opened by `initialize`, the newest.
    async fn new(server: Server) -> Self {
        Self::with(server, json!({})).await
    }

    /// The same, and declares these capabilities.
    pub(crate) async fn with(server: Server, capabilities: Value) -> Self {
        let (ours, theirs) = duplex(4096);
        let (reader, writer) = split(theirs);
        #[expect(clippy::disallowed_methods, reason = "the client awaits it in `end`")]
        let serving = tokio::spawn(async move { server.serve(reader, writer).await });
        let (read, write) = split(ours);
        let mut client = Self {
            write,
            lines: BufReader::new(read).lines(),
            serving,
        };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "c", "version": "1"}});
        client.ask(json!("init"), "initialize", params).await;
        assert_eq!(client.next().await["id"], "init");
        client
    }

    pub(crate) async fn send(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.write.write_all(line.as_bytes()).await.unwrap();
    }

    pub(crate) async fn ask(&mut self, id: Value, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
    }

    pub(crate) async fn call(&mut self, id: i64, tool: &str, key: &str) {
        let params =
            json!({"name": tool, "arguments": {"key": key}, "_meta": {"progressToken": id}});
        self.ask(json!(id), "tools/call", params).await;
    }

    pub(crate) async fn cancel(&mut self, id: i64) {
        let params = json!({"requestId": id});
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
            .await;
    }

    /// A ping and its answer, which must come next: so that nothing else was on its way.
    pub(crate) async fn ping(&mut self, id: i64) {
        self.ask(json!(id), "ping", json!({})).await;
        assert_eq!(
            self.next().await,
            json!({"jsonrpc": "2.0", "id": id, "result": {}})
        );
    }

    pub(crate) async fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap()
    }

    /// Ends the stream and gives what still comes.
    pub(crate) async fn end(mut self) -> Vec<Value> {
        self.write.shutdown().await.unwrap();
        let mut rest = Vec::new();
        while let Some(line) = self.lines.next_line().await.unwrap() {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        self.serving.await.unwrap().unwrap();
        rest
    }
}

#[derive(Deserialize, JsonSchema)]
struct Key {
    key: String,
}

/// Calls that wait until the test lets them go, and tell when they started and were dropped.
#[derive(Clone, Default)]
struct Waiters(Arc<Mutex<Vec<Waiter>>>);

/// A call's key, and what lets it go, once.
type Waiter = (String, Option<oneshot::Sender<()>>);

impl Waiters {
    fn tool(&self) -> Tool {
        let waiters = self.clone();
        Tool::new("wait", move |Args(Key { key }): Args<Key>, cx: Context| {
            let (go, wait) = oneshot::channel();
            waiters.0.lock().unwrap().push((key.clone(), Some(go)));
            async move {
                cx.progress(1, 2, "started").await;
                let _gone = wait.await;
                cx.progress(2, 2, "going").await;
                key
            }
        })
    }

    fn started(&self) -> Vec<String> {
        let waiters = self.0.lock().unwrap();
        waiters.iter().map(|(key, _)| key.clone()).collect()
    }

    fn release(&self, key: &str) {
        let mut waiters = self.0.lock().unwrap();
        let waiter = waiters
            .iter_mut()
            .find(|(known, go)| known == key && go.is_some());
        waiter.unwrap().1.take().unwrap().send(()).unwrap();
    }

    /// Whether the handler of `key` was dropped before it was let go.
    fn is_dropped(&self, key: &str) -> bool {
        let waiters = self.0.lock().unwrap();
        let (_, go) = waiters.iter().find(|(known, _)| known == key).unwrap();
        go.as_ref().is_some_and(oneshot::Sender::is_closed)
    }

    async fn until_dropped(&self, key: &str) {
        while !self.is_dropped(key) {
            tokio::task::yield_now().await;
        }
    }
}

fn server(waiters: &Waiters) -> Server {
    Server::new("s", "1")
        .tool(waiters.tool())
        .tool(Tool::new("echo", async |Args(Key { key }): Args<Key>| key))
}

fn progress(id: i64, step: i64) -> Value {
    let message = if step == 1 { "started" } else { "going" };
    let params = json!({"progressToken": id, "progress": step, "total": 2, "message": message});
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
}

#[tokio::test]
async fn peers_10_a_waiting_call_holds_up_nobody() {
    let waiters = Waiters::default();
    let mut client = Client::new(server(&waiters)).await;
    client.call(1, "wait", "a").await;
    assert_eq!(client.next().await, progress(1, 1));
    client.call(2, "echo", "b").await;
    assert_eq!(client.next().await["id"], 2);
    client.ping(3).await;
    waiters.release("a");
    assert_eq!(client.next().await, progress(1, 2));
    assert_eq!(client.next().await["result"]["content"][0]["text"], "a");
    assert_eq!(client.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn d27_a_duplicate_id_is_refused_and_the_first_goes_on() {
    let waiters = Waiters::default();
    let mut client = Client::new(server(&waiters)).await;
    client.call(1, "wait", "a").await;
    assert_eq!(client.next().await, progress(1, 1));
    client.call(1, "echo", "b").await;
    let error = json!({"code": -32600, "message": "Duplicate request id"});
    assert_eq!(
        client.next().await,
        json!({"jsonrpc": "2.0", "id": 1, "error": error})
    );
    client
        .ask(
            json!("1"),
            "tools/call",
            json!({"name": "echo", "arguments": {"key": "c"}}),
        )
        .await;
    assert_eq!(client.next().await["id"], "1");
    waiters.release("a");
    assert_eq!(client.next().await, progress(1, 2));
    assert_eq!(client.next().await["result"]["content"][0]["text"], "a");
    // The id is free again.
    client.call(1, "echo", "d").await;
    assert_eq!(client.next().await["result"]["content"][0]["text"], "d");
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_not_answered() {
    let waiters = Waiters::default();
    let mut client = Client::new(server(&waiters)).await;
    client.call(1, "wait", "a").await;
    assert_eq!(client.next().await, progress(1, 1));
    client.cancel(2).await;
    client.cancel(1).await;
    client.ping(3).await;
    waiters.until_dropped("a").await;
    client.call(1, "echo", "b").await;
    assert_eq!(client.next().await["result"]["content"][0]["text"], "b");
    assert_eq!(client.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn item_2_what_does_not_fit_waits_or_is_refused_and_pings_and_cancellations_pass() {
    let waiters = Waiters::default();
    let limits = Limits::default().with_running(1).with_queued(2);
    let mut client = Client::new(server(&waiters).limits(limits)).await;
    for (id, key) in [(1, "a"), (2, "b"), (3, "c"), (4, "d")] {
        client.call(id, "wait", key).await;
    }
    assert_eq!(client.next().await, progress(1, 1));
    let refused = client.next().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(4), &json!(-32603))
    );
    assert_eq!(
        refused["error"]["data"],
        json!({"code": "at_capacity", "retryAfter": 1})
    );
    client.ping(5).await;
    assert_eq!(waiters.started(), ["a"]);
    client.cancel(2).await;
    client.cancel(1).await;
    assert_eq!(client.next().await, progress(3, 1));
    assert_eq!(
        waiters.started(),
        ["a", "c"],
        "the cancelled one never started"
    );
    waiters.release("c");
    assert_eq!(client.next().await, progress(3, 2));
    assert_eq!(client.next().await["id"], 3);
    assert_eq!(client.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn peers_8_at_the_end_of_the_stream_calls_in_flight_still_finish() {
    let waiters = Waiters::default();
    let limits = Limits::default().with_running(1);
    let mut client = Client::new(server(&waiters).limits(limits)).await;
    client.call(1, "wait", "a").await;
    assert_eq!(client.next().await, progress(1, 1));
    client.call(2, "echo", "b").await;
    client.ping(3).await;
    waiters.release("a");
    let rest = client.end().await;
    assert_eq!(rest.len(), 3);
    assert_eq!((&rest[1]["id"], &rest[2]["id"]), (&json!(1), &json!(2)));
}

#[tokio::test]
async fn at_the_end_of_the_stream_calls_that_never_finish_are_dropped() {
    let waiters = Waiters::default();
    let limits = Limits::default().with_eof_drain_time(std::time::Duration::ZERO);
    let mut client = Client::new(server(&waiters).limits(limits)).await;
    client.call(1, "wait", "a").await;
    assert_eq!(client.next().await, progress(1, 1));
    assert_eq!(client.end().await, Vec::<Value>::new());
    assert!(waiters.is_dropped("a"));
}

#[tokio::test]
async fn a_peer_that_reads_no_more_ends_the_connection() {
    let (ours, theirs) = duplex(64);
    let (reader, writer) = split(theirs);
    let server = server(&Waiters::default());
    let client = async {
        let (read, mut write) = split(ours);
        let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        write.write_all(ping.as_bytes()).await.unwrap();
        drop((read, write));
    };
    let (served, ()) = tokio::join!(server.serve(reader, writer), client);
    served.unwrap();
}

#[tokio::test]
async fn b3_a_line_over_the_limit_is_refused_once_and_skipped() {
    let limits = Limits::default().with_server_line(100);
    let server = server(&Waiters::default()).limits(limits);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let input = format!("{}\n{ping}\n{}", "x".repeat(100_000), "y".repeat(300));
    let answers = talk(&server, &input).await;
    let message = "Invalid request: a line holds at most 100 bytes";
    let refused =
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": message}});
    let pong = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    assert_eq!(answers, [refused.clone(), pong, refused]);
}

#[tokio::test]
async fn a_session_hears_of_changed_tools_on_its_stream() {
    let server = server(&Waiters::default());
    let tools = server.tools();
    let mut client = Client::new(server).await;
    tools.remove("echo");
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    assert_eq!(client.next().await, changed);
    assert_eq!(client.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn b15_an_output_of_many_lines_is_one_line() {
    let server = server(&Waiters::default());
    let mut client = Client::new(server).await;
    client.call(1, "echo", "l1\nl2\r\nl3\u{2028}\r").await;
    assert_eq!(
        client.next().await["result"]["content"][0]["text"],
        "l1\nl2\r\nl3\u{2028}\r"
    );
}

/// A tool that says something for ever, and never waits for anything but room.
fn talker() -> Tool {
    Tool::new("talk", async |cx: Context| {
        for step in 1u64.. {
            cx.progress(step, None::<u64>, "").await;
        }
        "never"
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_talks_without_a_pause_can_be_cancelled() {
    let mut client = Client::new(Server::new("s", "1").tool(talker())).await;
    client.call(1, "talk", "").await;
    for step in 1..100 {
        assert_eq!(client.next().await["params"]["progress"], step);
    }
    client.cancel(1).await;
    client.ask(json!(2), "ping", json!({})).await;
    while client.next().await.get("id") != Some(&json!(2)) {}
    // What it said in the moment of the cancellation may still come, its answer may not.
    let rest = client.end().await;
    assert!(rest.len() < 100 && rest.iter().all(|message| message.get("id").is_none()));
}

#[tokio::test]
async fn a_call_that_talks_without_a_pause_to_nobody_ends_with_the_connection() {
    let (ours, theirs) = duplex(1024);
    let (reader, writer) = split(theirs);
    let server = Server::new("s", "1").tool(talker());
    let params = r#"{"name":"talk","_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#;
    let client = async {
        let (read, mut write) = split(ours);
        let call = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{params}}}\n"
        );
        write.write_all(call.as_bytes()).await.unwrap();
        drop((read, write));
    };
    let (served, ()) = tokio::join!(server.serve(reader, writer), client);
    served.unwrap();
}

#[tokio::test]
async fn batches_that_wait_are_so_many_and_others_pass() {
    let waiters = Waiters::default();
    let mut client = Client::new(server(&waiters)).await;
    let params = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    client.ask(json!("again"), "initialize", params).await;
    assert_eq!(client.next().await["id"], "again");
    let call = |id: i64| {
        let params = json!({"name": "wait", "arguments": {"key": id.to_string()}});
        json!([{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}])
    };
    let pings = |id: i64| json!([{"jsonrpc": "2.0", "id": id, "method": "ping"}, 5]);
    for id in 0..16 {
        client.send(call(id)).await;
    }
    client.send(call(16)).await;
    let refused = client.next().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&Value::Null, &json!(-32603))
    );
    assert_eq!(waiters.started().len(), 16);
    client.cancel(3).await;
    // What is answered at once takes no place for long, however often it comes.
    for id in 100..200 {
        client.send(pings(id)).await;
        let mut answer = client.next().await;
        while answer[0]["id"] != id {
            assert_eq!(
                answer["error"]["code"], -32603,
                "its place is free once the task was dropped"
            );
            client.send(pings(id)).await;
            answer = client.next().await;
        }
        assert_eq!(
            (answer[0]["result"].clone(), &answer[1]["error"]["code"]),
            (json!({}), &json!(-32600))
        );
    }
    for id in (0..16).filter(|id| *id != 3) {
        waiters.release(&id.to_string());
        assert_eq!(client.next().await[0]["id"], id);
    }
    assert_eq!(client.end().await, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_call_that_blocks_its_thread_keeps_nobody_from_being_heard() {
    let (go, gate) = std::sync::mpsc::channel::<()>();
    let gate = Arc::new(Mutex::new(gate));
    let block = move || {
        let gate = Arc::clone(&gate);
        async move {
            // Until the test lets it go, without an await.
            gate.lock().unwrap().recv().unwrap();
            "unblocked"
        }
    };
    let server = server(&Waiters::default()).tool(Tool::new("block", block).blocking());
    let mut client = Client::new(server).await;
    client.call(1, "block", "").await;
    client.ping(2).await;
    client.call(3, "echo", "b").await;
    assert_eq!(client.next().await["id"], 3);
    go.send(()).unwrap();
    let answer = client.next().await;
    assert_eq!(answer["result"]["content"][0]["text"], "unblocked");
    client.call(4, "block", "").await;
    client.cancel(4).await;
    client.ping(5).await;
    go.send(()).unwrap();
    assert_eq!(client.end().await, Vec::<Value>::new());
}
