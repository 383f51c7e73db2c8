//! A loopback proxy that keeps every byte that goes to the client.

use std::{
    net::Ipv4Addr,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy},
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

/// A proxy in front of a server, until it is dropped.
pub(crate) struct Recorder {
    pub(crate) url: String,
    heard: Arc<Mutex<Vec<u8>>>,
    task: JoinHandle<()>,
}

impl Recorder {
    /// In front of the server at `url`.
    pub(crate) async fn before(url: &str) -> Self {
        let host = url.strip_prefix("http://").unwrap().strip_suffix("/mcp");
        let host = host.unwrap().to_owned();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heard);
        #[expect(
            clippy::disallowed_methods,
            reason = "aborted when the handle is dropped, and its connections with it"
        )]
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(pass(client, host.clone(), Arc::clone(&kept)));
            }
        });
        Self { url, heard, task }
    }

    /// Whether `needle` was in what went to the client.
    pub(crate) fn heard(&self, needle: &str) -> bool {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard
            .windows(needle.len())
            .any(|window| window == needle.as_bytes())
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(client: TcpStream, host: String, kept: Arc<Mutex<Vec<u8>>>) {
    let Ok(server) = TcpStream::connect(host).await else {
        return;
    };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let up = async {
        let _cut = copy(&mut from_client, &mut to_server).await;
        let _cut = to_server.shutdown().await;
    };
    let down = async {
        let mut chunk = vec![0; 16 * 1024];
        while let Ok(read @ 1..) = from_server.read(&mut chunk).await {
            kept.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend_from_slice(&chunk[..read]);
            if to_client.write_all(&chunk[..read]).await.is_err() {
                break;
            }
        }
    };
    // A client that goes takes the way to the server with it, as it would without a proxy.
    tokio::select! {
        () = up => {}
        () = down => {}
    }
}
