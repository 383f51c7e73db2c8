//! Rows 11 to 13 of the table of what users of other clients suffer from with servers as processes, and the limits of
//! whatever a connect makes.

use std::{path::PathBuf, time::Duration};

use mcp_client::{Client, Limits};
use mcp_transport::{Clock as _, clock::SystemClock};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use crate::process::{builder, connect, shell};

/// A directory of a test's own, gone with it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mcp-client-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Goes on with whatever else there is until `is_so`.
async fn until(is_so: impl Fn() -> bool) {
    let deadline = SystemClock.deadline(Duration::from_secs(20));
    while !is_so() {
        assert!(SystemClock.now() < deadline, "it does not happen");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn peers_11_many_servers_are_shut_down_at_once() {
    let place = Place::new("at-once");
    // Each ends once it knows that all have been told to.
    let script = |number| {
        format!(
            r#"wait; reply 1 "$modern"
            cd '{}'; cat > /dev/null; : > told-{number}
            until [ -e told-1 ] && [ -e told-2 ] && [ -e told-3 ]; do sleep 0.01; done
            : > ended-{number}"#,
            place.0.display()
        )
    };
    let mut clients = Vec::new();
    for number in 1..=3 {
        clients.push(connect(&script(number)).await.unwrap());
    }
    Client::close_all(clients).await;
    for number in 1..=3 {
        assert!(place.has(&format!("ended-{number}")), "{number} was killed");
    }
    Client::close_all([]).await;
}

#[tokio::test]
async fn peers_12_a_start_has_a_budget_and_its_failure_tells_what_the_server_said() {
    let connecting = builder()
        .connect_timeout(Duration::from_millis(400))
        .probe_timeout(Duration::from_millis(100))
        .connect_command(shell(
            "echo 'fetching 1 of 900' >&2; while :; do wait; done",
        ));
    let error = connecting.await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    assert_eq!(error.stderr(), Some("fetching 1 of 900\n"));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn peers_13_a_connect_that_is_dropped_leaves_no_process() {
    let place = Place::new("dropped");
    let script = format!(
        "echo $$ > '{}/pid'; while :; do wait; done",
        place.0.display()
    );
    let connecting = builder().connect_command(shell(&script));
    let read = || std::fs::read_to_string(place.0.join("pid")).unwrap_or_default();
    tokio::select! {
        connected = connecting => panic!("nobody answered: {connected:?}"),
        () = until(|| read().ends_with('\n')) => {}
    }
    let process = PathBuf::from(format!("/proc/{}", read().trim()));
    until(|| !process.exists()).await;
}

/// A modern server over TCP that answers the second request with a line of 2,000 bytes.
async fn wordy(listener: TcpListener) {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut asked = [0; 4096];
    let discovered = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}"#;
    let words = format!(
        r#"{{"jsonrpc":"2.0","id":2,"result":{{"content":[{{"type":"text","text":"{}"}}]}}}}"#,
        "x".repeat(2_000)
    );
    for answer in [discovered, &words] {
        assert!(stream.read(&mut asked).await.unwrap() > 0);
        stream.write_all(answer.as_bytes()).await.unwrap();
        stream.write_all(b"\n").await.unwrap();
    }
    while stream.read(&mut asked).await.unwrap() > 0 {}
}

#[tokio::test]
async fn b3_limits_hold_on_sockets_and_processes_alike() {
    for (limit, is_taken) in [(1_000, false), (3_000, true)] {
        let limits = Limits::default().with_client_line(limit);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("tcp://{}", listener.local_addr().unwrap());
        let work = async {
            let client = builder()
                .limits(limits.clone())
                .connect(&address)
                .await
                .unwrap();
            let told = client.call::<String>("x", &()).await;
            assert_eq!(told.is_ok(), is_taken, "{told:?}");
            client.close().await;
        };
        tokio::join!(wordy(listener), work);
        let script = r#"wait; reply 1 "$modern"; wait; reply 2 "$(printf '{"content":[{"type":"text","text":"%02000d"}]}' 0)"; wait"#;
        let client = builder()
            .limits(limits)
            .connect_command(shell(script))
            .await
            .unwrap();
        let told = client.call::<String>("x", &()).await;
        assert_eq!(told.is_ok(), is_taken, "{told:?}");
        client.close().await;
    }
}
