//! The same over sockets: a Unix socket and a TCP port, by their addresses.

use std::path::PathBuf;

use mcp_client::Client;
use mcp_types::Era;
use tokio::{net::TcpListener, sync::oneshot};

use crate::{
    caller::{Caller, ERAS},
    pipes::{adds, calculator},
    wait::soon,
};

async fn calls(address: &str, era: Option<Era>) {
    let mut builder = Client::builder("caller", "1.0");
    if let Some(era) = era {
        builder = builder.pin(era);
    }
    let client = soon("connecting", builder.connect(address)).await.unwrap();
    let told = client.negotiation().to_string();
    assert!(
        told.contains(address) && told.contains("over a socket"),
        "{told}"
    );
    assert_eq!(client.is_modern(), era.is_none_or(|era| era == Era::Modern));
    let caller = Caller::new(client);
    soon("the calls", adds(&caller)).await;
    soon("the end", caller.client.close()).await;
}

#[tokio::test]
async fn typed_calls_over_tcp() {
    let server = calculator();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    let (stop, stopped) = oneshot::channel::<()>();
    let work = async {
        for era in ERAS.map(Some).into_iter().chain([None]) {
            calls(&address, era).await;
        }
        drop(stop);
    };
    let sockets = server.sockets();
    let serving = sockets.serve_tcp(listener, async { drop(stopped.await) });
    let (served, ()) = tokio::join!(serving, work);
    served.unwrap();
}

#[tokio::test]
async fn typed_calls_over_a_unix_socket() {
    let server = calculator();
    let file = format!("mcp-swarm-{}.sock", std::process::id());
    let path: PathBuf = std::env::temp_dir().join(file);
    let address = format!("unix://{}", path.display());
    let work = async {
        while !path.exists() {
            tokio::task::yield_now().await;
        }
        for era in ERAS.map(Some).into_iter().chain([None]) {
            calls(&address, era).await;
        }
    };
    tokio::select! {
        served = server.serve_unix(&path) => panic!("{served:?}"),
        () = work => {}
    }
    assert!(!path.exists(), "dropping the server removes its file");
}

#[tokio::test]
async fn nobody_at_a_socket_is_told_with_its_address() {
    let error = Client::builder("caller", "1.0")
        .connect("unix:///no/such.sock")
        .await
        .unwrap_err();
    let told = error.to_string();
    assert!(
        told.starts_with("cannot connect to unix:///no/such.sock: "),
        "{told}"
    );
    assert!(
        told.contains("check that the server listens there"),
        "{told}"
    );
}
