//! No server outlives the process that started it, however that process ends: fifty of them, counted.
//!
//! The process is this program again ([`the_parent`]). Every process of every server holds one pipe open, so that
//! waiting for their end is reading to its end.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails a test; clippy knows only the tests themselves as such"
)]

use std::{
    future::poll_fn,
    io::{BufRead as _, Read as _},
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    process::Stdio,
    time::Duration,
};

use mcp_transport::{
    Endpoint, Event, Request,
    proto::limits::Limits,
    stdio::child::{Child as Server, ChildCommand},
};
use mcp_types::RawParams;
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::unix::pipe,
    process::{Child, Command},
    runtime::Runtime,
};

const CHILDREN: usize = 50;
const HOW: &str = "SURVIVORS_HOW";
const PIPE: &str = "SURVIVORS_PIPE";

/// Starts a process of its own and answers one request. The first kind ends with its input and leaves what it started;
/// the second ends neither with its input nor when it is asked.
const SERVERS: [&str; 2] = [
    r#"exec 9>"$1"; sleep 1000 & read line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; cat"#,
    r#"exec 9>"$1"; trap '' TERM; sleep 1000 & read line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; exec sleep 1000"#,
];

/// A named pipe, removed when it is dropped.
struct Fifo(PathBuf);

impl Fifo {
    fn new(name: &str) -> Self {
        let file = format!("mcp-survivors-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(file);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        Self(path)
    }
}

impl Drop for Fifo {
    fn drop(&mut self) {
        let _gone = std::fs::remove_file(&self.0);
    }
}

/// What is done to the parent once its servers run.
enum End {
    /// It is told to do it itself.
    Told,
    Signal(Signal),
}

/// Servers that run, and the process that started them.
struct Running {
    parent: Child,
    groups: Vec<Pid>,
    /// Held by every process of every server.
    held: pipe::Receiver,
    _fifo: Fifo,
}

impl Running {
    async fn start(how: &str) -> Self {
        let fifo = Fifo::new(how);
        let held = pipe::OpenOptions::new().open_receiver(&fifo.0).unwrap();
        let mut parent = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "survivors::the_parent",
                "--ignored",
                "--nocapture",
            ])
            .env(HOW, how)
            .env(PIPE, &fifo.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(parent.stdout.take().unwrap()).lines();
        let mut groups = Vec::new();
        while groups.len() < CHILDREN {
            let line = soon(lines.next_line())
                .await
                .unwrap()
                .expect("the parent ended");
            // What the harness says stands before it on the same line.
            if let Some((_, id)) = line.split_once("group ") {
                groups.push(Pid::from_raw(id.parse().unwrap()).unwrap());
            }
        }
        assert_eq!(survivors(&groups), CHILDREN, "{how}: before");
        Self {
            parent,
            groups,
            held,
            _fifo: fifo,
        }
    }

    async fn end(&mut self, end: End) {
        match end {
            End::Told => {
                let input = self.parent.stdin.as_mut().unwrap();
                input.write_all(b"now\n").await.unwrap();
            }
            End::Signal(signal) => {
                let id = i32::try_from(self.parent.id().unwrap()).unwrap();
                kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
            }
        }
    }

    /// Waits until nobody holds the pipe.
    async fn all_ended(&mut self) {
        soon(self.held.read_to_end(&mut Vec::new())).await.unwrap();
    }
}

async fn check(how: &str, end: End) {
    let mut running = Running::start(how).await;
    running.end(end).await;
    running.all_ended().await;
    assert_eq!(survivors(&running.groups), 0, "{how}");
}

/// How many groups have a process that runs. One that has ended counts until its parent, or the system, has heard of it.
fn survivors(groups: &[Pid]) -> usize {
    let groups = groups
        .iter()
        .filter(|group| test_kill_process_group(**group).is_ok());
    groups.filter(|group| runs(**group)).count()
}

#[cfg(target_os = "linux")]
fn runs(group: Pid) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let stats =
        processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    // `pid (name) state ppid pgrp …`, and a name may hold anything.
    stats
        .filter_map(|stat| stat.rsplit_once(") ").map(|(_, rest)| rest.to_owned()))
        .any(|rest| {
            let mut words = rest.split(' ');
            let (state, group_of) = (words.next(), words.nth(1));
            !matches!(state, Some("Z" | "X"))
                && group_of == Some(&group.as_raw_nonzero().to_string())
        })
}

#[cfg(not(target_os = "linux"))]
fn runs(_: Pid) -> bool {
    true
}

#[expect(clippy::disallowed_methods, reason = "it only ends a test that hangs")]
async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), what)
        .await
        .expect("it hangs")
}

async fn start(kind: usize, pipe: &str, guarded: bool) -> Server {
    let moment = Duration::from_millis(100);
    let limits = Limits::default()
        .with_child_eof_time(moment)
        .with_child_term_time(moment);
    let command = ChildCommand::new("sh").args(["-c", SERVERS[kind % 2], "server", pipe]);
    let command = match guarded {
        true => command,
        false => command.unguarded(),
    };
    let child = command.limits(limits).spawn().unwrap();
    let mut exchange = child.open(Request::new("ping", RawParams::empty()));
    let event = poll_fn(|cx| exchange.as_mut().poll_event(cx)).await;
    assert!(matches!(event, Event::Outcome(Ok(_))), "{event:?}");
    child
}

#[test]
#[ignore = "is no test, but the parent of servers in one"]
fn the_parent() {
    let (Ok(how), Ok(pipe)) = (std::env::var(HOW), std::env::var(PIPE)) else {
        return;
    };
    let runtime = Runtime::new().unwrap();
    let children: Vec<Server> = runtime.block_on(async {
        let mut children = Vec::new();
        for kind in 0..CHILDREN {
            children.push(start(kind, &pipe, how != "unguarded").await);
        }
        children
    });
    for child in &children {
        println!("group {}", child.id());
    }
    let mut input = std::io::stdin().lock();
    let mut line = String::new();
    input.read_line(&mut line).unwrap();
    match how.as_str() {
        "close" => runtime.block_on(async {
            let mut closing = tokio::task::JoinSet::new();
            for child in children {
                #[expect(clippy::disallowed_methods, reason = "joined at once")]
                closing.spawn(async move { child.close().await });
            }
            assert!(closing.join_all().await.iter().all(Option::is_some));
        }),
        "drop" => drop(children),
        "runtime" => {
            drop(runtime);
            let _ends = input.read_to_string(&mut line);
            return;
        }
        "panic" => {
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                let _children = children;
                panic!("as wanted");
            }));
            assert!(panicked.is_err());
        }
        "return" => {
            std::mem::forget((children, runtime));
            return;
        }
        "exit" | "unguarded" => std::process::exit(0),
        "abort" => std::process::abort(),
        how => panic!("{how}"),
    }
    // It is not the end of this process that ends the servers: it stays as long as the test.
    let _ends = input.read_to_string(&mut line);
}

#[tokio::test]
async fn no_group_is_left_after_close() {
    check("close", End::Told).await;
}

#[tokio::test]
async fn no_group_is_left_after_a_drop_outside_a_runtime() {
    check("drop", End::Told).await;
}

#[tokio::test]
async fn no_group_is_left_after_the_end_of_the_runtime() {
    check("runtime", End::Told).await;
}

#[tokio::test]
async fn no_group_is_left_after_a_panic() {
    check("panic", End::Told).await;
}

#[tokio::test]
async fn no_group_is_left_when_main_returns() {
    check("return", End::Told).await;
}

#[tokio::test]
async fn no_group_is_left_after_an_exit() {
    check("exit", End::Told).await;
}

#[tokio::test]
async fn no_group_is_left_after_an_abort() {
    check("abort", End::Told).await;
}

#[tokio::test]
async fn no_group_is_left_after_sigterm() {
    check("sigterm", End::Signal(Signal::TERM)).await;
}

#[tokio::test]
async fn no_group_is_left_after_sigint() {
    check("sigint", End::Signal(Signal::INT)).await;
}

#[tokio::test]
async fn no_group_is_left_after_sigkill() {
    check("sigkill", End::Signal(Signal::KILL)).await;
}

/// So that the tests above can fail: what the guard is there for is left without it.
#[tokio::test]
async fn without_the_guard_groups_are_left_after_an_exit() {
    let mut running = Running::start("unguarded").await;
    running.end(End::Told).await;
    soon(running.parent.wait()).await.unwrap();
    assert_eq!(survivors(&running.groups), CHILDREN);
    for group in &running.groups {
        kill_process_group(*group, Signal::KILL).unwrap();
    }
    running.all_ended().await;
}
