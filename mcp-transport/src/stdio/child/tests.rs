//! Child processes: shells that behave well and badly, row by row.

use std::{error::Error as _, future::poll_fn, time::Duration};

use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::RawParams;

use super::{Child, ChildCommand, ChildEnded};
use crate::{
    exchange::{Endpoint, Event, Reply, Request},
    proto::limits::Limits,
};

const ANSWER: &str = r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; "#;

fn shell(script: impl Into<std::ffi::OsString>) -> ChildCommand {
    let moment = Duration::from_millis(100);
    let limits = Limits::default()
        .with_child_eof_time(moment)
        .with_child_term_time(moment);
    ChildCommand::new("sh").arg("-c").arg(script).limits(limits)
}

async fn call(child: &Child, method: &str) -> Result<Reply, Failure> {
    let mut exchange = child.open(Request::new(method, RawParams::empty()));
    loop {
        if let Event::Outcome(outcome) = poll_fn(|cx| exchange.as_mut().poll_event(cx)).await {
            return outcome;
        }
    }
}

/// The value that the script put in its answer's `value`.
async fn value(command: ChildCommand) -> String {
    let child = command.spawn().unwrap();
    let reply = call(&child, "value").await.unwrap();
    child.close().await;
    reply
        .result
        .decode::<std::collections::HashMap<String, String>>()
        .unwrap()
        .remove("value")
        .unwrap()
}

#[cfg(target_os = "linux")]
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

/// Whether a process that was killed is gone soon: a signal takes a moment to arrive.
#[cfg(target_os = "linux")]
fn is_gone_soon(pid: &str) -> bool {
    (0..500).any(|_| {
        // Running another program lets the system do its work.
        let _ = std::process::Command::new("true").status();
        !is_alive(pid)
    })
}

#[tokio::test]
async fn peers_2_a_server_that_ends_at_the_end_of_its_input() {
    let child = shell(format!("{ANSWER} cat > /dev/null; exit 3"))
        .spawn()
        .unwrap();
    call(&child, "ping").await.unwrap();
    assert_eq!(child.close().await.unwrap().code(), Some(3));
    let later = call(&child, "ping").await.unwrap_err();
    assert_eq!(
        (later.kind(), later.executed()),
        (FailureKind::Closed, Executed::No)
    );
    assert_eq!(child.close().await.unwrap().code(), Some(3));
}

#[tokio::test]
async fn peers_2_a_server_that_ignores_the_end_of_its_input_gets_a_signal() {
    let child = shell(format!(
        "{ANSWER} trap 'exit 4' TERM; while :; do sleep 0.01; done"
    ))
    .spawn()
    .unwrap();
    call(&child, "ping").await.unwrap();
    assert_eq!(child.close().await.unwrap().code(), Some(4));
}

#[tokio::test]
async fn peers_2_a_server_that_ignores_signals_is_killed() {
    use std::os::unix::process::ExitStatusExt as _;
    let child = shell(format!(
        "trap '' TERM; {ANSWER} while :; do sleep 0.01; done"
    ))
    .spawn()
    .unwrap();
    call(&child, "ping").await.unwrap();
    assert_eq!(child.close().await.unwrap().signal(), Some(9));
}

#[tokio::test]
async fn closing_ends_calls_at_once() {
    let child = shell("cat > /dev/null").spawn().unwrap();
    let (outcome, _) = tokio::join!(call(&child, "ping"), child.close());
    assert_eq!(outcome.unwrap_err().kind(), FailureKind::Closed);
}

#[tokio::test]
async fn t5_a_server_that_exits_on_the_probe_says_so() {
    let child = shell("read line; echo 'cannot read config' >&2; exit 7")
        .spawn()
        .unwrap();
    let failure = call(&child, "server/discover").await.unwrap_err();
    assert_eq!(
        (failure.kind(), failure.executed()),
        (FailureKind::Lost, Executed::Unknown)
    );
    assert!(failure.to_string().contains("exit status: 7"), "{failure}");
    assert!(
        !format!("{failure:?} {failure}").contains("config"),
        "{failure:?}"
    );
    let ended = failure
        .source()
        .unwrap()
        .downcast_ref::<ChildEnded>()
        .unwrap();
    assert_eq!(ended.last_line.as_deref(), Some("cannot read config"));
    assert_eq!(ended.status.unwrap().code(), Some(7));
    assert_eq!(child.stderr(), "cannot read config\n");
    assert_eq!(
        call(&child, "ping").await.unwrap_err().executed(),
        Executed::No
    );
    assert_eq!(child.exited().await.unwrap().code(), Some(7));
}

#[tokio::test]
async fn row_5_a_server_that_closes_its_output_fails_calls_without_waiting_for_it() {
    let child = shell("read line; exec >&-; trap '' TERM; while :; do sleep 0.01; done")
        .spawn()
        .unwrap();
    let failure = call(&child, "server/discover").await.unwrap_err();
    assert!(
        failure.to_string().contains("closed its output"),
        "{failure}"
    );
    assert!(child.exited().await.is_some());
}

#[tokio::test]
async fn the_last_answer_before_an_exit_arrives() {
    let child = shell(format!("{ANSWER} exit 0")).spawn().unwrap();
    assert!(call(&child, "ping").await.is_ok());
}

#[tokio::test]
async fn t9_banner_lines_are_skipped() {
    let child = shell(format!(
        "echo 'Server v1 starting'; {ANSWER} cat > /dev/null"
    ))
    .spawn()
    .unwrap();
    assert!(call(&child, "ping").await.is_ok());
    assert_eq!(child.noise().first.as_deref(), Some("Server v1 starting"));
    child.close().await;
}

#[tokio::test]
async fn t11_a_missing_program_is_named() {
    let failure = ChildCommand::new("/no/such/program").spawn().unwrap_err();
    assert_eq!(
        (failure.kind(), failure.executed()),
        (FailureKind::Unreachable, Executed::No)
    );
    assert!(failure.to_string().contains("/no/such/program"));
    assert!(failure.source().unwrap().is::<std::io::Error>());
}

#[tokio::test]
async fn item_3_the_environment_is_an_allow_list() {
    let print = r#"read line; echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"value\":\"$(env | cut -d= -f1 | sort | tr '\n' ' ')\"}}"; cat > /dev/null"#;
    let names = value(shell(print).env("EXTRA", "1").inherit("CARGO_MANIFEST_DIR")).await;
    let own = ["EXTRA", "CARGO_MANIFEST_DIR", "PWD", "OLDPWD", "SHLVL", "_"];
    for name in names.split(' ').filter(|name| !name.is_empty()) {
        assert!(
            own.contains(&name) || super::command::INHERITED.contains(&name),
            "{name}"
        );
    }
    assert!(
        names.contains("EXTRA") && names.contains("CARGO_MANIFEST_DIR") && names.contains("PATH"),
        "{names}"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn peers_3_what_the_server_started_ends_with_it() {
    let print = r#"sleep 1000 & read line; echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"value\":\"$!\"}}"; "#;
    for rest in ["exit 0", "cat > /dev/null"] {
        let child = shell(format!("{print}{rest}")).spawn().unwrap();
        let reply = call(&child, "ping").await.unwrap();
        let grandchild = reply.result.as_str().split('"').nth(3).unwrap().to_owned();
        child.close().await;
        assert!(is_gone_soon(&grandchild), "{rest}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_the_last_handle_ends_the_process() {
    let child = shell("trap '' TERM; while :; do sleep 0.01; done")
        .spawn()
        .unwrap();
    let (id, ended) = (child.id().to_string(), child.ended.clone());
    assert!(is_alive(&id));
    drop(child.clone());
    assert!(is_alive(&id));
    drop(child);
    let mut ended = ended;
    ended.wait_for(Option::is_some).await.unwrap();
    assert!(!is_alive(&id));
}

#[cfg(target_os = "linux")]
#[test]
fn the_end_of_the_runtime_ends_the_process() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let child =
        runtime.block_on(async { shell("sleep 1000 & trap '' TERM; wait").spawn().unwrap() });
    let id = child.id().to_string();
    drop(runtime);
    assert!(is_gone_soon(&id));
}

/// The outcome, or a panic if there is none for a long time.
#[expect(clippy::disallowed_methods, reason = "it only ends a test that hangs")]
async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), what)
        .await
        .expect("it hangs")
}

#[tokio::test]
async fn a_server_that_closes_its_input_but_lives_fails_calls_and_is_ended() {
    let child = shell("exec <&-; echo closed >&2; while :; do sleep 0.01; done")
        .spawn()
        .unwrap();
    // Only writing tells: it may be too early for the first.
    while child.stderr().is_empty() {
        tokio::task::yield_now().await;
    }
    let failure = soon(call(&child, "ping")).await.unwrap_err();
    assert_eq!(
        (failure.kind(), failure.executed()),
        (FailureKind::Lost, Executed::Unknown)
    );
    assert!(
        failure.to_string().contains("closed its input"),
        "{failure}"
    );
    assert!(soon(child.exited()).await.is_some());
}

#[tokio::test]
async fn a_server_that_never_reads_is_closed_in_time() {
    let child = shell("while :; do sleep 0.01; done").spawn().unwrap();
    let text = "x".repeat(300_000);
    let params =
        || RawParams::from_serialize(&std::collections::HashMap::from([("a", &text)])).unwrap();
    let mut calls: Vec<_> = (0..6)
        .map(|_| child.open(Request::new("tools/call", params())))
        .collect();
    for call in &mut calls {
        poll_fn(|cx| {
            assert!(call.as_mut().poll_event(cx).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
    }
    assert!(soon(child.close()).await.is_some());
    for call in &mut calls {
        let event = soon(poll_fn(|cx| call.as_mut().poll_event(cx))).await;
        let Event::Outcome(Err(failure)) = event else {
            panic!("{event:?}")
        };
        assert_eq!(failure.kind(), FailureKind::Closed);
    }
}

#[tokio::test]
async fn a_server_that_never_stops_writing_is_closed_in_time() {
    for script in [
        "yes",
        "yes | tr -d '\\n'",
        "yes >&2",
        "yes '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}'",
    ] {
        let child = shell(script).spawn().unwrap();
        let mut exchange = child.open(Request::new("ping", RawParams::empty()));
        #[expect(clippy::disallowed_methods, reason = "the caller's deadline")]
        let deadline = tokio::time::sleep(Duration::from_millis(30));
        let event = tokio::select! {
            event = poll_fn(|cx| exchange.as_mut().poll_event(cx)) => Some(event),
            () = deadline => None,
        };
        assert!(event.is_none(), "{script}: {event:?}");
        drop(exchange);
        assert!(soon(child.close()).await.is_some(), "{script}");
    }
}

#[test]
fn a_process_needs_a_runtime_and_says_so() {
    let failure = shell("exit 0").spawn().unwrap_err();
    assert_eq!(
        (failure.kind(), failure.executed()),
        (FailureKind::Invalid, Executed::No)
    );
    assert!(failure.to_string().contains("tokio runtime"), "{failure}");
}

#[cfg(target_os = "linux")]
#[test]
fn calls_end_with_the_runtime_of_their_process() {
    let build = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    let (first, second) = (build(), build());
    let (child, mut exchange) = first.block_on(async {
        let child = shell("sleep 1000").spawn().unwrap();
        let exchange = child.open(Request::new("ping", RawParams::empty()));
        (child, exchange)
    });
    let sent = poll_fn(|cx| std::task::Poll::Ready(exchange.as_mut().poll_event(cx).is_pending()));
    assert!(second.block_on(sent));
    drop(first);
    let event = second.block_on(soon(poll_fn(|cx| exchange.as_mut().poll_event(cx))));
    let Event::Outcome(Err(failure)) = event else {
        panic!("{event:?}")
    };
    assert_eq!(failure.kind(), FailureKind::Lost);
    assert_eq!(second.block_on(soon(child.close())), None);
    assert!(is_gone_soon(&child.id().to_string()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_panic_and_a_drop_outside_the_runtime_leave_no_process() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let spawn = || runtime.block_on(async { shell("sleep 1000").spawn().unwrap() });
    let (child, other) = (spawn(), spawn());
    let (mut ended, mut other_ended) = (child.ended.clone(), other.ended.clone());
    let thread = std::thread::Builder::new();
    #[expect(clippy::disallowed_methods, reason = "joined at once")]
    let panicked = thread
        .spawn(move || {
            let _child = child;
            std::panic::resume_unwind(Box::new("as wanted"));
        })
        .unwrap()
        .join();
    assert!(panicked.is_err());
    drop(other);
    runtime.block_on(soon(async {
        ended.wait_for(Option::is_some).await.unwrap();
        other_ended.wait_for(Option::is_some).await.unwrap();
    }));
}

#[tokio::test]
async fn any_limit_may_be_as_large_as_can_be() {
    let limits = Limits::default()
        .with_outbound_messages(usize::MAX)
        .with_outbound_bytes(usize::MAX)
        .with_client_line(usize::MAX)
        .with_stderr(usize::MAX)
        .with_in_flight(usize::MAX)
        .with_child_eof_time(Duration::MAX)
        .with_child_term_time(Duration::MAX);
    let child = shell(format!("echo told >&2; {ANSWER} cat > /dev/null"))
        .limits(limits)
        .spawn()
        .unwrap();
    assert!(call(&child, "ping").await.is_ok());
    assert_eq!(child.close().await.unwrap().code(), Some(0));
    assert_eq!(child.stderr(), "told\n");
}

#[tokio::test]
async fn item_3_a_program_is_found_in_the_path_that_it_gets() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = std::env::temp_dir().join(format!("mcp-path-{}", std::process::id()));
    std::fs::create_dir_all(&place).unwrap();
    let program = place.join("mcp-test-server");
    let script = r#"#!/bin/sh
read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; while read -r line; do :; done"#;
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let absent = ChildCommand::new("mcp-test-server").spawn().unwrap_err();
    assert_eq!(absent.kind(), FailureKind::Unreachable);
    let command = ChildCommand::new("mcp-test-server").env("PATH", &place);
    // Another thread that starts a process may hold the file open for writing still.
    let child = loop {
        match command.clone().spawn() {
            Ok(child) => break child,
            Err(failure) => assert!(failure.to_string().contains("busy"), "{failure}"),
        }
    };
    assert!(soon(call(&child, "ping")).await.is_ok());
    soon(child.close()).await;
    std::fs::remove_dir_all(&place).unwrap();
}
