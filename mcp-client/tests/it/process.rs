//! Servers that are processes: shells that behave well and badly, under the machine's clock.

use std::time::Duration;

use mcp_client::{
    Builder, Client, ConnectError,
    proto::probe::{Confidence, Reason},
};
use mcp_transport::{Clock as _, clock::SystemClock, stdio::child::ChildCommand};
use mcp_types::{Era, Revision};

/// `reply ID RESULT` answers; `wait` reads one message.
const WORDS: &str = r#"
wait() { read -r line || exit 0; }
reply() { echo "{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":$2}"; }
fail() { echo "{\"jsonrpc\":\"2.0\",\"id\":$1,\"error\":{\"code\":$2,\"message\":\"no\"}}"; }
modern='{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}'
legacy='{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"sh","version":"1"}}'
done='{"content":[{"type":"text","text":"done"}]}'
"#;

pub(crate) fn shell(script: &str) -> ChildCommand {
    ChildCommand::new("sh")
        .arg("-c")
        .arg(format!("{WORDS}{script}"))
}

pub(crate) fn builder() -> Builder {
    Client::builder("tester", "1.0").probe_timeout(Duration::from_secs(2))
}

pub(crate) async fn connect(script: &str) -> Result<Client, ConnectError> {
    builder().connect_command(shell(script)).await
}

/// The steps that were tried, a new process marked.
fn steps(attempts: &[mcp_client::proto::probe::Attempt]) -> Vec<&'static str> {
    attempts
        .iter()
        .map(|attempt| attempt.step.method())
        .collect()
}

#[tokio::test]
async fn t1_a_modern_process_is_called_and_ends_with_its_client() {
    let client = connect(r#"wait; reply 1 "$modern"; wait; reply 2 "$done"; wait"#)
        .await
        .unwrap();
    assert!(client.is_modern());
    assert_eq!(client.call::<String>("x", &()).await.unwrap(), "done");
    client.close().await;
    let error = client.call::<String>("x", &()).await.unwrap_err();
    assert!(!error.is_timeout(), "{error}");
}

#[tokio::test]
async fn t2_a_legacy_process_is_initialized_in_place() {
    let script =
        r#"wait; fail 1 -32601; wait; reply 2 "$legacy"; wait; wait; reply 3 "$done"; wait"#;
    let client = connect(script).await.unwrap();
    assert_eq!(client.link().revision, Revision::V2025_06_18);
    assert_eq!(client.call::<String>("x", &()).await.unwrap(), "done");
    client.close().await;
}

#[tokio::test]
async fn t3_an_error_without_an_id_answers_the_probe_at_once() {
    let client = connect(r#"wait; fail null -32600; wait; reply 2 "$legacy"; wait; wait"#)
        .await
        .unwrap();
    assert_eq!(client.link().era, Era::Legacy);
    assert!(client.negotiation().attempts[0].took < Duration::from_secs(2));
    client.close().await;
}

#[tokio::test]
async fn t4_silence_on_the_probe_leads_to_initialize_in_place_and_a_late_answer_is_dropped() {
    // The second message cancels the probe. Started anew, the script would read `initialize` as its first.
    let script = r#"wait; wait; wait; reply 2 "$legacy"; reply 1 "$modern"; wait; wait; reply 3 "$done"; wait"#;
    let hasty = builder().probe_timeout(Duration::from_millis(50));
    let client = hasty.connect_command(shell(script)).await.unwrap();
    assert_eq!(client.link().confidence, Confidence::Assumed);
    assert_eq!(
        steps(&client.negotiation().attempts),
        ["server/discover", "initialize"]
    );
    assert_eq!(client.call::<String>("x", &()).await.unwrap(), "done");
    client.close().await;
}

/// -32022 for request `id`, naming `version`.
fn unsupported(id: u8, version: &str) -> String {
    format!(
        r#"echo '{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32022,"message":"no","data":{{"supported":["{version}"]}}}}}}'"#
    )
}

#[tokio::test]
async fn t7_a_modern_process_that_was_late_is_probed_again_in_place() {
    let refuses = unsupported(2, "2026-07-28");
    let script = format!(
        r#"wait; wait; wait; reply 1 "$modern"; {refuses}; wait; reply 3 "$modern"; wait; reply 4 "$done"; wait"#
    );
    let hasty = builder().probe_timeout(Duration::from_millis(50));
    let client = hasty.connect_command(shell(&script)).await.unwrap();
    assert!(client.is_modern());
    assert_eq!(
        steps(&client.negotiation().attempts),
        ["server/discover", "initialize", "server/discover"]
    );
    assert_eq!(client.call::<String>("x", &()).await.unwrap(), "done");
    client.close().await;
}

#[tokio::test]
async fn t8_modern_errors_of_a_process_count_as_over_http() {
    let refuses = unsupported(1, "2025-06-18");
    let script = format!(r#"wait; {refuses}; wait; reply 2 "$legacy"; wait; wait"#);
    let client = connect(&script).await.unwrap();
    assert_eq!(client.link().confidence, Confidence::Firm);
    let asked = client.negotiation().attempts[1].revision;
    assert_eq!(asked, Revision::V2025_06_18);
    client.close().await;
    let error = connect("wait; fail 1 -32021; wait").await.unwrap_err();
    assert_eq!(error.reason(), &Reason::CapabilityRequired);
    assert_eq!(error.attempts().len(), 1);
}

#[tokio::test]
async fn t5_a_process_that_exits_on_the_probe_is_started_anew() {
    let script = r#"
        wait
        case "$line" in *server/discover*) exit 3;; esac
        reply 1 "$legacy"; wait; wait; reply 2 "$done"; wait"#;
    let client = connect(script).await.unwrap();
    assert_eq!(client.link().confidence, Confidence::Assumed);
    assert_eq!(
        steps(&client.negotiation().attempts),
        ["server/discover", "initialize"]
    );
    let told = client.negotiation().to_string();
    assert!(told.contains("start anew"), "{told}");
    assert_eq!(client.call::<String>("x", &()).await.unwrap(), "done");
    client.close().await;
}

#[tokio::test]
async fn t6_a_process_spoilt_by_the_probe_is_started_anew() {
    let script = r#"
        wait
        case "$line" in *server/discover*) fail 1 -32600; wait; fail 2 -32600; wait;; esac
        reply 1 "$legacy"; wait; wait"#;
    let client = connect(script).await.unwrap();
    assert_eq!(
        steps(&client.negotiation().attempts),
        ["server/discover", "initialize", "initialize"]
    );
    client.close().await;
}

#[tokio::test]
async fn t9_noise_on_stdout_is_skipped() {
    let script = r#"echo 'listening...'; echo; wait; echo '[info] hi'; reply 1 "$modern"; wait"#;
    assert!(connect(script).await.unwrap().is_modern());
}

#[tokio::test]
async fn t10_a_process_that_only_exits_is_named_with_its_status() {
    let error = connect("echo 'no license key' >&2; exit 7")
        .await
        .unwrap_err();
    assert_eq!(error.reason(), &Reason::ProcessExited);
    let told = error.to_string();
    assert!(
        told.starts_with("cannot connect to the command \"sh\": "),
        "{told}"
    );
    assert!(
        told.contains("exit status: 7") && !told.contains("license"),
        "{told}"
    );
    assert_eq!(error.stderr(), Some("no license key\n"));
}

#[tokio::test]
async fn t11_a_program_that_is_missing_is_named() {
    let error = builder()
        .connect("/nowhere/at-all --token secret")
        .await
        .unwrap_err();
    assert_eq!(error.reason(), &Reason::Unreachable);
    assert_eq!(error.attempts().len(), 1);
    let told = error.to_string();
    assert!(
        told.contains("/nowhere/at-all") && !told.contains("secret"),
        "{told}"
    );
}

#[tokio::test]
async fn t12_a_process_that_says_nothing_times_out() {
    let begin = SystemClock.now();
    let connecting = builder()
        .connect_timeout(Duration::from_millis(400))
        .probe_timeout(Duration::from_millis(100))
        .connect_command(shell("echo 'password:' >&2; while :; do wait; done"));
    let error = connecting.await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    assert_eq!(error.attempts().len(), 2);
    assert!(SystemClock.now() - begin < Duration::from_secs(5));
}
