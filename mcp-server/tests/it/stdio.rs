//! The standard streams of a process: whose they are, and how it ends. The process is this program again.

use std::process::Stdio;

use mcp_server::{Limits, Server, Tool};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};

/// A tool that prints, on its own and by a program it runs, in the midst of a line too.
#[expect(clippy::print_stdout, reason = "that is the mistake that is tried")]
fn loud() -> Tool {
    Tool::new("loud", async || {
        println!("printed {}", "x".repeat(100_000));
        print!("half a line");
        let program = std::process::Command::new("sh")
            .args(["-c", "echo program; echo read $(cat | wc -c)"])
            .status();
        assert!(program.unwrap().success());
        "y".repeat(100_000)
    })
}

#[tokio::test]
#[ignore = "is no test, but the server of one"]
async fn the_server() {
    let never = Tool::new("never", async || std::future::pending::<&str>().await);
    let limits = Limits::default().with_eof_drain_time(std::time::Duration::ZERO);
    let server = Server::new("s", "1").tool(loud()).tool(never);
    let server = match std::env::var("DRAIN").is_ok() {
        true => server,
        false => server.limits(limits),
    };
    server.serve_stdio().await.unwrap();
    println!("afterwards");
}

struct Process {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Process {
    async fn start(drain: bool) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        // With one thread the harness begins a line that it does not end.
        command
            .args([
                "--exact",
                "stdio::the_server",
                "--ignored",
                "--nocapture",
                "--test-threads=2",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if drain {
            command.env("DRAIN", "1");
        }
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut process = Self {
            child,
            input,
            lines,
        };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
        process.ask(0, "initialize", params).await;
        // The harness says something before the server starts.
        while !process
            .line()
            .await
            .is_some_and(|line| line.starts_with("{\"jsonrpc\""))
        {}
        process
    }

    async fn ask(&mut self, id: i64, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.input
            .write_all(format!("{message}\n").as_bytes())
            .await
            .unwrap();
    }

    async fn line(&mut self) -> Option<String> {
        self.lines.next_line().await.unwrap()
    }

    async fn message(&mut self) -> Value {
        let line = self.line().await.unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line:.200}"))
    }
}

#[tokio::test]
async fn item_2_a_stray_print_cannot_stand_between_or_within_messages() {
    let mut process = Process::start(true).await;
    let mut stderr = process.child.stderr.take().unwrap();
    let mut said = String::new();
    let calls = async {
        for id in 1..6 {
            process.ask(id, "tools/call", json!({"name": "loud"})).await;
            process.ask(-id, "ping", json!({})).await;
        }
        let mut ids = Vec::new();
        for _ in 1..11 {
            ids.push(process.message().await["id"].as_i64().unwrap());
        }
        ids.sort_unstable();
        assert_eq!(ids, [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]);
        drop(process.input);
        // Stdout is given back at the end.
        while process
            .lines
            .next_line()
            .await
            .unwrap()
            .expect("the last word")
            != "afterwards"
        {}
    };
    let (_, ()) = tokio::join!(stderr.read_to_string(&mut said), calls);
    for (what, times) in [
        ("printed x", 5),
        ("half a line", 5),
        ("program\n", 5),
        ("read 0\n", 5),
    ] {
        assert_eq!(said.matches(what).count(), times, "{what}");
    }
}

#[tokio::test]
async fn item_2_the_end_of_stdin_drains_and_ends_the_process() {
    let mut process = Process::start(true).await;
    process.ask(1, "tools/call", json!({"name": "loud"})).await;
    process.ask(2, "ping", json!({})).await;
    // What is written to it must not hold up the process.
    let mut stderr = process.child.stderr.take().unwrap();
    let (mut said, input) = (Vec::new(), process.input);
    drop(input);
    let mut ids = Vec::new();
    let reading = async {
        while let Some(line) = process.lines.next_line().await.unwrap() {
            let message = serde_json::from_str::<Value>(&line).unwrap_or_default();
            ids.extend(message["id"].as_i64());
        }
        process.child.wait().await.unwrap()
    };
    let (_, status) = tokio::join!(stderr.read_to_end(&mut said), reading);
    ids.sort_unstable();
    assert_eq!((ids, status.success()), (vec![1, 2], true));
}

#[tokio::test]
async fn item_2_a_call_that_never_ends_is_dropped_after_the_drain_time() {
    let mut process = Process::start(false).await;
    process.ask(1, "tools/call", json!({"name": "never"})).await;
    process.ask(2, "ping", json!({})).await;
    assert_eq!(process.message().await["id"], 2);
    process.input.shutdown().await.unwrap();
    let Process {
        mut child, input, ..
    } = process;
    drop(input);
    assert!(child.wait().await.is_ok());
}

#[tokio::test]
async fn item_2_the_process_exits_though_a_read_of_its_stdin_is_under_way() {
    let mut process = Process::start(true).await;
    process.ask(1, "ping", json!({})).await;
    assert_eq!(process.message().await["id"], 1);
    // Nobody reads any more, which writing finds out; stdin stays open all the time.
    let Process {
        mut child,
        mut input,
        lines,
    } = process;
    drop(lines);
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n";
    input.write_all(ping).await.unwrap();
    assert!(child.wait().await.is_ok());
    drop(input);
}
