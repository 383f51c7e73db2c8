//! The client of a stream against servers that close, stay silent, or are not there.

use std::{future::poll_fn, time::Duration};

use mcp_errors::Executed;
use mcp_types::RawParams;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, duplex, split},
    net::TcpListener,
};

use super::*;
use crate::{clock::SystemClock, exchange::Event};

const ANSWER: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";

fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

fn limits() -> Limits {
    Limits::default().with_farewell_time(Duration::from_millis(50))
}

async fn call(client: &StreamClient) -> Result<(), Failure> {
    let mut exchange = client.open(Request::new("ping", RawParams::empty()));
    loop {
        if let Event::Outcome(outcome) = poll_fn(|cx| exchange.as_mut().poll_event(cx)).await {
            return outcome.map(drop);
        }
    }
}

/// A client, and the server's end of its stream.
fn pair() -> (StreamClient, tokio::io::DuplexStream) {
    let (near, far) = duplex(1 << 16);
    let (reader, writer) = split(near);
    (StreamClient::new(reader, writer, &limits(), clock()), far)
}

#[tokio::test]
async fn item_8_a_server_behind_tcp_is_called() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        assert!(stream.read(&mut [0; 64]).await.unwrap() > 0);
        stream.write_all(ANSWER).await.unwrap();
        // The client closes first, and waits for this side.
        assert_eq!(stream.read(&mut [0; 64]).await.unwrap(), 0);
    };
    let work = async {
        let address = SocketAddress::tcp("127.0.0.1", port);
        let client = StreamClient::connect(&address, &limits(), clock())
            .await
            .unwrap();
        call(&client).await.unwrap();
        client.close().await;
        let later = call(&client).await.unwrap_err();
        assert_eq!(
            (later.kind(), later.executed()),
            (FailureKind::Closed, Executed::No)
        );
    };
    tokio::join!(serve, work);
}

#[cfg(unix)]
#[tokio::test]
async fn item_8_a_server_behind_a_unix_socket_is_called() {
    let path = std::env::temp_dir().join(format!("mcp-client-{}.sock", std::process::id()));
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    let serve = async {
        let (stream, _) = listener.accept().await.unwrap();
        let (reader, mut writer) = stream.into_split();
        let mut lines = BufReader::new(reader).lines();
        assert!(lines.next_line().await.unwrap().unwrap().contains("ping"));
        writer.write_all(ANSWER).await.unwrap();
        assert_eq!(lines.next_line().await.unwrap(), None);
    };
    let work = async {
        let client = StreamClient::connect(&SocketAddress::unix(&path), &limits(), clock()).await;
        let client = client.unwrap();
        call(&client).await.unwrap();
        drop(client);
    };
    tokio::join!(serve, work);
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test]
async fn nobody_there_is_told_with_the_address() {
    let check = async |address: SocketAddress| {
        let failure = StreamClient::connect(&address, &limits(), clock())
            .await
            .unwrap_err();
        assert_eq!(
            (failure.kind(), failure.executed()),
            (FailureKind::Unreachable, Executed::No)
        );
        assert!(
            failure.to_string().contains(&address.to_string()),
            "{failure}"
        );
        assert!(
            std::error::Error::source(&failure)
                .unwrap()
                .is::<io::Error>()
        );
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    check(SocketAddress::tcp("127.0.0.1", port)).await;
    #[cfg(unix)]
    check(SocketAddress::unix("/no/such/place.sock")).await;
}

#[tokio::test]
async fn c14_a_server_that_closes_ends_calls_as_lost() {
    let (client, far) = pair();
    let (failed, ()) = tokio::join!(call(&client), async { drop(far) });
    let failure = failed.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Lost);
    assert!(
        failure.to_string().contains("closed the connection"),
        "{failure}"
    );
}

#[tokio::test]
async fn a_server_that_never_closes_its_end_is_left_after_a_while() {
    let (client, mut far) = pair();
    let (failed, ()) = tokio::join!(call(&client), client.close());
    assert_eq!(failed.unwrap_err().kind(), FailureKind::Closed);
    let mut said = String::new();
    far.read_to_string(&mut said).await.unwrap();
    assert!(said.contains("ping"), "what was queued is written: {said}");
}

#[tokio::test]
async fn a_server_that_never_reads_is_left_after_a_while() {
    let (near, far) = duplex(16);
    let (reader, writer) = split(near);
    let client = StreamClient::new(reader, writer, &limits(), clock());
    let (failed, ()) = tokio::join!(call(&client), client.close());
    assert_eq!(failed.unwrap_err().kind(), FailureKind::Closed);
    drop(far);
}
